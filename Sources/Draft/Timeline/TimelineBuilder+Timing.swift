import Values

/// What clips do with the time of their ranges.
extension TimelineBuilder {
    /// What can be said of a clip's speed and passes without its media. False where its numbers are
    /// unusable.
    mutating func checkTiming(of clip: Clip, _ object: String) -> Bool {
        let count = problems.count
        for problem in clip.timingProblems { report(object, problem.message, clip.origin(of: problem.key)) }
        if clip.timing.isPingPong, clip.timing.loop == 1 {
            warn(
                object, "its ‘ping_pong’ does nothing, because ‘loop’ is 1: the range plays once",
                clip.origin(of: "loop"))
        }
        return problems.count == count
    }

    /// How a clip plays `source`; nil where it cannot.
    mutating func played(_ clip: Clip, _ source: TimeRange, _ info: MediaInfo?, _ object: String) -> Length? {
        var time: TimeMap?
        var duration = source.duration.scaled(by: clip.isMedia ? clip.speed.reciprocal : .one)
        if clip.isMedia {
            warnOfSpeed(clip, source, object)
            warnOfStretch(clip, source, object)
        }
        if clip.isMedia, !clip.timing.isPlain {
            do throws(Clip.TimingFailure) {
                let map = try clip.timeMap(source)
                (time, duration) = (map, map.duration)
                clipPieces += map.pieces.count
            } catch {
                let key =
                    switch error {
                    case .curve: clip.timing.speed == nil ? "loop" : "speed"
                    case .freeze: "freeze"
                    case .tooLong: clip.timing.passes > 1 ? "loop" : clip.timing.speed == nil ? "freeze" : "speed"
                    }
                report(object, error.message(in: source), clip.origin(of: key))
                return nil
            }
        }
        guard clipPieces <= Self.maximumMapPieces else {
            report(
                object,
                "brings the clips to more than \(Self.maximumMapPieces) pieces; give their speeds fewer keys, or loop them less",
                clip.origin(of: "loop", "speed"))
            return nil
        }
        guard duration > .zero, duration <= Time.longest else {
            report(
                object, "lasts \(duration.forPeople) s, but must last longer than 0 and at most 100 days",
                clip.origin(of: "range", "speed", "duration"))
            return nil
        }
        if let only = time?.pieces.first, time?.pieces.count == 1, only.speed != .zero {
            return Length(info: info, source: source, content: only)
        }
        let own = TimeRange(start: .zero, duration: duration)
        if time != nil {
            return Length(info: info, source: source, content: Piece(timeline: own, contentStart: .zero), time: time)
        }
        let speed = clip.isMedia ? clip.speed : .one
        let isReversed = clip.isReversed && clip.isMedia
        let content = Piece(
            timeline: own, contentStart: isReversed ? source.end : source.start,
            speed: isReversed ? speed * Rational(-1) : speed)
        return Length(info: info, source: source, content: content)
    }
}

extension Clip {
    /// What is wrong with the speed, the stops and the passes by themselves, each with the option
    /// that it is about.
    var timingProblems: [(key: String, message: String)] {
        var found: [(key: String, message: String)] = []
        if !Clip.speedRange.contains(speed) {
            found.append(("speed", "the speed is \(speed), but must lie between 0.01 and 100"))
        }
        if let curve = timing.speed, let problem = Clip.problem(ofCurve: curve) { found.append(("speed", problem)) }
        for freeze in timing.freezes where freeze.place < .zero || freeze.duration <= .zero {
            found.append(("freeze", Clip.problem(of: freeze)))
        }
        if let loop = timing.loop, !Timing.loopRange.contains(loop) {
            found.append(("loop", Clip.problem(ofLoop: loop)))
        }
        if !isMedia, timing != Timing() {
            found.append(("speed", "only a clip of a video has a speed curve, stops, passes or mixed frames"))
        }
        return found
    }

    /// What is wrong with the keys of a curve; nil: nothing. Between them it may still be wrong.
    static func problem(ofCurve curve: Animated) -> String? {
        if case .function = curve {
            return "‘speed’ is a function, but must be a number or a list of keys: the clip's length follows from it"
        }
        if case .constant(let numbers) = curve, numbers.count > 1 {
            return
                "‘speed’ is a list of \(numbers.count) numbers, but must be a number, or keys { seconds of the range, speed } such as "
                + "{ { 0, 1 }, { 2, 3 } }"
        }
        for value in curve.keyValues where value.count != 1 || !SpeedCurve.range.contains(value[0]) {
            guard let speed = value.first, value.count == 1 else { return "‘speed’ has a key that is not one number" }
            return
                "‘speed’ has a key of \(Value.text(of: speed)), but must lie between 0.01 and 100"
                + (speed < 0
                    ? "; ‘reverse = true’ plays it backwards" : speed == 0 ? "; ‘freeze’ lets a picture stand" : "")
        }
        return nil
    }

    static func problem(of freeze: Freeze) -> String {
        freeze.place < .zero
            ? "‘freeze’ is at \(freeze.place.forPeople) s, but must not be before 0, the range's start"
            : "‘freeze’ lasts \(freeze.duration.forPeople) s, but must last longer than 0"
    }

    static func problem(ofLoop count: Int) -> String {
        "‘loop’ is \(count), but must lie between 1 and 10000: how often the range plays in all"
    }
}

extension Clip.TimingFailure {
    func message(in source: TimeRange) -> String {
        switch self {
        case .curve(.speed(let value, let time)):
            "its speed is \(Value.text(of: (value * 1000).rounded() / 1000)) at \(time.forPeople) s of its range, but must lie between 0.01 and 100 everywhere between its keys"
        case .curve(.tooManySteps):
            "plays in more than \(Clip.Timing.maximumPieces) pieces; give its speed fewer keys, or loop it less"
        case .freeze(let freeze):
            "its freeze at \(freeze.place.forPeople) s does not lie in its range, which is \(source.duration.forPeople) s long"
        case .tooLong: "lasts longer than 100 days"
        }
    }
}

extension Piece {
    func starting(at time: Time) -> Piece {
        Piece(timeline: TimeRange(start: time, duration: timeline.duration), contentStart: contentStart, speed: speed)
    }
}

extension PlacedClip {
    /// Content time, of a media clip source time, at the clip's first frame.
    public var contentStart: Time { time?.pieces.first?.contentStart ?? piece.contentStart }
}
