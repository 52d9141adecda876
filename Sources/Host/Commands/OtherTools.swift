import Values

/// Names that other programs use for features of Cutroom: ffmpeg, melt, HandBrake and others.
/// Misspellings are not handled here.
enum OtherTools {
    /// Returns half a sentence with the equivalent of another program's option.
    /// - Parameters:
    ///   - option: with its dashes.
    ///   - known: the options of the command, with their dashes; others are not suggested.
    /// - Returns: nil if no known program has such an option, or the command has no equivalent.
    static func advice(for option: String, _ known: [String]) -> String? {
        let name = CommandMistake.bare(option)
        // Advice about scripts is only for commands that take scripts.
        return options.advice(for: name, in: known)
            ?? (known.contains("--set") ? script(for: name, known) : nil)
    }

    private static func script(for name: String, _ known: [String]) -> String? {
        let size = sizes.advice(for: name, in: [])
        return scripts.advice(for: name, in: [])
            ?? size.map { known.contains("--scale") ? $0 + ", or use ‘--scale’ for a smaller one" : $0 }
    }

    /// Options of other programs that are options here.
    private static let options = OtherNames([
        "--quality": "crf cq cqp qp q q:v qscale qscale:v global_quality",
        "--bit-rate": "b b:v vb bitrate bit_rate video-bitrate rate-control",
        "--codec": "c c:v codec:v vcodec video-codec encoder vc",
        "--audio-codec": "c:a codec:a acodec aencoder",
        "--profile": "profile:v vprofile encoder-profile",
        "--preset": "preset:v encoder-preset cpu-used",
        "--overwrite": "force replace yes clobber",
        "--range": "time-range time_range ss t to start end duration length from until in start-at stop-at trim",
        "--output": "out outfile output-file consumer dest target",
        "--set": "param params var define arg",
        "--workers": "threads jobs j processes cores parallel",
        "--verbose": "loglevel debug log-level",
        "--progress": "stats quiet silent hide_banner nostats",
        "--plugin-path": "plugin plugins plugin-dir",
    ])

    private static let sizes = OtherNames(
        [:],
        saying: [
            "set the size in the script, as in cutroom.draft { size = { 1280, 720 } }":
                "s size resolution video-size video_size width height w max max-size max-width max-height longer-side"
        ])

    /// Options of other programs that belong in the script.
    private static let scripts = OtherNames(
        [:],
        saying: [
            "use ‘cutroom cover’ for the picture at a time, as in ‘cutroom cover edit.lua --at 2 -o cover.png’":
                "at time timestamp",
            "use ‘cutroom check’ or ‘cutroom plan’ to see what would be rendered":
                "dry-run dryrun just-print",
            "set the frame rate in the script, as in cutroom.draft { fps = 30 }":
                "r fps rate framerate frame-rate frame_rate",
            "add media in the script, as in draft:add_clip(\"film.mp4\")":
                "i input",
            "add effects in the script; docs/effects.md lists them, including FFmpeg's filters":
                "vf af filter filter:v filter:a filter_complex lavfi attach",
            "mute sound in the script, with ‘volume = 0’ for a clip":
                "an mute no-audio",
            "for sound only, use the extension ‘.m4a’, ‘.wav’, ‘.flac’, ‘.mp3’ or ‘.opus’ for the output":
                "vn no-video audio-only",
            "set that in the script, as in export = { audio = { sample_rate = 44100, channels = 1, bit_rate = 96000 } }":
                "ar ac ab b:a sample-rate samplerate channels audio-bitrate",
            "set that in the script, as in export = { video = { key_frame_interval = 60 } }":
                "g keyint gop",
            "the extension of the output selects the format, as in ‘-o film.webm’":
                "f format container",
            "the draft's color selects 8 or 10 bits, as in cutroom.draft { color = \"hlg\" }":
                "pix_fmt pixel-format",
        ])
}
