import Delivery
import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct DocumentTests {
    private func read(_ text: String, folder: String = "/m") throws -> Draft {
        try Draft(document: Data(text.utf8), file: "x.cutroom", folder: folder, plugins: RandomDraft.catalog.effects)
    }

    private func problem(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
        let problems = #expect(throws: Problems.self, sourceLocation: sourceLocation) { try read(text) }
        return problems?.description ?? ""
    }

    @Test func everyEntryThatIsWrongIsNamed() {
        let text = """
            {"cutroom": 2, "canvas": {"fps": 0}, "time_range": [-1, 2], "clips": [{"media": "a.mp4", "speed": 0}, {"media": "a.mp4"},
             {"media": "a.mp4", "range": [1, 0]}], "audio": 3, "effects": [{"kind": "repeat", "count": 0}], "export": {"x": 1}, "y": 2}
            """
        #expect(
            problem(text).split(separator: "\n").map { $0.prefix(30) } == [
                "x.cutroom: canvas: ‘fps’ is 0,", "x.cutroom: document: ‘time_ran", "x.cutroom: clip 1: the speed i",
                "x.cutroom: clip 3: ‘range’ las", "x.cutroom: document: ‘audio’ i", "x.cutroom: effect 1 (repeat): ",
                "x.cutroom: export: has no opti", "x.cutroom: document: has no op",
            ])
    }

    @Test func anyDraftGoesRound() throws { try goRound(1000) }

    /// More drafts.
    @Suite struct Sweep {
        @Test func anyDraftGoesRound() throws { try DocumentTests().goRound(2000) }
    }

    private func goRound(_ cases: Int) throws {
        let seed = Seed.announced(for: "document round trips", cases: cases)
        for index in 0..<cases {
            var generator = RandomDraft(.forCase(index, of: seed))
            var draft = generator.draft(illegal: false)
            if generator.random.chance(1, in: 2) { draft.effects.insert(generator.layer(9), at: 0) }
            generator.addText(to: &draft)
            if generator.random.chance(1, in: 4), draft.clips[0].generator == nil {
                draft.clips[0].placement = generator.placement()
                draft.clips[0].backdrop = generator.random.pick([nil, .blur, .color(.white)])
                if draft.clips[0].placement == Placement() { draft.clips[0].placement = nil }
            }
            if generator.random.chance(1, in: 2) { draft.export = Self.export(&generator) }
            if generator.random.chance(1, in: 2) {
                draft.canvas.color = .hlg
                draft.canvas.background = Color(red: 1, green: 200, blue: 3, alpha: 77)
            }
            if generator.random.chance(1, in: 2) { Self.addSound(&draft) }
            let folder = generator.random.pick(["/m", "/", "/m/edits", "/home/a b/“x”", "/m/a/b/c"])
            let text = draft.document(in: folder)
            let again = try read(text, folder: folder)
            try #require(again == draft, "case \(index)")
            try #require(again.document(in: folder) == text, "equal drafts are equal bytes, case \(index)")
        }
    }

    private static func addSound(_ draft: inout Draft) {
        draft.backgroundDuration = Time(seconds: 2.5)
        draft.loudness = Loudness(integrated: -14.5, truePeak: draft.clips.count > 1 ? -2 : nil)
        for index in draft.clips.indices where draft.clips[index].isMedia {
            draft.clips[index].soundLead = Time(value: 1, timeBase: 1, 3)
            draft.clips[index].soundTail = Time(seconds: 1) ?? .zero
        }
        for index in draft.effects.indices where draft.effects[index].isSound {
            draft.effects[index].keys = index % 2 == 0 ? ["a"] : ["a", "b“"]
        }
    }

    private static func export(_ generator: inout RandomDraft) -> ExportSettings {
        var settings = ExportSettings()
        settings.container = generator.random.pick([nil, .mp4, .mov, .m4a])
        settings.networkUse = generator.random.chance(1, in: 2)
        if generator.random.chance(1, in: 2) {
            settings.video.quality = 23.5
        } else {
            settings.video.bitRate = 3_000_000
        }
        settings.video.codec = .h264
        settings.video.preset = generator.random.pick([nil, "slow"])
        settings.video.keyFrameInterval = generator.random.pick([nil, 12])
        settings.audio.channels = generator.random.pick([nil, 1, 6])
        settings.audio.sampleRate = generator.random.pick([nil, 44_100])
        settings.audio.bitRate = generator.random.pick([nil, 96_000])
        return settings
    }

    @Test func whatIsGeneratedLooksLikeThis() throws {
        let made = PluginEffect(effectID: "org.test.made", parameters: ["amount": .numbers(.constant(0.25))])
        var draft = Draft([Clip(made, duration: seconds(2.5), id: "bars"), Clip(made, duration: seconds(1))])
        draft.clips[1].transition = Transition(.wipeUp, duration: seconds(0.5))
        draft.effects = [
            Effect(
                .picture(
                    .overlay(SourceOverlay(made, rect: Rect(x: -1, y: 2, width: 3, height: 4), opacity: .constant(0.5)))
                )),
            Effect(.picture(.overlay(SourceOverlay(made)))),
        ]
        let text = draft.document(in: "/m")
        #expect(
            text.contains(
                """
                  "clips": [
                    {
                      "duration": "5/2s",
                      "id": "bars",
                      "parameters": {
                        "amount": 0.25
                      },
                      "source": "org.test.made"
                    },
                    {
                      "duration": "1s",
                      "parameters": {
                        "amount": 0.25
                      },
                      "source": "org.test.made",
                      "transition": ["wipe_up", "1/2s"]
                    }
                  ],
                """))
        #expect(
            text.contains(
                """
                    {
                      "effect": "org.test.made",
                      "kind": "overlay",
                      "opacity": 0.5,
                      "parameters": {
                        "amount": 0.25
                      },
                      "rect": [-1, 2, 3, 4]
                    },
                    {
                      "effect": "org.test.made",
                      "kind": "overlay",
                      "parameters": {
                        "amount": 0.25
                      }
                    }
                """))
        #expect(
            try Draft(document: Data(text.utf8), file: "x", folder: "/m") == draft, "nobody has to describe a plugin")
    }

    /// Parameters that are called as what lies beside them.
    @Test func parametersThatNeedATableOfTheirOwn() throws {
        for name in [
            "duration", "id", "transition", "effects", "source", "media", "image", "index", "start", "kind", "path",
        ] {
            let made = PluginEffect(
                effectID: "org.test.made", parameters: [name: .numbers(.constant(3)), "amount": .numbers(.constant(1))])
            let draft = Draft([Clip(made, duration: seconds(2))])
            #expect(try read(draft.document(in: "/m")) == draft, "\(name)")
        }
        for name in ["rect", "opacity", "range", "kind"] {
            let made = PluginEffect(effectID: "org.test.made", parameters: [name: .numbers(.constant(3))])
            let overlay = SourceOverlay(made, rect: Rect(x: 1, y: 1, width: 1, height: 1), opacity: .constant(0.5))
            let draft = Draft([.photo(1)], effects: [Effect(.picture(.overlay(overlay)), range: range(0, 1))])
            #expect(try read(draft.document(in: "/m")) == draft, "\(name)")
        }
    }

    @Test(arguments: [
        (#"{ "source": "org.test.made" }"#, "clip 1: a generated clip needs a ‘duration’ in seconds"),
        (#"{ "source": "org.test.made", "duration": 0 }"#, "clip 1: ‘duration’ is 0 s, but must be longer than 0"),
        (#"{ "source": 3, "duration": 1 }"#, "‘source’, the id of what makes it"),
        (
            #"{ "source": "org.test.made", "duration": 1, "params": 3 }"#,
            "‘params’ is 3, but must be a table of parameters"
        ),
        (
            #"{ "source": "org.test.made", "duration": 1, "params": { "amount": 3 }, "amount": 4 }"#,
            "clip 1: ‘amount’ is given twice, in ‘params’ and beside it; leave one out"
        ),
    ]) func generatedClipsThatAreWrong(clip: String, words: String) {
        let text = problem(#"{ "cutroom": 1, "clips": [\#(clip)] }"#)
        #expect(text.contains(words), "\(text)")
    }

    @Test(arguments: [
        (#""rect": [0, 0, 0, 9]"#, "the rectangle is 0×9 pixels, but must be 1×1 to 8192×8192"),
        (#""rect": [0, 0, 8193, 9]"#, "but must be 1×1 to 8192×8192"),
        (#""rect": 3"#, "‘rect’ is 3, but must be { left, top, width, height }"),
        (#""rect": [200000, 0, 9, 9]"#, "must lie within 100000 pixels"), (#""opacity": "much""#, "‘opacity’ is"),
    ]) func overlaysThatAreWrong(option: String, words: String) {
        let text = problem(#"{ "cutroom": 1, "clips": [], "effects": [{ "kind": "org.test.made", \#(option) }] }"#)
        #expect(text.contains(words), "\(text)")
    }

    @Test func looksLikeThis() throws {
        var clip = Clip(path: "/m/media/a.mp4", content: .media(range: range(1, 2.5)), id: "opening")
        clip.speed = Rational(3, 2)
        var title = Title("A “title”\u{7}")
        title.opacity = .keyframes([
            Keyframe(time: .zero, value: [0], easing: .easeIn), Keyframe(time: seconds(0.5), value: [1]),
        ])
        var draft = Draft([clip, .photo(2)], effects: [Effect(.picture(.title(title)), range: range(0, 1))])
        draft.canvas.frameRate = Rational(30000, 1001)
        #expect(
            draft.document(in: "/m/edits") == """
                {
                  "canvas": {
                    "fps": "30000/1001",
                    "size": [640, 360]
                  },
                  "clips": [
                    {
                      "id": "opening",
                      "media": "../media/a.mp4",
                      "range": ["1s", "5/2s"],
                      "speed": 1.5
                    },
                    {
                      "duration": "2s",
                      "image": "../photo.jpg"
                    }
                  ],
                  "cutroom": 2,
                  "effects": [
                    {
                      "kind": "title",
                      "opacity": [
                        ["0s", 0, "ease_in"],
                        ["1/2s", 1]
                      ],
                      "range": ["0s", "1s"],
                      "size": 48,
                      "text": "A “title”\\u0007"
                    }
                  ]
                }

                """)
    }

    @Test(arguments: [
        ("/a/b/x.mp4", "/a/b", "x.mp4"), ("/a/b/c/x.mp4", "/a/b", "c/x.mp4"), ("/a/x.mp4", "/a/b", "../x.mp4"),
        ("/a/x.mp4", "/a/b/c", "/a/x.mp4"), ("/x.mp4", "/a", "/x.mp4"), ("/x.mp4", "/", "x.mp4"),
        ("/a/bc/x", "/a/b", "../bc/x"),
    ])
    func pathsAreRelativeWhereTheyCanBe(path: String, folder: String, written: String) {
        #expect(relativePath(path, to: folder) == written)
        #expect(absolutePath(written, in: folder) == path)
    }

    @Test(arguments: [
        ("../../../x", "/a", "/x"), ("./b/../c", "/a", "/a/c"), ("/x//y/.", "/a", "/x/y"), ("", "/a", "/a"),
    ])
    func pathsAreCleaned(path: String, folder: String, result: String) {
        #expect(absolutePath(path, in: folder) == result)
    }

    @Test func `a pass-through effect is saved, and refused where it cannot be`() throws {
        let text = #"{"cutroom": 1, "clips": [], "effects": [["lut", {"image": "a.png", "pass_through": true}]]}"#
        let draft = try read(text)
        #expect(
            draft.effects.map(\.isPassThrough) == [true] && draft.document(in: "/").contains("\"pass_through\": true"))
        let clip =
            #"{"cutroom": 1, "clips": [{"image": "a.png", "duration": 1, "effects": [["lut", {"image": "a.png", "pass_through": true}]]}]}"#
        #expect(
            problem(clip).contains(
                "clip 1, effect 1 (lut): has ‘pass_through’, which is for an entry of the draft's effect list"))
    }

    /// Every path of the draft is made absolute: of clips, of looks and stickers, of fonts, in clip
    /// effects too.
    @Test func everyPathIsResolved() throws {
        let draft = try read(
            """
            {"cutroom": 1, "clips": [{"media": "a.mp4", "effects": [["lut", {"image": "b.png"}]]}, {"image": "c.jpg", "duration": 1}],
             "audio": [{"media": "d.m4a"}],
             "effects": [["title", {"text": "image", "font_file": "e.ttf"}], {"kind": "sticker", "image": "f.png", "rect": [0, 0, 1, 1]}]}
            """, folder: "/q")
        #expect(draft.files.map(\.path) == ["/q/a.mp4", "/q/b.png", "/q/c.jpg", "/q/d.m4a", "/q/e.ttf", "/q/f.png"])
        #expect(draft.files.filter { $0.content == .font } == [DraftFile("/q/e.ttf", .font)])
        guard case .picture(.title(let title)) = draft.effects[0].kind else { return }
        #expect(title.fontFile == "/q/e.ttf" && title.text == "image")
    }

    /// What is a file is said, in clips, transitions and all lists alike; files lie relative in the
    /// document.
    @Test func filesOfPluginsAreFiles() throws {
        func reader(_ path: String) -> PluginEffect {
            PluginEffect(
                effectID: "org.test.reader", parameters: ["model": .path("/q/r/\(path)"), "note": .text(path)])
        }
        var draft = Draft([
            Clip(path: "/q/r/a.mp4"), Clip(reader("b.bin"), duration: seconds(1)), Clip(path: "/q/r/a.mp4"),
        ])
        draft.clips[0].effects = [Effect(.picture(.filter(reader("c.bin")))), Effect(.sound(reader("d.bin")))]
        draft.clips[2].transition = Transition(.plugin(reader("e.bin")), duration: seconds(1))
        draft.audio = [AudioClip(path: "/q/r/a.mp4")]
        draft.audio[0].effects = [Effect(.sound(reader("f.bin")))]
        draft.effects = [
            Effect(.picture(.overlay(SourceOverlay(reader("g.bin"))))), Effect(.sound(reader("../h.bin"))),
        ]
        let text = draft.document(in: "/q/r")
        let again = try Draft(document: Data(text.utf8), file: "x", folder: "/z/r")
        let data = ["c.bin", "d.bin", "b.bin", "e.bin", "f.bin", "g.bin"].map { DraftFile("/z/r/\($0)", .data) }
        #expect(again.files == [DraftFile("/z/r/a.mp4")] + data + [DraftFile("/z/h.bin", .data)])
        #expect(again.document(in: "/z/r") == text.replacing("/q/r/", with: "/z/r/"))
        #expect(again.pluginIDs == ["org.test.reader"])
    }

    /// The manual's example is what is written, to the byte, and nobody has to describe its
    /// plugins.
    @Test func theManualsExample() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/document.md", encoding: .utf8)
        let example = try #require(page.components(separatedBy: "```json\n").dropFirst().first)
            .components(separatedBy: "```")[0]
        let draft = try Draft(document: Data(example.utf8), file: "x", folder: "/q")
        #expect(draft.document(in: "/q") == example)
        #expect(
            draft.pluginIDs == [
                "org.cutroom.spectrum", "org.cutroom.luma_matte", "org.cutroom.echo", "org.cutroom.waveform",
                "org.cutroom.vignette",
            ])
        #expect(draft.files.map(\.content) == [.media, .media, .data, .data, .media])
        for kind in Effect.builtInKinds + PluginKind.allCases.map(\.rawValue) { #expect(page.contains("`\(kind)`")) }
    }

    @Test func versions() {
        #expect(
            problem("{\"cutroom\": 3}")
                == "x.cutroom: document: is of version 3, but this Cutroom reads versions 1 and 2")
        #expect(
            problem("{\"cutroom\": 0}")
                == "x.cutroom: document: is of version 0, but this Cutroom reads versions 1 and 2")
        #expect(problem("{}") == "x.cutroom: document: has no ‘cutroom’ version, so it is not a draft's document")
        #expect(problem("{\"cutroom\": \"1\"}") == "x.cutroom: document: ‘cutroom’ is ‘1’, but must be a whole number")
        #expect(problem("[]").contains("has no ‘cutroom’ version"))
        #expect(problem("3") == "x.cutroom: document: wants a table of options, but was given 3")
    }

    @Test(arguments: [
        ("\"clip\": []", "document: has no option ‘clip’; did you mean ‘clips’?"),
        ("\"clips\": [{\"media\": \"a\", \"sped\": 2}]", "clip 1: has no option ‘sped’; did you mean ‘speed’?"),
        (
            "\"clips\": [{\"media\": \"a\", \"transition\": {\"duratoin\": 2, \"duration\": 1}}]",
            "clip 1, transition: has no option ‘duratoin’; did you mean ‘duration’?"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"effects\": [[\"lut\", {\"image\": \"a\", \"intensty\": 1}]]}]",
            "clip 1, effect 1 (lut): has no option ‘intensty’; did you mean ‘intensity’?"
        ),
        ("\"canvas\": {\"fsp\": 25}", "canvas: has no option ‘fsp’; did you mean ‘fps’?"),
        ("\"audio\": [{\"media\": \"a\", \"lop\": true}]", "audio 1: has no option ‘lop’; did you mean ‘loop’?"),
        ("\"effects\": [[\"tilte\", {}]]", "effect 1 (tilte): there is no effect ‘tilte’; did you mean ‘title’?"),
        ("\"export\": {\"video\": {\"qualty\": 20}}", "export, video: has no option ‘qualty’; did you mean ‘quality’?"),
        (
            "\"export\": {\"video\": {\"preset\": \"sloow\"}}",
            "export, video: ‘preset’ is ‘sloow’, which h264 does not have; did you mean ‘slow’?"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"transition\": [\"disolve\", 1]}]",
            "clip 1, transition: ‘kind’ is ‘disolve’; did you mean ‘dissolve’?"
        ),
    ])
    func unknownNamesNameTheNearest(body: String, sentence: String) {
        #expect(problem("{\"cutroom\": 1, \(body)}") == "x.cutroom: \(sentence)")
    }

    @Test(arguments: [
        ("\"clips\": 3", "document: ‘clips’ is 3, but must be a list"),
        (
            "\"clips\": [{}]",
            "clip 1: needs either ‘media’ or ‘image’, the path of its file, or ‘source’, the id of what makes it, or ‘draft’"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"image\": \"b\"}]",
            "clip 1: needs either ‘media’ or ‘image’, the path of its file, or ‘source’, the id of what makes it, or ‘draft’"
        ),
        ("\"clips\": [7]", "clip 1: is a number, but must be a table"),
        ("\"clips\": [{\"image\": \"a\"}]", "clip 1: an image needs a ‘duration’ in seconds"),
        ("\"clips\": [{\"image\": \"a\", \"duration\": 0}]", "clip 1: ‘duration’ is 0 s, but must be longer than 0"),
        ("\"clips\": [{\"image\": \"a\", \"duration\": 1, \"speed\": 2}]", "clip 1: an image has no ‘speed’"),
        (
            "\"clips\": [{\"media\": \"a\", \"range\": [0, 0]}]",
            "clip 1: ‘range’ lasts 0 s, but must last longer than 0"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"range\": [-1, 2]}]",
            "clip 1: ‘range’ starts at -1 s, but must not start before 0"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"range\": [0]}]",
            "clip 1: ‘range’ is a list, but must be { start, duration } in seconds"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"range\": [0, 1e30]}]",
            "clip 1: ‘range’ is 1e+30, but must be seconds, or a timecode such as \"1:02.5\", at most 100 days"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"range\": [0, \"8640001s\"]}]",
            "clip 1: ‘range’ is ‘8640001s’, but must be seconds, or a timecode such as \"1:02.5\", at most 100 days"
        ),
        ("\"clips\": [{\"media\": \"a\", \"speed\": 0}]", "clip 1: the speed is 0, but must lie between 0.01 and 100"),
        (
            "\"clips\": [{\"media\": \"a\", \"speed\": \"x\"}]",
            "clip 1: ‘speed’ is ‘x’, but must be a number or a fraction such as \"30000/1001\""
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"duration\": 2}]",
            "clip 1: give ‘speed’ instead of ‘duration’: the media is not known yet"
        ),
        ("\"clips\": [{\"media\": \"a\", \"fade_in\": -1}]", "clip 1: ‘fade_in’ is -1 s, but must not be negative"),
        (
            "\"clips\": [{\"media\": \"a\", \"volume\": [[1, 1], [0, 1]]}]",
            "clip 1: ‘volume’ has a key at 0 s after one at 1 s; keys must go up in time"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"volume\": [[0, 1, \"bounce\"]]}]",
            "clip 1: ‘volume’ has no easing ‘bounce’; did you mean ‘ease_out_bounce’?"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"volume\": [[0, 1], [1, [1, 2]]]}]",
            "clip 1: ‘volume’ has keys with different numbers of components"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"transition\": [\"dissolve\", 0]}]",
            "clip 1, transition: lasts 0 s, but must last longer than 0"
        ),
        (
            "\"clips\": [{\"media\": \"a\", \"transition\": true}]",
            "clip 1: ‘transition’ is true, but must be { kind, seconds } such as { \"dissolve\", 0.5 }"
        ),
        ("\"audio\": [{}]", "audio 1: needs ‘media’, the path of its file"),
        (
            "\"effects\": [3]",
            "effect 1: is 3, but must be { kind, { options } } such as { \"lut\", { image = \"look.png\" } }"
        ),
        ("\"effects\": [[\"speed\", {}]]", "effect 1 (speed): needs a ‘factor’, e.g. 2 for twice as fast"),
        (
            "\"effects\": [[\"repeat\", {\"count\": 1.5}]]",
            "effect 1 (repeat): ‘count’ is 1.5, but must be a whole number"
        ),
        (
            "\"effects\": [[\"repeat\", {\"count\": 10001}]]",
            "effect 1 (repeat): the count is 10001, but must lie between 1 and 10000"
        ),
        (
            "\"effects\": [[\"sticker\", {\"image\": \"a\", \"rect\": [0, 0, 0, 1]}]]",
            "effect 1 (sticker): the rectangle is 0×1 pixels, but must be 1×1 to 16384×16384"
        ),
        (
            "\"effects\": [[\"title\", {\"text\": \"a\", \"size\": 0.5}]]",
            "effect 1 (title): the size is 0.5, but must lie between 1 and 4096 pixels"
        ),
        (
            "\"effects\": [[\"title\", {\"text\": \"a\", \"color\": \"reddish\"}]]",
            "effect 1 (title): ‘color’ is ‘reddish’, but must be a colour such as \"#ff8800\" or \"orange\""
        ),
        (
            "\"canvas\": {\"size\": [641, 360]}",
            "canvas: the size is 641×360, but both numbers must be even; 640×360 would do"
        ),
        ("\"canvas\": {\"size\": [640, 360], \"aspect\": [16, 9]}", "canvas: give ‘size’ or ‘aspect’, not both"),
        ("\"canvas\": {\"fps\": 0}", "canvas: ‘fps’ is 0, but must lie between 1 and 240 frames per second"),
        (
            "\"export\": {\"video\": {\"quality\": 20, \"bit_rate\": 1000000}}",
            "export, video: give ‘quality’ or ‘bit_rate’, not both"
        ),
        ("\"export\": {\"audio\": {\"channels\": 3}}", "export, audio: ‘channels’ is 3, but must be 1, 2 or 6 for aac"),
        ("\"time_range\": 3", "document: ‘time_range’ is 3, but must be { start, duration } in seconds"),
    ])
    func wrongValues(body: String, sentence: String) {
        #expect(problem("{\"cutroom\": 1, \(body)}") == "x.cutroom: \(sentence)")
    }

    @Test func aParameterThatIsNullIsNotGiven() throws {
        let draft = try read(
            #"""
            {"cutroom": 1, "clips": [{"media": "a"}],
             "effects": [["a.b", {"on": null, "params": {"off": null, "low": 1}}], ["a.b", {"params": []}]]}
            """#)
        #expect(draft.effects[0].plugin?.parameters == ["low": .numbers(.constant(1))])
        #expect(draft.effects[1].plugin?.parameters.isEmpty == true)
    }

    @Test func valuesInTheirShortForms() throws {
        let draft = try read(
            """
            {"cutroom": 1, "canvas": {"aspect": [9, 16], "max": 1280, "fps": 29.97, "background": "#123"}, "clips": [
             {"media": "a", "transition": null, "range": [0.1, "1/3s"], "volume": [[0, 0], ["1/2s", 1, "hold"]], "speed": "3/4"},
             {"media": "b", "transition": 0.5}, {"media": "c", "transition": {"kind": "wipe_left", "duration": 1}}],
             "effects": [["a.b", {"on": true, "point": [1, 2], "text": "x", "keys": [[0, [1, 2]]], "params": {"id": 7}}]]}
            """)
        #expect(
            draft.canvas.size == Canvas.Size(width: 720, height: 1280) && draft.canvas.frameRate == Rational(2997, 100))
        #expect(draft.canvas.background == Color(red: 0x11, green: 0x22, blue: 0x33))
        #expect(
            draft.clips[0].content == .media(range: TimeRange(start: seconds(0.1), duration: Time(flicks: 235_200_000)))
        )
        #expect(draft.clips[0].volume.scalar(at: seconds(0.25)) == 0.5 && draft.clips[0].speed == Rational(3, 4))
        #expect(draft.clips[1].transition == Transition(.dissolve, duration: seconds(0.5)))
        #expect(draft.clips[2].transition == Transition(.wipeLeft, duration: seconds(1)))
        #expect(
            draft.effects[0].plugin?.parameters == [
                "on": .numbers(.constant(1)), "point": .numbers(.constant([1, 2])), "text": .text("x"),
                "id": .numbers(.constant(7)),
                "keys": .numbers(.keyframes([Keyframe(time: .zero, value: [1, 2])])),
            ])
        #expect(try read(draft.document(in: "/m")) == draft)
    }
}
