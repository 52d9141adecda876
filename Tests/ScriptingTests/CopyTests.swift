import Draft
import TestSupport
import Testing

@testable import Scripting

/// Copies of clips, audio clips and effects.
@Suite struct CopyTests {
    @Test func `a copy is as its original but for what changes`() throws {
        let draft = try run(
            """
            \(twoClips)
            local first = draft.clips.opening
            first.range, first.volume, first.effects = { 1, 4 }, { { 0, 1 }, { 2, 0 } }, { { "lut", { image = "look.png" } } }
            local again = first:copy { speed = 2, reverse = true }
            assert(again ~= first and again == draft.clips[3] and again.id == nil and first.speed == 1)
            assert(again.duration == 2 and again.start == 14 and #again.effects == 1)
            local named = first:copy { id = "again", index = 1, size = { 320, 180 } }
            assert(draft.clips[1] == named and named.size == nil and named.width == 320 and first.width == nil)
            local wider = named:copy { size = { 640, 360 } }
            assert(wider.width == 640)
            return draft
            """
        ).draft
        #expect(draft.clips.map(\.id) == ["again", "opening", nil, nil, nil])
        #expect(
            draft.clips[1].volume == draft.clips[3].volume
                && draft.clips[1].effects == draft.clips[3].effects)
        #expect(draft.clips[3].isReversed && !draft.clips[1].isReversed)
    }

    @Test
    func `sound, titles, layers, plugins' effects and sources have copies, in another draft too`()
        throws
    {
        let result = try run(
            """
            \(twoClips)
            local other = cutroom.draft("a.mp4", { size = { 640, 360 }, fps = 30 })
            local song = draft:add_audio("music.m4a", { id = "song", volume = function(t) return t / 20 end })
            assert(song:copy({ at = 2 }, other) == other.audio[1] and #draft.audio == 1 and other.audio[1].at == 2)
            local title = draft:add_title("One", { size = 80, range = { 0, 1 } })
            local second = title:copy { text = "Two", range = { 1, 1 } }
            assert(second.size == 80 and second.text == "Two" and title.text == "One" and draft.effects[2] == second)
            local layer = draft:add_layer("photo.jpg", { at = 1, width = 100, shadow_blur = 8 })
            local moved = layer:copy { position = "top", shadow_blur = 9 }
            assert(moved.at == 1 and moved.width == 100 and moved.shadow_blur == 9 and layer.shadow_blur == 8)
            draft:add_effect("org.cutroom.vignette", { strength = 0.25 }):copy(other)
            assert(other.effects[1].kind == "org.cutroom.vignette" and other.effects[1].strength == 0.25)
            assert(other.effects[1]:copy { strength = 0.5 }.strength == 0.5)
            draft:add_source("org.test.bars", { duration = 2, amount = 0.75 }):copy({ duration = 1, amount = 0.5 }, other)
            assert(other.clips[2].amount == 0.5 and other.clips[2].duration == 1)
            return other
            """)
        #expect(
            result.draft.audio.count == 1 && result.draft.effects.count == 2
                && !result.draft.audio[0].volume.isConstant)
        // Messages name the place of the copy.
        let late = failure("\(twoClips) draft:add_title('x'):copy { range = { 30, 1 } }\nreturn draft")
        #expect(late == nil)
        let copied = try run(
            "\(twoClips) draft:add_title('x')\ndraft.effects[1]:copy { range = { 30, 1 } }\nreturn draft")
        #expect(copied.draft.validate(copied.catalog).map { $0.origin?.line } == [4])
    }

    @Test(arguments: [
        (
            "draft.clips[1]:copy { sped = 2 }",
            "has no property ‘sped’; did you mean ‘speed’?"
        ),
        ("draft.clips[1]:copy { speed = 0 }", "the speed is 0, but must lie between 0.01 and 100"),
        (
            "draft.clips[1]:copy { speed = 2, duration = 1 }",
            "give ‘speed’ or ‘duration’, not both: each decides the other"
        ),
        ("draft.clips[1]:copy { id = 'opening' }", "the id ‘opening’ is taken by clip 1"),
        ("draft.clips[1]:copy { path = 'b.mp4' }", "its ‘path’ can be read, but not set"),
        ("draft.clips[1]:copy { index = 9 }", "‘index’ is 9, but must be a whole number from 1 to 3"),
        ("draft.clips[1]:copy('b.mp4')", "‘copy’ wants a table of what changes, but was given ‘b.mp4’"),
        (
            "draft.clips[1]:copy({}, 3)",
            "‘copy’ wants what changes, and perhaps another draft: clip:copy({ speed = 2 }, other)"
        ),
        ("draft.clips[1].copy { speed = 2 }", "‘copy’ is called with a colon: clip:copy { speed = 2 }"),
        (
            "local c = draft.clips[2]; draft:remove_clip(2); c:copy()",
            "this clip is no longer in the draft"
        ),
    ])
    func `a copy that cannot be is told`(script: String, message: String) {
        let error = failure("\(twoClips) \(script)\nreturn draft")
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
