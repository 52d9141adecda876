import Draft
import Testing

@testable import Scripting

/// A draft's length without clips, its loudness, and what keys filters, as scripts say and read
/// them.
@Suite struct SoundOptionTests {
    @Test func `a draft's length and loudness are set and read`() throws {
        let draft = try run(
            """
            local cutroom = require "cutroom"
            local draft = cutroom.draft { duration = 10, loudness = -14, true_peak = -1.5 }
            assert(draft.duration == 10 and draft.original_duration == 10)
            assert(draft.loudness == -14 and draft.true_peak == -1.5)
            draft.duration = "0:05"
            draft.loudness = -23
            draft.true_peak = nil
            assert(draft.duration == 5 and draft.loudness == -23 and draft.true_peak == nil)
            draft:add_effect("speed", { factor = 2 })
            assert(draft.duration == 2.5 and draft.original_duration == 5)
            draft:transaction(function() draft.loudness = nil draft.duration = 8 end)
            assert(draft.loudness == nil and draft.duration == 4)
            draft:add_audio("music.m4a", { id = "music", range = { 0, 12 } })
            draft.duration = nil
            assert(draft.duration == 12 and draft.original_duration == 24)
            draft.loudness = -16
            return draft
            """
        ).draft
        #expect(draft.backgroundDuration == nil && draft.loudness == Loudness(integrated: -16))
        #expect(draft.loudness.origin?.line == 16)
    }

    @Test func `a key is an id or several`() throws {
        let draft = try run(
            """
            local cutroom = require "cutroom"
            local draft = cutroom.draft { "a.mp4" }
            draft.clips[1].id = "a"
            draft:add_audio("voice.m4a", { id = "voice" })
            local music = draft:add_audio("music.m4a", { effects = { { "org.cutroom.ducking", { key = "voice", amount = 6 } } } })
            assert(music.effects[1].key == "voice" and music.effects[1].amount == 6)
            local duck = draft:add_effect("org.cutroom.ducking", { key = { "voice" } })
            assert(duck.key == "voice")
            duck.key = { "voice" }
            assert(#draft:validate() == 0)
            duck.key = "a"
            local problems = draft:validate()
            assert(#problems == 1 and problems[1].line == 11, #problems)
            duck.key = "voice"
            return draft
            """
        ).draft
        #expect(draft.audio[1].effects[0].keys == ["voice"] && draft.effects[0].keys == ["voice"])
    }

    @Test(arguments: [
        ("draft.loudness = -4", "draft: ‘loudness’ is -4, but must lie between -70 and -5 LUFS"),
        ("draft.loudness = 'loud'", "draft: ‘loudness’ is ‘loud’, but must be a number"),
        ("draft.loudness = 0 / 0", "draft: ‘loudness’"),
        ("draft.true_peak = 1", "draft: ‘true_peak’ is 1, but must lie between -9 and 0 dBTP"),
        ("draft.duration = 0", "draft: ‘duration’ is 0 s, but must be longer than 0"),
        ("draft.duration = -1", "draft: ‘duration’ is -1 s, but must be longer than 0"),
        ("draft.duration = {}", "draft: ‘duration’"),
        ("draft.duration = 1e300", "draft: ‘duration’"),
        ("draft:add_image('photo.jpg', { duration = 1, sound_lead = 1 })", "clip 3: an image has no ‘sound_lead’"),
        ("draft:add_clip('a.mp4', { sound_tail = -1 })", "clip 3: ‘sound_tail’ is -1 s, but must not be negative"),
        (
            "draft:add_audio('music.m4a', { effects = { { 'org.cutroom.ducking', { key = 3 } } } })",
            "audio 1, effect 1 (org.cutroom.ducking): ‘key’ is 3, but must be the id of a clip, or a list of ids"
        ),
        (
            "draft:add_audio('music.m4a', { effects = { { 'org.cutroom.ducking', { key = { 'a', 'a' } } } } })",
            "audio 1, effect 1 (org.cutroom.ducking): ‘key’ has ‘a’ twice"
        ),
        (
            "draft:add_audio('music.m4a', { effects = { { 'org.cutroom.echo', { key = 'a' } } } })",
            "audio 1, effect 1 (org.cutroom.echo): has no parameter ‘key’"
        ),
        ("draft:add_effect('org.cutroom.ducking')", "name what is to key it with ‘key’"),
    ])
    func `what cannot be is said at its line`(line: String, says: String) throws {
        let error = #expect(throws: (any Error).self) { try run("\(twoClips)\n\(line)\nreturn draft") }
        #expect("\(error as Any)".contains(says), "\(error as Any)")
    }
}
