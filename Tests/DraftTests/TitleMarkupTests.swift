import Draft
import TestSupport
import Testing

/// Markup of titles.
@Suite struct TitleMarkupTests {
    @Test func `runs have their tags`() throws {
        let markup = try TitleMarkup("a <b>b <span color='red' size=\"20000\">c</span></b>&lt;&#65;&#x42;&amp;")
        #expect(markup.plain == "a b c<AB&")
        #expect(markup.runs.map(\.text) == ["a ", "b ", "c", "<AB&"])
        #expect(markup.runs.map(\.tags) == [[], ["<b>"], ["<b>", "<span color=\"#ff0000\" size=\"20000\">"], []])
        #expect(try TitleMarkup("").runs == [] && TitleMarkup("<b></b>").runs == [])
    }

    @Test(arguments: [
        ("a <b>b", "line 1, character 3: <b> is not closed"), ("a</b>", "</b> closes nothing"),
        ("<b><i>x</b></i>", "</b> stands where </i>"), ("1 < 2", "character 3: a ‘<’ that is meant"),
        ("Q & A", "a ‘&’ that is meant as itself is written &amp;"), ("a<br>b", "\\n"),
        ("a\n<sapn color='red'>x</sapn>", "line 2, character 1: there is no tag <sapn>; did you mean ‘span’?"),
        ("<span colour='red'>x</span>", "no attribute ‘colour’"), ("<b color='red'>x</b>", "<b> has no attributes"),
        ("<span color='rde'>x</span>", "did you mean ‘red’?"), ("<span color=red>x</span>", "quotation marks"),
        ("<span color>x</span>", "no value"), ("<span underline='wavy'>x</span>", "‘underline’ is ‘wavy’"),
        ("<b", "not closed with ‘>’"), ("&nbsp;", "&amp;"), ("&#xD800;", "&amp;"),
    ])
    func `what is no markup is told of with its place`(markup: String, says: String) {
        let defect = #expect(throws: TitleMarkup.Defect.self) { try TitleMarkup(markup) }
        #expect(defect?.description.contains(says) == true, "\(String(describing: defect))")
    }

    @Test func `nesting is bounded`() {
        #expect(throws: TitleMarkup.Defect.self) { try TitleMarkup(String(repeating: "<b>", count: 100_000)) }
    }

    @Test func `any text can be escaped`() throws {
        let seed = Seed.announced(for: "any text can be escaped", cases: 300)
        for index in 0..<300 {
            var random = SplitMix64.forCase(index, of: seed)
            let text = String(
                (0..<Int.random(in: 0...20, using: &random)).map { _ in random.pick(Array("<>&\"'ab/ \né日🎬;#")) })
            #expect(try TitleMarkup(TitleMarkup.escaped(text)).plain == text)
        }
    }
}
