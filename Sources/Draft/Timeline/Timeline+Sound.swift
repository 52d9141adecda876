import Values

/// The sound of main-track clips, which may begin before its picture and end after it.
extension Timeline {
    /// How long a clip's sound is heard before its picture and after it, in time of the main track.
    public struct Overhang: Hashable, Sendable {
        public var lead: Time
        public var tail: Time

        public static let none = Overhang(lead: .zero, tail: .zero)
    }

    /// What a clip asks for, as far as its media has sound there and the main track has time.
    public func overhang(ofClip index: Int) -> Overhang {
        let placed = clips[index]
        let (media, room) = (placed.overhangInMedia, placed.room(until: originalDuration))
        return Overhang(
            lead: min(placed.clip.soundLead, media.lead, room.lead),
            tail: min(placed.clip.soundTail, media.tail, room.tail))
    }

    /// Output time → source time of clip `index`, for as long as it is heard.
    public func sound(ofClip index: Int) -> TimeMap { maps[0].then(TimeMap([heard(clips[index].piece, index)])) }

    /// Output time → the clip's own time, for as long as it is heard: below zero before its
    /// picture.
    public func soundClock(ofClip index: Int) -> TimeMap { maps[0].then(TimeMap([heard(clips[index].local, index)])) }

    /// Output time → time within the range of entry `effect` of clip `index`'s own effects, for as
    /// long as that is heard: what has no range of its own acts before the clip's picture and after
    /// it too.
    public func soundClock(ofEffect effect: Int, ofClip index: Int) -> TimeMap {
        clips[index].clip.effects[effect].range == nil && overhang(ofClip: index) != .none
            ? soundClock(ofClip: index) : local(ofEffect: effect, ofClip: index)
    }

    /// The piece with a clip's overhang.
    private func heard(_ piece: Piece, _ index: Int) -> Piece {
        let overhang = overhang(ofClip: index)
        let range = TimeRange(from: piece.timeline.start - overhang.lead, to: piece.timeline.end + overhang.tail)
        return Piece(timeline: range, contentStart: piece.content(at: range.start), speed: piece.speed)
    }
}

extension PlacedClip {
    /// How much sound the media has before the clip's range and after it, at the clip's speed and
    /// in its direction.
    var overhangInMedia: Timeline.Overhang {
        // Beyond a speed curve, stops and passes there is no time of the clip's.
        guard clip.isMedia, time == nil, let sound = info?.audio else { return .none }
        let before = max(.zero, piece.content.start).scaled(by: clip.speed.reciprocal)
        let after = max(.zero, sound.duration - piece.content.end).scaled(by: clip.speed.reciprocal)
        return clip.isReversed
            ? Timeline.Overhang(lead: after, tail: before) : Timeline.Overhang(lead: before, tail: after)
    }

    /// How much of a main track that ends at `end` lies before the clip and after it.
    func room(until end: Time) -> Timeline.Overhang {
        Timeline.Overhang(lead: timeline.start, tail: max(.zero, end - timeline.end))
    }
}
