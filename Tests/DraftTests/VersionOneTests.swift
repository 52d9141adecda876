import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

/// Documents of version 1, which mean something only with what their plugins say. What real ones
/// mean is tested where scripts are.
@Suite struct VersionOneTests {
    private static let reader: EffectDescriptor = {
        var reader = RandomDraft.effect("org.test.reader", .pure)
        reader.parameters = [("model", .path), ("image", .string), ("note", .string)].map { id, kind in
            ParameterDescriptor(
                id: id, kind: kind, label: id, unit: "", help: "", isAnimatable: false, minimum: 0, maximum: 0,
                initial: [], initialText: "", choices: [])
        }
        return reader
    }()

    private func document(_ text: String) throws -> DraftDocument {
        try DraftDocument(Data(text.utf8), file: "x.cutroom", folder: "/q/r")
    }

    /// A plugin's parameters are files where its descriptor says so, in clips, transitions and the
    /// effect list alike.
    @Test func textsBecomeFiles() throws {
        let document = try document(
            """
            {"cutroom": 1, "clips": [{"media": "a.mp4", "effects": [["org.test.reader", {"model": "m.bin"}]]},
             {"media": "a.mp4", "transition": {"kind": "org.test.reader", "duration": 1, "model": "../n.bin", "note": "p.bin"}}],
             "effects": [["org.test.reader", {"image": "i.png", "note": "a.mp4", "model": ""}], ["org.test.unknown", {"model": "x"}]]}
            """)
        #expect(document.pluginIDs == ["org.test.reader", "org.test.unknown"])
        #expect(try document.draft([]).files == [DraftFile("/q/r/a.mp4")], "without descriptors they are texts")
        let draft = try document.draft([Self.reader])
        #expect(
            draft.files == [
                DraftFile("/q/r/a.mp4"), DraftFile("/q/r/m.bin", .data), DraftFile("/q/n.bin", .data),
                DraftFile("/q/r/i.png", .data),
            ])
        #expect(draft.effects[0].plugin?.parameters["model"] == .text(""))
        #expect(draft.clips[1].transition?.plugin?.parameters["note"] == .text("p.bin"))
    }

    /// What an entry does is what its plugin says; one that nobody describes is a filter, which
    /// validation refuses.
    @Test func entriesBecomeWhatTheirPluginsAre() throws {
        let list =
            #"[["org.test.echo"], {"kind": "org.test.made", "rect": [1, 2, 3, 4], "opacity": 0.5, "amount": 1}, ["org.test.pure"], ["x.y", {"rect": 3}]]"#
        let draft = try document(
            #"{"cutroom": 1, "clips": [{"media": "a", "effects": \#(list)}], "audio": [{"media": "b", "effects": \#(list)}], "effects": \#(list)}"#
        ).draft(RandomDraft.catalog.effects)
        func effect(_ id: String, _ parameters: [String: Double] = [:]) -> PluginEffect {
            PluginEffect(effectID: id, parameters: parameters.mapValues { .numbers(.constant($0)) })
        }
        let made = SourceOverlay(
            effect("org.test.made", ["amount": 1]), rect: Rect(x: 1, y: 2, width: 3, height: 4), opacity: .constant(0.5)
        )
        let kinds: [Effect.Kind] = [
            .sound(effect("org.test.echo")), .picture(.overlay(made)), .picture(.filter(effect("org.test.pure"))),
            .picture(.filter(effect("x.y", ["rect": 3]))),
        ]
        for list in [draft.clips[0].effects, draft.audio[0].effects, draft.effects] {
            #expect(list.map(\.kind) == kinds)
        }
        let names =
            "; there are layer, lut, org.test.around, org.test.echo, org.test.pure, org.test.sequential, org.test.warm, repeat, speed, sticker, subtitles, title"
        #expect(
            draft.validate(RandomDraft.catalog).map(\.description).last
                == "x.cutroom: effect 4 (x.y): no plugin has an effect ‘x.y’" + names)
    }

    /// A document that names its plugins in every way there is.
    @Test func allPluginsAreAskedFor() throws {
        let document = try document(
            """
            {"cutroom": 1, "effects": [["a.list"], {"kind": "a.table"}, ["lut", {"image": "x"}], 3, [], {"kind": 4}],
             "clips": [{"source": "a.source", "duration": 1}, {"source": "made", "duration": 1}, 7,
              {"media": "x", "transition": ["a.join", 1], "effects": [["a.own"], ["a.list"]]},
              {"media": "x", "transition": {"kind": "a.other", "duration": 1}}, {"media": "x", "transition": 0.5}],
             "audio": [{"media": "x", "effects": [{"kind": "a.sound"}]}, null, {"effects": "x"}]}
            """)
        #expect(
            document.pluginIDs == [
                "a.source", "made", "a.join", "a.own", "a.list", "a.other", "a.sound", "a.table",
            ])
    }

    /// The short form and the full one say the same.
    @Test func anyEntryGoesRound() throws {
        let cases = 500
        let seed = Seed.announced(for: "short and full entries", cases: cases)
        let form = ShortForm(RandomDraft.catalog.effects)
        for index in 0..<cases {
            var generator = RandomDraft(.forCase(index, of: seed))
            let draft = generator.draft(illegal: false)
            for effect in draft.effects {
                try #require(try form.full(effect: ShortForm.short(effect: effect.value()), "x", nil) == effect.value())
            }
            for clip in draft.clips {
                let short = ShortForm.short(clip: clip.value())
                let full = try form.full(clip: short, source: clip.generator?.effectID, "x", nil)
                try #require(full == clip.value(), "case \(index)")
            }
            for clip in draft.audio {
                try #require(try form.full(clip: ShortForm.short(clip: clip.value()), "x", nil) == clip.value())
            }
        }
    }

    /// Forms of version 2 are none of version 1.
    @Test(arguments: [
        (
            #""effects": [{"kind": "filter", "effect": "a.b"}]"#,
            "effect 1 (filter): there is no effect ‘filter’; there are layer, lut, repeat, speed, sticker, subtitles, title"
        ),
        (
            #""effects": [["org.test.pure", {"amount": {"file": "x"}}]]"#,
            "effect 1 (org.test.pure): ‘amount’ is a table, but must be a number, a list of keyframes or a function of time"
        ),
        (
            #""clips": [{"media": "a", "transition": {"kind": "plugin", "effect": "a.b", "duration": 1}}]"#,
            "clip 1, transition: ‘kind’ is ‘plugin’; there are dissolve, fade, slide_down, slide_left, slide_right, slide_up, wipe_down, wipe_left, wipe_right, wipe_up"
        ),
        (
            #""clips": [{"source": "a.b", "duration": 1, "parameters": {"x": 1}}]"#,
            "clip 1: ‘parameters’ is a table, but must be a number, a list of keyframes or a function of time"
        ),
    ])
    func formsOfVersionTwo(body: String, sentence: String) {
        let problem = #expect(throws: Problems.self) {
            try document("{\"cutroom\": 1, \(body)}").draft(RandomDraft.catalog.effects)
        }
        #expect(problem?.description == "x.cutroom: " + sentence)
    }
}
