import TestSupport
import Testing
import Values

@testable import Draft

/// Sound that begins before its picture, and ends after it.
@Suite struct OverhangTests {
    private func clip(
        _ start: Double, _ length: Double, lead: Double = 0, tail: Double = 0, speed: Rational = .one,
        reversed: Bool = false
    ) -> Clip {
        var clip = Clip.sound(start, length, speed: speed)
        (clip.soundLead, clip.soundTail, clip.isReversed) = (seconds(lead), seconds(tail), reversed)
        return clip
    }

    private func sound(_ draft: Draft, _ index: Int) throws -> TimeMap {
        try Timeline(draft, catalog: RandomDraft.catalog).sound(ofClip: index)
    }

    @Test func `it is the source's sound around the range, at the clip's speed`() throws {
        let draft = Draft([clip(1, 3, tail: 0.5), clip(4, 4, lead: 1, speed: Rational(2)), clip(0, 2)])
        #expect(try sound(draft, 0).pieces == [Piece(timeline: range(0, 3.5), contentStart: seconds(1))])
        #expect(
            try sound(draft, 1).pieces == [
                Piece(timeline: range(2, 3), contentStart: seconds(2), speed: Rational(2))
            ])
        let back = Draft([clip(0, 2), clip(4, 2, lead: 1, tail: 0.5, reversed: true), clip(0, 2)])
        #expect(
            try sound(back, 1).pieces == [
                Piece(timeline: range(1, 3.5), contentStart: seconds(7), speed: Rational(-1))
            ])
        #expect(draft.warnings(RandomDraft.catalog) == [] && back.warnings(RandomDraft.catalog) == [])
    }

    @Test func `there is less where the media or the main track has no more`() throws {
        let draft = Draft([clip(0, 3, lead: 2, tail: 9), clip(1, 3, lead: 2), clip(5, 3, lead: 8, tail: 1)])
        let timeline = try Timeline(draft, catalog: RandomDraft.catalog)
        #expect(timeline.overhang(ofClip: 0) == .init(lead: .zero, tail: seconds(6)))
        #expect(timeline.overhang(ofClip: 1) == .init(lead: seconds(1), tail: .zero))
        #expect(timeline.overhang(ofClip: 2) == .init(lead: seconds(5), tail: .zero))
        #expect(
            draft.warnings(RandomDraft.catalog).map(\.description) == [
                "clip 1: its ‘sound_lead’ is 2 s, but its media has no more sound before its range; 0 s are used",
                "clip 1: its ‘sound_tail’ is 9 s, but the main track has no more after it; 6 s are used",
                "clip 2: its ‘sound_lead’ is 2 s, but its media has no more sound before its range; 1 s are used",
                "clip 3: its ‘sound_lead’ is 8 s, but its media has no more sound before its range; 5 s are used",
                "clip 3: its ‘sound_tail’ is 1 s, but the main track has no more after it; 0 s are used",
            ])
        // The reverse's lead is what comes after its range.
        let back = Draft([clip(0, 3), clip(8, 2, lead: 1, reversed: true)])
        #expect(
            back.warnings(RandomDraft.catalog).map(\.description) == [
                "clip 2: its ‘sound_lead’ is 1 s, but its media has no more sound after its range; 0.02 s are used"
            ])
        var silent = Clip(path: "/m/silent.mp4", content: .media(range: range(1, 2)))
        silent.soundTail = seconds(1)
        #expect(
            Draft([silent, .photo(2)]).warnings(RandomDraft.catalog).map(\.description) == [
                "clip 1: has ‘sound_tail’, but ‘/m/silent.mp4’ has no sound"
            ])
    }

    @Test func `fades have room in it`() {
        var long = clip(2, 1, lead: 1, tail: 1)
        (long.fadeIn, long.fadeOut) = (seconds(1.5), seconds(1.5))
        let draft = Draft([.photo(2), long, .photo(2)])
        #expect(draft.validate(RandomDraft.catalog) == [])
        long.soundTail = .zero
        #expect(
            Draft([.photo(2), long]).validate(RandomDraft.catalog).map(\.description) == [
                "clip 2: its fades of 1.5 s and 1.5 s do not fit its 1 s"
            ])
    }

    @Test func `what the effect list does to time it does to it`() throws {
        let draft = Draft(
            [clip(0, 2), clip(4, 2, lead: 1)],
            effects: [.speed(Rational(2), range(0, 2)), .repeat(2, range(0, 1))])
        // One second of lead is half a second now, and is repeated with its range.
        #expect(
            try sound(draft, 1).pieces == [
                Piece(timeline: range(0.5, 0.5), contentStart: seconds(3), speed: Rational(2)),
                Piece(timeline: range(1.5, 0.5), contentStart: seconds(3), speed: Rational(2)),
                Piece(timeline: range(2, 2), contentStart: seconds(4)),
            ])
    }
}
