import TestSupport
import Testing
import Values

@testable import Draft

/// The algebra of pieces, with random maps of the kinds that drafts are made of.
///
/// Rounding: a piece of speed s shows content to half a flick, but its edges on the timeline are
/// whole flicks, and half a flick of timeline is s/2 of content. So what follows holds within
/// `max(1, s)` flicks of content for each map that is gone through, and exactly where the speed is
/// 1.
@Suite struct TimeMapTests {
    static let speeds = [
        Rational.one, Rational(1, 2), Rational(2), Rational(3, 2), Rational(3, 4), Rational(7, 11), Rational(100),
        Rational(1, 100),
        Rational(30000, 30030),
    ]

    struct Generator {
        var random: SplitMix64
        mutating func range(of duration: Time) -> TimeRange {
            let a = Int64.random(in: 0..<duration.flicks, using: &random)
            let b = Int64.random(in: 0..<duration.flicks, using: &random)
            return TimeRange(from: Time(flicks: min(a, b)), to: Time(flicks: max(a, b) + 1))
        }
        /// A time effect on a timeline of `duration`.
        mutating func effect(on duration: Time) -> TimeMap {
            if random.chance(1, in: 2) {
                return .repeating(range(of: duration), count: Int.random(in: 1...5, using: &random), of: duration)
            }
            return .speed(range(of: duration), factor: random.pick(TimeMapTests.speeds), of: duration)
        }
        mutating func duration() -> Time { Time(flicks: Int64.random(in: 1_000_000...10_000_000_000, using: &random)) }
        mutating func time(in map: TimeMap) -> Time {
            Time(flicks: Int64.random(in: 0..<map.duration.flicks, using: &random))
        }
    }

    private func forRandomCases(_ name: String, _ count: Int = 1000, _ body: (inout Generator) -> Void) {
        let seed = Seed.announced(for: name, cases: count)
        for index in 0..<count {
            var generator = Generator(random: .forCase(index, of: seed))
            body(&generator)
        }
    }

    private func isContiguous(_ map: TimeMap) -> Bool {
        map.pieces.first?.timeline.start == .zero
            && zip(map.pieces, map.pieces.dropFirst()).allSatisfy { $0.timeline.end == $1.timeline.start }
    }

    private func bound(_ map: TimeMap) -> Int64 { Int64(map.pieces.map { max(1, $0.speed.doubleValue) }.max() ?? 1) }

    @Test func timeEffectsAreContiguousAndShowAllOfTheContent() {
        forRandomCases("time effects") { generator in
            let duration = generator.duration()
            let map = generator.effect(on: duration)
            #expect(isContiguous(map))
            #expect(map.pieces.map(\.timeline.duration).reduce(.zero, +) == map.duration)
            #expect(map.pieces.first?.contentStart == .zero || map.pieces[0].timeline.start == .zero)
            let end = map.pieces.last?.content.end ?? .zero
            #expect(abs((end - duration).flicks) <= bound(map))
            for (a, b) in zip(map.pieces, map.pieces.dropFirst()) where b.contentStart >= a.content.end {
                #expect((b.contentStart - a.content.end).flicks <= bound(map), "content is left out")
            }
        }
    }

    @Test func lengths() {
        let duration = Time(flicks: 1_000_000)
        let range = TimeRange(start: Time(flicks: 200_000), duration: Time(flicks: 300_000))
        #expect(TimeMap.speed(range, factor: Rational(2), of: duration).duration.flicks == 850_000)
        #expect(TimeMap.speed(range, factor: Rational(1, 2), of: duration).duration.flicks == 1_300_000)
        #expect(TimeMap.repeating(range, count: 3, of: duration).duration.flicks == 1_600_000)
        #expect(TimeMap.repeating(range, count: 1, of: duration) == .identity(duration))
        // Content past the end is cut off.
        let long = TimeRange(start: Time(flicks: 900_000), duration: Time(flicks: 500_000))
        #expect(TimeMap.speed(long, factor: Rational(2), of: duration).duration.flicks == 950_000)
        #expect(TimeMap.repeating(long, count: 2, of: duration).duration.flicks == 1_100_000)
    }

    @Test func contentAndTimelineAreInverse() {
        forRandomCases("inverses") { generator in
            let map = generator.effect(on: generator.duration())
            for piece in map.pieces {
                let time =
                    piece.timeline.start
                    + Time(flicks: Int64.random(in: 0..<piece.timeline.duration.flicks, using: &generator.random))
                let slow = max(1, Int64(piece.speed.reciprocal.doubleValue.rounded(.up)))
                #expect(abs((piece.timeline(of: piece.content(at: time)) - time).flicks) <= slow)
                let content = piece.content(at: time)
                let fast = max(1, Int64(piece.speed.doubleValue.rounded(.up)))
                #expect(abs((piece.content(at: piece.timeline(of: content)) - content).flicks) <= fast)
                if piece.speed == .one { #expect(piece.timeline(of: content) == time) }
                #expect(map.content(at: time) == content && map.piece(at: time) == piece)
            }
        }
    }

    @Test func theFirstOccurrenceAnswers() throws {
        let map = TimeMap.repeating(
            TimeRange(start: Time(flicks: 10), duration: Time(flicks: 10)), count: 3, of: Time(flicks: 40))
        #expect(map.timeline(of: Time(flicks: 15)) == Time(flicks: 15))
        #expect(map.timeline(of: Time(flicks: 20)) == Time(flicks: 40))
        #expect(map.timeline(ofEnd: Time(flicks: 20)) == Time(flicks: 20))
        #expect(map.timeline(of: Time(flicks: 40)) == Time(flicks: 60))
        #expect(map.timeline(of: Time(flicks: 41)) == nil && map.timeline(of: Time(flicks: -1)) == nil)
        #expect(
            map.content(of: TimeRange(from: Time(flicks: 18), to: Time(flicks: 22)))
                == TimeRange(from: Time(flicks: 10), to: Time(flicks: 20)))
        #expect(map.content(of: TimeRange(from: Time(flicks: 60), to: Time(flicks: 70))) == nil)
        // Total: the nearest edge answers.
        #expect(map.content(at: Time(flicks: -5)) == .zero && map.content(at: Time(flicks: 99)) == Time(flicks: 40))
    }

    @Test func identityLaws() {
        forRandomCases("identity laws") { generator in
            let duration = generator.duration()
            let map = generator.effect(on: duration)
            #expect(TimeMap.identity(map.duration).then(map) == map)
            for _ in 0..<5 {
                let time = generator.time(in: map)
                #expect(
                    abs((map.then(.identity(duration)).content(at: time) - map.content(at: time)).flicks) <= bound(map))
            }
        }
    }

    /// (a ∘ b) ∘ c shows what a ∘ (b ∘ c) shows, and what a, b and c show one after the other.
    @Test func compositionIsAssociative() {
        forRandomCases("associativity") { generator in
            let c = generator.effect(on: generator.duration())
            guard c.duration > .zero else { return }
            let b = generator.effect(on: c.duration)
            guard b.duration > .zero else { return }
            let a = generator.effect(on: b.duration)
            guard a.duration > .zero else { return }
            let (left, right) = (a.then(b).then(c), a.then(b.then(c)))
            #expect(isContiguous(left) && isContiguous(right))
            #expect(left.duration == a.duration && right.duration == a.duration)
            let bound = 3 * bound(a) * bound(b) * bound(c)
            for _ in 0..<10 {
                let time = generator.time(in: a)
                // At a cut either neighbour is right; elsewhere all three ways agree.
                let cuts = (left.pieces + right.pieces).map { abs(($0.timeline.start - time).flicks) }.min() ?? 0
                guard cuts > 2 else { continue }
                let one = c.content(at: b.content(at: a.content(at: time)))
                #expect(abs((left.content(at: time) - right.content(at: time)).flicks) <= bound)
                let inner = [a, b].count  // the chain rounds at each step
                #expect(abs((left.content(at: time) - one).flicks) <= bound * Int64(inner) || isNearCut(time, a, b, c))
            }
        }
    }

    private func isNearCut(_ time: Time, _ a: TimeMap, _ b: TimeMap, _ c: TimeMap) -> Bool {
        let t1 = a.content(at: time)
        let t2 = b.content(at: t1)
        let near = { (t: Time, map: TimeMap, slack: Int64) in
            map.pieces.contains {
                abs(($0.timeline.start - t).flicks) <= slack || abs(($0.timeline.end - t).flicks) <= slack
            }
        }
        return near(t1, b, bound(a) + 1) || near(t2, c, bound(a) * bound(b) + 1)
    }

    @Test func coalescedShowsTheSame() {
        forRandomCases("coalescing") { generator in
            let c = generator.effect(on: generator.duration())
            guard c.duration > .zero else { return }
            let map = generator.effect(on: c.duration).then(c)
            guard map.duration > .zero else { return }
            let short = map.coalesced()
            #expect(short.duration == map.duration && short.pieces.count <= map.pieces.count && isContiguous(short))
            for _ in 0..<10 {
                let time = generator.time(in: map)
                #expect(abs((short.content(at: time) - map.content(at: time)).flicks) <= 1)
            }
            #expect(short.coalesced() == short)
        }
    }

    @Test func trimmedIsTheSameToTheFlick() {
        forRandomCases("trimming") { generator in
            for piece in generator.effect(on: generator.duration()).pieces
            where piece.timeline.duration > Time(flicks: 2) {
                let length = piece.timeline.duration.flicks
                let from = Int64.random(in: 0..<length - 1, using: &generator.random)
                let part = TimeRange(
                    from: piece.timeline.start + Time(flicks: from),
                    to: piece.timeline.start
                        + Time(flicks: Int64.random(in: from + 1...length, using: &generator.random)))
                let trimmed = piece.trimmed(to: part)
                #expect(
                    trimmed.timeline.start <= part.start && trimmed.timeline.end == part.end
                        && trimmed.timeline.start >= piece.timeline.start)
                for _ in 0..<5 {
                    let time =
                        part.start + Time(flicks: Int64.random(in: 0..<part.duration.flicks, using: &generator.random))
                    #expect(trimmed.content(at: time) == piece.content(at: time))
                }
            }
        }
    }

    /// Maps with gaps: a clip's map covers that clip's stretch only. Pictures keep a millisecond
    /// away from what was cut off, and what is left of a piece says the same.
    @Test func picturesKeepWithinTheirPiece() {
        let seed = Seed.announced(for: "pictured content", cases: 3000)
        for index in 0..<3000 {
            var random = SplitMix64.forCase(index, of: seed)
            let speed = Rational(Int64.random(in: 1...300, using: &random), Int64.random(in: 1...100, using: &random))
            let start = Time(flicks: Int64.random(in: 0...5_000_000_000, using: &random))
            let length = random.chance(1, in: 5) ? 3_000_000 : Int64(4_000_000_000)
            let piece = Piece(
                timeline: TimeRange(start: start, duration: Time(flicks: Int64.random(in: 1...length, using: &random))),
                contentStart: Time(flicks: 20_000_000_000),
                speed: random.chance(1, in: 3) ? speed * Rational(-1) : speed)
            let rate = random.pick([Rational(24), Rational(30000, 1001), Rational(30), Rational(120)])
            let frame = piece.timeline.start.frameIndex(rate: rate) + Int.random(in: 0...3, using: &random)
            let middle = Time(middleOfFrame: frame, rate: rate)
            let shown = piece.picturedContent(at: middle)
            let (before, after) = (shown - piece.content.start, piece.content.end - shown)
            let margin = min(705_600, piece.content.duration.flicks / 2)
            #expect(before.flicks >= margin && after.flicks >= margin, "case \(index)")
            if piece.timeline.contains(middle), min(before, after) > Time(flicks: 705_600) {
                #expect(shown == piece.content(at: middle), "case \(index)")
            }
            let part = TimeRange(
                start: middle, duration: Time(flicks: Int64.random(in: 1...900_000_000, using: &random)))
            #expect(piece.trimmed(toPictures: part).picturedContent(at: middle) == shown, "case \(index)")
        }
    }

    /// The line is the same to the flick before the piece, in it and after it, and does not tell
    /// where the piece began.
    @Test func aPieceIsContinued() {
        forRandomCases("continuing") { generator in
            for piece in generator.effect(on: generator.duration()).pieces {
                let much = Int64(1_000_000_000)
                let start =
                    piece.timeline.start + Time(flicks: Int64.random(in: -much...much, using: &generator.random))
                let part = TimeRange(
                    start: start, duration: Time(flicks: Int64.random(in: 1...much, using: &generator.random)))
                let line = piece.continued(to: part)
                #expect(line.timeline.end == part.end && line.timeline.start <= part.start)
                #expect(part.start - line.timeline.start < Time(flicks: piece.speed.denominator))
                for _ in 0..<5 {
                    let time =
                        start + Time(flicks: Int64.random(in: 0..<part.duration.flicks, using: &generator.random))
                    #expect(line.content(at: time) == piece.content(at: time))
                }
                // One that begins whole steps later on the same line.
                let later = piece.continued(
                    to: TimeRange(
                        start: piece.timeline.start + Time(flicks: 12345 * piece.speed.denominator),
                        duration: Time(flicks: 1)))
                #expect(later.continued(to: part) == line)
            }
        }
    }

    @Test func gapsStayGaps() {
        let clip = TimeMap([
            Piece(timeline: TimeRange(from: Time(flicks: 100), to: Time(flicks: 200)), contentStart: Time(flicks: 7))
        ])
        let twice = TimeMap.repeating(
            TimeRange(from: Time(flicks: 50), to: Time(flicks: 150)), count: 2, of: Time(flicks: 300))
        let shown = twice.then(clip)
        #expect(
            shown.pieces.map(\.timeline) == [
                TimeRange(from: Time(flicks: 100), to: Time(flicks: 150)),
                TimeRange(from: Time(flicks: 200), to: Time(flicks: 250)),
                TimeRange(from: Time(flicks: 250), to: Time(flicks: 300)),
            ])
        #expect(shown.piece(at: Time(flicks: 160)) == nil && shown.pieces.map(\.contentStart.flicks) == [7, 7, 57])
        #expect(twice.links(to: clip).map(\.inner) == [0, 0, 0])
        #expect(shown.pieces(in: TimeRange(from: Time(flicks: 140), to: Time(flicks: 201))).count == 2)
        #expect(shown.pieces(in: TimeRange(from: Time(flicks: 150), to: Time(flicks: 200))).isEmpty)
        #expect(TimeMap([]).duration == .zero && TimeMap([]).content(at: Time(flicks: 3)) == Time(flicks: 3))
    }

    /// So slow that a piece shows less than a flick: it stands, and leaves no gap.
    @Test func endlessSlowness() {
        var map = TimeMap.identity(Time(flicks: 1_000_000))
        for _ in 0..<30 {
            let range = TimeRange(start: Time(flicks: 5000), duration: Time(flicks: 10_000))
            map = TimeMap.speed(range, factor: Rational(1, 100), of: map.duration).then(map).coalesced()
            #expect(isContiguous(map))
        }
        #expect(map.duration.flicks == 1_000_000 + 30 * 990_000)
        let fast = TimeMap.speed(
            TimeRange(start: .zero, duration: map.duration), factor: Rational(100), of: map.duration
        ).then(map)
        #expect(isContiguous(fast))
    }
}
