import Values

/// The unit of every time map: a range of a timeline that plays content at one constant speed.
///
/// A clip on the main track, a transition's progress, a speed or repeat effect, the rendered range
/// and an effect's own clock are all pieces; only what their *content* is differs (source time,
/// transition time, the timeline before the effect, …). Timeline time t shows content time
/// `contentStart + (t − timeline.start) · speed`.
///
/// A *negative* speed plays backwards, the mirror of forwards: the piece begins where its content
/// ends, and content time x stands for the sample before x. Pictures are sampled in the middle of
/// frames (``picturedContent(at:)``), which is its own mirror. So a range played backwards has
/// exactly the frames and samples that it has forwards, in reverse order.
public struct Piece: Hashable, Sendable, Codable {
    public var timeline: TimeRange
    /// Content time at `timeline.start`.
    public var contentStart: Time
    /// Content time per timeline time; not zero.
    public var speed: Rational

    public init(timeline: TimeRange, contentStart: Time, speed: Rational = .one) {
        self.timeline = timeline
        self.contentStart = contentStart
        self.speed = speed
    }

    public var isReversed: Bool { speed < .zero }

    /// The content that the piece plays, with its length rounded to the nearest flick.
    public var content: TimeRange {
        let end = content(at: timeline.end)
        return isReversed ? TimeRange(from: end, to: contentStart) : TimeRange(from: contentStart, to: end)
    }

    /// The content shown at timeline time `time`, to the nearest flick. Defined outside
    /// ``timeline`` too, so that rounding at a cut never leaves a time without an answer.
    public func content(at time: Time) -> Time {
        contentStart + (time - timeline.start).scaled(by: speed)
    }

    /// The content whose picture is shown at `time`: that of ``content(at:)``, but at least a
    /// millisecond within what the piece plays. So neither a rounded edge nor a container's coarse
    /// timestamps let in a frame that was cut away.
    public func picturedContent(at time: Time) -> Time {
        let content = content
        let margin = min(Self.pictureMargin, Time(flicks: content.duration.flicks / 2))
        return min(max(self.content(at: time), content.start + margin), content.end - margin)
    }

    /// The timeline time at which content time `time` is shown: the inverse of ``content(at:)``, to
    /// the nearest flick.
    public func timeline(of time: Time) -> Time {
        timeline.start + (time - contentStart).scaled(by: speed.reciprocal)
    }

    /// The same map on a part of the timeline, the same to the flick: it begins at the part's start
    /// or, where the content there is no whole number of flicks, at the last time before it where
    /// it is (less than the speed's denominator away).
    public func trimmed(to part: TimeRange) -> Piece {
        continued(to: TimeRange(from: max(part.start, timeline.start), to: part.end))
    }

    /// The same line over `part`, though the piece may begin later: as ``trimmed(to:)`` otherwise.
    /// So which piece of a line it was is not told.
    public func continued(to part: TimeRange) -> Piece {
        let (steps, rest) = (part.start - timeline.start).flicks.quotientAndRemainder(dividingBy: speed.denominator)
        let whole = (rest < 0 ? steps - 1 : steps) * speed.denominator
        let start = timeline.start + Time(flicks: whole)
        return Piece(timeline: TimeRange(from: start, to: part.end), contentStart: content(at: start), speed: speed)
    }

    /// The piece of ``trimmed(to:)``, as far as ``picturedContent(at:)`` is concerned: it keeps
    /// this piece's own edges where they have a say.
    public func trimmed(toPictures part: TimeRange) -> Piece {
        // Twice, so that what is left of a long piece is not a short one.
        let scaled = (Self.pictureMargin + Self.pictureMargin).scaled(by: speed.reciprocal)
        let margin = max(scaled, -scaled) + Time(flicks: 1)
        // The part may lie after the piece: a timeline's last frame is whole.
        return trimmed(
            to: TimeRange(
                from: max(timeline.start, min(part.start, timeline.end) - margin),
                to: min(timeline.end, max(part.end, timeline.start) + margin)))
    }

    private static let pictureMargin = Time(flicks: Time.flicksPerSecond / 1000)
}
