import Composition
import Draft
import Farm
import Foundation
import Jobs
import Messaging
import Synchronization
import TestSupport
import Testing
import Values

/// Random drafts with real files, on a small canvas, for two queues with one and with three real
/// workers, which stay from one draft to the next.
final class DraftFarm: Sendable {
    private let folder: TemporaryFolder
    private let (one, three): (JobQueue, JobQueue)
    private let catalog: Catalog
    private let libraries: String
    private let lastJob = Mutex(0)

    private static let size = Canvas.Size(width: 64, height: 36)
    private static let longest = Time(seconds: 3) ?? .zero

    /// Opens the queues while `body` runs.
    static func with(_ body: (DraftFarm) async throws -> Void) async throws {
        let farm = try await DraftFarm()
        let result: Result<Void, any Error>
        do { result = .success(try await body(farm)) } catch { result = .failure(error) }
        for queue in [farm.one, farm.three] { await queue.shutdown(graceful: true) }
        try result.get()
    }

    private init() async throws {
        let folder = try TemporaryFolder()
        let files = try Self.makeFiles(in: folder)
        func queue(_ workers: Int) throws -> JobQueue {
            let runtime = folder.file("run\(workers)")
            try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
            var configuration = JobQueue.Configuration(
                workers: workers, workerPath: Project.products + "/cutroom-worker", engine: Engine.version,
                runtimeDirectory: runtime)
            configuration.writable = [folder.path]
            return try JobQueue(configuration: configuration)
        }
        (self.folder, one, three) = (folder, try queue(1), try queue(3))
        let names = ["vignette", "rgb_split", "effects", "sound", "sources", "transitions"]
        let plugins = names.map { "\(Project.products)/libcutroom_plugin_\($0).so" }
        func ask<Reply: Decodable>(_ job: Job, _ queue: JobQueue) async throws -> Reply {
            let spec = JobSpec(id: JobID("ask-\(job.kind)"), kind: job.kind, payload: try job.payload)
            return try JSONDecoder().decode(Reply.self, from: try await queue.run(spec))
        }
        let probed: ProbeJob.Reply = try await ask(Job(ProbeJob(files.map { DraftFile($0) })), three)
        let inspected: InspectJob.Reply = try await ask(Job(InspectJob(searchPaths: plugins)), three)
        libraries = probed.libraries
        var catalog = Catalog(effects: inspected.effects)
        for (file, found) in zip(files, probed.files) { catalog[DraftFile(file)] = found.info.map { .found($0) } }
        self.catalog = catalog
    }

    /// The files that ``RandomDraft`` knows.
    private static func makeFiles(in folder: TemporaryFolder) throws -> [String] {
        let (media, size) = (TestMedia(in: folder), (64, 48))
        return [
            try media.identityHald("look.png"),
            try media.testPattern("sound.mp4", size: size, seconds: 10, options: ["-g", "30", "-bf", "2"]),
            try media.testPattern("silent.mp4", size: size, rate: "25", seconds: 7.3, tone: nil),
            try media.testPattern(
                "odd.webm", size: (50, 34), rate: "24", seconds: 3.333, options: ["-c:v", "libvpx", "-c:a", "libopus"]),
            try media.testPattern("short.mp4", size: size, seconds: 0.5),
            try media.tone("music.m4a", seconds: 20),
            try media.sticker("photo.png", rgba: "green@0.6", size: (100, 75)),
            try media.image("emoji.png", size: (32, 20)),
            try folder.write(RandomDraft.subtitles, to: "talk.srt"),
        ]
    }

    // MARK: Drafts

    /// Returns a random draft with layers, some of them with masks, text, and in every third one
    /// other drafts; nil if it is not valid.
    func draft(_ random: inout SplitMix64) -> Draft? {
        var drafts = RandomDraft(random)
        let depth = drafts.random.chance(1, in: 3) ? Int.random(in: 1...2, using: &drafts.random) : 0
        var draft = depth > 0 ? drafts.nesting(depth: depth) : drafts.draft(illegal: false)
        for number in 20..<20 + Int.random(in: 1...3, using: &drafts.random) {
            var layer = drafts.layer(number, side: 60)
            if case .layer(var masked) = layer.kind, drafts.random.chance(1, in: 4) {
                masked.mask = Mask(
                    path: masked.clip.path, kind: .luma, isInverted: drafts.random.chance(1, in: 2))
                layer.kind = .layer(masked)
            }
            let last = draft.effects.last?.isPassThrough == true ? draft.effects.count - 1 : draft.effects.count
            draft.effects.insert(layer, at: Int.random(in: 0...last, using: &drafts.random))
        }
        drafts.addText(to: &draft)
        random = drafts.random
        resize(&draft, &random)
        draft.canvas.frameRate = random.pick([Rational(10), Rational(25, 2), Rational(15000, 1001)])
        draft.canvas.background = Color(red: 30, green: 90, blue: 160)
        let start = draft.timeRange?.start ?? .zero
        draft.timeRange = TimeRange(
            start: start, duration: min(draft.timeRange?.duration ?? Self.longest, Self.longest))
        (draft.export.video.quality, draft.export.video.preset) = (0, "ultrafast")
        draft.changeUses { adapt(&$0, &random) }
        return draft.validate(catalog).isEmpty ? draft : nil
    }

    /// Gives the draft and its nested drafts small canvases.
    private func resize(_ draft: inout Draft, _ random: inout SplitMix64) {
        func resized(_ clip: Clip) -> Clip {
            guard case .draft(let nested, let range) = clip.content else { return clip }
            var (clip, inner) = (clip, nested.draft)
            resize(&inner, &random)
            if random.chance(1, in: 2) { inner.canvas.size = Canvas.Size(width: 48, height: 48) }
            clip.content = .draft(NestedDraft(inner), range: range)
            return clip
        }
        draft.canvas.size = Self.size
        draft.clips = draft.clips.map(resized)
        for index in draft.effects.indices {
            guard case .layer(var layer) = draft.effects[index].kind else { continue }
            layer.clip = resized(layer.clip)
            draft.effects[index].kind = .layer(layer)
        }
    }

    private func file(_ path: String) -> String {
        path.isEmpty ? "" : folder.file(String(path.dropFirst(3)).replacing(".jpg", with: ".png"))
    }

    /// Replaces invented files and effects by real files and shipped effects.
    private func adapt(_ use: inout DraftUse, _ random: inout SplitMix64) {
        switch use.content {
        case .clip(var clip):
            adapt(&clip)
            use.content = .clip(clip)
        case .layer(var layer):
            adapt(&layer.clip)
            if let path = layer.mask?.path { layer.mask?.path = file(path) }
            use.content = .layer(layer)
        case .file(let known, let sound):
            use.content = .file(DraftFile(file(known.path), known.content), sound: sound)
        case .transition: use.content = .transition(plugin(random.pick(["circle_open", "zoom", "burn"])))
        case .sound: use.content = .sound(plugin("echo"))
        case .picture(var effect):
            effect.mapFiles(file)
            switch effect {
            case .filter: effect = .filter(plugin(random.pick(["vignette", "rgb_split", "blur", "soul_out"])))
            case .overlay(var overlay):
                overlay.source = plugin("gradient")
                if overlay.rect != nil { overlay.rect = Rect(x: 7, y: -3, width: 31, height: 21) }
                effect = .overlay(overlay)
            case .sticker(var sticker):
                if sticker.rect.isConstant { sticker.rect = .constant([-5, 3, 21, 24]) }
                effect = .sticker(sticker)
            case .title(var title):
                (title.font, title.fontFile, title.size) = ("Sans", nil, min(title.size, 14))
                if title.width != nil { title.width = 40 }
                effect = .title(title)
            case .lut, .subtitles: break
            }
            use.content = .picture(effect)
        }
    }

    private func adapt(_ clip: inout Clip) {
        switch clip.content {
        case .generated(_, let duration): clip.content = .generated(plugin("gradient"), duration: duration)
        case .draft: break
        default: clip.path = file(clip.path)
        }
    }

    private func plugin(_ name: String) -> PluginEffect { PluginEffect(effectID: "org.cutroom." + name) }

    // MARK: Renders

    /// Renders a draft with one worker and with three, and takes a snapshot of one of its frames.
    /// - Returns: the number of its parts.
    func check(_ draft: Draft, _ random: inout SplitMix64, _ context: Comment) async throws -> Int {
        let plan = try RenderPlan(draft, catalog: catalog, libraries: libraries)
        let shots = try SnapshotPlan(draft, catalog: catalog, whole: false)
        let frame = Int.random(in: 0..<plan.composition.frameCount, using: &random)
        async let first = render(plan, by: one)
        async let second = render(plan, by: three)
        let picture: SnapshotJob.Reply = try await result(
            of: Job(shots.job(frame, format: .png, output: folder.file("\(next).png"))), three)
        let (ours, others) = try await (first, second)
        for (a, b) in zip(ours, others) {
            #expect(a.file.digest == b.file.digest && a.file.size == b.file.size, "\(context): \(a.path)")
        }
        let movie = try #require(ours.last)
        let document = draft.document(in: folder.path)
        try expectEqual(movie.path, frame, picture.path, "\(context), \(document)")
        for path in (ours + others).map(\.path) + [picture.path] { try FileManager.default.removeItem(atPath: path) }
        return plan.segments.count
    }

    /// Renders a plan.
    /// - Returns: every part, including duplicates, and the file.
    private func render(_ plan: RenderPlan, by queue: JobQueue) async throws -> [WrittenFile] {
        let (number, parts) = (next, plan.segments.indices)
        var jobs = parts.compactMap { plan.segmentJob($0, output: folder.file("\(number)-\($0)")).map { Job($0) } }
        let runs = plan.runs.indices
        jobs += runs.compactMap { plan.mixJob($0, output: folder.file("\(number)-run-\($0)")) }.map { Job($0) }
        let specs = try jobs.map { try spec($0) }
        let results = try await queue.run(specs)
        let written = try specs.map {
            try JSONDecoder().decode(WrittenFile.self, from: try #require(results[$0.id]))
        }
        let all = written.map { AssembleJob.Part(path: $0.path, file: $0.file) }
        var sound: AssembleJob.Part?
        if let job = plan.soundJob(Array(all.dropFirst(parts.count)), output: folder.file("\(number)-sound")) {
            let reply: SoundJob.Reply = try await result(of: Job(job), queue)
            sound = reply.written.map { AssembleJob.Part(path: $0.path, file: $0.file) }
            try #require(sound != nil)
        }
        let job = AssembleJob(
            segments: Array(all[parts]), sound: sound,
            frameRate: plan.composition.frameRate, size: plan.pictureSize, color: plan.composition.color,
            container: plan.container, indexFirst: plan.indexFirst, output: folder.file("\(number).mp4"),
            subtitles: plan.composition.subtitles)
        let reply: AssembleJob.Reply = try await result(of: Job(job), queue)
        return written + (sound.map { [WrittenFile(path: $0.path, file: $0.file)] } ?? []) + [
            try #require(reply.written)
        ]
    }

    private var next: Int {
        lastJob.withLock {
            $0 += 1; return $0
        }
    }

    private func spec(_ job: Job) throws -> JobSpec {
        JobSpec(id: JobID("\(job.kind)-\(next)"), kind: job.kind, payload: try job.payload)
    }

    private func result<Reply: Decodable>(of job: Job, _ queue: JobQueue) async throws -> Reply {
        try JSONDecoder().decode(Reply.self, from: try await queue.run(try spec(job)))
    }

    /// Expects that a frame of a lossless file equals a picture.
    private func expectEqual(_ movie: String, _ frame: Int, _ picture: String, _ context: Comment) throws {
        let flags = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp"
        let both = try FFmpeg.run([
            "-i", movie, "-i", picture, "-filter_complex",
            "[0:v]select=eq(n\\,\(frame)),scale=\(flags):in_h_chr_pos=0:in_v_chr_pos=128:in_color_matrix=bt709:in_range=tv:out_range=pc,format=rgb24,setpts=0[a];"
                + "[1:v]format=rgb24,setpts=0[b];[a][b]hstack[v]",
            "-map", "[v]", "-frames:v", "1", "-f", "rawvideo", "-",
        ]).stdout
        let (row, rows) = (6 * Self.size.width, Self.size.height)
        try #require(both.count == row * rows, "\(context), frame \(frame): \(both.count) bytes")
        var different: [Int] = []
        for y in 0..<rows {
            for x in 0..<row / 2 {
                let (a, b) = (Int(both[y * row + x]), Int(both[y * row + row / 2 + x]))
                if a != b { different.append(abs(a - b)) }
            }
        }
        #expect(
            different.isEmpty,
            "\(context): frame \(frame) is not the snapshot: \(different.count) samples, by up to \(different.max() ?? 0)"
        )
    }
}
