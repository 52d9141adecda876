import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct TimelineTests {
    private func timeline(_ draft: Draft) throws -> Timeline { try Timeline(draft, catalog: RandomDraft.catalog) }

    @Test func clipsLieEndToEnd() throws {
        let timeline = try timeline(
            Draft([.sound(0, 3), .photo(2), .sound(4, 3, speed: Rational(3, 2)), .sound(8, 5)]))
        #expect(timeline.clips.map(\.timeline) == [range(0, 3), range(3, 2), range(5, 2), range(7, 2)])
        #expect(
            timeline.originalDuration == seconds(9) && timeline.duration == seconds(9) && timeline.frameCount == 270)
        #expect(timeline.clips[2].piece.content == range(4, 3), "source range, before speed")
        #expect(timeline.clips[3].piece.content == range(8, 2), "what reaches past the media is cut off")
    }

    @Test func transitionsOverlapExactly() throws {
        let timeline = try timeline(
            Draft([.sound(0, 3), .sound(0, 2, transition: 0.5), .sound(5, 4, transition: 1.5)]))
        #expect(timeline.clips.map(\.timeline) == [range(0, 3), range(2.5, 2), range(3, 4)])
        #expect(timeline.originalDuration == seconds(7))
        #expect(timeline.clips[1].transition == Piece(timeline: range(2.5, 0.5), contentStart: .zero))
        #expect(timeline.clips[0].transition == nil)
    }

    /// A look before a speed effect is stretched with the content; after it, it keeps its own
    /// range.
    @Test func theOrderOfTheEffectListDecides() throws {
        let before = try timeline(
            Draft([.sound(0, 4)], effects: [.look(range(1, 2)), .speed(Rational(1, 2), range(1, 2))]))
        #expect(before.duration == seconds(6))
        #expect(
            before.local(ofEffect: 0).pieces == [
                Piece(timeline: range(1, 4), contentStart: .zero, speed: Rational(1, 2))
            ])
        let after = try timeline(
            Draft([.sound(0, 4)], effects: [.speed(Rational(1, 2), range(1, 2)), .look(range(1, 2))]))
        #expect(after.local(ofEffect: 1).pieces == [Piece(timeline: range(1, 2), contentStart: .zero)])
        #expect(after.local(ofEffect: 0).pieces.isEmpty, "a time effect has no clock")
    }

    @Test func aLookBeforeARepeatIsRepeated() throws {
        let draft = Draft(
            [.sound(0, 4)], effects: [.look(range(1.5, 1)), .repeat(2, range(1, 1)), .look(range(1.5, 1))])
        let timeline = try timeline(draft)
        #expect(timeline.duration == seconds(5))
        #expect(
            timeline.local(ofEffect: 0).pieces.map(\.timeline) == [range(1.5, 0.5), range(2.5, 1)],
            "each pass, and on after the last")
        #expect(timeline.local(ofEffect: 2).pieces.map(\.timeline) == [range(1.5, 1)])
    }

    @Test func clipEffectsAreInTheClipsTime() throws {
        var clip = Clip.sound(2, 4, speed: Rational(2))
        clip.effects = [.look(range(0.5, 9)), .look()]
        let timeline = try timeline(Draft([.photo(1), clip, .photo(1)], effects: [.speed(Rational(2))]))
        #expect(
            timeline.local(ofEffect: 0, ofClip: 1).pieces == [
                Piece(timeline: range(0.75, 0.75), contentStart: .zero, speed: Rational(2))
            ])
        #expect(timeline.local(ofEffect: 1, ofClip: 1).pieces.map(\.timeline) == [range(0.5, 1)])
        #expect(
            timeline.source(ofClip: 1).pieces == [
                Piece(timeline: range(0.5, 1), contentStart: seconds(2), speed: Rational(4))
            ])
    }

    @Test func theFactorMultipliesTheClipsOwnSpeed() throws {
        let timeline = try timeline(
            Draft([.sound(0, 3, speed: Rational(3, 2))], effects: [.speed(Rational(1, 2)), .speed(Rational(4))]))
        #expect(timeline.duration == seconds(1))
        #expect(
            timeline.source(ofClip: 0).pieces == [Piece(timeline: range(0, 1), contentStart: .zero, speed: Rational(3))]
        )
    }

    @Test func timeRangeSelectsInFinalTime() throws {
        var draft = Draft([.sound(0, 3), .sound(5, 3)], effects: [.speed(Rational(2), range(0, 2))])
        draft.timeRange = range(1.5, 9)
        let timeline = try timeline(draft)
        #expect(timeline.duration == seconds(5) && timeline.rendered == range(1.5, 3.5) && timeline.frameCount == 105)
        #expect(timeline.source(ofClip: 0).pieces.map(\.timeline) == [range(0, 0.5)])
        #expect(timeline.source(ofClip: 1).pieces == [Piece(timeline: range(0.5, 3), contentStart: seconds(5))])
    }

    @Test func stickersOverRepeats() throws {
        let timeline = try timeline(
            Draft([.sound(0, 2)], effects: [.repeat(3, range(0.5, 0.5)), .look(range(0.75, 1))]))
        #expect(timeline.local(ofEffect: 1).pieces == [Piece(timeline: range(0.75, 1), contentStart: .zero)])
    }

    @Test func timesGoBothWays() throws {
        let timeline = try timeline(
            Draft([.sound(0, 4)], effects: [.repeat(3, range(1, 1)), .speed(Rational(2), range(0, 1))]))
        #expect(timeline.retiming.applyEffects(to: seconds(0.5)) == seconds(0.25))
        #expect(timeline.retiming.applyEffects(to: seconds(1.5)) == seconds(1), "the first occurrence")
        #expect(
            timeline.retiming.applyEffects(to: seconds(4)) == seconds(5.5)
                && timeline.retiming.applyEffects(to: seconds(4.1)) == nil)
        #expect(timeline.retiming.removeEffects(from: seconds(3)) == seconds(1.5), "the last pass")
        #expect(
            timeline.retiming.removeEffects(from: seconds(-0.1)) == nil
                && timeline.retiming.removeEffects(from: seconds(5.6)) == nil
                && timeline.retiming.removeEffects(from: seconds(5.5)) == seconds(4)
                && timeline.retiming.removeEffects(from: .zero) == Time.zero)
        #expect(
            timeline.retiming.applyEffects(to: range(1, 1)) == range(0.5, 1)
                && timeline.retiming.applyEffects(to: range(0, 4)) == range(0, 5.5))
        #expect(
            timeline.retiming.removeEffects(from: range(1, 1)) == range(1, 1)
                && timeline.retiming.removeEffects(from: range(0, 5.5)) == range(0, 4)
                && timeline.retiming.removeEffects(from: range(4, 0)) == range(2.5, 0)
                && timeline.retiming.removeEffects(from: range(5.5, 1)) == nil
                && timeline.retiming.removeEffects(from: range(5, 1)) == nil
                && timeline.retiming.removeEffects(from: TimeRange(from: seconds(-1), to: seconds(1))) == nil)
        #expect(timeline.retiming.applyEffects(to: range(3, 2)) == nil)
    }

    /// Over any stack of effects: apply then remove is the identity, every time of the main track
    /// has an answer, durations add up, there is no gap and no overlap but transitions.
    @Test func lawsOverRandomDrafts() throws {
        let seed = Seed.announced(for: "timeline laws", cases: 3000)
        var legal = 0
        for index in 0..<3000 {
            var generator = RandomDraft(.forCase(index, of: seed))
            let draft = generator.draft(illegal: false)
            guard let timeline = try? timeline(draft) else { continue }
            legal += 1
            let fastest = timeline.retiming.map.pieces.map { max(1, $0.speed.doubleValue) }.max() ?? 1
            let bound = Int64(4 * fastest * Double(draft.effects.count + 1))
            for _ in 0..<10 {
                let time = Time(
                    flicks: Int64.random(in: 0...timeline.originalDuration.flicks, using: &generator.random))
                guard let there = timeline.retiming.applyEffects(to: time) else {
                    Issue.record("case \(index): \(time) has no place on the final timeline")
                    continue
                }
                #expect(.zero <= there && there <= timeline.duration)
                let back = try #require(timeline.retiming.removeEffects(from: there))
                #expect(abs((back - time).flicks) <= bound, "case \(index)")
                if fastest == 1, timeline.retiming.map.pieces.allSatisfy({ $0.speed == .one }),
                    time < timeline.originalDuration
                {
                    #expect(timeline.retiming.removeEffects(from: there) == time, "exact where the speed is 1")
                }
            }
            for (a, b) in zip(timeline.clips, timeline.clips.dropFirst()) {
                #expect(
                    b.timeline.start == a.timeline.end - b.overlap && b.overlap == b.clip.transition?.duration ?? .zero)
            }
            let lengths = timeline.clips.map { $0.timeline.duration - $0.overlap }.reduce(.zero, +)
            #expect(timeline.originalDuration == lengths)
            #expect(timeline.maps.count == draft.effects.count + 1)
            for map in timeline.maps {
                #expect(map.pieces.first?.timeline.start == .zero && map.duration == timeline.rendered.duration)
                #expect(
                    zip(map.pieces, map.pieces.dropFirst()).allSatisfy { $0.timeline.end == $1.timeline.start },
                    "case \(index)")
            }
        }
        #expect(legal > 1000)
    }

    /// A range that a high speed swallows whole still has a place.
    @Test func contentThatIsNotShownHasANeighbour() throws {
        let tiny = TimeRange(start: seconds(1), duration: Time(flicks: 40))
        let timeline = try timeline(Draft([.sound(0, 4)], effects: [.speed(Rational(100), tiny)]))
        #expect(timeline.retiming.applyEffects(to: seconds(1) + Time(flicks: 20)) == seconds(1))
        #expect(timeline.duration == seconds(4) - Time(flicks: 40))
    }

    @Test func openCanvasFollowsTheFirstClip() {
        let catalog = RandomDraft.catalog
        var draft = Draft([.sound()])
        draft.canvas = Canvas()
        #expect(draft.size(catalog) == Canvas.Size(width: 640, height: 360) && draft.frameRate(catalog) == Rational(30))
        draft.clips = [.photo(1), .sound()]
        #expect(
            draft.size(catalog) == Canvas.Size(width: 1000, height: 750) && draft.frameRate(catalog) == Rational(30))
        draft.clips = []
        #expect(draft.size(catalog) == Canvas.Size(width: 1280, height: 720))
        var odd = catalog.info("/m/sound.mp4")?.video
        odd?.width = 7681
        odd?.height = 333
        odd?.frameRate = Rational(119)
        #expect(Canvas().resolvedSize(first: odd) == Canvas.Size(width: 4096, height: 178))
        #expect(Canvas().resolvedFrameRate(first: odd) == Rational(119))
        odd?.frameRate = Rational(23976, 1000)
        #expect(Canvas().resolvedFrameRate(first: odd) == Rational(24000, 1001))
        odd?.width = 0
        odd?.height = 0
        odd?.frameRate = .zero
        #expect(Canvas().resolvedSize(first: odd) == Canvas.Size(width: 16, height: 16))
        #expect(Canvas().resolvedFrameRate(first: odd) == Rational(30))
        #expect(Canvas.size(aspectWidth: 9, aspectHeight: 16, maximum: 1280) == Canvas.Size(width: 720, height: 1280))
    }
}
