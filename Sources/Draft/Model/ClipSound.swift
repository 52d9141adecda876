import Values

/// How the sound of a clip, a layer or an audio clip goes into the mix. Times are those of the
/// clip.
public struct ClipSound: Hashable, Sendable, Codable {
    /// A factor on the file's own level.
    public var volume = Animated.constant(1)
    /// Where it lies between the left (-1) and the right (1); nil: in the middle, as the file has
    /// it.
    public var pan: Animated?
    /// The seconds at the beginning over which the sound rises from silence.
    public var fadeIn = Time.zero
    /// The seconds at the end over which it falls to silence.
    public var fadeOut = Time.zero

    public init() {}

    static let options = OptionTable(
        plain: ClipSound(),
        [
            .animated(
                "volume", \.volume, in: 0...100, also: "gain level loudness volumex vol",
                "a factor, 0 … 100; [animated](keyframes.md) in the clip's time"
            ).advisingEffects("a clip has its ‘volume’; ‘org.cutroom.gain’ changes the whole mix"),
            .animated(
                "pan", \.pan, in: -1...1, unset: 0, also: "balance panning stereo_pan",
                "-1 (left) … 1 (right), at [equal power](../sound.md#pan); animated"
            ).advisingEffects("a clip, an audio clip and a layer have a ‘pan’, from -1 (left) to 1 (right)"),
            .length(
                "fade_in", \.fadeIn, also: "fadein audio_fadein afade",
                "seconds at the start over which the sound rises from silence"),
            .length(
                "fade_out", \.fadeOut, also: "fadeout audio_fadeout",
                "seconds at the end over which the sound falls to silence"),
        ])
}

extension ClipSound {
    /// Whether it is heard at any time.
    public var isHeard: Bool { volume.isHeard }

    /// The length of both fades together.
    var fades: Time { fadeIn + fadeOut }

    /// The sentence for fades that are longer than what is heard.
    func misfit(in duration: Time) -> String {
        "its fades of \(fadeIn.forPeople) s and \(fadeOut.forPeople) s do not fit its \(duration.forPeople) s"
    }

    /// Calls `change` with the name of every value that may change with time, and the value.
    public mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        try Self.options.changeValues(of: &self, change)
    }
}
