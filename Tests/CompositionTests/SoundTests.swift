import Composition
import Delivery
import Draft
import Foundation
import TestSupport
import Testing
import Values

@Suite struct SoundTests {
    private func compose(_ draft: Draft) throws -> Composition { try Composition(draft, catalog: RandomDraft.catalog) }

    @Test func crossfadesHaveEqualPower() throws {
        let composition = try compose(Draft([.sound(0, 3), .sound(5, 3, transition: 1)]))
        #expect(composition.sound.map(\.map.timeline) == [range(0, 3), range(2, 3)])
        let (out, into) = (composition.sound[0].gain.crossfades, composition.sound[1].gain.crossfades)
        #expect(out.map(\.rises) == [false] && into.map(\.rises) == [true])
        for step in 0...10 {
            let time = seconds(2 + Double(step) / 10)
            let progress = { (fade: SoundSpan.Crossfade) in fade.clock.content(at: time).double / fade.duration.double }
            #expect(abs(progress(out[0]) - Double(step) / 10) < 1e-9 && progress(into[0]) == progress(out[0]))
        }
    }

    @Test func aClipBetweenTwoTransitionsHasBothFades() throws {
        let composition = try compose(Draft([.sound(0, 3), .sound(5, 3, transition: 1), .sound(0, 3, transition: 2)]))
        #expect(composition.sound.map { $0.gain.crossfades.map(\.rises) } == [[false], [true, false], [true]])
    }

    /// The picture plays three times, the song goes on.
    @Test func audioClipsAreNotTouchedByTheEffectList() throws {
        var draft = Draft(
            [.sound(0, 3)],
            effects: [Effect(.repeat(3), range: range(1, 1)), Effect(.speed(Rational(2)), range: range(0, 1))])
        draft.audio = [AudioClip(path: "/m/music.m4a", startTime: seconds(0.25))]
        let composition = try compose(draft)
        let music = try #require(composition.sound.last)
        #expect(music.map == Piece(timeline: range(0.25, 4.25), contentStart: .zero), "cut off at the draft's end")
        #expect(
            composition.sound.dropLast().map(\.map.timeline) == [
                range(0, 0.5), range(0.5, 1), range(1.5, 1), range(2.5, 2),
            ])
    }

    @Test func timeRangeShiftsTheSound() throws {
        var draft = Draft([.sound(0, 4)])
        draft.timeRange = range(1, 2)
        draft.audio = [AudioClip(path: "/m/music.m4a", startTime: seconds(0.5))]
        draft.audio[0].fadeIn = seconds(1)
        let composition = try compose(draft)
        #expect(composition.sound[1].map == Piece(timeline: range(0, 2), contentStart: seconds(0.5)))
        #expect(composition.sound[1].gain.clock.content(at: .zero) == seconds(0.5), "half of the fade is over")
    }

    @Test func loopsStartAgainExactly() throws {
        var draft = Draft([.photo(10)])
        draft.audio = [AudioClip(path: "/m/music.m4a", startTime: seconds(1))]
        draft.audio[0].range = range(2, 1)
        draft.audio[0].speed = Rational(7, 11)
        draft.audio[0].loops = true
        draft.audio[0].fadeOut = seconds(1)
        let sound = try compose(draft).sound
        #expect(
            sound.count == 6 && sound.allSatisfy { $0.map.contentStart == seconds(2) && $0.gain.length == seconds(9) })
        for (pass, span) in sound.enumerated() {
            let start = seconds(1).double + Double(pass) * 705_600_000 * 11 / 7
            #expect(abs(span.map.timeline.start.double - start) <= 0.5, "rounding does not add up")
        }
        #expect(zip(sound, sound.dropFirst()).allSatisfy { $0.map.timeline.end == $1.map.timeline.start })
        #expect(sound.last?.map.timeline.end == seconds(10))
    }

    @Test func aFadeOutEndsWhereTheClipIsCutOff() throws {
        var draft = Draft([.photo(5)])
        draft.audio = [AudioClip(path: "/m/music.m4a")]
        draft.audio[0].fadeOut = seconds(2)
        #expect(try compose(draft).sound[0].gain.length == seconds(5))
    }

    /// 5.1 at 384 kbit/s has 64 for each channel, and what is mixed to stereo keeps that. A file
    /// that is muted does not count.
    @Test func theBitRateFollowsWhatIsHeard() throws {
        var catalog = RandomDraft.catalog
        var surround = try #require(catalog.info("/m/sound.mp4"))
        surround.audio?.channels = 6
        surround.audio?.bitRate = 384_000
        catalog.media["/m/surround.mp4"] = .found(surround)
        func made(
            _ container: ExportSettings.Container, _ volume: Double, channels: Int? = nil
        ) throws -> AudioEncoding? {
            var clip = Clip(path: "/m/surround.mp4")
            clip.volume = .constant(volume)
            var draft = Draft([clip, .sound(0, 1)])
            draft.export.audio.channels = channels
            return try RenderPlan(draft, catalog: catalog, container: container, libraries: "").audio
        }
        let (mp3, mp4, muted) = (try made(.mp3, 1), try made(.mp4, 1), try made(.mp4, 0))
        #expect(mp3?.channels == 2 && mp3?.bitRate == 128_000)
        #expect(mp4?.channels == 2 && mp4?.bitRate == 128_000)
        let six = try made(.mp4, 1, channels: 6)
        #expect(six?.channels == 6 && six?.bitRate == 384_000)
        surround.audio?.bitRate = 900_000
        catalog.media["/m/surround.mp4"] = .found(surround)
        #expect(muted == (try made(.mp4, 0)) && muted?.channels == 2 && muted?.bitRate == 128_000)
    }

    /// Mono stays mono, and more than two channels have to be asked for: in every container, in a
    /// preview, and of a draft in a draft.
    @Test func channelsAreThoseOfTheSourcesAtMostTwo() throws {
        for (source, channels) in [(1, 1), (2, 2), (3, 2), (4, 2), (6, 2), (8, 2)] {
            var catalog = RandomDraft.catalog
            var info = try #require(catalog.info("/m/sound.mp4"))
            info.audio?.channels = source
            catalog.media["/m/odd.mp4"] = .found(info)
            let draft = Draft([Clip(path: "/m/odd.mp4")])
            var outer = Draft([])
            outer.clips = [Clip(NestedDraft(draft))]
            for container in ExportSettings.Container.allCases where !container.audioCodecs.isEmpty {
                for draft in [draft, outer] {
                    let plan = try RenderPlan(draft, catalog: catalog, container: container, libraries: "")
                    #expect(plan.audio?.channels == channels, "\(container), \(source) channels")
                }
            }
            #expect(try RenderPlan(previewing: draft, catalog: catalog, libraries: "").audio?.channels == channels)
        }
    }

    /// Cuts of one source that adjoin in output and content run through one stretcher.
    @Test func stretchedSpansThatContinueFormChains() throws {
        func chains(_ clips: [AudioClip]) throws -> [Int?] {
            var draft = Draft([.photo(20)])
            draft.audio = clips
            return try compose(draft).sound.map(\.chain)
        }
        func clip(
            at start: Double, _ range: TimeRange, speed: Rational = Rational(5, 4), keepsPitch: Bool = true,
            path: String = "/m/music.m4a"
        ) -> AudioClip {
            var clip = AudioClip(path: path, startTime: seconds(start))
            clip.range = range
            clip.speed = speed
            clip.keepsPitch = keepsPitch
            return clip
        }
        #expect(
            try chains([clip(at: 0, range(0, 0.5)), clip(at: 0.4, range(0.5, 0.5)), clip(at: 0.8, range(1, 1))])
                == [0, 0, 0])
        // Later in the list, and two chains at once.
        #expect(
            try chains([
                clip(at: 0.4, range(0.5, 0.5)), clip(at: 5.4, range(0.5, 1)), clip(at: 0, range(0, 0.5)),
                clip(at: 5, range(0, 0.5)), clip(at: 9, range(0, 1)),
            ]) == [0, 1, 0, 1, nil])
        // A gap in the output, a gap in the content, no stretcher, another file.
        #expect(try chains([clip(at: 0, range(0, 0.5)), clip(at: 0.41, range(0.5, 0.5))]) == [nil, nil])
        #expect(try chains([clip(at: 0, range(0, 0.5)), clip(at: 0.4, range(0.6, 0.5))]) == [nil, nil])
        let (plain, resampled) = (Rational.one, Rational(5, 4))
        #expect(
            try chains([clip(at: 0, range(0, 1), speed: plain), clip(at: 1, range(1, 1), speed: plain)]) == [nil, nil])
        #expect(
            try chains([
                clip(at: 0, range(0, 0.5), speed: resampled, keepsPitch: false),
                clip(at: 0.4, range(0.5, 0.5), speed: resampled, keepsPitch: false),
            ]) == [nil, nil])
        #expect(
            try chains([clip(at: 0, range(0, 0.5)), clip(at: 0.4, range(0.5, 0.5), path: "/m/sound.mp4")])
                == [nil, nil])
        // Another speed continues too, and the joined span says all of it.
        var draft = Draft([.photo(20)])
        draft.audio = [clip(at: 0, range(0, 0.5)), clip(at: 0.4, range(0.5, 1), speed: Rational(2))]
        let spans = try compose(draft).sound
        #expect(spans.map(\.chain) == [0, 0])
        let joined = spans.joined()
        #expect(joined.map.timeline == range(0, 0.9) && joined.tempo?.map(\.speed) == [Rational(5, 4), Rational(2)])
        // Clips of the main track, backwards.
        var clips: [Clip] = [.sound(2, 1), .sound(1, 1), .sound(0, 1)]
        for index in clips.indices { (clips[index].speed, clips[index].isReversed) = (Rational(2), true) }
        let backwards = try compose(Draft(clips)).sound
        #expect(backwards.map(\.chain) == [0, 0, 0])
        let whole = backwards.joined()
        #expect(whole.tempo == nil && whole.map.timeline == range(0, 1.5) && whole.map.isReversed)
        #expect(whole.map.contentStart == seconds(3))
    }

    @Test func silentPlansHaveNoSound() throws {
        let silent = try plan(Draft([.photo(1)]))
        #expect(
            silent.audio == nil && silent.soundKey == nil && silent.soundMix == nil
                && silent.sampleCount == nil)
        let m4a = try RenderPlan(Draft([.sound(0, 1)]), catalog: RandomDraft.catalog, container: .m4a, libraries: "")
        #expect(
            m4a.video == nil && m4a.segments.isEmpty && m4a.segmentJob(0, output: "x") == nil
                && m4a.sampleCount == 44_100)
        let sound = try #require(try plan(Draft([.photo(1), .sound(0, 1)])).soundMix)
        #expect(
            sound.files.map(\.path) == ["/m/sound.mp4"] && sound.spans.map(\.file) == [0]
                && sound.sampleCount == 88_200)
    }
}
