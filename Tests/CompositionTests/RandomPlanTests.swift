import Composition
import Draft
import Foundation
import TestSupport
import Testing
import Values

/// Random drafts through validation, composition and plan, judged by ``Rules`` and ``Oracle``.
@Suite struct RandomPlanTests {
    static let seed = Seed.announced(for: "RandomPlanTests", cases: Seed.cases(10_000))

    /// The first few of ``Sweep``'s.
    @Test(arguments: 0..<4) func noPropertyIsViolated(chunk: Int) throws {
        try judge(chunk: chunk, of: 4, cases: Seed.cases(600))
    }

    /// Ten thousand drafts.
    @Suite struct Sweep {
        @Test(arguments: 0..<20) func noPropertyIsViolated(chunk: Int) throws {
            try RandomPlanTests().judge(chunk: chunk, of: 20, cases: Seed.cases(10_000))
        }
    }

    fileprivate func judge(chunk: Int, of chunks: Int, cases: Int) throws {
        let catalog = RandomDraft.textCatalog
        var legal = 0
        for index in stride(from: chunk, to: cases, by: chunks) {
            var generator = RandomDraft(.forCase(index, of: Self.seed))
            var draft = generator.draft()
            generator.addText(to: &draft)
            let problems = draft.validate(catalog)
            let context = Comment("case \(index) of CUTROOM_SEED=\(Self.seed)")
            let isLegal = Rules(draft: draft, catalog: catalog).isLegal
            try #require(problems.isEmpty == isLegal, "\(context): \(problems)")
            guard isLegal else {
                #expect(throws: Problems.self, context) { try RenderPlan(draft, catalog: catalog, libraries: "") }
                continue
            }
            legal += 1
            let plan = try RenderPlan(draft, catalog: catalog, libraries: "")
            try checkShape(plan, draft, catalog, context)
            try checkPictures(plan, draft, catalog, &generator.random, context)
            try checkSlices(plan, &generator.random, context)
            if index % 8 == 0 {
                let again = try RenderPlan(draft, catalog: catalog, libraries: "")
                try #require(again.json == plan.json, context)
                let read = try JSONDecoder().decode(RenderPlan.self, from: Data(plan.json.utf8))
                try #require(read.json == plan.json, context)
            }
        }
        #expect(legal > cases / chunks / 10 || cases < 600)
    }

    private func checkShape(_ plan: RenderPlan, _ draft: Draft, _ catalog: Catalog, _ context: Comment) throws {
        let composition = plan.composition
        let timeline = try Timeline(draft, catalog: catalog)
        let oracle = Oracle(draft, catalog)
        let rate = composition.frameRate
        try #require(abs(timeline.originalDuration.double - oracle.lengths[0]) <= 8, context)
        try #require(abs(timeline.duration.double - (oracle.lengths.last ?? 0)) <= 4000, context)
        let frames = (oracle.renderedDuration / 705_600_000 * rate.doubleValue).rounded(.up)
        let isOnEdge =
            abs(oracle.renderedDuration / 705_600_000 * rate.doubleValue - frames.rounded()) < 0.001
            || oracle.renderedDuration / 705_600_000 * rate.doubleValue - (frames - 1) < 0.001
        try #require(
            composition.frameCount == Int(frames) || isOnEdge && abs(composition.frameCount - Int(frames)) <= 1, context
        )
        // Contiguous from zero to the end.
        var end = Time.zero
        for instruction in composition.instructions {
            try #require(instruction.range.start == end && !instruction.range.isEmpty, context)
            try #require(instruction.clips.count == (instruction.transition == nil ? 1 : 2), context)
            end = instruction.range.end
        }
        try #require(end == composition.duration, context)
        // Segments partition the frames, and behind a cut no effect with state needs what it did
        // before.
        let sequential = sequential(composition)
        try #require(plan.segments.first?.firstFrame == 0, context)
        for (a, b) in zip(plan.segments, plan.segments.dropFirst()) {
            try #require(b.firstFrame == a.firstFrame + a.frameCount && b.index == a.index + 1, context)
            for (effect, shown) in sequential {
                let first = shown.first { $0.frames.upperBound > b.firstFrame }
                let time = first.map { own($0.use, max($0.frames.lowerBound, b.firstFrame), composition) }
                let before = shown.filter { $0.frames.lowerBound < b.firstFrame }
                let earliest = before.map { own($0.use, $0.frames.lowerBound, composition) }.min()
                guard let time, let earliest else { continue }
                try #require(time <= earliest, "\(context): effect \(effect) is cut at \(b.firstFrame)")
            }
        }
        let last = try #require(plan.segments.last, context)
        try #require(last.firstFrame + last.frameCount == composition.frameCount, context)
    }

    private typealias Shown = (frames: Range<Int>, use: Instruction.EffectUse)

    /// Where each effect is shown that depends on all frames before.
    private func sequential(_ composition: Composition) -> [Int: [Shown]] {
        var result: [Int: [Shown]] = [:]
        for instruction in composition.instructions {
            let frames = instruction.range.frames(rate: composition.frameRate)
            for use in instruction.everyUse
            where composition.effects[use.effect].plugin?.state == .sequential && !frames.isEmpty {
                result[use.effect, default: []].append((frames, use))
            }
        }
        return result
    }

    private func own(_ use: Instruction.EffectUse, _ frame: Int, _ composition: Composition) -> Time {
        use.time(at: Time(frame: frame, rate: composition.frameRate))
    }

    private func checkPictures(
        _ plan: RenderPlan, _ draft: Draft, _ catalog: Catalog, _ random: inout SplitMix64, _ context: Comment
    ) throws {
        let composition = plan.composition
        let comparison = Comparison(draft, catalog, composition)
        var frames: Set<Int> = [0, composition.frameCount - 1]
        for instruction in composition.instructions.prefix(12) {
            let frame = instruction.range.start.frameIndex(rate: composition.frameRate)
            frames.formUnion([max(0, frame - 1), frame, min(frame + 1, composition.frameCount - 1)])
        }
        for _ in 0..<8 { frames.insert(Int.random(in: 0..<composition.frameCount, using: &random)) }
        for frame in frames {
            let instruction = try #require(composition.instruction(at: frame), context)
            let text = comparison.disagreement(instruction, inFrame: frame)
            try #require(text == nil, "\(context), frame \(frame): \(text ?? "")")
        }
        for _ in 0..<6 {
            let time = Time(
                flicks: Int64.random(in: 0..<max(1, Int64(comparison.oracle.renderedDuration)), using: &random))
            let text = comparison.soundDisagreement(at: time)
            try #require(text == nil, "\(context), sound at \(time.seconds) s: \(text ?? "")")
        }
    }

    /// A segment's slice shows the same, to the flick, as the whole.
    private func checkSlices(_ plan: RenderPlan, _ random: inout SplitMix64, _ context: Comment) throws {
        let whole = plan.composition
        for segment in plan.segments.prefix(3) {
            let job = try #require(plan.segmentJob(segment.index, output: "x"), context)
            let (slice, start) = (job.slice, job.firstFrame)
            try #require(start == segment.firstFrame && slice.frameCount == segment.frameCount, context)
            try #require(slice.origin == nil || slice.origin == start, context)
            let frames = start..<start + segment.frameCount
            let covered = try covered(slice, frames, whole, context)
            try #require(
                slice.instruction(at: covered.lowerBound - 1 - start) == nil
                    && slice.instruction(at: covered.upperBound - start) == nil,
                context)
            for frame in Set([
                covered.lowerBound, frames.lowerBound, frames.upperBound - 1, covered.upperBound - 1,
                Int.random(in: frames, using: &random),
            ]) {
                let part = try #require(slice.instruction(at: frame - start), context)
                let right = try #require(whole.instruction(at: frame), context)
                try #require(
                    Picture(part, frame - start, slice) == Picture(right, frame, whole), "\(context), frame \(frame)")
            }
        }
    }
}

extension RandomPlanTests {
    /// The frames that a slice must know: its own, those that its effects see, and those that warm
    /// them up.
    private func covered(
        _ slice: Slice, _ frames: Range<Int>, _ whole: Composition, _ context: Comment
    ) throws -> Range<Int> {
        var plugins: [String: PluginUse] = [:]
        for frame in frames {
            for use in whole.instruction(at: frame)?.everyUse ?? [] {
                plugins["\(use.effect)"] = whole.effects[use.effect].plugin
            }
        }
        let lead = plugins.values.reduce(0) { $0 + ($1.warmUp ?? 0) }
        let before = plugins.values.reduce(lead) { $0 + ($1.window?.before ?? 0) }
        let after = plugins.values.reduce(0) { $0 + ($1.window?.after ?? 0) }
        try #require(slice.leadFrames ?? 0 == min(lead, frames.lowerBound), context)
        return max(0, frames.lowerBound - before)..<min(whole.frameCount, frames.upperBound + after)
    }
}

extension Instruction {
    /// The effect list's, the clips' own, a transition's, and what makes clips.
    var everyUse: [EffectUse] {
        effects + clips.flatMap(\.effects) + clips.compactMap(\.generator) + [transition?.effect].compactMap(\.self)
    }
}

extension Composition {
    func instruction(at frame: Int) -> Instruction? {
        let time = Time(middleOfFrame: frame, rate: frameRate)
        return instructions.first { $0.range.contains(time) }
    }
}

/// Everything that decides one frame, without the numbers that a composition or a slice gives to
/// things.
struct Picture: Hashable {
    struct ClipUse: Hashable {
        var clip: String?
        var path: String?
        var generator: Use?
        var mode: ContentMode
        /// nil where there is but one picture.
        var content: Time?
        var effects: [Use]
    }

    struct Use: Hashable {
        var id: String?
        var path: String?
        var seedName: String?
        /// nil for what looks the same at all times, but for its values.
        var clock: Time?
        var length: Time
        var values: [[Double]]
    }

    var clips: [ClipUse]
    var kind: Transition.Kind?
    var joined: Use?
    var progress: Double?
    var effects: [Use]

    init(
        _ instruction: Instruction, _ frame: Int, _ rate: Rational, _ clips: [CompositionClip], _ files: [MediaFile],
        _ all: [CompositionEffect]
    ) {
        let time = Time(frame: frame, rate: rate)
        let middle = Time(middleOfFrame: frame, rate: rate)
        func pixels(_ rect: Rect) -> [Double] { [rect.x, rect.y, rect.width, rect.height].map(Double.init) }
        func use(_ use: Instruction.EffectUse) -> Use {
            let effect = all[use.effect]
            let clock = use.time(at: time)
            let values: [[Double]] =
                switch effect.content {
                case .picture(.lut(let look)): [look.intensity.value(at: clock)]
                case .picture(.sticker(let sticker)):
                    [sticker.opacity.value(at: clock), pixels(sticker.rect(at: clock))]
                case .picture(.title(let title)):
                    [title.opacity.value(at: clock), [title.size], title.path?.rotation.value(at: clock) ?? []]
                        + [title.enter?.pose(at: clock), title.end.flatMap { title.leave?.pose(at: $0 - clock) }]
                        .map { $0 ?? .rest }
                        .map { [$0.opacity, $0.across, $0.down, $0.scale, $0.turn, $0.blur] + $0.uncovered }
                case .subtitles(let subtitles):
                    // Where no cue is, nothing else matters.
                    subtitles.cues.filter { $0.isShown(at: clock) }.map {
                        [Double($0.text.hashValue)] + subtitles.look.style.opacity.value(at: clock)
                    }
                case .picture(.filter(let plugin)), .transition(let plugin), .source(let plugin):
                    Self.values(of: plugin, at: clock)
                case .picture(.subtitles), .layer: []
                case .picture(.overlay(let overlay)):
                    Self.values(of: overlay.source, at: clock) + [overlay.opacity.value(at: clock)]
                }
            // What is built in sees no time but its values', and an animated image's.
            let hasTime = effect.plugin != nil || effect.files.contains { files[$0].info.kind == .media }
            return Use(
                id: effect.id, path: effect.files.first.map { files[$0].path }, seedName: effect.seedName,
                clock: hasTime ? clock : nil, length: use.length, values: values)
        }
        self.clips = instruction.clips.map { shown in
            let clip = clips[shown.clip]
            return ClipUse(
                clip: clip.id, path: clip.file.map { files[$0].path }, generator: shown.generator.map(use),
                mode: clip.mode,
                content: clip.file.flatMap {
                    files[$0].info.kind == .image ? nil : clip.picture(shown.content, at: middle)?.time
                },
                effects: shown.effects.map(use))
        }
        joined = instruction.transition?.effect.map(use)
        if case .builtIn(let kind)? = instruction.transition?.style { self.kind = kind }
        progress = instruction.transition?.progress(at: time)
        effects = instruction.effects.map(use)
    }

    private static func values(of filter: PluginEffect, at clock: Time) -> [[Double]] {
        filter.parameters.sorted { $0.key < $1.key }.map { _, value in
            if case .numbers(let animated) = value { animated.value(at: clock) } else { [] }
        }
    }

    init(_ instruction: Instruction, _ frame: Int, _ slice: Slice) {
        self.init(instruction, frame, slice.frameRate, slice.clips, slice.files, slice.effects)
    }

    init(_ instruction: Instruction, _ frame: Int, _ whole: Composition) {
        self.init(instruction, frame, whole.frameRate, whole.clips, whole.files, whole.effects)
    }
}
