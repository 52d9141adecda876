import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import Scripting

/// The pan of clips, layers and audio clips in scripts and documents.
@Suite struct PanTests {
    @Test func `clips, layers and audio clips have a pan`() throws {
        let draft = try run(
            """
            \(twoClips)
            assert(draft.clips[1].pan == 0)
            draft.clips[1].pan = -0.5
            draft:add_layer("a.mp4", { pan = { { 0, -1 }, { 1, 1 } } })
            local music = draft:add_audio("music.m4a", { pan = function(t) return t - 1 end })
            local voice = draft:add_audio("music.m4a", { pan = 0 })
            assert(draft.clips[1].pan == -0.5 and draft.effects[1].pan[2][2] == 1 and voice.pan == 0)
            return draft
            """
        ).draft
        #expect(draft.clips[0].sound.pan == .constant(-0.5) && draft.clips[1].sound.pan == nil)
        #expect(draft.effects[0].layer?.clip.sound.pan?.keyValues == [[-1], [1]])
        guard case .keyframes(let keys)? = draft.audio[0].sound.pan else { throw Problem("audio 1", "has no keys") }
        #expect(keys.first?.value == [-1] && keys.count > 10)
        #expect(draft.audio[1].sound.pan == nil, "the middle is as good as none")
        let document = draft.document(in: "/m")
        #expect(try Draft(document: Data(document.utf8), file: "x", folder: "/m") == draft)
        #expect(document.components(separatedBy: "\"pan\"").count == 4)
    }

    @Test(arguments: [
        ("draft:add_clip('a.mp4', { pan = 2 })", "clip 3: ‘pan’ is 2, but must lie between -1 and 1"),
        ("draft:add_audio('music.m4a', { pan = { 1, 2 } })", "audio 1: ‘pan’ is a list of 2 numbers"),
        ("draft:add_audio('music.m4a', { pan = 'left' })", "audio 1: ‘pan’ is ‘left’, but must be a number"),
        ("draft:add_image('photo.jpg', { duration = 1, pan = 1 })", "clip 3: an image has no ‘pan’"),
        ("draft:add_clip('a.mp4', { balance = 1 })", "clip 3: has no option ‘balance’; did you mean ‘pan’?"),
        ("draft:add_effect('pan', {})", "a clip, an audio clip and a layer have a ‘pan’, from -1 (left) to 1 (right)"),
    ]) func `a wrong pan is refused`(line: String, message: String) {
        #expect {
            try run("\(twoClips) \(line) return draft")
        } throws: { error in
            "\(error)".contains(message)
        }
    }
}
