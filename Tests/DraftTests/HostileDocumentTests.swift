import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

/// Documents that nobody wrote in good faith: each gives a draft or a ``Problem`` of one short
/// line, never a crash or a hang.
@Suite struct HostileDocumentTests {
    private func outcome(_ data: Data, _ plugins: [EffectDescriptor] = []) -> Problem? {
        do throws(Problems) {
            let document = try DraftDocument(data, file: "x", folder: "/m")
            _ = document.pluginIDs
            let draft = try document.draft(plugins)
            // What can be read must also survive everything after.
            _ = draft.validate(RandomDraft.catalog)
            _ = draft.warnings(RandomDraft.catalog)
            _ = draft.document(in: "/m")
            return nil
        } catch {
            return error.all.first
        }
    }

    private func expectProblem(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let problem = outcome(Data(text.utf8))
        #expect(problem != nil, sourceLocation: sourceLocation)
        let message = problem?.description ?? ""
        #expect(message.utf8.count < 600 && !message.contains("\n"), "\(message)", sourceLocation: sourceLocation)
    }

    @Test func notJSON() {
        for text in [
            "", " ", "{", "nul", "{\"cutroom\": 01}", "\u{feff}", "'x'", "{\"cutroom\": 1,}", "[1,]",
            "{\"a\":1 \"b\":2}", "[01]", "[1.]", "[.5]", "[+1]", "[1e]", "[-]", "[\u{1}]", "[tru]", "{\"a\" 1}",
            "\"\\ud800\"", "1 2",
        ] {
            expectProblem(text)
        }
        #expect(outcome(Data([0xff, 0xfe, 0x00])) != nil && outcome(Data([0x7b, 0x22, 0xc3, 0x28])) != nil)
    }

    @Test(arguments: [
        ("{\n\n\"a\" 1}", "x:3: document: this is not valid JSON: ‘1’ is where ‘:’ should be"),
        ("{\n\"a\": 1,}", "x:2: document: this is not valid JSON: ‘}’ is where a key in double quotes should be"),
        ("[1, 2", "x:1: document: this is not valid JSON: it ends where ‘,’ or ‘]’ should be"),
        ("[\n\"a", "x:2: document: this is not valid JSON: a text has no end"),
        ("[nul]", "x:1: document: this is not valid JSON: ‘n’ is where a value should be"),
        ("{}\n{}", "x:2: document: this is not valid JSON: ‘{’ is where nothing after the end should be"),
        ("{\"a\": 1, \"a\": 2}", "x:1: document: this is not valid JSON: the key ‘a’ is given twice"),
        ("[1e999]", "x:1: document: this is not valid JSON: the number ‘1e999’ is too large"),
        ("[\"\\ud83d\"]", "x:1: document: this is not valid JSON: a text has half of a surrogate pair"),
        ("[\"\\x\"]", "x:1: document: this is not valid JSON: a text has the unknown escape ‘\\x’"),
        ("[\"\t\"]", "x:1: document: this is not valid JSON: a text has a control character; write it as \\u0009"),
    ])
    func saysWhatIsWrongAndWhere(text: String, sentence: String) {
        #expect(outcome(Data(text.utf8))?.description == sentence)
    }

    @Test func everyEscapeIsRead() throws {
        let text = #"["\"\\\/\b\f\n\r\t\u00e9\ud83d\udc4b", -0.5e+2, 1E3, true, false, null, {}, [] ]"#
        let value = try Value(json: Data("\u{feff} \(text)\r\n".utf8), file: "x")
        #expect(value == .array(["\"\\/\u{8}\u{c}\n\r\té👋", -50, 1000, true, false, .null, .object([:]), .array([])]))
        #expect(try Value(json: Data(value.json.utf8), file: "x") == value)
    }

    /// Foundation reads what is written as the same.
    @Test func othersReadWhatIsWritten() throws {
        let text = Draft([.sound()], effects: [Effect(.picture(.title(Title("“Grüße”\n\t\\ \u{7f} 👋"))))]).document(
            in: "/m")
        let other = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let effect = (other?["effects"] as? [[String: Any]])?.first
        #expect(effect?["text"] as? String == "“Grüße”\n\t\\ \u{7f} 👋")
    }

    @Test func deepNesting() {
        for depth in [100, 600, 100_000] {
            expectProblem(String(repeating: "[", count: depth))
            expectProblem(
                "{\"cutroom\":1,\"clips\":" + String(repeating: "[", count: depth)
                    + String(repeating: "]", count: depth) + "}")
            let object = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
            expectProblem("{\"cutroom\":1,\"effects\":[[\"a.b\",{\"x\":\(object)}]]}")
        }
    }

    @Test func hugeNumbers() {
        let digits = String(repeating: "9", count: 400)
        for number in ["1e999", "-1e999", digits, "1e308", "-1e308", "1e-400", "9223372036854775808", "0." + digits] {
            _ = outcome(
                Data(
                    "{\"cutroom\":1,\"clips\":[{\"media\":\"a\",\"speed\":\(number)}],\"canvas\":{\"fps\":\(number)}}"
                        .utf8))
            _ = outcome(
                Data(
                    "{\"cutroom\":1,\"effects\":[[\"repeat\",{\"count\":\(number),\"range\":[\(number),\(number)]}]]}"
                        .utf8))
            _ = outcome(
                Data(
                    "{\"cutroom\":1,\"effects\":[[\"sticker\",{\"image\":\"a\",\"rect\":[\(number),0,\(number),1]}]]}"
                        .utf8))
        }
        expectProblem("{\"cutroom\":1,\"canvas\":{\"fps\":1e999}}")
        expectProblem("{\"cutroom\":\(digits)}")
    }

    @Test func longTexts() {
        let long = String(repeating: "x", count: 1_000_000)
        expectProblem("{\"cutroom\":1,\"\(long)\":1}")
        expectProblem("{\"cutroom\":1,\"effects\":[[\"\(long)\",{}]]}")
        expectProblem("{\"cutroom\":1,\"effects\":[[\"title\",{\"text\":\"\(long)\"}]]}")
        expectProblem("{\"cutroom\":1,\"clips\":[{\"media\":\"a\",\"mode\":\"\(long)\"}]}")
        expectProblem("{\"cutroom\":1,\"export\":{\"video\":{\"codec\":\"\(long)\"}}}")
        expectProblem("{\"cutroom\":1,\"clips\":[{\"media\":\"a\",\"volume\":[[0,1,\"\(long)\"]]}]}")
        expectProblem("{\"cutroom\":1,\"clips\":[{\"media\":\"a\",\"mode\":\"a\\nb\"}]}")
    }

    @Test(arguments: [
        (
            #""effects": [{}]"#,
            "effect 1: is a table, but must be a table with a ‘kind’ such as { \"kind\": \"lut\", \"image\": \"look.png\" }"
        ),
        (
            #""effects": [{"kind": "fliter", "effect": "a.b"}]"#,
            "effect 1 (fliter): there is no effect ‘fliter’; did you mean ‘filter’?"
        ),
        (
            #""effects": [{"kind": "filter"}]"#,
            "effect 1 (filter): needs an ‘effect’, the id of a plugin's effect such as \"org.cutroom.blur\""
        ),
        (#""effects": [{"kind": "overlay", "effect": 3}]"#, "effect 1 (overlay): ‘effect’ is 3, but must be a text"),
        (
            #""effects": [{"kind": "audio_filter", "effect": "lut"}]"#,
            "effect 1 (lut): ‘effect’ is ‘lut’, but must be the id of a plugin's effect such as \"org.cutroom.blur\""
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "parameters": 3}]"#,
            "effect 1 (a.b): ‘parameters’ is 3, but must be a table of parameters"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "parameters": [1]}]"#,
            "effect 1 (a.b): ‘parameters’ is a list, but must be a table of parameters"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "parameters": {"x": {"file": 3}}}]"#,
            "effect 1 (a.b): ‘x’ is a table, but must be a value, or a file such as { \"file\": \"look.png\" }"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "parameters": {"x": {"file": "a", "y": 1}}}]"#,
            "effect 1 (a.b): ‘x’ is a table, but must be a value, or a file such as { \"file\": \"look.png\" }"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "parameters": {"x": {"file": ""}}}]"#,
            "effect 1 (a.b): ‘x’ is a file, but its path is empty"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "parameters": {"x": [[0, {"file": "a"}]]}}]"#,
            "effect 1 (a.b): ‘x’ is a table, but must be a number"
        ),
        (
            #""effects": [{"kind": "lut", "image": {"file": "a"}}]"#,
            "effect 1 (lut): ‘image’ is a table, but must be a text"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "rect": [0, 0, 1, 1]}]"#,
            "effect 1 (a.b): has no option ‘rect’; a plugin's parameters are in ‘parameters’"
        ),
        (
            #""clips": [{"media": "a", "source": "a.b"}]"#,
            "clip 1: needs either ‘media’ or ‘image’, the path of its file, or ‘source’, the id of what makes it, or ‘draft’"
        ),
        (
            #""clips": [{"media": "a", "parameters": {}}]"#,
            "clip 1: has no option ‘parameters’"
        ),
        (
            #""clips": [{"media": "a", "transition": {"kind": "plugin", "duration": 1}}]"#,
            "clip 1, transition: needs an ‘effect’, the id of a plugin's effect such as \"org.cutroom.blur\""
        ),
        (
            #""clips": [{"media": "a", "transition": {"kind": "fade", "effect": "a.b", "duration": 1}}]"#,
            "clip 1, transition: has no option ‘effect’; there are duration, kind"
        ),
    ])
    func newFormsThatAreWrong(body: String, sentence: String) {
        #expect(outcome(Data("{\"cutroom\": 2, \(body)}".utf8))?.description == "x: " + sentence)
    }

    /// The forms of version 1 are told from those of version 2, with what is right.
    @Test(arguments: [
        (
            #""effects": [["lut", {"image": "a"}]]"#,
            "effect 1: is a list, but must be a table with a ‘kind’ such as { \"kind\": \"lut\", \"image\": \"look.png\" }"
        ),
        (
            #""effects": [{"kind": "a.b", "x": 1}]"#,
            "effect 1 (a.b): ‘kind’ is ‘a.b’; the id of a plugin's effect is its ‘effect’, and its ‘kind’ one of \"filter\", \"audio_filter\", \"overlay\""
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "amount": 1}]"#,
            "effect 1 (a.b): has no option ‘amount’; a plugin's parameters are in ‘parameters’"
        ),
        (
            #""effects": [{"kind": "filter", "effect": "a.b", "params": {}}]"#,
            "effect 1 (a.b): has no option ‘params’; a plugin's parameters are in ‘parameters’"
        ),
        (
            #""clips": [{"source": "a.b", "duration": 1, "amount": 1}]"#,
            "clip 1: has no option ‘amount’; a plugin's parameters are in ‘parameters’"
        ),
        (
            #""clips": [{"media": "a", "transition": ["a.b", 1]}]"#,
            "clip 1, transition: ‘kind’ is ‘a.b’; the id of a plugin's effect is its ‘effect’, and its ‘kind’ \"plugin\""
        ),
    ])
    func formsOfVersionOneInVersionTwo(body: String, sentence: String) {
        #expect(outcome(Data("{\"cutroom\": 2, \(body)}".utf8))?.description == "x: " + sentence)
    }

    /// An overlay may lie over a clip's picture. A sound has none: that is said when the draft is
    /// checked.
    @Test func overlaysInOwnLists() throws {
        let overlay = #"{"kind": "overlay", "effect": "org.test.made"}"#
        let draft = try Draft(
            document: Data(
                #"""
                {"cutroom": 2, "clips": [{"media": "sound.mp4", "effects": [\#(overlay)]}],
                 "audio": [{"media": "music.m4a", "effects": [\#(overlay)]}]}
                """#.utf8), file: "x", folder: "/m")
        #expect(
            draft.validate(RandomDraft.catalog).map(\.description) == [
                "x: audio 1, effect 1 (org.test.made): changes the picture, and an audio clip has none; put it into a clip's "
                    + "‘effects’ or the draft's effect list"
            ])
    }

    /// A valid document with one random change after another: values of wrong types at every place,
    /// cut off, doubled, swapped, single bytes changed.
    @Test func mutations() throws {
        let cases = 2000
        let seed = Seed.announced(for: "hostile documents", cases: cases)
        var problems = 0
        for index in 0..<cases {
            var generator = RandomDraft(.forCase(index, of: seed))
            let text = generator.draft(illegal: false).document(in: "/m")
            var data = Data(text.utf8)
            if index % 2 == 0 {
                var value = try Value(json: data, file: "x")
                // Half of them as the version before, so that its upgrade meets strangers too.
                if index % 4 == 0 { value.makeOld() }
                for _ in 0..<Int.random(in: 1...3, using: &generator.random) { value.mutate(&generator.random) }
                data = Data(value.json.utf8)
            } else {
                for _ in 0..<Int.random(in: 1...4, using: &generator.random) { data.mutate(&generator.random) }
            }
            if let problem = outcome(data, RandomDraft.catalog.effects) {
                problems += 1
                #expect(!problem.message.isEmpty && problem.description.utf8.count < 2000, "case \(index): \(problem)")
            }
        }
        #expect(problems > cases / 4)
    }
}

extension Data {
    fileprivate mutating func mutate(_ random: inout SplitMix64) {
        guard !isEmpty else { return }
        let at = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: self[at] = UInt8.random(in: 0...255, using: &random)
        case 1: self = Data(prefix(at))
        case 2: insert(contentsOf: self[at..<Swift.min(count, at + 20)], at: at)
        case 3: removeSubrange(at..<Swift.min(count, at + Int.random(in: 1...20, using: &random)))
        default: self[at] = random.pick(Array("{}[]\",:0919eE+-.ntf\\".utf8))
        }
    }
}

extension Value {
    /// Makes a valid document one of version 1.
    fileprivate mutating func makeOld() {
        guard case .object(var document) = self else { return }
        for list in ["clips", "audio"] {
            document[list] = document[list].map { .array($0.items.map(ShortForm.short(clip:))) }
        }
        if let effects = document["effects"] {
            document["effects"] = .array(effects.items.map(ShortForm.short(effect:)))
        }
        document["cutroom"] = 1
        self = .object(document)
    }

    private static let strangers: [Value] = [
        .null, true, false, 0, 1, -1, 1.5, 1e300, -1e300, 9e15, 1e-300, "", "x", "1/0", "-5s", "99999999s", "nan",
        .array([]), .object([:]),
        .array([.array([.array([])])]), .array([1, 2]), .array(["dissolve", 1]),
        .array([.array([0, 1]), .array([0, 1])]),
        .object(["kind": "title"]), .object(["file": "x"]), "filter", "org.test.made", .object(["": .null]),
        "\u{0}\u{202e}\u{1F468}\u{200D}\u{1F469}",
    ]

    /// Puts a stranger at a random place of the tree.
    fileprivate mutating func mutate(_ random: inout SplitMix64) {
        switch self {
        case .object(var fields) where !fields.isEmpty && !random.chance(1, in: 12):
            let key = random.pick(fields.keys.sorted())
            switch Int.random(in: 0..<12, using: &random) {
            case 0: fields[key] = nil
            case 1:
                fields[random.pick(["id", "range", "image", "media", "kind", "effect", "parameters", "source", "x"])] =
                    fields[key]
            default: fields[key]?.mutate(&random)
            }
            self = .object(fields)
        case .array(var items) where !items.isEmpty && !random.chance(1, in: 12):
            let index = Int.random(in: 0..<items.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: items.remove(at: index)
            case 1: items.append(items[index])
            case 2: items.reverse()
            default: items[index].mutate(&random)
            }
            self = .array(items)
        default: self = random.pick(Value.strangers)
        }
    }
}
