import Values

/// Rules about files and effects that a script's line and the check of a whole draft share, with
/// one sentence for each.
extension MediaInfo {
    /// Says why a clip or a layer cannot show the file; nil where it can. A sentence without its
    /// subject.
    /// - Parameter isImage: whether it is shown as a still image.
    public func unfitness(asImage isImage: Bool, inLayer isLayer: Bool) -> String? {
        switch (isImage, kind) {
        case (true, .image): nil
        case (false, .media): video == nil ? "has no picture\(lack(of: .picture)); use add_audio for sound" : nil
        case (false, .image): "is a still image; use add_image with a duration"
        case (true, .media):
            video == nil ? "is sound, not an image; use add_audio" : "is not a still image; use add_clip"
        case (_, .cube): isLayer ? "is not a picture" : "is a look-up table; use it in a ‘lut’ effect"
        case (_, .subtitles): "is a subtitle file; use draft:add_subtitles"
        case (_, .data): isLayer ? "is not a picture" : "has not been probed"
        }
    }
}

extension Clip {
    /// Says why the clip's own list cannot have an effect, as far as its plugin does not decide it;
    /// nil where it can.
    public func refusal(of effect: Effect) -> String? {
        if effect.isTimeEffect {
            return "changes time, so it belongs in the draft's effect list; a clip has a ‘speed’ of its own"
        }
        return effect.isSound ? unfitnessForSound : nil
    }

    /// The sentence for a range that plays nothing.
    /// - Parameter whole: what it plays, in words.
    public static func emptiness(of range: TimeRange, _ whole: String, lasting duration: Time) -> String {
        "its range starts at \(range.start.forPeople) s, but \(whole) is only \(duration.forPeople) s long"
    }
}

extension AudioClip {
    /// The part of a file that may be heard. Sound may end a little before or after the picture;
    /// either end counts.
    public static func whole(_ info: MediaInfo) -> TimeRange {
        TimeRange(start: .zero, duration: max(info.audio?.duration ?? .zero, info.duration))
    }

    /// The sentence for a range that leaves its file.
    /// - Parameter name: the file, in words.
    public static func misplacement(of range: TimeRange, in whole: TimeRange, of name: String) -> String {
        "its range \(range) does not lie inside \(name), which is \(whole.duration.forPeople) s long"
    }
}
