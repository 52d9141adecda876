import Draft
import TestSupport
import Testing

@testable import Composition

/// Sound beside its picture, without a picture, and keyed by what a filter names.
@Suite struct SoundPlaceTests {
    private static let catalog: Catalog = {
        var catalog = RandomDraft.catalog
        var duck = RandomDraft.effect("org.test.duck", .sequential)
        (duck.kind, duck.isKeyed, duck.formats) = (.audioFilter, true, ["pcmf32_planar"])
        catalog.effects.append(duck)
        return catalog
    }()

    private func song(_ id: String? = nil, at start: Double = 0, _ length: Double = 4) -> AudioClip {
        var song = AudioClip(path: "/m/music.m4a", startTime: seconds(start), id: id)
        song.range = range(0, length)
        return song
    }

    @Test func `a draft without clips shows its background`() throws {
        var draft = Draft([], effects: [.title("x", range(1, 2))])
        draft.audio = [song(nil, at: 0, 6)]
        let made = try plan(draft)
        #expect(made.composition.frameCount == 180 && made.sampleCount == 264_600)
        #expect(made.composition.instructions.map(\.range) == [range(0, 1), range(1, 2), range(3, 3)])
        #expect(made.composition.instructions.allSatisfy { $0.clips.count == 1 && $0.clips[0].generator == nil })
        #expect(made.composition.clips.map(\.file) == [nil] && made.composition.sound.count == 1)
        let sound = try RenderPlan(draft, catalog: RandomDraft.catalog, container: .m4a, libraries: "")
        #expect(sound.segments.isEmpty && sound.soundMix?.spans.count == 1)
        #expect(sound.soundKey != nil)
        draft.audio = []
        #expect(try plan(draft).audio == nil)
        // The background knows no place: equal parts of it have equal keys.
        draft.effects = []
        draft.backgroundDuration = seconds(10)
        let keys = try plan(draft).keys
        #expect(Set(keys).count < keys.count, "\(keys)")
    }

    @Test func `a lead and a tail cross with the neighbours' sound`() throws {
        var (a, b) = (Clip.sound(0, 3), Clip.sound(4, 3, transition: 1))
        (a.soundTail, b.soundLead, b.fadeIn) = (seconds(0.5), seconds(0.5), seconds(0.25))
        let sound = try Composition(Draft([a, b]), catalog: RandomDraft.catalog).sound
        #expect(sound.map(\.map.timeline) == [range(0, 3.5), range(1.5, 3.5)])
        #expect(sound.map(\.map.contentStart) == [.zero, seconds(3.5)])
        // Both are whole in the transition; the fade begins with the lead.
        #expect(sound.allSatisfy { $0.gain.crossfades.isEmpty })
        #expect(sound[1].gain.lead == seconds(0.5) && sound[1].gain.tail == nil && sound[0].gain.lead == nil)
        #expect(sound[1].gain.clock.content(at: seconds(1.5)) == seconds(-0.5))
        // One side alone keeps its crossfade.
        a.soundTail = .zero
        let half = try Composition(Draft([a, b]), catalog: RandomDraft.catalog).sound
        #expect(half.map { $0.gain.crossfades.map(\.rises) } == [[false], []])
    }

    @Test func `filters without a range act before and after the picture too`() throws {
        var clip = Clip.sound(2, 2)
        (clip.soundLead, clip.soundTail) = (seconds(1), seconds(1))
        clip.effects = [.sound("org.test.echo"), .sound("org.test.echo", range(0, 2))]
        let composition = try Composition(Draft([.photo(2), clip, .photo(2)]), catalog: RandomDraft.catalog)
        let filters = try #require(composition.processing.voices.first).filters
        #expect(filters.map { $0.stretches.map(\.range) } == [[range(1, 4)], [range(2, 2)]])
        #expect(filters[0].length == seconds(2) && filters[0].stretches[0].clock[0].contentStart == seconds(-1))
    }

    @Test func `keys are voices, by number`() throws {
        var duck = Effect.sound("org.test.duck")
        duck.keys = ["v", "c"]
        var other = Effect.sound("org.test.duck")
        other.keys = ["v"]
        var draft = Draft([.sound(0, 3, id: "c"), .sound(0, 3)], effects: [other])
        draft.audio = [song("m"), song("v")]
        draft.audio[0].effects = [duck, .sound("org.test.duck")]
        let processing = try Composition(draft, catalog: Self.catalog).processing
        #expect(processing.voices.map(\.keyNumber) == [1, nil, nil, 0])
        #expect(processing.voices[2].filters.map(\.key) == [[0, 1], nil])
        #expect(processing.main.map(\.key) == [[0]])
    }

    @Test func `what is not asked for is in no key`() throws {
        // Keys of before: nothing of this is written down where it is not used.
        var draft = Draft([.sound(0, 3), .sound(4, 2)])
        let plain = try plan(draft)
        draft.clips[0].soundTail = seconds(1)
        let tail = try plan(draft)
        #expect(plain.keys == tail.keys && plain.soundKey != tail.soundKey)
        draft.clips[0].soundTail = .zero
        draft.loudness = Loudness(integrated: -14)
        let loud = try plan(draft)
        #expect(loud.keys == plain.keys && loud.soundKey != plain.soundKey)
        #expect(loud.composition.loudness == LoudnessTarget(integrated: -14, truePeak: -1))
        draft.loudness.truePeak = -1
        #expect(try plan(draft).soundKey == loud.soundKey)
        draft.loudness.truePeak = -2
        #expect(try plan(draft).soundKey != loud.soundKey)
        // A change of the picture measures nothing again.
        draft.loudness.truePeak = nil
        draft.effects = [.title("x")]
        #expect(try plan(draft).soundKey == loud.soundKey)
    }
}
