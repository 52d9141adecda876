import Draft
import TestSupport
import Testing
import Values

@testable import Scripting

/// A property that was set reads the same, and is the draft's value.
@Suite struct PropertyTests {
    /// Property, the Lua text of a value, and what reading it back gives (as text).
    static let clip = [
        ("id", "'x'", "x"), ("range", "{ 1, 2.5 }", "1 2.5"), ("speed", "1.5", "1.5"), ("reverse", "true", "true"),
        ("speed", "'30000/1001'", "29.97002997003"),
        ("speed", "{ { 0, 1 }, { 2.5, 4, 'ease_in' } }", "0 1 2.5 4 ease_in"), ("freeze", "{ 1, 0.5 }", "1 0.5"),
        ("freeze", "{ { 1, 0.5 }, { 1.5, 2 } }", "1 0.5 1.5 2"), ("loop", "3", "3"), ("ping_pong", "true", "true"),
        ("frames", "'blend'", "blend"),
        ("duration", "4", "4"), ("volume", "0.25", "0.25"),
        ("volume", "{ { 0, 1 }, { 2.5, 0.5, 'ease_in' } }", "0 1 2.5 0.5 ease_in"),
        ("fade_in", "0.5", "0.5"), ("fade_out", "1", "1"), ("sound_lead", "0.5", "0.5"), ("sound_tail", "1.25", "1.25"),
        ("audio_track", "1", "1"), ("mode", "'fill'", "fill"),
        ("transition", "{ 'wipe_up', 0.75 }", "wipe_up 0.75"),
        ("transition", "0.5", "dissolve 0.5"),
        ("effects", "{ { 'lut', { image = 'look.png', range = { 0, 1 } } } }", "image look.png kind lut range 0 1"),
    ]
    static let image = [
        ("id", "'x'", "x"), ("duration", "2.5", "2.5"), ("mode", "'stretch'", "stretch"),
        ("transition", "{ 'fade', 1 }", "fade 1"),
    ]
    static let audio = [
        ("id", "'x'", "x"), ("at", "3", "3"), ("range", "{ 2, 5 }", "2 5"), ("speed", "2", "2"),
        ("keep_pitch", "false", "false"),
        ("volume", "0.5", "0.5"), ("fade_in", "1", "1"), ("fade_out", "1.5", "1.5"), ("loop", "true", "true"),
        ("audio_track", "1", "1"),
        ("volume", "{ { 0, 1 }, { 4, 0.2, 'hold' } }", "0 1 4 0.2 hold"),
    ]
    static let effects: [(make: String, property: String, value: String, read: String)] = [
        ("'speed', { factor = 2 }", "factor", "0.5", "0.5"), ("'speed', { factor = 2 }", "range", "{ 1, 2 }", "1 2"),
        ("'repeat', { count = 2 }", "count", "5", "5"), ("'lut', { image = 'look.png' }", "intensity", "0.3", "0.3"),
        ("'lut', { image = 'look.png' }", "image", "'look.cube'", "look.cube"),
        ("'lut', { image = 'look.png' }", "id", "'warm'", "warm"),
        ("'lut', { image = 'look.png' }", "pass_through", "true", "true"),
        ("'org.cutroom.vignette', {}", "pass_through", "true", "true"),
        ("'sticker', { image = 'emoji.png', rect = { 0, 0, 9, 9 } }", "rect", "{ -5, 6, 7, 8 }", "-5 6 7 8"),
        ("'sticker', { image = 'emoji.png', rect = { 0, 0, 9, 9 } }", "opacity", "{ { 0, 0 }, { 1, 1 } }", "0 0 1 1"),
        ("'title', { text = 'a' }", "text", "'5s'", "5s"),
        ("'title', { text = 'a' }", "font", "'Serif Bold'", "Serif Bold"),
        ("'title', { text = 'a' }", "size", "12.5", "12.5"), ("'title', { text = 'a' }", "color", "'#f80'", "#ff8800"),
        ("'title', { text = 'a' }", "position", "{ 'center', 600 }", "center 600"),
        ("'title', { text = 'a' }", "width", "300", "300"),
        ("'title', { text = 'a' }", "align", "'left'", "left"),
        ("'title', { text = 'a' }", "outline_color", "'#112233'", "#112233"),
        ("'title', { text = 'a' }", "outline_width", "2", "2"),
        ("'title', { text = 'a' }", "background", "'#00000080'", "#00000080"),
        ("'title', { text = 'a' }", "opacity", "0.5", "0.5"),
        ("'org.cutroom.vignette', {}", "strength", "0.9", "0.9"),
        ("'org.cutroom.vignette', {}", "shape", "'round'", "round"),
        ("'org.cutroom.vignette', {}", "color", "'#ff0000'", "#ff0000"),
        ("'org.cutroom.rgb_split', {}", "offset", "{ 3, -4 }", "3 -4"),
        ("'org.cutroom.rgb_split', {}", "offset", "{ { 0, { 0, 0 } }, { 1, { 8, 2 } } }", "0 0 0 1 8 2"),
    ]

    /// A Lua function that writes a value as one line.
    private static let flat = """
        local function flat(value)
          if type(value) ~= "table" then return type(value) == "number" and ("%.14g"):format(value) or (tostring(value):gsub(".*/edit[^/]*/", ""):gsub(".*/", "")) end
          local parts = {}
          for key, item in pairs(value) do
            if type(key) == "string" then parts[#parts + 1] = key end
            parts[#parts + 1] = flat(item)
          end
          return table.concat(parts, " ")
        end

        """

    /// Sets, reads, resets (which must give the default again), and reads once more from a copy
    /// through the document.
    private func roundTrip(_ make: String, _ list: String, _ property: String, _ value: String, _ expected: String)
        throws
    {
        let environment = TestEnvironment()
        let result = try run(
            """
            \(twoClips)\(Self.flat)
            local object = draft:\(make)
            object.\(property) = \(value)
            print(flat(object.\(property)))
            local again = draft.\(list)[#draft.\(list)]
            assert(again == object)
            again.\(property) = again.\(property)
            print(flat(again.\(property)))
            return draft
            """, environment: environment)
        #expect(environment.lines == [expected, expected], "\(make) \(property)")
        let document = result.draft.document(in: "/")
        let copy = try Draft(document: .init(document.utf8), file: "x", folder: "/")
        #expect(copy == result.draft)
    }

    @Test(arguments: clip) func `a clip's properties`(property: String, value: String, read: String) throws {
        try roundTrip("add_clip('c.mp4')", "clips", property, value, read)
    }

    @Test(arguments: image) func `an image's properties`(property: String, value: String, read: String) throws {
        try roundTrip("add_image('photo.jpg', { duration = 1 })", "clips", property, value, read)
    }

    @Test(arguments: audio) func `an audio clip's properties`(property: String, value: String, read: String) throws {
        try roundTrip("add_audio('music.m4a')", "audio", property, value, read)
    }

    @Test(arguments: effects.indices) func `an effect's properties`(index: Int) throws {
        let (make, property, value, read) = Self.effects[index]
        try roundTrip("add_effect(\(make))", "effects", property, value, read)
    }

    @Test func `what was not given has its default`() throws {
        try run(
            """
            \(twoClips)
            local clip = draft.clips[2]
            assert(clip.speed == 1 and clip.volume == 1 and clip.reverse == false and clip.fade_in == 0 and clip.mode == "fit" and #clip.effects == 0)
            assert(clip.range == nil and clip.id == nil and clip.transition == nil and clip.kind == "media")
            assert(clip.source_range[1] == 0 and clip.source_range[2] == 10 and clip.duration == 10 and clip.start == 8)
            assert(clip.path:sub(-6) == "/b.mp4" and clip.path:sub(1, 1) == "/")
            clip.speed = 4
            assert(clip.duration == 2.5)
            clip.duration = 5
            assert(clip.speed == 2 and clip.duration == 5)
            clip.speed = nil
            assert(clip.speed == 1)
            local music = draft:add_audio("music.m4a")
            assert(music.at == 0 and music.keep_pitch == true and music.loop == false and music.duration == 20 and music.volume == 1)
            local title = draft:add_title("Hi")
            assert(title.kind == "title" and title.font == "Sans" and title.size == 48 and title.color == "#ffffff" and title.align == "center")
            assert(title.position[1] == "center" and title.outline_width == 0 and title.opacity == 1 and title.width == nil)
            local vignette = draft:add_effect("org.cutroom.vignette")
            assert(vignette.strength == 0.5 and vignette.shape == "square" and vignette.color[4] == 1)
            assert(draft:add_effect("lut", { image = "look.png" }).intensity == 1)
            return draft
            """)
    }

    @Test func `a draft's own properties`() throws {
        let result = try run(
            """
            \(twoClips)
            assert(draft.size[1] == 1280 and draft.size[2] == 720 and draft.fps == 30 and draft.background == "#000000" and draft.color == "sdr")
            assert(draft.duration == 18 and draft.original_duration == 18 and draft.time_range == nil)
            draft.size, draft.fps, draft.background = { 720, 1280 }, "30000/1001", "#123"
            draft.color = "pq"
            assert(draft.color == "pq" and cutroom.draft { color = "hlg" }.color == "hlg")
            local ok, reason = pcall(function() draft.color = "hdr" end)
            assert(not ok and tostring(reason):find("‘color’", 1, true), reason)
            draft.time_range = { 1, 2.5 }
            draft.export = { container = "mov", video = { quality = 20 }, audio = { channels = 1 } }
            assert(draft.size[1] == 720 and draft.background == "#112233" and draft.time_range[2] == 2.5)
            assert(math.abs(draft.fps - 29.97) < 0.001 and draft.export.video.quality == 20)
            draft.fps = draft.fps
            draft.time_range = draft.time_range
            local open = cutroom.draft("c.mp4")
            assert(open.size[1] == 720 and open.size[2] == 1280 and open.fps == 25)
            draft.size = nil
            assert(draft.size[1] == 1280)
            local tall = cutroom.draft { aspect = { 9, 16 }, max = 640, background = "#fff", export = { network_use = false }, time_range = { 0, 1 } }
            assert(tall.size[1] == 360 and tall.size[2] == 640 and tall.export.network_use == false and tall.time_range[2] == 1)
            assert(cutroom.draft().duration == 0)
            return draft
            """)
        #expect(result.draft.canvas.frameRate == Rational(30000, 1001))
        #expect(result.draft.timeRange == TimeRange(start: Time("1s")!, duration: Time("5/2s")!))
        #expect(result.draft.export.container == .mov)
        #expect(result.draft.canvas.size == nil && result.draft.canvas.color == .pq)
    }

    @Test func `a failed setting leaves everything as it was`() throws {
        let result = try run(
            """
            \(twoClips)
            local clip = draft.clips[1]
            clip.speed = 2
            for _, bad in ipairs { 0, -1, "x", {}, 1000 } do assert(not pcall(function() clip.speed = bad end)) end
            assert(not pcall(function() draft.size = { 1, 1 } end))
            assert(not pcall(function() draft.time_range = { 0, 0 } end))
            assert(clip.speed == 2)
            return draft
            """)
        #expect(result.draft.clips[0].speed == Rational(2))
        #expect(result.draft.canvas.size == Canvas.Size(width: 1280, height: 720))
        #expect(result.draft.clips[0].origin?.line == 2)
    }
}
