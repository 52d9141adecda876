import Draft
import Testing

@testable import Scripting

/// A draft that is wrong somewhere still says how long it is, so that a script can mend it.
@Suite struct OutlineTests {
    @Test(arguments: [
        "draft.time_range = { 500, 1 }", "draft:add_effect('lut', { image = 'look.png', range = { 100, 1 } })",
        "draft:add_effect('speed', { factor = 2, range = { 100, 1 } })",
        "draft:add_audio('music.m4a', { range = { 0, 0.1 }, loop = true }) draft:add_effect('repeat', { count = 10000 })",
        "draft.clips[1].transition = { 'dissolve', 1 }",
        "draft:add_title('x', { pass_through = true, index = 1 })",
    ]) func `times are known whatever else is wrong`(mistake: String) throws {
        let twice = mistake.contains("repeat") ? 10_000.0 : 1
        try run(
            """
            \(twoClips)
            draft:add_effect("repeat", { count = 2, range = { 0, 1 } })
            \(mistake)
            assert(#draft:validate() == 1)
            assert(draft.original_duration == 18 and draft.duration == 19 * \(twice), draft.duration)
            assert(draft.clips[2].start == 8 and draft:apply_effects(8) == 9 and draft:remove_effects(9) == 8)
            local range = draft:apply_effects { 4, 4 }
            assert(range[1] == 5 and range[2] == 4)
            if draft.time_range then draft.time_range = { 0, draft.duration } end
            draft.clips[1].transition = nil
            for i = #draft.effects, 2, -1 do draft:remove_effect(i) end
            assert(#draft:validate() == 0)
            return draft
            """)
    }

    @Test func `transitions that do not fit keep no clip from its place`() throws {
        try run(
            """
            \(twoClips)
            draft.clips[2].transition = { "dissolve", 6 }
            draft:add_clip("c.mp4", { transition = { "dissolve", 5 } })
            assert(#draft:validate() == 1)
            assert(draft.clips[2].start == 2 and draft.clips[3].start == 7 and draft.duration == 13)
            draft.clips[3].transition = nil
            return draft
            """)
    }

    @Test func `what is not known is told`() throws {
        let document = """
            { "cutroom": 1, "clips": [{ "media": "a.mp4" }, { "image": "photo.jpg", "duration": "2/1s" },
              { "media": "b.mp4", "range": ["11/1s", "1/1s"] }, { "media": "b.mp4" }] }
            """
        let script = "local draft = require('cutroom').open('edit.cutroom')\nassert(draft.clips[2].start == 8)\n"
        for question in ["draft.duration", "draft.clips[4].start", "draft:apply_effects(1)"] {
            let refused = failure(script + "print(\(question))", files: ["edit.cutroom": document])
            #expect(refused?.description.contains("clip 3: its range starts at 11 s") == true, "\(question)")
        }
        try run(
            "local draft = require('cutroom').draft { size = { 640, 360 } } assert(draft.duration == 0 and draft:apply_effects(1) == nil) "
                + "draft:add_image('photo.jpg', { duration = 1 }) return draft")
        let endless = failure(
            "\(twoClips) for _, length in ipairs { 0.001, 10 } do draft:add_effect('repeat', { count = 10000, range = { 0, length } }) end "
                + "assert(draft.duration > 99999)\nprint(draft:apply_effects(1))")
        #expect(endless?.message.contains("plays in more than 100000 pieces; repeat less") == true, "\(endless as Any)")
    }

    @Test func `validate gives warnings beside the problems`() throws {
        try run(
            """
            \(twoClips)
            draft.clips[1].volume = 50
            draft:add_title("x", { font = "No Such Font", range = { 1, 100 } })
            draft.time_range = { 1, 100 }
            local problems, warnings = draft:validate()
            assert(#problems == 0 and #warnings == 4, #warnings)
            for _, warning in ipairs(warnings) do assert(warning.severity == "warning" and warning.object ~= "" and warning.line) end
            assert(warnings[1].line == 4 and warnings[1].message:find("34 dB louder", 1, true), warnings[1].message)
            assert(warnings[2].message:find("there is no font ‘No Such Font’ here; ‘DejaVu Sans’ is used", 1, true), warnings[2].message)
            draft.time_range = { 100, 1 }
            problems, warnings = draft:validate()
            assert(#problems == 1 and problems[1].severity == "error" and #warnings == 3)
            draft.time_range = nil
            return draft
            """)
    }
}
