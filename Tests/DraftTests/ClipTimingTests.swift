import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

/// Speed curves, stops, passes: the map from a clip's own time to its source.
@Suite struct ClipTimingTests {
    private typealias Failure = SpeedCurve.Failure

    private static func curve(_ keys: [(Double, Double, Easing)]) -> Animated {
        .keyframes(keys.map { Keyframe(time: seconds($0), value: [$1], easing: $2) })
    }

    private static func clip(_ start: Double, _ duration: Double, _ speed: Animated?) -> Clip {
        var clip = Clip.sound(start, duration)
        clip.timing.speed = speed
        return clip
    }

    /// A random clip of the ten seconds of `sound.mp4`, with every kind of timing.
    private static func random(_ random: inout SplitMix64) -> Clip {
        var clip = clip(Double.random(in: 0...4, using: &random), Double.random(in: 0.05...5, using: &random), nil)
        clip.isReversed = random.chance(1, in: 3)
        clip.speed = random.pick([.one, Rational(1, 2), Rational(7, 11), Rational(100)])
        if random.chance(3, in: 4) {
            var time = Double.random(in: -1...2, using: &random)
            clip.timing.speed = curve(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    time += Double.random(in: 0.01...2, using: &random)
                    let speed = exp(Double.random(in: log(0.05)...log(20), using: &random))
                    return (
                        time, min(100, max(0.01, speed)), random.pick([.linear, .hold, .easeIn, .easeOut, .easeInOut])
                    )
                })
        }
        for _ in 0..<(random.chance(1, in: 2) ? Int.random(in: 1...3, using: &random) : 0) {
            guard case .media(let range?) = clip.content else { break }
            let place = random.pick([
                0, range.duration.flicks, Int64.random(in: 0...range.duration.flicks, using: &random),
            ])
            clip.timing.freezes.append(
                Clip.Freeze(at: Time(flicks: place), for: seconds(Double.random(in: 0.01...2, using: &random))))
        }
        if random.chance(1, in: 2) { clip.timing.loop = Int.random(in: 1...6, using: &random) }
        clip.timing.isPingPong = random.chance(1, in: 3)
        return clip
    }

    private static func source(_ clip: Clip) -> TimeRange { clip.sourceRange(mediaDuration: seconds(10)) }

    @Test func `a linear ramp lasts as long as the integral of one over its speed`() throws {
        for (from, to, length) in [(1.0, 4.0, 3.0), (4, 0.01, 8), (0.02, 100, 0.5), (0.99, 1.01, 9)] {
            let clip = Self.clip(1, length, Self.curve([(0, from, .linear), (length, to, .linear)]))
            let found = clip.durationAtMainTrack(mediaDuration: seconds(10)).seconds
            let wanted = length / (to - from) * log(to / from)
            #expect(abs(found - wanted) < 1e-6 * (1 + wanted), "\(from) to \(to): \(found), but \(wanted) is right")
        }
    }

    @Test func `random timings play the whole range in every pass, and as long as the integral says`() throws {
        try Self.play(150)
    }

    /// More timings.
    @Suite struct Sweep {
        @Test func `random timings play the whole range in every pass, and as long as the integral says`() throws {
            try play(300)
        }
    }

    private static func play(_ cases: Int) throws {
        let seed = Seed.announced(for: "clip timings", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let clip = Self.random(&random)
            let source = Self.source(clip)
            let map = try clip.timeMap(source)
            #expect(map.duration == clip.durationAtMainTrack(mediaDuration: seconds(10)), "case \(index)")
            #expect(map.pieces.first?.timeline.start == .zero)
            for (a, b) in zip(map.pieces, map.pieces.dropFirst()) {
                try #require(a.timeline.end == b.timeline.start, "case \(index)")
            }
            // Two flicks of rounding on the timeline are as much content as the speed makes of
            // them.
            let slack = Time(flicks: 210)
            for piece in map.pieces {
                try #require(piece.content.start >= source.start - slack && piece.content.end <= source.end + slack)
            }
            let pass = map.duration.flicks / Int64(clip.timing.passes)
            for number in 0..<clip.timing.passes {
                let isReversed = clip.isReversed != (clip.timing.isPingPong && number % 2 == 1)
                let span = TimeRange(start: Time(flicks: pass * Int64(number)), duration: Time(flicks: pass))
                let shown = (0...200).map { step -> Time in
                    let time = span.start + Time(flicks: (pass - 1) * Int64(step) / 200)
                    return map.piece(at: time)?.content(at: time) ?? .zero
                }
                let rising = isReversed ? shown.reversed() : shown
                for (a, b) in zip(rising, rising.dropFirst()) { try #require(b >= a - slack, "case \(index)") }
                let played = map.pieces(in: span).filter { $0.speed != .zero }.map(\.content)
                let (start, end) = (played.map(\.start).min(), played.map(\.end).max())
                #expect(max((start ?? .zero) - source.start, source.end - (end ?? .zero)) <= slack, "case \(index)")
            }
            guard index % 3 == 0 else { continue }
            let stops = clip.timing.freezes.reduce(0) { $0 + $1.duration.seconds }
            let wanted = Double(clip.timing.passes) * (Self.integral(clip, source.duration.seconds) + stops)
            #expect(abs(map.duration.seconds - wanted) < 5e-5 * wanted + 1e-5, "case \(index): \(wanted)")
        }
    }

    /// One over the speed, by so many rectangles between two keys that it does not matter.
    private static func integral(_ clip: Clip, _ length: Double) -> Double {
        guard case .keyframes(let keys)? = clip.timing.speed, let curve = clip.timing.speed else {
            return length / clip.speed.doubleValue
        }
        let edges = [0, length] + keys.map(\.time.seconds).filter { $0 > 0 && $0 < length }
        return zip(edges.sorted(), edges.sorted().dropFirst()).reduce(0.0) { sum, edge in
            let width = (edge.1 - edge.0) / 20_000
            return (0..<20_000).reduce(sum) { sum, step in
                sum + width / curve.scalar(at: seconds(edge.0 + (Double(step) + 0.5) * width))
            }
        }
    }

    @Test func `in between it is never further than a tenth of a millisecond from the curve`() throws {
        let clip = Self.clip(0, 9, Self.curve([(0, 1, .easeInOut), (3, 4, .easeIn), (6, 0.5, .linear), (8, 2, .hold)]))
        let map = try clip.timeMap(Self.source(clip))
        #expect(map.pieces.count < 1000)
        var (exact, worst) = (0.0, 0.0)
        let steps = 400_000
        for step in 0..<steps {
            let middle = seconds((Double(step) + 0.5) * 9 / Double(steps))
            exact += 9 / Double(steps) / (clip.timing.speed?.scalar(at: middle) ?? 1)
            guard step % 400 == 399, let found = map.timeline(of: seconds(Double(step + 1) * 9 / Double(steps))) else {
                continue
            }
            worst = max(worst, abs(found.seconds - exact))
        }
        #expect(worst < 1.1e-4, "\(worst)")
    }

    @Test func `a curve without change is a constant speed`() throws {
        for speed in [1, 0.5, 1.5, 29.97, 100] {
            var plain = Clip.sound(1, 3.3)
            plain.speed = try #require(Rational(speed))
            let curved = Self.clip(1, 3.3, Self.curve([(0.5, speed, .linear), (1, speed, .easeIn), (2, speed, .hold)]))
            let clips = try [plain, curved].map { try Timeline(Draft([$0]), catalog: RandomDraft.catalog).clips[0] }
            #expect(clips[0].piece == clips[1].piece && clips[1].time == nil)
        }
    }

    @Test func `an hour of curve, and ten thousand passes, are bounded`() throws {
        let hour = TimeRange(start: .zero, duration: seconds(3600))
        var clip = Clip(path: "/m/sound.mp4")
        clip.timing.speed = Self.curve([(0, 1, .linear), (1800, 4, .easeInOut), (3600, 0.25, .linear)])
        #expect(try clip.timeMap(hour).pieces.count < 12_000)
        clip = Self.clip(0, 0.1, nil)
        clip.timing.loop = 10_000
        #expect(try clip.timeMap(Self.source(clip)).pieces.count == 10_000)
        #expect(clip.durationAtMainTrack(mediaDuration: seconds(10)) == seconds(1000))
    }

    @Test func `stops stand where they were put`() throws {
        var clip = Clip.sound(2, 3)
        clip.timing.freezes = [
            Clip.Freeze(at: seconds(3), for: seconds(0.25)), Clip.Freeze(at: seconds(1), for: seconds(0.5)),
            Clip.Freeze(at: .zero, for: seconds(2)),
        ]
        func pieces(_ clip: Clip) throws -> [[Double]] {
            try clip.timeMap(Self.source(clip)).pieces.map {
                [$0.timeline.start.seconds, $0.contentStart.seconds, $0.speed.doubleValue]
            }
        }
        #expect(try pieces(clip) == [[0, 2, 0], [2, 2, 1], [3, 3, 0], [3.5, 3, 1], [5.5, 5, 0]])
        clip.isReversed = true
        #expect(try pieces(clip) == [[0, 5, 0], [0.25, 5, -1], [2.25, 3, 0], [2.75, 3, -1], [3.75, 2, 0]])
        clip = Clip.sound(2, 3)
        clip.timing.isPingPong = true
        #expect(try pieces(clip) == [[0, 2, 1], [3, 5, -1]])
        clip.timing.loop = 3
        #expect(try pieces(clip) == [[0, 2, 1], [3, 5, -1], [6, 2, 1]])
    }

    // MARK: Bad input

    private static func problems(_ change: (inout Clip) -> Void) -> [String] {
        var clip = Clip.sound(0, 3)
        change(&clip)
        return Draft([clip]).validate(RandomDraft.catalog).map(\.description)
    }

    @Test func `what cannot be played is a sentence`() {
        let range = "must lie between 0.01 and 100"
        #expect(
            Self.problems { $0.timing.speed = Self.curve([(0, 1, .linear), (2, 0, .linear)]) }
                == ["clip 1: ‘speed’ has a key of 0, but \(range); ‘freeze’ lets a picture stand"])
        #expect(
            Self.problems { $0.timing.speed = Self.curve([(9, -2, .linear)]) }
                == ["clip 1: ‘speed’ has a key of -2, but \(range); ‘reverse = true’ plays it backwards"])
        #expect(
            Self.problems { $0.timing.speed = Self.curve([(9, 101, .linear)]) }
                == ["clip 1: ‘speed’ has a key of 101, but \(range)"])
        #expect(Self.problems { $0.timing.speed = .function(1) }.first?.contains("is a function") == true)
        #expect(
            Self.problems { $0.timing.freezes = [Clip.Freeze(at: seconds(4), for: seconds(1))] }
                == ["clip 1: its freeze at 4 s does not lie in its range, which is 3 s long"])
        #expect(
            Self.problems { $0.timing.freezes = [Clip.Freeze(at: seconds(-1), for: seconds(0))] }
                == ["clip 1: ‘freeze’ is at -1 s, but must not be before 0, the range's start"])
        #expect(
            Self.problems { $0.timing.freezes = [Clip.Freeze(at: seconds(1), for: seconds(0))] }
                == ["clip 1: ‘freeze’ lasts 0 s, but must last longer than 0"])
        #expect(
            Self.problems { $0.timing.loop = 0 }
                == ["clip 1: ‘loop’ is 0, but must lie between 1 and 10000: how often the range plays in all"])
        #expect(
            Self.problems {
                $0.timing.loop = 10_000
                $0.timing.speed = Self.curve([(0, 1, .linear), (3, 2, .linear)])
            } == ["clip 1: plays in more than 100000 pieces; give its speed fewer keys, or loop it less"])
        #expect(
            Self.problems {
                $0.timing.loop = 10_000
                $0.timing.freezes = [Clip.Freeze(at: seconds(1), for: seconds(1e6))]
            } == ["clip 1: lasts longer than 100 days"])
    }

    @Test func `a curve is looked at between its keys, too`() {
        let source = range(0, 3)
        let through = Self.clip(0, 3, Self.curve([(0, 1, .linear), (2, -1, .linear), (3, 1, .linear)]))
        let failure = #expect(throws: Clip.TimingFailure.self) { try through.timeMap(source) }
        guard case .curve(.speed(let speed, let time))? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(speed < 0.01 && time > seconds(0.9) && time <= seconds(2))
        #expect(
            Clip.TimingFailure.curve(.speed(-0.25, at: seconds(1.25))).message(in: source)
                == "its speed is -0.25 at 1.25 s of its range, but must lie between 0.01 and 100 everywhere between its keys"
        )
        // Content after the range is not played.
        #expect(throws: Never.self) { try through.timeMap(range(0, 0.9)) }
    }

    @Test func `many clips of many pieces are bounded`() {
        var clip = Clip.sound(0, 0.1)
        clip.timing.loop = 10_000
        let found = Draft(Array(repeating: clip, count: 101)).validate(RandomDraft.catalog).map(\.description)
        #expect(
            found.first
                == "clip 101: brings the clips to more than 1000000 pieces; give their speeds fewer keys, or loop them less"
        )
    }

    @Test func `all that is wrong is said at once`() {
        #expect(
            Self.problems {
                $0.timing.loop = 20_000
                $0.timing.speed = Self.curve([(0, 0, .linear)])
                $0.timing.freezes = [Clip.Freeze(at: seconds(1), for: seconds(-1))]
            }.count == 3)
    }

    @Test func `a turn that never comes is a warning`() {
        var clip = Clip.sound(0, 3)
        (clip.timing.isPingPong, clip.timing.loop) = (true, 1)
        #expect(
            Draft([clip]).warnings(RandomDraft.catalog).map(\.description)
                == ["clip 1: its ‘ping_pong’ does nothing, because ‘loop’ is 1: the range plays once"])
    }

    // MARK: Documents

    @Test func `a document keeps it`() throws {
        let seed = Seed.announced(for: "documents with timings", cases: 200)
        for index in 0..<200 {
            var random = SplitMix64.forCase(index, of: seed)
            var draft = Draft([Self.random(&random)])
            draft.clips[0].speed = draft.clips[0].timing.speed == nil ? draft.clips[0].speed : .one
            if random.chance(1, in: 2) { draft.clips[0].timing.frames = .blend }
            let text = draft.document(in: "/m")
            let again = try Draft(document: Data(text.utf8), file: "x.cutroom", folder: "/m", plugins: [])
            try #require(again == draft, "case \(index)")
        }
    }
}
