import Draft
import TestSupport
import Testing

@testable import Scripting

/// Drafts in drafts, as scripts make them.
@Suite struct NestedDraftTests {
    @Test func `a draft is a clip, a layer, and an entry of a list`() throws {
        let result = try run(
            """
            local cutroom = require "cutroom"
            local card = cutroom.draft("a.mp4", { size = { 320, 180 }, fps = 25, time_range = { 0, 2 } })
            local page = cutroom.draft({ card, { card, range = { 0, 1 } }, { draft = card, speed = 2 }, "b.mp4" }, { size = { 640, 360 } })
            assert(#page.clips == 4 and page.duration == 2 + 1 + 1 + 10)
            local draft = cutroom.draft(page, { fps = 30 })
            draft:add_clip(card, { duration = 4, id = "slow", effects = { { "lut", { image = "look.png" } } } })
            local slow = draft.clips.slow
            assert(slow.kind == "draft" and slow.path == nil and slow.speed == 0.5 and slow.duration == 4)
            assert(slow.source_range[2] == 2 and slow.start == 14)
            slow.loop = 2
            assert(slow.duration == 8 and slow.effects[1].kind == "lut")
            local layer = draft:add_layer(card, { at = 1, position = "top_right", size = { "30%" }, rotation = { { 0, 0 }, { 2, 90 } } })
            assert(layer.path == nil and layer.at == 1)
            layer.opacity = 0.5
            assert(layer.opacity == 0.5 and draft.size[1] == 640)
            return draft
            """)
        let draft = result.draft
        #expect(draft.validate(result.catalog) == [] && draft.clips[0].nested?.depth == 2)
        #expect(draft.clips[1].nested === draft.effects[0].layer?.clip.nested, "shared")
        #expect(draft.effects[0].layer?.placement.opacity == .constant(0.5))
    }

    @Test func `its functions of time are sampled too`() throws {
        let result = try run(
            """
            local cutroom = require "cutroom"
            local card = cutroom.draft({ { "a.mp4", range = { 0, 1 }, volume = function(t) return t end } }, { fps = 25 })
            return cutroom.draft({ card })
            """)
        let volume = result.draft.clips[0].nested?.draft.clips[0].volume
        #expect(volume?.keyValues.count == 25 && !result.draft.hasFunctions)
    }

    private static let drafts = """
        local cutroom = require "cutroom"
        local a = cutroom.draft("a.mp4")
        local b = cutroom.draft("b.mp4")

        """

    @Test(arguments: [
        ("a:add_clip(a)", "clip 2: would show the draft that it lies in; a draft cannot contain itself"),
        ("a:add_layer(a)", "effect 1 (layer): would show the draft that it lies in"),
        ("a:add_clip(b)\nb:add_clip(a)", "clip 2: would show a draft that contains this one (see edit.lua:4)"),
        ("a:add_clip(b)\nb:add_layer(a)", "effect 1: would show a draft that contains this one"),
        ("a:add_clip(b)\nlocal c = cutroom.draft(a)\nb:add_clip(c)", "would show a draft that contains this one"),
        (
            "a:add_clip(b)\nb:add_title('late')",
            "draft: was put into another draft at edit.lua:4, which shows it as it was then"
        ),
        ("a:add_clip(b)\nb.clips[1].speed = 2", "draft: was put into another draft at edit.lua:4"),
        ("a:add_clip(b)\nb.fps = 10", "draft: was put into another draft at edit.lua:4"),
        ("a:add_clip(b)\nb:begin()", "draft: was put into another draft at edit.lua:4"),
        (
            "b:begin()\na:add_clip(b)",
            "clip 2: cannot show a draft of which a transaction is open, which begins at edit.lua:4"
        ),
        ("a:add_clip(b, { range = { 12, 1 } })", "clip 2: its range starts at 12 s, but its draft is only 10 s long"),
        ("a:add_clip(b, { audio_track = 2 })", "clip 2: has an ‘audio_track’, but a draft has one sound"),
        ("a:add_clip(b, { speeed = 2 })", "clip 2: has no option ‘speeed’; did you mean ‘speed’?"),
        ("a:add_layer(b, { transition = 'dissolve' })", "is a layer, which has no ‘transition’"),
        ("a:add_clip(cutroom.draft())", "clip 2, its draft: has no clips"),
        ("a:add_image(b)", "add_image wants the path of a file"),
        ("a:add_audio(b)", "add_audio wants the path of a file"),
        ("a:add_clip({ draft = 99 })", "there is no such draft"),
        (
            "for i = 1, 8 do local c = cutroom.draft(b) b = c end\na:add_clip(b)",
            "has 9 drafts in one another, but at most 8 may be"
        ),
    ]) func `a draft that cannot be shown is refused at its line`(body: String, message: String) {
        let error = #expect(throws: ScriptError.self) { try run(Self.drafts + body + "\nreturn a") }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(error.map { "\($0)" } ?? "")")
        #expect(error?.line == body.split(separator: "\n").count + 3)
    }

    @Test func `drafts that show each other many times end with a sentence`() {
        // A sanitizer takes a multiple of the time.
        let limits =
            Sanitizer.isActive ? ScriptLimits(time: .seconds(100), wallTime: .seconds(600)) : ScriptLimits()
        let error = #expect(throws: ScriptError.self) {
            try run(
                Self.drafts + """
                    for i = 1, 7 do
                      local c = cutroom.draft()
                      for k = 1, 30 do c:add_clip(b) end
                      b = c
                    end
                    return b
                    """, limits: limits)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("shows more than 100000 clips, sounds and effects"))
    }

    @Test func `a draft that is shown can still be asked`() throws {
        _ = try run(
            Self.drafts + """
                a:add_clip(b)
                assert(b.duration == 10 and #b.clips == 1 and b.clips[1].speed == 1 and #b:validate() == 0)
                a:add_clip(b)
                return a
                """)
    }
}
