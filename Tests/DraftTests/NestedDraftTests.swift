import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

/// Drafts in drafts, as the model has them.
@Suite struct NestedDraftTests {
    private let catalog = RandomDraft.catalog
    private func problems(_ draft: Draft) -> [String] { draft.validate(catalog).map(\.description) }
    private func warnings(_ draft: Draft) -> [String] { draft.warnings(catalog).map(\.description) }

    /// Two seconds, with sound, at 25 frames a second.
    private func card() -> Draft {
        var draft = Draft([.sound(1, 2)])
        draft.canvas = Canvas(size: Canvas.Size(width: 320, height: 320), frameRate: Rational(25))
        draft.clips[0].id = "photo"
        return draft
    }

    /// A draft that shows a draft, and so on.
    private func nested(_ depth: Int) -> Draft {
        var draft = card()
        for _ in 0..<depth { draft = Draft([Clip(NestedDraft(draft))]) }
        return draft
    }

    @Test func `it is as long as it lasts, and plays as a file does`() throws {
        var inner = card()
        inner.timeRange = range(0.5, 1)
        var outer = Draft([Clip(NestedDraft(card()), range: range(0.5, 1)), Clip(NestedDraft(inner))])
        outer.clips[0].speed = Rational(2)
        outer.clips[1].timing.loop = 3
        outer.clips[1].isReversed = true
        let timeline = try Timeline(outer, catalog: catalog)
        #expect(timeline.clips.map(\.timeline) == [range(0, 0.5), range(0.5, 3)])
        #expect(timeline.source(ofClip: 1).content(at: seconds(0.75)) == seconds(0.75))
        let info = try #require(timeline.clips[1].info)
        #expect(info.video?.width == 320 && info.video?.frameRate == Rational(25) && info.duration == seconds(1))
        #expect(info.audio?.sampleRate == 44_100 && info.audio?.duration == seconds(1))
    }

    @Test func `an open canvas follows the draft that comes first`() {
        var outer = Draft([Clip(NestedDraft(card()))])
        outer.canvas = Canvas()
        #expect(outer.size(catalog) == Canvas.Size(width: 320, height: 320) && outer.frameRate(catalog) == Rational(25))
    }

    @Test func `as a layer it lies on a background, and what is heard of it is heard`() throws {
        var outer = Draft([])
        outer.effects = [Effect(.layer(Layer(Clip(NestedDraft(card())), at: seconds(1))))]
        #expect(try Timeline(outer, catalog: catalog).duration == seconds(3))
        #expect(outer.heardTracks(catalog).map(\.sampleRate) == [44_100])
        var silent = card()
        silent.clips[0].volume = .constant(0)
        outer.effects = [Effect(.layer(Layer(Clip(NestedDraft(silent)))))]
        #expect(outer.heardTracks(catalog).isEmpty && problems(outer) == [])
        #expect(try Timeline(outer, catalog: catalog).layers[0]?.info?.audio == nil)
    }

    // MARK: What is wrong

    @Test func `a problem in it is told with the way to it, and its own line`() {
        var inner = card()
        inner.clips[0].speed = Rational(200)
        inner.clips[0].origin = Origin(file: "card.lua", line: 7)
        var middle = Draft([.photo(1)])
        middle.effects = [Effect(.layer(Layer(Clip(NestedDraft(inner)))))]
        let outer = Draft([Clip(NestedDraft(middle), id: "page")])
        #expect(
            problems(outer) == [
                "card.lua:7: clip 1 (page), its draft's effect 1 (layer), its draft's clip 1 (photo): the speed is 200, but must lie between 0.01 and 100"
            ])
        #expect(
            problems(Draft([Clip(NestedDraft(Draft([])))])).contains { $0.hasPrefix("clip 1, its draft: has no clips") }
        )
    }

    @Test func `a range that it has not is a problem, one that reaches past its end a warning`() {
        let past = Draft([Clip(NestedDraft(card()), range: range(1, 4))])
        #expect(problems(past) == [])
        #expect(
            warnings(past) == [
                "clip 1: its range 1–5 s reaches past the end of its draft at 2 s; what is there is used"
            ], "\(warnings(past))")
        let beyond = Draft([Clip(NestedDraft(card()), range: range(2, 1))])
        #expect(problems(beyond) == ["clip 1: its range starts at 2 s, but its draft is only 2 s long"])
    }

    @Test func `what belongs to a file is told to be of no use in it`() {
        var inner = card()
        inner.loudness = Loudness(integrated: -14)
        inner.export.networkUse = false
        let found = warnings(Draft([Clip(NestedDraft(inner)), Clip(NestedDraft(inner))]))
        #expect(found.contains { $0.hasPrefix("clip 1, its draft: has a ‘loudness’ of -14 LUFS") })
        #expect(found.contains { $0.hasPrefix("clip 1, its draft: has ‘export’ settings") })
    }

    @Test func `eight drafts in one another are enough, and so are a hundred thousand entries`() throws {
        #expect(problems(nested(NestedDraft.deepest)) == [])
        #expect(
            problems(nested(NestedDraft.deepest + 1)).contains {
                $0.contains("has 9 drafts in one another, but at most 8 may be")
            })
        var draft = card()
        for _ in 0..<6 { draft = Draft(Array(repeating: Clip(NestedDraft(draft)), count: 20)) }
        let begin = ContinuousClock.now
        #expect(problems(draft).contains { $0.contains("shows more than 100000 clips, sounds and effects") })
        #expect(NestedDraft(draft).entryCount > NestedDraft.maximumEntries && ContinuousClock.now > begin)
    }

    // MARK: What it uses

    @Test func `what it uses is used by the draft around it`() throws {
        var inner = card()
        inner.effects = [.look(), .plugin("org.test.pure", ["amount": .numbers(.constant(0.25))])]
        var outer = Draft([.photo(1), Clip(NestedDraft(inner))])
        #expect(outer.files.map(\.path) == ["/m/photo.jpg", "/m/sound.mp4", "/m/look.png"])
        #expect(outer.pluginIDs == ["org.test.pure"])
        let use = try #require(outer.uses.last)
        #expect(use.place == .inside(.clip(1), .effect(1)))
        #expect(outer.name(of: use.place) == "clip 2, its draft's effect 2 (org.test.pure)")
        let trial = try #require(outer.pluginUses(catalog).first)
        #expect(trial.object == "clip 2, its draft's effect 2 (org.test.pure)" && trial.draft == inner)
        outer.changeUses { use in use.changeValues { key, value in if key == "amount" { value = .constant(0.75) } } }
        #expect(outer.clips[1].nested?.draft.effects[1].plugin?.parameters["amount"] == .numbers(.constant(0.75)))
    }

    @Test func `its functions of time are sampled at its own frames`() throws {
        var inner = card()
        inner.clips[0].volume = .function(3)
        var seen: [String] = []
        let result = try Draft([Clip(NestedDraft(inner))]).replacingFunctions(catalog) { _, time, object in
            seen.append(object)
            return [time]
        }
        guard case .keyframes(let keys)? = result.clips[0].nested?.draft.clips[0].volume else {
            Issue.record("no keyframes")
            return
        }
        #expect(keys.count == 50 && keys[1].time == Time(frame: 1, rate: Rational(25)))
        #expect(Set(seen) == ["clip 1, its draft's clip 1"] && !result.hasFunctions)
    }

    // MARK: Documents

    @Test func `a document has it whole, at any depth`() throws {
        var drafts = RandomDraft(SplitMix64(seed: Seed.announced(for: "nested documents", cases: 40)))
        for _ in 0..<40 {
            let draft = drafts.nesting(depth: 3)
            for folder in ["/m", "/", "/elsewhere/deep"] {
                let text = draft.document(in: folder)
                let read = try Draft(document: Data(text.utf8), file: "d", folder: folder)
                #expect(read == draft, "\(Difference.first(read, draft))")
                #expect(read.document(in: folder) == text)
            }
        }
        let plain = Draft([Clip(NestedDraft(card()))]).document(in: "/m")
        #expect(plain.contains("\"draft\"") && !plain.contains("\"cutroom\": 2,\n      \"clips\""))
    }

    @Test(arguments: [
        ("{\"draft\": 3}", "clip 1, its draft: wants a table of options, but was given 3"),
        (
            "{\"draft\": {\"clips\": [{\"media\": \"a\", \"speeed\": 2}]}}",
            "clip 1, its draft's clip 1: has no option ‘speeed’"
        ),
        ("{\"draft\": {}, \"media\": \"a\"}", "clip 1: has a ‘draft’ and ‘media’; leave one of them out"),
        (
            "{\"draft\": {}, \"audio_track\": 2}",
            "clip 1: has an ‘audio_track’, but a draft has one sound; leave it out"
        ),
        ("{\"draft\": {\"cutroom\": 2}}", "clip 1, its draft: has no option ‘cutroom’"),
        ("{\"draft\": {\"clips\": 4, \"audio\": 5}}", "(and 1 more)"),
    ]) func `a document with a bad one is refused`(clip: String, message: String) {
        #expect {
            try Draft(document: Data("{\"cutroom\": 2, \"clips\": [\(clip)]}".utf8), file: "d", folder: "/m")
        } throws: { error in
            let found = "\(error)"
            return found.contains(message)
                || {
                    Issue.record("\(found)"); return true
                }()
        }
    }

    @Test func `a document that goes too deep is refused`() {
        let deep =
            String(repeating: "{\"clips\": [{\"draft\": ", count: 12) + "{}" + String(repeating: "}]}", count: 12)
        let text = "{\"cutroom\": 2, \"clips\": [{\"draft\": \(deep)}]}"
        #expect { try Draft(document: Data(text.utf8), file: "d", folder: "/m") } throws: {
            "\($0)".contains("lies in 8 drafts, and at most 8 may lie in one another")
        }
    }

    @Test func `what is said of a background is kept, black too`() throws {
        for color in [nil, Color.black, .white] {
            var draft = card()
            draft.canvas.wishedBackground = color
            let read = try Draft(document: Data(draft.document(in: "/m").utf8), file: "d", folder: "/m")
            #expect(read.canvas.wishedBackground == color && read.canvas.background == color ?? .black)
        }
    }
}
