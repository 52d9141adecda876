import Draft
import Testing

@testable import Scripting

@Suite struct DesignScriptTests {
    /// The script of the design document: these names hold.
    static let text = """
        local cutroom = require "cutroom"
        local params = cutroom.params { title = { type = "string", default = "Hello" } }

        local draft = cutroom.draft { size = { 1280, 720 }, fps = 30 }
        draft:add_clip("a.mp4", { id = "opening", range = { 0, 3 } })
        draft:add_clip("b.mp4", { range = { 4, 3 }, speed = 1.5, volume = 0.8, transition = { "dissolve", 0.5 } })
        draft:add_image("photo.jpg", { duration = 3, mode = "fill", transition = { "wipe_left", 0.5 } })
        draft:add_clip("c.mp4", { effects = { { "lut", { image = "look.png" } } } })
        draft:add_audio("music.m4a", { at = 0, range = { 0, 20 }, volume = 0.4, fade_out = 2 })
        draft:add_effect("lut", { image = "look.png", intensity = 0.8 })
        draft:add_effect("speed", { range = { 5, 2 }, factor = 2 })
        draft:add_effect("repeat", { range = { 3, 1 }, count = 3 })
        draft:add_effect("sticker", { image = "emoji.png", rect = { 1080, 40, 160, 160 }, range = { 1, 19 } })
        draft:add_effect("org.cutroom.vignette", { strength = 0.5, range = { 0, 3 } })
        draft:add_title(params.title, { size = 64, color = "#ffffff", position = { "center", 600 }, range = { 0, 3 } })
        draft.time_range = { 0, 9 }
        return draft
        """

    @Test func `the design's script runs`() throws {
        let result = try run(Self.text, set: ["title": "Ahoy"])
        #expect(result.draft.clips.count == 4)
        #expect(
            result.draft.effects.map(\.kindName) == [
                "lut", "speed", "repeat", "sticker", "org.cutroom.vignette", "title",
            ])
        #expect(result.draft.validate(result.catalog) == [])
        #expect(result.draft.clips[0].origin?.line == 5)
        #expect(result.parameters.map(\.value) == [.string("Ahoy")])
    }
}
