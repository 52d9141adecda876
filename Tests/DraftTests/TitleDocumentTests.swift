import Delivery
import Draft
import TestSupport
import Testing
import Values

/// Titles and subtitles as scripts and documents have them.
@Suite struct TitleDocumentTests {
    private func read(_ fields: [String: Value]) throws(Problem) -> Effect {
        try Effect(reading: .object(fields), object: "effect 1", folder: nil)
    }

    private func title(_ fields: [String: Value]) throws -> Title {
        let effect = try read(["kind": "title", "text": "Hi"].merging(fields) { $1 })
        guard case .picture(.title(let title)) = effect.kind else { throw Problem("effect 1", "is no title") }
        return title
    }

    private static let choices: [(String, [Value])] = [
        ("markup", [true]), ("size", [12]), ("color", ["#ff0000"]),
        ("position", ["bottom", "top_left", ["center", "bottom"], [10, "25%"], ["left", -4], ["12.5%", "center"]]),
        ("anchor", ["bottom_right", "center"]), ("margin", [10, [3, 4.5]]), ("width", [200]), ("height", [100]),
        ("fit", [true, false]), ("align", ["left"]), ("letter_spacing", [-2.5]), ("line_spacing", [1.5]),
        ("outline_width", [2]), ("gradient", [["#ff0000", "#0000ff"]]), ("shadow_color", ["#00000080"]),
        ("shadow_offset", [[1, 2]]), ("shadow_blur", [9]), ("background", ["#112233"]),
        ("background_padding", [[8, 9]]),
        ("background_radius", [7]), ("opacity", [0.5]), ("enter", ["fade", ["slide_left", 0.3], ["type", 2]]),
        ("leave", [["kind": "zoom", "by": "word", "stagger": 0.05]]), ("scale", [2]),
        ("rotation", [[[0, 0], [1, 90]]]),
        ("words", [[[0, 0.4], [0.4, 1]]]), ("highlight", ["#00ff00"]),
    ]

    /// What is read, written and read again is the same.
    @Test func `random titles survive their document`() throws {
        let cases = Seed.cases(500)
        let seed = Seed.announced(for: "random titles survive their document", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            var fields: [String: Value] = ["kind": "title", "text": "Hello there"]
            for (key, values) in Self.choices where random.chance(1, in: 3) { fields[key] = random.pick(values) }
            if fields["gradient"] != nil, random.chance(1, in: 2) { fields["gradient_angle"] = 30 }
            let effect = try read(fields)
            #expect(
                try Effect(reading: effect.value(), object: "effect 1", folder: nil).kind == effect.kind,
                "case \(index): \(fields)")
        }
    }

    @Test func `places have names`() throws {
        #expect(try title(["position": "bottom"]).y == .end && title(["position": "bottom"]).x == .center)
        let corner = try title(["position": ["right", "top"], "margin": 8])
        #expect((corner.x, corner.y) == (.end, .start) && corner.margin == Title.Pair(x: 8, y: 8))
        #expect(try title(["position": ["25%", 10]]).x == .share(0.25))
        #expect(try title([:]).anchorShares == Title.Pair(x: 0.5, y: 0.5))
        #expect(try title(["position": [1, 2]]).anchorShares == Title.Pair(x: 0, y: 0))
        #expect(try title(["position": [1, 2], "anchor": "bottom"]).anchorShares == Title.Pair(x: 0.5, y: 1))
        let path = try title(["position": [[0, ["center", 700]], [5, ["50%", "-10%"]]]])
        #expect(path.path?.position?.value(at: .zero) == [0, 0.5, 700, 0] && path.x == .center)
    }

    @Test(
        arguments: [
            (["position": "botom"], "did you mean ‘bottom’?"), (["position": ["top", "left"]], "‘position’ has ‘top’"),
            (["position": ["x%", 1]], "percents"), (["anchor": "middle"], "‘anchor’"),
            (["margin": "x"], "{ across, down }"),
            (["margin": [1, 2, 3]], "{ across, down }"), (["letter_spacing": 5000], "between -1000 and 1000"),
            (["line_spacing": 0], "0.1 and 10"), (["gradient": ["red"]], "2 to 16"),
            (["gradient": ["red", "blu"]], "did you mean"),
            (["gradient_angle": 3], "no ‘gradient’"), (["shadow_blur": -1], "between 0 and 200"),
            (["background_radius": -1], "between 0"), (["height": 0], "between 1 and 16384"),
            (["text": "<b>x", "markup": true], "its markup: line 1, character 1: <b> is not closed"),
            (["words": [[1, 0]]], "word 1"), (["words": [[0, 1], [1, 2]]], "the text has 1"), (["words": 3], "a list"),
            (["enter": "fly"], "slide_left"), (["enter": ["fade", 0]], "must last longer than 0"),
            (["leave": ["kind": "fade", "by": "leter"]], "did you mean ‘letter’?"),
            (["shadow": "red"], "did you mean ‘shadow_color’?"),
            (["padding": 3], "did you mean ‘background_padding’?"),
        ] as [([String: Value], String)])
    func `what is wrong is said`(fields: [String: Value], says: String) {
        let problem = #expect(throws: Problem.self) {
            try read(["kind": "title", "text": "Hi"].merging(fields) { $1 })
        }
        #expect(problem?.message.contains(says) == true, "\(String(describing: problem))")
    }

    @Test func `motion that has no say in a part is left out of it`() throws {
        var moved = try title(["enter": ["fade", 1], "leave": ["fade", 1], "words": [[0, 1]]])
        moved.end = Time(seconds: 10)
        func part(_ from: Double, _ to: Double) -> Title {
            moved.trimmed(to: TimeRange(from: Time(seconds: from)!, to: Time(seconds: to)!))
        }
        #expect(part(2, 4) == Title("Hi").trimmed(to: .zero) && !part(2, 4).hasMotion)
        #expect(
            part(0, 4).enter != nil && part(0, 4).leave == nil && part(8, 10).leave != nil && part(8, 10).end != nil)
        #expect(part(0.5, 0.6).spoken.count == 1 && part(1, 2).spoken == [])
    }

    // MARK: Subtitles

    @Test func `subtitles survive their document`() throws {
        let fields: [String: Value] = [
            "kind": "subtitles", "file": "/m/talk.srt", "as": "track", "at": -2, "language": "eng", "name": "English",
            "size": 40, "outline_width": 2, "margin": 9, "color": "#ffff00", "position": "top", "highlight": "#ff0000",
            "opacity": 0.5, "background": "#00000080",
        ]
        let effect = try read(fields)
        #expect(try Effect(reading: effect.value(), object: "effect 1", folder: nil).kind == effect.kind)
        let plain = try read(["kind": "subtitles", "file": "/m/talk.srt"])
        #expect(plain.value() == ["kind": "subtitles", "file": "/m/talk.srt"])
    }

    @Test(
        arguments: [
            ([:], "needs a ‘file’"), (["file": "a.srt", "as": "burned"], "did you mean ‘picture’?"),
            (["file": "a.srt", "language": "english"], "three letters"),
            (["file": "a.srt", "height": 4], "no ‘height’"),
            (["file": "a.srt", "text": "x"], "add_title"), (["file": "a.srt", "delay": 1], "did you mean ‘at’?"),
            (["file": "a.srt", "name": "a\nb"], "one line"),
        ] as [([String: Value], String)])
    func `what is wrong with subtitles is said`(fields: [String: Value], says: String) {
        let problem = #expect(throws: Problem.self) { try read(["kind": "subtitles"].merging(fields) { $1 }) }
        #expect(problem?.message.contains(says) == true, "\(String(describing: problem))")
    }

    @Test func `what subtitles say that is hardly meant is told`() throws {
        var info = MediaInfo(kind: .subtitles, format: "ass", identity: FileIdentity(size: 1, modified: 1, digest: "s"))
        var catalog = RandomDraft.catalog
        func warnings(
            _ text: String, _ format: SubtitleFile.Format, _ fields: [String: Value],
            in container: ExportSettings.Container? = nil
        ) throws -> [String] {
            info.subtitles = try SubtitleFile(text, format: format)
            catalog.media["/m/talk.srt"] = .found(info)
            let effect = try read(["kind": "subtitles", "file": "/m/talk.srt"].merging(fields) { $1 })
            var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 640, height: 360), frameRate: Rational(30)))
            draft.clips = [Clip(path: "/m/sound.mp4", content: .media(range: nil))]
            draft.effects = [effect]
            return draft.warnings(catalog, in: container).map(\.message)
        }
        let (srt, ass) = ("0:1 --> 0:2\nx\n\n0:5 --> 0:4\ny\n", "[Events]\nDialogue: 0,0:0:1,0:0:2,D,,0,0,0,,x\n")
        #expect(try warnings(srt, .subRip, [:]).contains { $0.contains("line 4: the cue ends before") })
        #expect(try warnings(ass, .ass, ["size": 9]).contains { $0.contains("brings its own styles") })
        #expect(try warnings(srt, .subRip, ["as": "track", "color": "red"]).contains { $0.contains("no look") })
        #expect(try warnings(srt, .subRip, ["language": "eng"]).contains { $0.contains("are a track's") })
        func languages(_ language: Value, in container: ExportSettings.Container?) throws -> [String] {
            try warnings(srt, .subRip, ["as": "track", "language": language], in: container).filter {
                $0.contains("language")
            }
        }
        for code in ["deu", "ger", "zho", "und", "qab"] {
            #expect(try languages(.string(code), in: .mp4) == [], "\(code)")
        }
        #expect(try languages("deu", in: .mov) == [] && languages("und", in: .mov) == [])
        let unknown = try languages("xyz", in: .mp4)
        #expect(unknown.count == 1 && unknown[0].contains("‘xyz’, which is not a code of ISO 639-2"), "\(unknown)")
        let persian = try languages("fas", in: .mov)
        #expect(
            persian == [
                "a mov cannot store the language ‘fas’, so the track will have none; write mp4, webm, mkv to keep it"
            ])
        #expect(try languages("fas", in: nil) == [])
    }
}
