import Values

extension Clip {
    /// What a media clip does with the time of its range, beside ``Clip/speed`` and
    /// ``Clip/isReversed``.
    public struct Timing: Hashable, Sendable {
        /// The speed over the range, in the place of ``Clip/speed``: its times are source time,
        /// counted from the range's start. nil: it is constant.
        public var speed: Animated?
        /// Stops, in the order in which they were given.
        public var freezes: [Freeze] = []
        /// How often the range plays in all; nil: once or, with ``isPingPong``, twice.
        public var loop: Int?
        /// Every second pass goes the other way.
        public var isPingPong = false
        /// What is shown between two pictures of the source.
        public var frames = FrameMixing.nearest

        public init() {}

        public static let loopRange = 1...10_000
        /// A clip of more pieces is a mistake, not an edit.
        public static let maximumPieces = 100_000

        public var passes: Int { loop ?? (isPingPong ? 2 : 1) }
        /// The range plays once, at one speed.
        var isPlain: Bool { speed == nil && freezes.isEmpty && passes == 1 }
    }

    /// A stop: the picture at a place of the range stands for some time, without sound.
    public struct Freeze: Hashable, Sendable {
        /// Source time, counted from the range's start.
        public var place: Time
        public var duration: Time

        public init(at place: Time, for duration: Time) { (self.place, self.duration) = (place, duration) }
    }

    public enum FrameMixing: String, Hashable, Sendable, Codable, CaseIterable {
        /// The last picture before the time that is shown.
        case nearest
        /// In slow motion a mix of two neighbours, by the distance of their times.
        case blend
    }

    /// Why a clip's timing is none.
    enum TimingFailure: Error, Equatable {
        case curve(SpeedCurve.Failure)
        /// A stop that does not lie in the range.
        case freeze(Freeze)
        case tooLong
    }

    /// What is played in which order.
    struct Playing {
        /// One pass through the range forwards, in times counted from its start.
        fileprivate var pass: [SpeedCurve.Step]
        let passDuration: Time
        /// The length of all passes.
        let duration: Time
    }

    /// - Parameter source: the part of the media that plays; not empty.
    func playing(_ source: TimeRange) throws(TimingFailure) -> Playing {
        var pass: [SpeedCurve.Step]
        do throws(SpeedCurve.Failure) {
            if let curve = timing.speed {
                pass = try SpeedCurve.steps(curve, to: source.duration, limit: Timing.maximumPieces)
            } else {
                let duration = source.duration.scaled(by: speed.reciprocal)
                pass = [.init(from: .zero, to: source.duration, duration: duration, speed: speed)]
            }
        } catch { throw .curve(error) }
        for freeze in timing.freezes.sorted(by: { $0.place < $1.place }) {
            guard freeze.place >= .zero, freeze.place <= source.duration else { throw .freeze(freeze) }
            pass.stop(at: freeze)
        }
        guard pass.count * timing.passes <= Timing.maximumPieces else { throw .curve(.tooManySteps) }
        var once = Time.zero
        for step in pass {
            once += step.duration
            guard step.duration <= .longest, once <= .longest else { throw .tooLong }
        }
        let (all, overflows) = once.flicks.multipliedReportingOverflow(by: Int64(timing.passes))
        guard !overflows, all <= Time.longest.flicks else { throw .tooLong }
        return Playing(pass: pass, passDuration: once, duration: Time(flicks: all))
    }

    /// The clip's own time, zero at its first frame → source time. A stop is a piece of speed zero.
    func timeMap(_ source: TimeRange) throws(TimingFailure) -> TimeMap {
        let playing = try playing(source)
        var pieces: [Piece] = []
        pieces.reserveCapacity(playing.pass.count * timing.passes)
        var start = Time.zero
        for number in 0..<timing.passes {
            let isReversed = self.isReversed != (timing.isPingPong && number % 2 == 1)
            for step in isReversed ? playing.pass.reversed() : playing.pass {
                pieces.append(
                    Piece(
                        timeline: TimeRange(start: start, duration: step.duration),
                        contentStart: source.start + (isReversed ? step.to : step.from),
                        speed: isReversed ? step.speed * Rational(-1) : step.speed))
                start += step.duration
            }
        }
        return TimeMap(pieces).coalesced()
    }
}

extension [SpeedCurve.Step] {
    /// Puts a stop into a pass; later than those that were put in before, and behind one at the
    /// same place.
    fileprivate mutating func stop(at freeze: Clip.Freeze) {
        let stop = SpeedCurve.Step(from: freeze.place, to: freeze.place, duration: freeze.duration, speed: .zero)
        guard let index = firstIndex(where: { $0.from < freeze.place && freeze.place < $0.to }) else {
            // Between two steps, or at an end.
            insert(stop, at: firstIndex { $0.from >= freeze.place && $0.from < $0.to } ?? count)
            return
        }
        let step = self[index]
        var (before, after) = (step, step)
        (before.to, after.from) = (freeze.place, freeze.place)
        before.duration = Swift.min((freeze.place - step.from).scaled(by: step.speed.reciprocal), step.duration)
        after.duration = step.duration - before.duration
        replaceSubrange(index...index, with: [before, stop, after].filter { $0.duration > .zero })
    }
}
