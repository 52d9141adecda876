import Composition
import Draft
import Foundation
import Jobs
import TestSupport
import Testing
import Values

/// A job's paths are all found: what is not could neither be mapped nor fetched on another machine.
@Suite struct JobPathTests {
    private static let catalog: Catalog = {
        var catalog = RandomDraft.textCatalog
        for index in catalog.effects.indices { catalog.effects[index].path = "/\(catalog.effects[index].id).so" }
        return catalog
    }()

    /// Every text of a value that looks like a path.
    private func paths(in value: Any) -> [String] {
        switch value {
        case let list as [Any]: list.flatMap(paths)
        case let table as [String: Any]: table.values.flatMap(paths)
        case let text as String: text.hasPrefix("/") ? [text] : []
        default: []
        }
    }

    private func check(_ job: Job, _ context: Comment) throws {
        let before = paths(in: try JSONSerialization.jsonObject(with: try job.payload))
        let moved = job.mappingPaths { path, _ in "/moved" + path }
        let after = paths(in: try JSONSerialization.jsonObject(with: try moved.payload))
        try #require(after.allSatisfy { $0.hasPrefix("/moved/") }, "\(after) \(context)")
        try #require(Set(after) == Set(before.map { "/moved" + $0 }), context)
        try #require(Set(job.paths.keys) == Set(before), context)
        // It is the same job once more when it has come back.
        let back = moved.mappingPaths { path, _ in String(path.dropFirst("/moved".count)) }
        try #require(back == job, context)
        try #require(try Job(kind: job.kind, payload: try job.payload) == job, context)
    }

    @Test func everyPathOfEveryJobIsFound() throws { try checkJobs(ofDrafts: 75) }

    /// More drafts.
    @Suite struct Sweep {
        @Test func everyPathOfEveryJobIsFound() throws { try JobPathTests().checkJobs(ofDrafts: 300) }
    }

    private func checkJobs(ofDrafts cases: Int) throws {
        let seed = Seed.announced(for: "JobPathTests", cases: cases)
        var kinds: Set<String> = []
        var uses: Set<String> = []
        for round in 0..<cases {
            var generator = RandomDraft(.forCase(round, of: seed))
            var draft = generator.draft()
            generator.addText(to: &draft)
            guard let plan = try? RenderPlan(draft, catalog: Self.catalog, libraries: "") else { continue }
            let context = Comment("case \(round) of CUTROOM_SEED=\(seed)")
            var jobs = plan.segments.compactMap { plan.segmentJob($0.index, output: "/out/\($0.index)") }.map(
                { Job($0) })
            jobs += plan.runs.compactMap { plan.mixJob($0.index, output: "/out/run-\($0.index)") }.map { Job($0) }
            let parts = plan.runs.map { run in
                AssembleJob.Part(path: "/run-\(run.index)", file: RenderedFile(count: 1, size: 1, digest: ""))
            }
            if let sound = plan.soundJob(parts, output: "/out/sound") {
                jobs += [Job(sound), Job(SoundPiecesJob(sound, pieceSamples: 9))]
            }
            for job in jobs {
                try check(job, context)
                kinds.insert(job.kind)
                for use in job.paths.values.joined() {
                    uses.insert(String("\(use)".prefix { $0.isLetter }))
                }
            }
        }
        #expect(kinds == ["segment", "mix", "sound", "sound_pieces"])
        #expect(uses.isSuperset(of: ["reads", "loads", "writes"]), "\(uses)")
    }

    @Test func jobsThatAreNoPartsAreMappedToo() throws {
        let file = DraftFile("/a.mp4"), font = DraftFile("/b.ttf", .font)
        let part = AssembleJob.Part(path: "/p", file: RenderedFile(count: 1, size: 1, digest: ""))
        let size = Canvas.Size(width: 16, height: 16)
        var shown = Draft(canvas: Canvas(size: size))
        shown.backgroundDuration = Time(flicks: Time.flicksPerSecond)
        var titled = shown
        var title = Title("x")
        title.fontFile = "/c.ttf"
        titled.effects = [Effect(.picture(.title(title)))]
        let jobs: [Job] = [
            Job(ProbeJob([file, font])), Job(InspectJob("/plugins")),
            Job(
                FontJob(
                    fonts: [TitleFont("Sans", file: "/b.ttf"), TitleFont("Serif")],
                    titles: Array(titled.placedTitles(Self.catalog)))),
            Job(
                AssembleJob(
                    segments: [part], sound: part, frameRate: Rational(30), size: size, color: .sdr, container: .mp4,
                    indexFirst: false, output: "/o")),
            Job(try SnapshotPlan(shown, catalog: Self.catalog, whole: true).job(0, format: .png, output: "/o")),
        ]
        for job in jobs { try check(job, "\(job.kind)") }
        #expect(Job(ProbeJob([font])).paths == ["/b.ttf": [.hands(nil)]])
    }

    @Test func repliesAreMapped() throws {
        let file = RenderedFile(count: 2, size: 3, digest: "d")
        let written = try JSONEncoder().encode(WrittenFile(path: "/here/a", file: file))
        let path = { (path: String) in path.replacing("/here", with: "/there") }
        let terms = ReplyTerms(path: path, text: path, time: { $0 == "/there/x" ? 7 : nil })
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 16, height: 16)))
        draft.backgroundDuration = Time(flicks: Time.flicksPerSecond)
        let plan = try RenderPlan(draft, catalog: Self.catalog, libraries: "")
        let segment = Job(try #require(plan.segmentJob(0, output: "/here/a")))
        let mapped = try segment.translated(written, terms)
        #expect(try JSONDecoder().decode(WrittenFile.self, from: mapped) == WrittenFile(path: "/there/a", file: file))
        let failure = ProbeJob.Reply(files: [.init(failure: "‘/here/x’ is none")], libraries: "", missingCodecs: [:])
        let told = try Job(ProbeJob([])).translated(try JSONEncoder().encode(failure), terms)
        #expect(try JSONDecoder().decode(ProbeJob.Reply.self, from: told).files[0].failure == "‘/there/x’ is none")
        #expect(throws: (any Error).self) {
            try segment.translated(Data("x".utf8), terms)
        }
    }
}

@Suite struct JobRegistryTests {
    @Test func kindsAreDistinctAndReadBack() throws {
        let kinds = JobRegistry.types.map { $0.kind }
        #expect(Set(kinds).count == kinds.count)
        for type in JobRegistry.types { #expect(JobRegistry.type(of: type.kind) == type) }
        #expect(try Job(kind: "brew_coffee", payload: Data("{}".utf8)) == nil)
        #expect(throws: DecodingError.self) { try Job(kind: "probe", payload: Data("{}".utf8)) }
    }

    @Test func jobsOfDifferentKindsDiffer() {
        #expect(Job(ProbeJob([])) != Job(FontJob(fonts: [])))
        #expect(Job(ProbeJob([])) == Job(ProbeJob([])))
        #expect(Set([Job(ProbeJob([])), Job(ProbeJob([])), Job(InspectJob("/a.so"))]).count == 2)
    }

    @Test func `parts, the file made of them, and its check may run twice`() {
        let twice = JobRegistry.types.filter { $0.mayRunTwice }.map { $0.kind }
        #expect(Set(twice) == ["segment", "mix", "sound", "assemble", "verify"])
    }
}
