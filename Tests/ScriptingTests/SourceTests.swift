import Draft
import Testing
import Values

@testable import Scripting

/// Generated clips and overlays in scripts.
@Suite struct SourceTests {
    private static let made =
        twoClips + """
            local bars = draft:add_source("org.test.bars", { duration = 3, amount = 0.25, media = "music.m4a", id = "bars", index = 2,
              transition = { "wipe_up", 0.5 }, effects = { { "org.cutroom.vignette", { strength = 1 } } } })

            """

    @Test func theClipIsThere() throws {
        let environment = TestEnvironment()
        let result = try run(Self.made + "return draft", environment: environment)
        let draft = result.draft
        try #require(draft.clips.count == 3)
        let clip = draft.clips[1]
        guard case .generated(let source, let duration) = clip.content else {
            Issue.record("\(clip.content)")
            return
        }
        #expect(
            source.effectID == "org.test.bars" && duration == Time(value: 3, timeBase: 1, 1) && clip.id == "bars"
                && clip.path == "")
        #expect(source.parameters["amount"] == .numbers(.constant(0.25)) && source.files.count == 1)
        #expect(clip.transition?.kind == .wipeUp && clip.effects.count == 1)
        #expect(environment.probed.contains { $0.hasSuffix("/music.m4a") } && !environment.probed.contains(""))
        #expect(draft.validate(result.catalog).isEmpty)
    }

    /// Each line prints what stands behind it.
    @Test(arguments: [
        ("print(bars.kind, bars.source, bars.path)", "generated\torg.test.bars\tnil"),
        ("print(bars.duration, bars.start, bars.amount, bars.shape)", "3\t7.5\t0.25\tsquare"),
        (
            "print(bars.media:match('[^/]*$'), bars.id, bars.transition[1], #bars.effects)",
            "music.m4a\tbars\twipe_up\t1"
        ),
        ("bars.amount = 0.75 print(bars.amount, draft.clips.bars.amount)", "0.75\t0.75"),
        ("bars.amount = { { 0, 0 }, { 1, 1, 'ease_in' } } print(bars.amount[2][1], bars.amount[2][3])", "1\tease_in"),
        ("bars.amount = nil print(bars.amount)", "0.5"),
        ("bars.duration = 5 print(bars.duration, draft.original_duration)", "5\t22.5"),
        ("bars.transition = nil print(bars.transition, bars.start)", "nil\t8"),
        ("bars.effects = nil print(#bars.effects)", "0"),
        ("bars.media = 'a.mp4' print(bars.media:match('[^/]*$'))", "a.mp4"),
        ("draft:move_clip('bars', 3) bars.transition = nil print(draft.clips[3] == bars, bars.start)", "true\t18"),
        ("draft:remove_clip(bars) print(#draft.clips)", "2"),
        ("print(draft:transaction(function(d) d.clips.bars.amount = 1 return d.clips.bars.amount end))", "1"),
        (
            "local d = cutroom.draft({ { source = 'org.test.bars', duration = 2 }, 'a.mp4' }) print(#d.clips, d.clips[1].kind, d.duration)",
            "2\tgenerated\t10"
        ),
        (
            "local d = cutroom.draft({ { source = 'org.test.bars', duration = 2 } }) print(d.size[1], d.size[2], d.fps)",
            "1280\t720\t30"
        ),
    ]) func itsPropertiesAreReadAndSet(line: String, printed: String) throws {
        let environment = TestEnvironment()
        try run(Self.made + line + "\nreturn draft", environment: environment)
        #expect(environment.lines == [printed])
    }

    /// Parameters whose names are options go into `params`, and are read from there.
    @Test func parametersThatAreCalledAsOptionsAre() throws {
        let environment = TestEnvironment()
        let draft = try run(
            twoClips + """
                local clip = draft:add_source("org.test.awkward", { duration = 3, speed = 7, params = { duration = 4, start = 6 } })
                print(clip.duration, clip.params.duration, clip.params.start, clip.speed)
                clip.speed = 8
                print(clip.params.speed, clip.params.duration, clip.duration)
                local over = draft:add_effect("org.test.awkward", { rect = { 1, 2, 3, 4 }, opacity = 0.5, params = { rect = 7, opacity = 8 } })
                print(over.rect[4], over.opacity, over.params.rect, over.params.opacity)
                over.opacity = 0.25
                over.speed = 2
                print(over.opacity, over.params.opacity, over.params.speed)
                local last = draft:add_effect("org.test.awkward", { params = { pass_through = 3 } })
                print(last.pass_through, last.params.pass_through)
                last.pass_through = true
                print(last.pass_through, last.params.pass_through, draft:add_effect("org.test.awkward").pass_through)
                return draft
                """, environment: environment
        ).draft
        #expect(
            environment.lines == ["3\t4\t6\t7", "8\t4\t3", "4\t0.5\t7\t8", "0.25\t8\t2", "false\t3", "true\t3\tfalse"])
        guard case .picture(.overlay(let overlay)) = draft.effects[0].kind else {
            Issue.record("\(draft.effects)")
            return
        }
        #expect(
            overlay.rect == Rect(x: 1, y: 2, width: 3, height: 4)
                && overlay.source.parameters["rect"] == .numbers(.constant(7)))
    }

    @Test func overlaysInAListAndInAClip() throws {
        let environment = TestEnvironment()
        let draft = try run(
            twoClips + """
                local over = draft:add_effect("org.test.bars", { amount = 1, range = { 1, 2 } })
                print(over.kind, over.rect, over.opacity, over.amount, over.shape)
                over.rect = { -5, 6, 7, 8 }
                over.opacity = function(t) return t / 2 end
                print(over.rect[1], over.rect[4])
                draft.clips[1].effects = { { "org.test.bars", { rect = { 0, 0, 9, 9 } } } }
                draft:add_effect("org.cutroom.soul_out", { opacity = 0.25 })
                return draft
                """, environment: environment
        ).draft
        #expect(environment.lines == ["org.test.bars\tnil\t1\t1\tsquare", "-5\t8"])
        guard case .picture(.overlay(let overlay)) = draft.effects[0].kind,
            case .picture(.overlay(let ofClip)) = draft.clips[0].effects[0].kind,
            case .keyframes(let keys) = overlay.opacity
        else {
            Issue.record("\(draft.effects)")
            return
        }
        #expect(keys.count == 60 && overlay.rect?.x == -5 && ofClip.rect?.width == 9)
        // A filter's parameter of that name is its own.
        #expect(draft.effects[1].plugin?.parameters["opacity"] == .numbers(.constant(0.25)))
    }

    @Test func aFunctionIsSampledInTheClipsTime() throws {
        let draft = try run(
            twoClips + """
                draft:add_source("org.test.bars", { duration = 1, amount = function(t) return t end })
                return draft
                """
        ).draft
        guard case .numbers(.keyframes(let keys))? = draft.clips[2].generator?.parameters["amount"] else {
            Issue.record("\(draft.clips[2])")
            return
        }
        #expect(keys.count == 30 && keys.first?.value == [0] && keys.last?.value == [29.0 / 30])
    }

    @Test func aDocumentIsReadWithWhatPluginsSay() throws {
        let environment = TestEnvironment()
        try run(
            """
            local draft = require("cutroom").open("old.cutroom")
            print(draft.clips[1].kind, draft.clips[1].amount, draft.effects[1].rect[3], draft.effects[1].opacity)
            return draft
            """,
            files: [
                "old.cutroom": #"""
                {"cutroom": 1, "clips": [{"source": "org.test.bars", "duration": 2, "amount": 0.125}],
                 "effects": [{"kind": "org.test.bars", "rect": [1, 2, 3, 4], "opacity": 0.5}]}
                """#
            ], environment: environment)
        #expect(environment.lines == ["generated\t0.125\t3\t0.5"])
    }

    @Test(arguments: [
        (
            "draft:add_source('org.test.bras', { duration = 1 })",
            "clip 3: no plugin has an effect ‘org.test.bras’; did you mean ‘org.test.bars’?"
        ),
        (
            "draft:add_source('org.cutroom.vignette', { duration = 1 })",
            "clip 3: ‘org.cutroom.vignette’ is a filter, but a source is needed"
        ),
        ("draft:add_source('org.test.bars')", "clip 3: a generated clip needs a ‘duration’ in seconds"),
        (
            "draft:add_source('org.test.bars', { duration = -1 })",
            "clip 3: ‘duration’ is -1 s, but must be longer than 0"
        ),
        (
            "draft:add_source('org.test.bars', { duration = 1, amount = 2 })",
            "clip 3: ‘amount’ is 2, but must lie between 0 and 1"
        ),
        ("draft:add_source('org.test.bars', { duration = 1, speed = 2 })", "clip 3: has no parameter ‘speed’"),
        ("draft:add_source('org.test.bars', { duration = 1, media = 'absent.wav' })", "there is no file"),
        (
            "draft:add_source('org.test.bars', { duration = 1, effects = { { 'org.cutroom.echo', {} } } })",
            "changes sound, and what is generated has none"
        ),
        (
            "draft:add_source('org.test.bars', { duration = 1, effects = { { 'org.cutroom.ecko', {} } } })",
            "did you mean ‘org.cutroom.echo’?"
        ),
        ("draft:add_source(3)", "add_source wants the id of a plugin's source, but was given 3"),
        ("draft:add_effect('org.test.bars', { rect = { 1, 2 } })", "‘rect’ is a list"),
        ("draft:add_effect('org.test.bars', { opacity = 'no' })", "‘opacity’ is "),
        (
            "draft:add_clip('a.mp4', { transition = { 'org.test.bars', 1 } })",
            "‘org.test.bars’ is a source, but a transition is needed"
        ),
        (
            "draft:add_audio('music.m4a', { effects = { { 'org.test.bars', {} } } })",
            "changes the picture, and an audio clip has none"
        ),
        (
            "local c = draft:add_source('org.test.bars', { duration = 1 }) c.source = 'x'",
            "its ‘source’ can be read, but not set"
        ),
        ("local c = draft:add_source('org.test.bars', { duration = 1 }) c.volume = 1", "has no parameter ‘volume’"),
        ("local c = draft:add_source('org.test.bars', { duration = 1 }) print(c.volume)", "has no property ‘volume’"),
        ("cutroom.draft({ { source = 7 } })", "or a table with ‘media’, ‘image’ or ‘source’"),
    ]) func mistakesAreToldAtTheirLine(line: String, words: String) {
        let error = failure(twoClips + line)
        #expect(error?.description.contains(words) == true && error?.line == 3, "\(error as Any)")
    }
}
