import TestSupport
import Testing
import Values

@testable import Scripting

/// Layers of a colour and of what a plugin makes.
@Suite struct LayerContentTests {
    @Test func `a table says what a layer shows`() throws {
        let result = try run(
            """
            \(twoClips)
            local panel = draft:add_layer { color = "tomato", size = { 100, 50 }, position = "top", duration = 2, index = 1 }
            assert(panel.color == "#ff6347" and panel.duration == 2 and panel.kind == "layer")
            panel.color = "#00ff00"
            local bars = draft:add_layer { source = "org.test.bars", amount = 0.75, position = "left", at = 1 }
            assert(bars.source == "org.test.bars" and bars.amount == 0.75 and bars.shape == "square" and bars.at == 1)
            bars.amount = { { 0, 0 }, { 1, 1 } }
            bars.width = 200
            assert(bars.width == 200 and bars.shape == "square")
            local awkward = draft:add_layer { source = "org.test.awkward", duration = 3, opacity = 0.5, speed = 4, params = { opacity = 2 } }
            assert(awkward.duration == 3 and awkward.opacity == 0.5 and awkward.speed == 4 and awkward.params.opacity == 2)
            assert(panel:copy { color = "red" }.color == "#ff0000" and bars:copy().amount[2][2] == 1)
            local file = draft:add_layer { media = "b.mp4", size = { "30%" } }
            assert(file.path:match("b%.mp4$"))
            return draft
            """)
        let draft = result.draft
        let layers = draft.effects.compactMap(\.layer)
        #expect(layers.map(\.isOpenEnded) == [false, true, false, false, true, false])
        #expect(
            layers[0].clip.color == Color(red: 0, green: 255, blue: 0) && layers[0].clip.mode == .stretch)
        #expect(
            layers[1].clip.generator?.effectID == "org.test.bars"
                && layers[1].clip.placement?.width == .constant([200]))
        #expect(layers[2].clip.generator?.parameters["opacity"] == .numbers(.constant([2])))
        #expect(layers[2].clip.generator?.parameters["speed"] == .numbers(.constant([4])))
        #expect(draft.validate(result.catalog) == [])
    }

    @Test(arguments: [
        ("{}", "needs a file, a draft, a ‘color’ or a ‘source’"),
        ("{ color = 'tomatoe' }", "‘color’ is ‘tomatoe’, but must be"),
        ("{ color = 3 }", "‘color’ is 3, but must be a text"),
        ("{ color = 'red', media = 'a.mp4' }", "has ‘media’ and ‘color’; a layer shows one of them"),
        ("{ color = 'red', range = { 0, 1 } }", "a colour has no ‘range’"),
        ("{ color = 'red', mode = 'fit' }", "a colour has no ‘mode’"),
        ("{ color = 'red', duration = 0 }", "‘duration’ is 0 s, but must be longer than 0"),
        ("{ color = 'red', transition = { 'fade', 1 } }", "has no ‘transition’"),
        ("{ color = 'red', effects = { { 'org.test.room' } } }", "a colour has none"),
        ("{ source = 'org.test.none' }", "no plugin has an effect ‘org.test.none’"),
        (
            "{ source = 'org.cutroom.vignette' }",
            "‘org.cutroom.vignette’ is a filter, but a source is needed"
        ),
        ("{ source = 'org.test.bars', amonut = 1 }", "did you mean ‘amount’?"),
        ("{ source = 'org.test.bars', range = { 0, 1 } }", "‘range’"),
        ("{ text = 'Hello' }", "shows no text; draft:add_title(text, …) does"),
        ("'a.mp4', { color = 'red' }", "has no option ‘color’"),
    ])
    func `a layer that shows nothing is told`(options: String, message: String) {
        let error = failure("\(twoClips) draft:add_layer(\(options))\nreturn draft")
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
