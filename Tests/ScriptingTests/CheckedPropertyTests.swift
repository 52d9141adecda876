import Draft
import Testing

@testable import Scripting

/// Problems of a single object are reported at the line that makes or changes it.
@Suite struct CheckedPropertyTests {
    /// Three lines more before every script: `clip` (8 s), `music` (20 s), `title` and others.
    private static let objects =
        twoClips + """
            local clip, made = draft.clips[1], draft:add_source("org.cutroom.gradient", { duration = 2, id = "made" })
            local music, title = draft:add_audio("music.m4a"), draft:add_title("Hello", { range = { 1, 4 } })
            local look, sticker = draft:add_effect("lut", { image = "look.png" }), draft:add_effect("sticker", { image = "emoji.png", rect = { 0, 0, 9, 9 } })
            """ + "\n"
    private static let line = 6

    static let wrong: [(assignment: String, words: String)] = [
        ("clip.volume = 200", "clip 1 (opening): ‘volume’ is 200, but must lie between 0 and 100"),
        ("clip.volume = -1", "‘volume’ is -1, but must lie between 0 and 100"),
        (
            "clip.volume = { 0, 1, 2, 0 }",
            "‘volume’ is a list of 4 numbers, but must be one number between 0 and 100, or keyframes such as { { 0, 1 }, { 2, 0.5 } }"
        ),
        ("clip.volume = { { 0, 1 }, { 1, 101 } }", "‘volume’ is 101, but"),
        ("clip.fade_in = 50", "its fades of 50 s and 0 s do not fit its 8 s"),
        ("clip.fade_in = 2 clip.range = { 0, 1 }", "its fades of 2 s and 0 s do not fit its 1 s"),
        (
            "clip.transition = { 'dissolve', 9 }",
            "its transition of 9 s is longer than the clip itself, which lasts 8 s"
        ),
        ("clip.transition = { 'dissolve', 0 }", "clip 1 (opening), transition: lasts 0 s, but must last longer than 0"),
        (
            "clip.effects = { { 'lut', { image = 'look.png', range = { 9, 1 } } } }",
            "clip 1 (opening), effect 1 (lut): its range 9–10 s does not lie in the clip, which lasts 8 s"
        ),
        (
            "clip.effects = { { 'lut', { image = 'look.png', intensity = 2 } } }",
            "clip 1 (opening), effect 1 (lut): ‘intensity’ is 2, but must lie between 0 and 1"
        ),
        ("made.duration = 0", "clip 3 (made): ‘duration’ is 0 s"),
        ("music.volume = 101", "audio 1: ‘volume’ is 101, but must lie between 0 and 100"),
        ("music.fade_out = 21", "audio 1: its fades of 0 s and 21 s do not fit its 20 s"),
        ("music.keep_pitch = false music.speed = 9", "the speed is 9, but without ‘keep_pitch’ it must lie between"),
        ("music.range = { 1, 0.05 } music.loop = true", "loops over 0.05 s, but a loop must last at least 0.1 s"),
        (
            "music.effects = { { 'org.cutroom.gain', { range = { 20, 1 } } } }",
            "its range 20–21 s does not lie in the clip"
        ),
        (
            "title.opacity = { 0, 1 }",
            "effect 1 (title): ‘opacity’ is a list of 2 numbers, but must be one number between 0 and 1"
        ),
        ("title.opacity = 1.5", "‘opacity’ is 1.5, but must lie between 0 and 1"),
        ("look.intensity = { { 0, 0 }, { 1, 3 } }", "effect 2 (lut): ‘intensity’ is 3, but"),
        ("look.image = 'photo.jpg'", "is 1280×720 pixels; a look-up image is 512×512"),
        ("sticker.opacity = -0.1", "effect 3 (sticker): ‘opacity’ is -0.1, but"),
        ("sticker.rect = { 1, 2, 3 }", "the rectangle has 3 numbers"),
    ]

    /// Without the folders, of which each run has its own.
    private func document(_ result: ScriptResult) -> String {
        result.draft.document(in: "/").replacing(/[A-Za-z0-9_.-]+\//, with: "")
    }

    @Test(arguments: wrong) func `a wrong value is refused at the line that sets it`(
        assignment: String, words: String
    ) throws {
        let refused = failure(Self.objects + assignment)
        #expect(
            refused?.line == Self.line && refused?.description.contains(words) == true, "\(String(describing: refused))"
        )
        // The last assignment alone is refused, and changes nothing.
        let parts = assignment.split(separator: " ", omittingEmptySubsequences: false)
        let second = parts.dropFirst().firstIndex { $0.contains(".") && $0.first?.isLetter == true }
        let before = second.map { parts[..<$0].joined(separator: " ") } ?? ""
        let last = second.map { parts[$0...].joined(separator: " ") } ?? assignment
        let result = try run(
            Self.objects + before + "\nassert(not pcall(function() \(last) end)) return draft")
        #expect(result.draft.validate(result.catalog) == [])
        #expect(document(result) == document(try run(Self.objects + before + "\nreturn draft")))
    }

    @Test(arguments: [
        "draft:add_clip('b.mp4', { volume = 200 })", "draft:add_clip('b.mp4', { fade_out = 11 })",
        "draft:add_source('org.cutroom.gradient', { duration = 1, transition = 2 })",
        "draft:add_audio('music.m4a', { fade_in = 15, fade_out = 15 })", "draft:add_title('x', { opacity = 2 })",
        "draft:add_effect('lut', { image = 'photo.jpg' })",
        "cutroom.draft { 'a.mp4' }; cutroom.draft({ { media = 'a.mp4', volume = 200 } })",
    ]) func `and where the object is made`(call: String) {
        let refused = failure(
            Self.objects + "local n = #draft.clips; assert(not pcall(function() \(call) end) and #draft.clips == n)\n"
                + call)
        #expect(refused?.code == .rule && refused?.line == Self.line + 1, "\(String(describing: refused))")
    }

    /// A document may bring several problems at once, and each assignment may mend one.
    @Test func `an opened document is mended step by step`() throws {
        let text = """
            { "cutroom": 1, "canvas": { "size": [640, 360], "fps": "30" },
              "clips": [{ "media": "a.mp4", "volume": 200, "fade_in": "50/1s" }] }
            """
        let script = "local draft = require('cutroom').open('edit.cutroom') local clip = draft.clips[1]\n"
        let result = try run(
            script
                + """
                assert(#draft:validate() == 2 and draft.duration == 8)
                assert(not pcall(function() clip.volume = 300 end))
                clip.mode = "fill"
                clip.fade_in = 1
                clip.volume = 1
                assert(#draft:validate() == 0 and draft.duration == 8)
                return draft
                """, files: ["edit.cutroom": text])
        #expect(result.draft.validate(result.catalog) == [])
    }

    @Test func `what concerns several objects names the line that has changed one of them`() throws {
        let result = try run(
            Self.objects + """
                draft.clips[2].transition = { 'dissolve', 5 }
                clip.volume = 50
                clip.fade_in = 1
                clip.speed = 2
                made.transition = { 'dissolve', 1 }
                clip.effects = { { 'lut', { image = 'look.png', range = { 0, 9 } } } }
                clip.mode = 'fill'
                title.range = { 2, 50 }
                sticker.rect = { 2000, 0, 10, 10 }
                return draft
                """)
        #expect(result.draft.validate(result.catalog).map { $0.origin?.line } == [9])
        #expect(result.draft.warnings(result.catalog).map { $0.origin?.line } == [7, 11, 13, 14])
    }
}
