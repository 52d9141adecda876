import Values

extension AudioClip {
    static let options = OptionTable(plain: AudioClip(path: ""), own + sounds + played)

    private static let own: [DeclaredOption<AudioClip>] = [
        .text("id", \.id, also: "name label", "your name for the audio clip, unique in the list"),
        .length(
            "at", \.startTime,
            also: "start offset start_time time from delay begin position when timeline_start set_start",
            "its start in final time"),
        .range("range", \.range, usually: "all", "`{ start, duration }` of the source; must lie inside the source"),
        .part(
            "speed", .fraction, \.speed, also: "rate playback_rate tempo factor atempo",
            "0.01 … 100; 0.125 … 6 without `keep_pitch`",
            read: { (fields, name) throws(Problem) in
                if case .array? = fields.value(name) {
                    throw fields.problem(
                        "‘\(name)’ is a list, but an audio clip has one speed; add the file once for each part, with its ‘range’ "
                            + "and ‘speed’")
                }
                guard let speed = try fields.rational(name) else { return nil }
                guard Clip.speedRange.contains(speed) else {
                    throw fields.problem(
                        Clip.problem(ofSpeed: speed) + (speed < .zero ? "; audio is not played backwards" : ""))
                }
                return speed
            }, value: { speed, _ in speed.value }),
        .flag(
            "keep_pitch", \.keepsPitch, also: "preserve_pitch",
            "keeps the pitch when the speed changes"),
    ]

    private static let sounds: [DeclaredOption<AudioClip>] = ClipSound.options.options.map {
        $0.lifted(\AudioClip.sound)
    }

    private static let played: [DeclaredOption<AudioClip>] = [
        .flag(
            "loop", \.loops, also: "repeat loops looped",
            "repeats the range until the draft ends"),
        .track(
            "audio_track", \.audioTrack, also: "track stream", usually: "the file's default",
            "the sound track that plays, of several: a number from 1, or a language such as `\"eng\"`"),
        .effects(
            "effects", \.effects, also: "effect filter filters fx af",
            "[audio filters](sound.md#sound-effects), in the clip's time: after `speed`, through all passes of a loop, before `volume` and fades"
        ),
    ]

    public static var optionNames: [String] { options.names }

    /// What a script reads of the options that are not given; null where that is nothing.
    public static let unsetValues = options.unsetValues()
}
