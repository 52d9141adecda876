import Values

/// Sound that is played while takes are recorded. The draft has it as an audio clip; no take has
/// it.
public struct Background: Hashable, Sendable, Codable {
    /// An absolute path.
    public var path: String
    /// The part of the file that is played, in source time; nil: all of it.
    public var range: TimeRange?
    /// A factor on the file's own level, as of a take's clip.
    public var volume: Double
    /// Starts again at its range's start until the draft ends.
    public var loops: Bool

    public init(path: String, range: TimeRange? = nil, volume: Double = 1, loops: Bool = false) {
        (self.path, self.range, self.volume, self.loops) = (path, range, volume, loops)
    }
}

/// What the recorder plays while parts are recorded: an audio clip of the draft.
public struct PlayedSound: Hashable, Sendable, Codable {
    /// An absolute path.
    public var path: String
    /// When it begins in the draft.
    public var startTime: Time
    /// The part of the file that is played; nil: all of it.
    public var range: TimeRange?
    public var speed: Rational
    /// In the clip's time.
    public var volume: Animated
    public var loops: Bool
    public var output: SoundOutput

    public init(
        path: String, startTime: Time, range: TimeRange?, speed: Rational, volume: Animated, loops: Bool,
        output: SoundOutput
    ) {
        (self.path, self.startTime, self.range, self.speed) = (path, startTime, range, speed)
        (self.volume, self.loops, self.output) = (volume, loops, output)
    }
}

/// Where a part of a take comes in the draft.
public struct PartPlace: Hashable, Sendable, Codable {
    /// When its beginning is seen, after the speeds of all takes.
    public var time: Time
    /// The speed of its clip.
    public var speed: Rational

    public init(time: Time = .zero, speed: Rational = .one) { (self.time, self.speed) = (time, speed) }
}

/// Where the background is heard, as `--playback` names it.
public enum SoundOutput: Hashable, Sendable, Codable {
    /// A PulseAudio sink, by its name; nil: the default one.
    case pulse(String?)
    /// An ALSA device, by its name.
    case alsa(String)

    public static let forms = "default, pulse:SINK, alsa:DEVICE or none"

    /// Reads an output.
    /// - Returns: nil for what is none: see ``forms``.
    public init?(_ text: String) {
        switch SourceText.parts(text) {
        case ("default", nil), ("pulse", nil): self = .pulse(nil)
        case ("pulse", let name?): self = .pulse(name)
        case ("alsa", let name?): self = .alsa(name)
        default: return nil
        }
    }
}
