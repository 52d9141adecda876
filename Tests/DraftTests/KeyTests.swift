import Draft
import TestSupport
import Testing

/// Filters that name what keys them.
@Suite struct EffectKeyTests {
    private static let catalog: Catalog = {
        var catalog = RandomDraft.catalog
        var duck = RandomDraft.effect("org.test.duck", .sequential)
        (duck.kind, duck.isKeyed, duck.formats) = (.audioFilter, true, ["pcmf32_planar"])
        catalog.effects.append(duck)
        return catalog
    }()

    private func duck(_ keys: String...) -> Effect {
        var effect = Effect.sound("org.test.duck")
        effect.keys = keys
        return effect
    }

    private func song(_ id: String, _ effects: Effect...) -> AudioClip {
        var song = AudioClip(path: "/m/music.m4a", id: id)
        song.effects = effects
        return song
    }

    private func clip(_ id: String, _ effects: Effect...) -> Clip {
        var clip = Clip.sound(0, 3)
        (clip.id, clip.effects) = (id, effects)
        return clip
    }

    private func expect(_ draft: Draft, _ problems: String..., at location: SourceLocation = #_sourceLocation) {
        #expect(draft.validate(Self.catalog).map(\.description) == problems, sourceLocation: location)
    }

    @Test func `anything may key what it does not depend on`() {
        expect(Draft([clip("a"), clip("b", duck("a"))], audio: [song("m", duck("a", "b"))]))
        expect(Draft([clip("a")], effects: [duck("m")], audio: [song("m")]))
        expect(Draft([], audio: [song("m", duck("v")), song("v")]))
        expect(Draft([clip("a", duck("v"))], audio: [song("v"), song("m", duck())]))
    }

    @Test func `a key is there, once`() {
        expect(
            Draft([clip("alpha")], audio: [song("m", duck("alpah"))]),
            "audio 1 (m), effect 1 (org.test.duck): its ‘key’ is ‘alpah’, but no clip, audio clip or layer has that id; did you mean ‘alpha’?"
        )
        expect(
            Draft([clip("a")], audio: [song("a"), song("m", duck("a"))]),
            "audio 2 (m), effect 1 (org.test.duck): its ‘key’ is ‘a’, which is the id of clip 1 (a) and of audio 1 (a); give one of them "
                + "another id")
        var echo = Effect.sound("org.test.echo")
        echo.keys = ["a"]
        expect(
            Draft([clip("a")], audio: [song("m", echo)]),
            "audio 1 (m), effect 1 (org.test.echo): has a ‘key’, but ‘org.test.echo’ is not keyed by another sound; leave it out"
        )
    }

    @Test func `nothing keys what keys it`() {
        let own = "which is the sound that it acts on; a key must be another sound"
        let depends = "whose sound depends on what it acts on; nothing can key what keys it"
        expect(
            Draft([clip("a", duck("a"))]),
            "clip 1 (a), effect 1 (org.test.duck): is keyed by ‘a’, \(own)")
        expect(
            Draft([], audio: [song("m", duck("n")), song("n", duck("m"))]),
            "audio 1 (m), effect 1 (org.test.duck): is keyed by ‘n’, \(depends)",
            "audio 2 (n), effect 1 (org.test.duck): is keyed by ‘m’, \(depends)")
        // The mix has each clip in it.
        expect(
            Draft([clip("a")], effects: [duck("a")]), "effect 1 (org.test.duck): is keyed by ‘a’, \(depends)")
        // By way of the main track's mix.
        expect(
            Draft([clip("a")], effects: [duck("m")], audio: [song("m", duck())]),
            "audio 1 (m), effect 1 (org.test.duck): is keyed by the main track's sound, \(depends)",
            "effect 1 (org.test.duck): is keyed by ‘m’, \(depends)")
        // Without a key of its own.
        let missing = Draft([clip("a", duck())]).validate(Self.catalog).map(\.description)
        #expect(missing.count == 1 && missing[0].contains("name what is to key it with ‘key’"), "\(missing)")
    }

    /// The effect list acts on the layers before an entry.
    @Test func `a layer keys what comes before it in the list`() {
        func voice(_ effects: Effect...) -> Effect {
            var layer = Layer(Clip.sound(0, 2))
            layer.clip.effects = effects
            return Effect(.layer(layer), id: "voice")
        }
        expect(Draft([clip("a")], effects: [duck("voice"), voice()]))
        expect(
            Draft([clip("a")], effects: [voice(), duck("voice")]),
            "effect 2 (org.test.duck): is keyed by ‘voice’, a layer that comes before it in the effect list, so that it acts on that as "
                + "well; put the layer after it")
        // The mix that keys the music has the layer in it.
        expect(
            Draft([clip("a")], effects: [voice(duck("m"))], audio: [song("m", duck())]),
            "audio 1 (m), effect 1 (org.test.duck): is keyed by the main track's sound, whose sound depends on what it acts on; nothing can "
                + "key what keys it",
            "effect 1 (voice, layer), effect 1 (org.test.duck): is keyed by ‘m’, whose sound depends on what it acts on; nothing can key what keys "
                + "it")
        var photo = Draft([.photo(3)], effects: [voice()], audio: [song("m", duck())])
        #expect(photo.warnings(Self.catalog) == [])
        photo.effects = []
        #expect(photo.warnings(Self.catalog).count == 1)
    }

    @Test func `long chains of keys are told of in time`() {
        // Each is keyed by all before it: as many ways as there are subsets.
        var songs: [AudioClip] = []
        for number in 0..<60 {
            var effect = Effect.sound("org.test.duck")
            effect.keys = (0..<number).map { "s\($0)" }
            songs.append(song("s\(number)", effect))
        }
        songs[0].effects = []
        expect(Draft([], audio: songs))
        songs[0].effects = [duck("s59")]
        #expect(Draft([], audio: songs).validate(Self.catalog).count == 60)
    }

    @Test func `a silent key is told of`() {
        var muted = clip("a")
        muted.volume = .constant(0)
        func warnings(_ draft: Draft) -> [String] { draft.warnings(Self.catalog).map(\.description) }
        let warning =
            "audio 1 (m), effect 1 (org.test.duck): is keyed by ‘a’, of which nothing is heard while it acts, so it does nothing"
        #expect(warnings(Draft([muted], audio: [song("m", duck("a"))])) == [warning])
        var photo = Clip.photo(3)
        photo.id = "a"
        #expect(warnings(Draft([photo], audio: [song("m", duck("a"))])) == [warning])
        #expect(warnings(Draft([clip("a")], audio: [song("m", duck("a"))])) == [])
        #expect(warnings(Draft([muted], audio: [song("m", duck("a", "v")), song("v")])) == [])
    }
}
