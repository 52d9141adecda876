import Composition
import Delivery
import Draft
import TestSupport
import Testing
import Values

/// Which cues a slice has, and what a change of one costs.
@Suite struct SubtitleTests {
    private func catalog(_ cues: [SubtitleCue], format: String = "srt", digest: String = "s") throws -> Catalog {
        var catalog = RandomDraft.catalog
        var text = cues.map { cue in
            "\(cue.start.seconds < 0 ? "-" : "")0:0:\(abs(cue.start.seconds)) --> 0:0:\(cue.end.seconds)\n\(cue.text)\n"
        }.joined(separator: "\n")
        if text.isEmpty { text = "9:0:0 --> 9:0:1\nnever\n" }
        var info = MediaInfo(
            kind: .subtitles, format: format, identity: FileIdentity(size: 1, modified: 1, digest: digest))
        info.subtitles = try SubtitleFile(text, format: .subRip)
        catalog.media["/m/talk.srt"] = .found(info)
        return catalog
    }

    private func cue(_ start: Double, _ end: Double, _ text: String) -> SubtitleCue {
        SubtitleCue(seconds(start), seconds(end), text)
    }

    private func entry(_ range: TimeRange? = nil, _ edit: (inout Subtitles) -> Void = { _ in }) -> Effect {
        var subtitles = Subtitles(path: "/m/talk.srt")
        edit(&subtitles)
        return Effect(.picture(.subtitles(subtitles)), range: range)
    }

    private func cues(of plan: RenderPlan, _ segment: Int) throws -> [String] {
        let slice = try #require(plan.segmentJob(segment, output: "")?.slice)
        return slice.effects.flatMap { effect -> [String] in
            if case .subtitles(let subtitles) = effect.content { subtitles.cues.map(\.text) } else { [] }
        }
    }

    @Test func `a slice has the cues that it shows`() throws {
        let catalog = try catalog([cue(0.5, 1, "a"), cue(1.5, 2.5, "b"), cue(5, 5.5, "c")])
        let plan = try plan(Draft([.sound(0, 8)], effects: [entry()]), catalog)
        try #require(plan.segments.map(\.frameCount) == [60, 60, 60, 60])
        #expect(try (0..<4).map { try cues(of: plan, $0) } == [["a", "b"], ["b"], ["c"], []])
    }

    @Test func `a changed cue makes its own parts anew`() throws {
        let before = [cue(0.5, 1, "a"), cue(1.5, 2.5, "b"), cue(5, 5.5, "c")]
        let draft = Draft([.sound(0, 8)], effects: [entry()])
        let keys = try plan(draft, try catalog(before)).keys
        func changed(_ cues: [SubtitleCue]) throws -> [Int] {
            let other = try plan(draft, try catalog(cues, digest: "other")).keys
            return keys.indices.filter { keys[$0] != other[$0] }
        }
        #expect(try changed(before) == [], "another file that says the same")
        #expect(try changed([before[0], before[1], cue(5, 5.5, "d")]) == [2])
        #expect(try changed([before[0], cue(1.5, 3, "b"), before[2]]) == [1], "it ends later, in the second part")
        #expect(try changed([before[0], cue(1.25, 2.5, "b"), before[2]]) == [0])
        #expect(try changed(before + [cue(6.5, 7, "e")]) == [3])
        #expect(try changed([]) == [0, 1, 2])
    }

    @Test func `times count from the entry's range, and are shifted`() throws {
        let catalog = try catalog([cue(0, 1, "a"), cue(1, 2, "b"), cue(-1, 0.5, "n")])
        func shown(_ effect: Effect) throws -> [[String]] {
            let plan = try plan(Draft([.sound(0, 8)], effects: [effect]), catalog)
            return try plan.segments.indices.map { try cues(of: plan, $0).sorted() }
        }
        #expect(try shown(entry()).joined().sorted() == ["a", "b", "n"])
        let late = try shown(entry(range(4, 1)))
        #expect(Set(late.joined()) == ["a", "n"] && late.first == [])
        #expect(try shown(entry { $0.shift = seconds(-1) }).joined().sorted() == ["b"])
        #expect(Set(try shown(entry { $0.shift = seconds(6.5) }).joined()) == ["a", "b", "n"])
    }

    @Test func `where no cue is, the entry's place does not matter`() throws {
        let catalog = try catalog([cue(0, 0.5, "a")])
        let one = try plan(Draft([.photo(1), .sound(0, 8)], effects: [entry()]), catalog)
        let two = try plan(Draft([.photo(3), .sound(0, 8)], effects: [entry()]), catalog)
        #expect(Set(one.keys.suffix(3)).isSubset(of: Set(two.keys)))
    }

    @Test func `a track is in no slice and follows time`() throws {
        let catalog = try catalog([cue(1, 2, "a"), cue(3, 4, "b")])
        let track = entry { ($0.form, $0.language) = (.track, "eng") }
        let fast = Effect(.speed(Rational(2)), range: range(0, 4))
        let twice = Effect(.repeat(2), range: range(0, 2))
        func times(_ effects: [Effect]) throws -> [[Double]] {
            let plan = try plan(Draft([.sound(0, 8)], effects: effects), catalog)
            #expect(plan.segments.indices.allSatisfy { (try? cues(of: plan, $0)) == [] })
            let tracks = try #require(plan.composition.subtitles)
            #expect(tracks.map(\.language) == ["eng"])
            return tracks[0].cues.map { [$0.start.seconds, $0.end.seconds] }
        }
        #expect(try times([track]) == [[1, 2], [3, 4]])
        #expect(try times([track, fast]) == [[0.5, 1], [1.5, 2]])
        #expect(try times([track, twice]) == [[1, 2], [3, 4], [5, 6]])
        #expect(try times([twice, track]) == [[1, 2], [3, 4]])
        let bare = try plan(Draft([.sound(0, 8)]), catalog)
        #expect(try plan(Draft([.sound(0, 8)], effects: [track]), catalog).keys == bare.keys)
        #expect(bare.composition.subtitles == nil)
    }

    @Test func `only some files have tracks`() throws {
        let draft = Draft([.sound(0, 2)], effects: [entry { $0.form = .track }])
        let catalog = try catalog([cue(0, 1, "a")])
        for container in ExportSettings.Container.allCases where !container.isSoundOnly {
            let problems = draft.exportProblems(in: container, catalog).map(\.description)
            let held = [.mp4, .mov, .webm, .mkv].contains(container)
            #expect(problems.contains { $0.contains("holds no subtitle track") } != held, "\(container)")
        }
    }

    /// However many cues there are, a slice is found quickly: what it costs does not grow with the
    /// file.
    @Test func `a hundred thousand cues`() throws {
        let cues = (0..<100_000).map { cue(Double($0) / 2000, Double($0) / 2000 + 0.001, "x") }
        let catalog = try catalog(cues)
        let plan = try plan(Draft([.sound(0, 8)], effects: [entry()]), catalog)
        let shown = try plan.segments.indices.map { try self.cues(of: plan, $0).count }
        #expect(shown.reduce(0, +) >= 15_000 && (shown.max() ?? 0) < 4_100)
    }
}
