/// How the sound of a clip, a layer or an audio clip goes into the mix. Times are those of the clip.
public struct ClipSound: Hashable, Sendable, Codable {
    /// A factor on the file's own level.
    public var volume = Animated.constant(1)
    /// The seconds at the beginning over which the sound rises from silence.
    public var fadeIn = Time.zero
    /// The seconds at the end over which it falls to silence.
    public var fadeOut = Time.zero

    public init() {}

    /// Whether it is heard at any time.
    public var isHeard: Bool { volume.isHeard }

    /// Calls `change` with the name of every value that may change with time, and the value.
    public mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        try change("volume", &volume)
    }
}

extension ClipSound {
    /// The length of both fades together.
    var fades: Time { fadeIn + fadeOut }

    /// The sentence for fades that are longer than what is heard.
    func misfit(in duration: Time) -> String {
        "its fades of \(fadeIn.forPeople) s and \(fadeOut.forPeople) s do not fit its \(duration.forPeople) s"
    }
}
