/// What other programs call what Cutroom has: ffmpeg, melt, HandBrake and their like. Names that are near in letters are not looked
/// up here.
enum OtherTools {
    private enum Answer {
        case option(String)
        /// Half a sentence.
        case advice(String)
    }

    /// Half a sentence that says what an option of another program is here.
    /// - Parameters:
    ///   - option: with its dashes.
    ///   - known: the options of the command, with their dashes; others are not advised.
    /// - Returns: nil where nobody else has such an option, or the command has nothing to do with it.
    static func advice(for option: String, _ known: [String]) -> String? {
        let name = CommandMistake.bare(option).lowercased()
        guard let answer = table.first(where: { $0.names.contains(name) })?.answer else { return nil }
        switch answer {
        case .option(let meant): return known.contains(meant) ? "did you mean ‘\(meant)’?" : nil
        case .advice(let text): return known.contains("--set") ? text : nil
        }
    }

    private static let table: [(names: Set<String>, answer: Answer)] = [
        (["crf", "cq", "cqp", "qp", "q", "q:v", "qscale", "qscale:v", "global_quality"], .option("--quality")),
        (["b", "b:v", "vb", "bitrate", "bit_rate", "video-bitrate", "rate-control"], .option("--bit-rate")),
        (["c", "c:v", "codec:v", "vcodec", "video-codec", "encoder", "vc"], .option("--codec")),
        (["c:a", "codec:a", "acodec", "aencoder"], .option("--audio-codec")),
        (["profile:v", "vprofile", "encoder-profile"], .option("--profile")),
        (["preset:v", "encoder-preset", "cpu-used"], .option("--preset")),
        (["force", "replace", "yes", "clobber"], .option("--overwrite")),
        (["ss", "t", "to", "start", "duration", "from", "in", "start-at", "stop-at", "trim"], .option("--range")),
        (["out", "outfile", "output-file", "consumer", "dest", "target"], .option("--output")),
        (["param", "params", "var", "define", "arg"], .option("--set")),
        (["threads", "jobs", "j", "processes", "cores", "parallel"], .option("--workers")),
        (["loglevel", "debug", "log-level"], .option("--verbose")),
        (["stats", "quiet", "silent", "hide_banner", "nostats"], .option("--progress")),
        (["plugin", "plugins", "plugin-dir"], .option("--plugin-path")),
        (
            ["dry-run", "dryrun", "just-print"],
            .advice("‘cutroom check’ and ‘cutroom plan’ say what would be rendered.")
        ),
        (
            ["s", "size", "resolution", "video-size", "video_size", "width", "height", "w"],
            .advice(
                "the size is the draft's, as in cutroom.draft { size = { 1280, 720 } }; ‘--scale’ renders it smaller.")
        ),
        (
            ["r", "fps", "rate", "framerate", "frame-rate", "frame_rate"],
            .advice("the frame rate is the draft's, as in cutroom.draft { fps = 30 }.")
        ),
        (["i", "input"], .advice("media are named in the script, as in draft:add_clip(\"film.mp4\").")),
        (
            ["vf", "af", "filter", "filter:v", "filter:a", "filter_complex", "lavfi", "attach"],
            .advice("filters are effects of the script; docs/effects.md has them, chains of FFmpeg's filters too.")
        ),
        (["an", "mute", "no-audio"], .advice("sound is left out in the script: ‘volume = 0’ for a clip.")),
        (
            ["vn", "no-video", "audio-only"],
            .advice("for the sound alone end the output's name in ‘.m4a’, ‘.wav’, ‘.flac’, ‘.mp3’ or ‘.opus’.")
        ),
        (
            ["ar", "ac", "ab", "b:a", "sample-rate", "samplerate", "channels", "audio-bitrate"],
            .advice(
                "that is the script's, as in export = { audio = { sample_rate = 44100, channels = 1, bit_rate = 96000 } }."
            )
        ),
        (
            ["g", "keyint", "gop"],
            .advice("that is the script's, as in export = { video = { key_frame_interval = 60 } }.")
        ),
        (
            ["f", "format", "container"],
            .advice("the kind of file is that of the output's name, as in ‘-o film.webm’.")
        ),
        (
            ["pix_fmt", "pixel-format"],
            .advice("8 or 10 bits follow from the draft's colour, as in cutroom.draft { color = \"hlg\" }.")
        ),
    ]
}

extension OtherTools {
    /// The kind of file that does what one of another suffix would have done, without dots; nil where none does, or is known.
    static func suffix(for suffix: String) -> String? {
        suffixes.first { $0.others.contains(suffix) }?.ours
    }

    private static let suffixes: [(ours: String, others: Set<String>)] = [
        (
            "mp4",
            [
                "avi", "m4v", "mpg", "mpeg", "wmv", "flv", "f4v", "3gp", "3g2", "ts", "m2ts", "mts", "vob", "asf",
                "divx",
                "h264", "264", "avc", "hevc", "h265", "265", "mpe", "qt4",
            ]
        ),
        ("mov", ["mxf", "qt"]), ("webm", ["ogv", "ivf", "av1", "vp9", "vp8"]), ("mkv", ["mka", "mk3d", "matroska"]),
        ("opus", ["ogg", "oga", "ogx", "spx"]), ("m4a", ["aac", "m4b", "m4r", "wma", "alac", "ac3", "eac3", "amr"]),
        ("wav", ["aif", "aiff", "aifc", "au", "caf", "pcm", "raw", "w64", "wave"]), ("mp3", ["mp2"]),
        ("flac", ["ape", "wv", "tta"]), ("gif", ["apng", "mng"]),
        ("png", ["tif", "tiff", "bmp", "webp", "tga", "exr", "dpx", "ppm"]),
        ("jpg", ["jpe", "jfif", "jp2", "heic", "avif"]),
    ]
}
