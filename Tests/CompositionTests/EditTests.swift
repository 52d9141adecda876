import Composition
import Draft
import Foundation
import TestSupport
import Testing
import Values

/// An edit renders what it changes: random edits of random drafts, judged by ``CheapMovie``, which
/// knows no cuts and no keys.
@Suite struct EditTests {
    static let seed = Seed.announced(for: "EditTests", cases: Seed.cases(10_000))

    /// The first few of ``Sweep``'s.
    @Test(arguments: 0..<4) func anEditRendersWhatItChanges(chunk: Int) throws {
        try Self.judge(chunk: chunk, of: 4, cases: Seed.cases(120))
    }

    /// Ten thousand edits.
    @Suite struct Sweep {
        @Test(arguments: 0..<20) func anEditRendersWhatItChanges(chunk: Int) throws {
            try EditTests.judge(chunk: chunk, of: 20, cases: Seed.cases(10_000))
        }
    }

    /// As ``RandomDraft``'s, but only the effects with state need to know their place.
    static let catalog: Catalog = {
        var catalog = RandomDraft.catalog
        for index in catalog.effects.indices where catalog.effects[index].state != .sequential {
            catalog.effects[index].ignoresTimeline = true
        }
        return catalog
    }()

    fileprivate static func judge(chunk: Int, of chunks: Int, cases: Int) throws {
        var tally = Tally()
        // So many that their number is not left to chance.
        let cases = max(cases, 100 * chunks)
        for index in stride(from: chunk, to: cases, by: chunks) {
            var editor = RandomEditor(RandomDraft(.forCase(index, of: Self.seed)))
            let draft = editor.draft()
            let (edited, what) = editor.edited(draft)
            guard let before = try? plan(draft, Self.catalog), let after = try? plan(edited, Self.catalog) else {
                continue
            }
            // Every part is looked for at every old frame: one draft of an hour would take longer
            // than all others.
            guard before.composition.frameCount * after.composition.frameCount <= 40_000_000 else { continue }
            // The first one of equal uses is counted first, whichever it is.
            let names = after.composition.effects.compactMap(\.seedName)
            guard !names.contains(where: { $0.contains("-") }) else { continue }
            let judge = EditJudge(draft, before, edited, after, Self.catalog)
            try judge.judge(&tally, "\(what), case \(index) of CUTROOM_SEED=\(Self.seed)")
        }
        // 44 of 100 cases are plans that can be compared: four standard deviations less is no
        // chance.
        let count = Double(cases / chunks)
        #expect(Double(tally.edits) > 0.44 * count - 4 * (0.44 * 0.56 * count).squareRoot(), "\(tally)")
        if ProcessInfo.processInfo.environment["CUTROOM_TIMES"] != nil { print("\(tally)") }
    }

    /// A clip put into, taken out of and moved within half an hour of 360 clips: the parts at the
    /// seams, and no other.
    @Test func halfAnHour() throws {
        var clips = (0..<360).map { Clip.sound(Double($0 % 150) / 30, 5) }
        for index in stride(from: 3, to: 360, by: 7) { clips[index].transition = Transition(duration: seconds(0.5)) }
        // All are told apart.
        for index in clips.indices { clips[index].mode = ContentMode.allCases[index / 150] }
        let draft = Draft(clips)
        let before = Set(try plan(draft).keys)
        #expect(before.count > 600)
        func rendered(_ edit: (inout [Clip]) -> Void) throws -> Int {
            var edited = draft
            edit(&edited.clips)
            return try plan(edited).segments.count { !before.contains($0.key) }
        }
        for place in [0, 100, 200, 359] {
            // Three parts of the new clip's own, and one at each seam.
            #expect(try rendered { $0.insert(.sound(2, 6), at: place) } <= 5)
            #expect(try rendered { $0.remove(at: place) } <= 2)
            #expect(try rendered { $0.insert($0.remove(at: place), at: 42) } <= 6)
        }
    }
}

/// What the edits of one run came to.
struct Tally: CustomStringConvertible {
    var edits = 0
    var parts = 0
    var rendered = 0
    /// Parts that were rendered though they look as before, as their cuts moved.
    var neighbours = 0
    /// By how many of them lie side by side.
    var runs: [Int: Int] = [:]

    var description: String {
        "\(edits) edits, \(parts) parts, \(rendered) rendered, \(neighbours) of them neighbours, in runs of \(runs.sorted { $0.key < $1.key })"
    }
}

/// Compares two plans, and the cheap pictures of both.
private struct EditJudge {
    let (before, after): (RenderPlan, RenderPlan)
    let (old, new): ([CheapPicture], [CheapPicture])
    private let (oldMovie, newMovie): (CheapMovie, CheapMovie)
    private let isRounded: Bool

    init(_ draft: Draft, _ before: RenderPlan, _ edited: Draft, _ after: RenderPlan, _ catalog: Catalog) {
        (self.before, self.after) = (before, after)
        func movie(_ draft: Draft, _ plan: RenderPlan) -> CheapMovie {
            CheapMovie(draft, catalog, plan.composition.frameCount, plan.composition.frameRate)
        }
        (oldMovie, newMovie) = (movie(draft, before), movie(edited, after))
        (old, new) = (oldMovie.frames, newMovie.frames)
        isRounded = (draft.effects + edited.effects).contains { if case .speed = $0.kind { true } else { false } }
    }

    func judge(_ tally: inout Tally, _ context: String) throws {
        tally.edits += 1
        tally.parts += after.segments.count
        let known = Dictionary(before.segments.map { ($0.key, $0) }) { first, _ in first }
        var run = 0
        for part in after.segments {
            let places = placesInOld(of: part)
            if let same = known[part.key] {
                // What is used again looks the same.
                let unlike = unlike(part, same)
                try #require(
                    unlike == nil,
                    "\(context): frames \(part.firstFrame)+\(part.frameCount) are not those of \(same.firstFrame): \(unlike ?? "")"
                )
                run = 0
                continue
            }
            tally.rendered += 1
            // The last frame shows what there is at the end, which may be less than half of it.
            guard !places.isEmpty, part.firstFrame + part.frameCount < new.count else {
                run = 0
                continue
            }
            // It looks as before, and had another cut: a neighbour.
            // Where the timeline runs at another speed, times are rounded once more, to the flick.
            let twin =
                isRounded
                ? nil
                : before.segments.first { old in
                    old.frameCount == part.frameCount && places.contains(old.firstFrame)
                }
            try #require(
                twin == nil,
                "\(context): \(twin.map { difference(part, $0) } ?? ""): frames \(part.firstFrame)+\(part.frameCount) look as before at \(places), and are rendered again"
            )
            tally.neighbours += 1
            run += 1
            tally.runs[run, default: 0] += 1
        }
    }

    /// The lines in which two parts' slices differ, for people.
    private func difference(_ part: RenderPlan.Segment, _ old: RenderPlan.Segment) -> String {
        func lines(_ plan: RenderPlan, _ segment: RenderPlan.Segment) -> [Substring] {
            prettyJSON(plan.segmentJob(segment.index, output: "")?.slice).split(separator: "\n")
        }
        return lines(after, part).difference(from: lines(before, old)).map { change in
            switch change {
            case .insert(_, let line, _): "+\(line)"
            case .remove(_, let line, _): "-\(line)"
            }
        }.joined(separator: " ")
    }

    /// The first frame of a part that does not look as it did, for people.
    private func unlike(_ part: RenderPlan.Segment, _ old: RenderPlan.Segment) -> String? {
        for offset in 0..<part.frameCount {
            let places = (part.firstFrame + offset, old.firstFrame + offset)
            guard let a = picture(new, places.0), let b = picture(self.old, places.1) else {
                return "one has no frame \(offset)"
            }
            if a.looksLike(b, within: Comparison.tolerance) { continue }
            let was = oldMovie.candidates(places.1)
            let isAtEdge = newMovie.candidates(places.0).contains { a in
                was.contains { a.looksLike($0, within: Comparison.tolerance) }
            }
            guard !isAtEdge else { continue }
            return "frame \(offset) is \(a.names) \(a.times) \(a.values), was \(b.names) \(b.times) \(b.values)"
        }
        return nil
    }

    /// The old frames from which on a part, with what its effects see around it, looks the same.
    private func placesInOld(of part: RenderPlan.Segment) -> [Int] {
        let last = old.count - part.frameCount
        guard last >= 0 else { return [] }
        let around = reach(of: part)
        return (0...last).filter {
            looksAlike(part, at: $0, around: around, within: 0.01) && isTimedAlike(part, at: $0, around: around)
        }
    }

    private func looksAlike(
        _ part: RenderPlan.Segment, at place: Int, around reach: (before: Int, after: Int) = (0, 0),
        within tolerance: Double
    ) -> Bool {
        (-reach.before..<part.frameCount + reach.after).allSatisfy { offset in
            let (a, b) = (picture(new, part.firstFrame + offset), picture(old, place + offset))
            guard let a, let b else { return (a == nil) == (b == nil) }
            return a.looksLike(b, within: tolerance)
        }
    }

    /// One photo follows the other at the same frames, and what moves is at the same times of its
    /// own: where effects see around it, too.
    private func isTimedAlike(_ part: RenderPlan.Segment, at place: Int, around reach: (before: Int, after: Int))
        -> Bool
    {
        (-reach.before..<part.frameCount + reach.after).allSatisfy { offset in
            guard let a = picture(new, part.firstFrame + offset)?.clocks, let b = picture(old, place + offset)?.clocks
            else { return true }
            return a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 0.01 }
        }
            && (1 - reach.before..<max(1, part.frameCount + reach.after)).allSatisfy { offset in
                let (a, b) = (part.firstFrame + offset, place + offset)
                return (picture(new, a)?.stills == picture(new, a - 1)?.stills)
                    == (picture(old, b)?.stills == picture(old, b - 1)?.stills)
            }
    }

    private func picture(_ frames: [CheapPicture], _ index: Int) -> CheapPicture? {
        frames.indices.contains(index) ? frames[index] : nil
    }

    private func reach(of part: RenderPlan.Segment) -> (before: Int, after: Int) {
        var all: [String: (before: Int, after: Int)] = [:]
        for frame in new[part.firstFrame..<part.firstFrame + part.frameCount] { all.merge(frame.reach) { a, _ in a } }
        return (all.values.reduce(0) { $0 + $1.before }, all.values.reduce(0) { $0 + $1.after })
    }
}

/// Random drafts, and edits as people make them.
private struct RandomEditor {
    var generator: RandomDraft

    init(_ generator: RandomDraft) { self.generator = generator }

    /// Up to eight clips at ten frames per second.
    mutating func draft() -> Draft {
        var draft = generator.draft(illegal: false)
        draft.canvas.frameRate = Rational(10)
        while draft.clips.count < 5 { draft.clips.append(generator.clip(draft.clips.count)) }
        draft.timeRange = nil
        // What is asked for; else the quality is held below the highest rate of all sources.
        draft.export.video.quality = 23
        return draft
    }

    /// - Returns: the edited draft, and what was done to it.
    mutating func edited(_ draft: Draft) -> (Draft, String) {
        var edited = draft
        let count = draft.clips.count
        let place = Int.random(in: 0..<count, using: &generator.random)
        var clip = generator.clip(100)
        let what: String
        switch Int.random(in: 0..<8, using: &generator.random) {
        case 0:
            // A whole number of frames, as most are.
            clip = Clip(
                path: "/m/photo.jpg",
                content: .image(
                    duration: Time(frame: Int.random(in: 1...40, using: &generator.random), rate: Rational(10))),
                id: "new")
            edited.clips.insert(clip, at: place)
            what = "inserted at \(place)"
        case 1:
            clip.id = "new"
            edited.clips.insert(clip, at: place)
            what = "inserted any at \(place)"
        case 2:
            edited.clips.remove(at: place)
            what = "removed \(place)"
        case 3:
            let to = Int.random(in: 0..<count, using: &generator.random)
            edited.clips.insert(edited.clips.remove(at: place), at: to)
            what = "moved \(place) to \(to)"
        case 4:
            if case .media(let range?) = edited.clips[place].content {
                let cut = Time(frame: Int.random(in: 1...5, using: &generator.random), rate: Rational(10))
                edited.clips[place].content = .media(range: TimeRange(from: range.start + cut, to: range.end))
            }
            what = "trimmed \(place)"
        case 5:
            if edited.clips[place].isMedia { edited.clips[place].speed = generator.speed() }
            what = "retimed \(place)"
        case 6:
            let length = generator.range(within: 4)
            edited.effects.append(Effect(.picture(generator.picture()), range: length, id: "new"))
            if edited.effects.count > 1, edited.effects[edited.effects.count - 2].isPassThrough {
                edited.effects.swapAt(edited.effects.count - 1, edited.effects.count - 2)
            }
            what = "effect over \(length)"
        default:
            if let index = edited.effects.firstIndex(where: { !$0.isTimeEffect }) {
                edited.effects[index].kind = .picture(generator.picture())
            }
            what = "effect changed"
        }
        edited.clips[0].transition = nil
        return (edited, what)
    }
}
