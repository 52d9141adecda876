import Draft
import TestSupport
import Testing

@testable import Scripting

/// Plugins' parameters have the types that their descriptors say, in both directions.
@Suite struct TypeTests {
    /// A line, and what it prints.
    @Test(arguments: [
        (#"local e = draft:add_effect("org.cutroom.blur", { radius = 5 }) e.radius = nil print(e.radius)"#, "12"),
        (
            #"local e = draft:add_effect("org.cutroom.mirror", { side = "right" }) e.side = nil print(e.side)"#, "left"
        ),
        // A transition is read as it is written.
        (
            """
            draft.clips[2].transition = { kind = "org.cutroom.burn", duration = 0.2, glow = { { 0, 0 }, { 0.1, 1 } } }
            draft.clips[2].transition = draft.clips[2].transition
            local t = draft.clips[2].transition print(t.kind, t.duration, t.glow[2][1], t.params)
            """, "org.cutroom.burn\t0.2\t0.1\tnil"
        ),
        (
            #"draft.clips[2].transition = { "org.cutroom.burn", 0.5 } local t = draft.clips[2].transition print(t.kind, t.duration)"#,
            "org.cutroom.burn\t0.5"
        ),
        (
            #"draft.clips[2].transition = { kind = "org.cutroom.luma_matte", duration = 1, image = "matte.png", invert = true } print(draft.clips[2].transition.invert)"#,
            "true"
        ),
        // True is not 1.
        (
            #"local e = draft:add_effect("org.cutroom.chroma_key", { loop = true }) print(e.loop) e.loop = e.loop e.similarity = 0.1 print(e.loop == true)"#,
            "true|true"
        ),
        (#"local e = draft:add_effect("org.cutroom.chroma_key", { loop = false }) print(e.loop)"#, "false"),
        (
            #"local e = draft:add_effect("org.cutroom.chroma_key", { loop = { { 0, 0 }, { 1, true } } }) print(e.loop[1][2], e.loop[2][2])"#,
            "false\ttrue"
        ),
        (
            #"draft.clips[1].effects = { { "org.cutroom.chroma_key", { loop = true, similarity = { { 0.5, 0.1 }, { 1, 0.2 } } } } } local e = draft.clips[1].effects[1] print(e.loop, e.similarity[1][1]) draft.clips[1].effects = draft.clips[1].effects"#,
            "true\t0.5"
        ),
        // A parameter may be called as something else is that has times.
        (
            #"local s = draft:add_source("org.cutroom.gradient", { duration = 2, speed = { { 0.5, 1 }, { 1, 2 } } }) print(s.speed[1][1] + 1)"#,
            "1.5"
        ),
        // Colours.
        (
            ##"local e = draft:add_effect("org.cutroom.flash", { color = { { 0, "#f00" }, { 1, { 0, 0, 1 }, "hold" } } }) print(#e.color[1][2], e.color[1][2][1], e.color[2][2][3], e.color[2][2][4], e.color[2][3])"##,
            "4\t1\t1\t1\thold"
        ),
        (
            ##"local e = draft:add_effect("org.cutroom.flash", { color = { { 0, { 1, 0, 0 } }, { 1, { 0, 0, 1 } } } }) print(#e.color[1][2])"##,
            "3"
        ),
        // All of them at once.
        (#"print(draft:add_effect("org.cutroom.blur", { params = {} }).radius)"#, "12"),
        (#"print(draft:add_source("org.cutroom.gradient", { duration = 1, params = {} }).angle)"#, "45"),
        (
            #"local e = draft:add_effect("org.cutroom.blur", { radius = 5 }) e.params = { radius = 3 } print(e.radius)"#,
            "3"
        ),
        (#"local e = draft:add_effect("org.cutroom.blur", { radius = 5 }) e.params = nil print(e.radius)"#, "12"),
    ]) func whatIsReadIsWhatIsMeant(line: String, printed: String) throws {
        let environment = TestEnvironment()
        try run(twoClips + line + "\nreturn draft", environment: environment)
        #expect(environment.lines.joined(separator: "|") == printed)
    }

    @Test(arguments: [
        ("'org.cutroom.blur', { radius = true }", "‘radius’ is true, but must be a number"),
        ("'org.cutroom.blur', { radius = { { 0, true } } }", "‘radius’ is true, but must be a number"),
        ("'org.cutroom.blur', { params = { radius = false } }", "‘radius’ is false, but must be a number"),
        (
            "'org.cutroom.blur', { params = { radius = 3 }, radius = 40 }",
            "‘radius’ is given twice, in ‘params’ and beside it; leave one out"
        ),
        ("'org.cutroom.blur', { params = 3 }", "‘params’ is 3, but must be a table of parameters"),
        ("'org.cutroom.mirror', { side = 1 }", "‘side’ is 1, but must be one of left, right, top, bottom"),
        ("'org.cutroom.mirror', { side = true }", "‘side’ is true, but must be one of left, right, top, bottom"),
        ("'org.cutroom.mirror', { side = 'lefd' }", "‘side’ is ‘lefd’; did you mean ‘left’?"),
        ("'org.cutroom.mirror', { side = { { 0, 'left' } } }", "‘side’ cannot change with time"),
        ("'org.cutroom.mirror', { side = function(t) return 0 end }", "‘side’ cannot change with time"),
        ("'org.cutroom.chroma_key', { loop = 1 }", "‘loop’ is 1, but must be true or false"),
        ("'org.cutroom.chroma_key', { loop = 'yes' }", "‘loop’ is ‘yes’, but must be true or false"),
        ("'org.cutroom.chroma_key', { loop = { { 0, 2 } } }", "‘loop’ is 2, but must be true or false"),
        ("'org.cutroom.chroma_key', { image = true }", "‘image’ is true, but must be a text"),
        ("'org.cutroom.libavfilter', { graph = { 'a' } }", "‘graph’ is a list, but must be a text"),
        (
            "'org.cutroom.flash', { color = { { 0, 'reddish' } } }",
            "‘color’ is ‘reddish’, but must be a colour such as \"#ff8800\" or \"orange\""
        ),
        ("'org.cutroom.flash', { color = 1 }", "‘color’ is 1, but must be a colour such as \"#ff8800\" or \"orange\""),
        ("'org.cutroom.rgb_split', { offset = '1' }", "‘offset’ is ‘1’, but must be two numbers { x, y }"),
    ]) func anotherTypeIsRefused(effect: String, sentence: String) throws {
        let id = effect.split(separator: "'")[0]
        let error = try #require(failure(twoClips + "draft:add_effect(\(effect))"))
        #expect(error.description == "edit.lua:3: effect 1 (\(id)): \(sentence)")
        // In a clip's own list as well.
        let own = try #require(failure(twoClips + "draft.clips[1].effects = { { \(effect) } }"))
        #expect(own.description == "edit.lua:3: clip 1 (opening), effect 1 (\(id)): \(sentence)")
    }

    @Test(arguments: [
        (
            "draft.clips[2].transition = { kind = 'org.cutroom.luma_matte', duration = 1, invert = 1 }",
            "clip 2, transition: ‘invert’ is 1, but must be true or false"
        ),
        (
            "draft:add_source('org.cutroom.gradient', { duration = 1, angle = false })",
            "clip 3: ‘angle’ is false, but must be a number"
        ),
        (
            "local e = draft:add_effect('org.cutroom.chroma_key') e.loop = 0",
            "effect 1 (org.cutroom.chroma_key): ‘loop’ is 0, but must be true or false"
        ),
        (
            "local e = draft:add_effect('org.cutroom.blur') e.raduis = nil",
            "effect 1 (org.cutroom.blur): has no property ‘raduis’; did you mean ‘radius’?"
        ),
        (
            "local s = draft:add_source('org.cutroom.gradient', { duration = 1 }) s.angel = nil",
            "clip 3: has no property ‘angel’; did you mean ‘angle’?"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.cutroom.faces', { smile = 1 })",
            "the analysis of ‘a.mp4’ (org.cutroom.faces): ‘smile’ is 1, but must be true or false"
        ),
        (
            "cutroom.analyse('a.mp4', 'org.cutroom.faces', { cascade = function(t) return 1 end })",
            "the analysis of ‘a.mp4’ (org.cutroom.faces): ‘cascade’ cannot change with time"
        ),
    ]) func elsewhereToo(line: String, sentence: String) throws {
        #expect(failure(twoClips + line)?.description == "edit.lua:3: " + sentence)
    }

    /// What a document has, however old, is not refused, and is read as what it means.
    @Test func aDocumentMayHaveNumbers() throws {
        let environment = TestEnvironment()
        try run(
            """
            local draft = require("cutroom").open("old.cutroom")
            local e = draft.effects[1]
            e.similarity = 0.25
            print(e.loop, draft.effects[2].side)
            return draft
            """,
            files: [
                "old.cutroom": #"""
                {"cutroom": 1, "clips": [{"source": "org.cutroom.gradient", "duration": 2}],
                 "effects": [{"kind": "org.cutroom.chroma_key", "loop": 1}, {"kind": "org.cutroom.mirror", "side": 1}]}
                """#
            ], environment: environment)
        #expect(environment.lines == ["true\tright"])
    }

    // MARK: Functions of time

    @Test func aFunctionOfTimeMayGiveColours() throws {
        let environment = TestEnvironment()
        let draft = try run(
            twoClips + """
                local function color(t)
                  if t < 1 then return "#f00" elseif t < 2 then return { 0, 1, 0 } elseif t < 3 then return { 0, 0, 1, 0.5 } end
                  return "#0000ff80"
                end
                local e = draft:add_effect("org.cutroom.flash", { color = color, range = { 0, 4 } })
                print(e.color == color)
                return draft
                """, environment: environment
        ).draft
        #expect(environment.lines == ["true"])
        guard case .numbers(.keyframes(let keys))? = draft.effects[0].plugin?.parameters["color"] else {
            Issue.record("\(draft.effects)")
            return
        }
        let colors = [0, 30, 60, 90].map { keys[$0].value }
        #expect(
            keys.count == 120 && colors == [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0.5], [0, 0, 1, 128.0 / 255]])
    }

    @Test func whatIsNoColourIsToldOfTheFunction() throws {
        let error = failure(
            twoClips + """
                draft:add_effect("org.cutroom.flash", {
                  color = function(t) return "reddish" end })
                return draft
                """)
        #expect(
            error?.description
                == "edit.lua:4: effect 1, at 0 s: the function of time returned a string, but must return a number or a list of numbers"
        )
    }

    @Test func whatIsNoNumberHasItsLineAndItsName() throws {
        let error = failure(
            twoClips + "draft:add_effect('org.cutroom.blur', { radius = function(t) return 0 / 0 end })\nreturn draft")
        #expect(
            error?.description == "edit.lua:3: effect 1: the function of time of ‘radius’ gave no number at 0 s")
    }
}
