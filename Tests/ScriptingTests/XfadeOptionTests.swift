import Draft
import TestSupport
import Testing

@testable import Scripting

/// FFmpeg's transitions by their names.
@Suite struct XfadeOptionTests {
    private func kind(_ transition: String) throws -> Transition.Kind? {
        try run("\(twoClips) draft.clips[2].transition = \(transition)\nreturn draft").draft.clips[1]
            .transition?.kind
    }

    @Test func `a name behind ‘xfade’ is one of them`() throws {
        let wanted = Transition.Kind.plugin(
            PluginEffect(effectID: "org.cutroom.xfade", parameters: ["transition": .text("circleopen")]))
        #expect(try kind("{ 'xfade.circleopen', 0.5 }") == wanted)
        #expect(try kind("{ kind = 'xfade.circleopen', duration = 0.5 }") == wanted)
        #expect(
            try kind("{ kind = 'org.cutroom.xfade', duration = 0.5, transition = 'circleopen' }")
                == wanted)
        try run(
            """
            \(twoClips)
            draft.clips[2].transition = { "xfade.hblur", 0.5 }
            local read = draft.clips[2].transition
            assert(read.kind == "org.cutroom.xfade" and read.transition == "hblur" and read.duration == 0.5)
            draft.clips[2].transition = read
            return draft
            """)
        // One of ours that is called the same stays ours.
        #expect(try kind("{ 'fade', 0.5 }") == .fade)
    }

    @Test(arguments: [
        (
            "{ 'xfade.circelopen', 0.5 }",
            "clip 2, transition: ‘transition’ is ‘circelopen’; did you mean ‘circleopen’?"
        ),
        ("{ 'xfade.custom', 0.5 }", "clip 2, transition: ‘transition’ is ‘custom’"),
        (
            "{ 'circleopen', 0.5 }",
            "‘kind’ is ‘circleopen’; FFmpeg's transitions have ‘xfade.’ before their names: { \"xfade.hblur\", 0.5 }"
        ),
        ("{ 'wipeleft', 0.5 }", "‘kind’ is ‘wipeleft’; did you mean ‘wipe_left’?"),
        ("'xfade.hblur'", "‘xfade.hblur’ needs its seconds too, such as { \"xfade.hblur\", 0.5 }"),
        ("{ kind = 'xfade.hblur', duration = 0.5, softness = 1 }", "‘softness’"),
        ("{ 'xfade.hblur', -1 }", "lasts -1 s, but must last longer than 0"),
    ])
    func `a transition that there is not is told`(transition: String, message: String) {
        let error = failure("\(twoClips) draft.clips[2].transition = \(transition)\nreturn draft")
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
