import ArgumentParser
import Delivery
import Values

/// The encoding options of the command line, which override the script's settings.
package struct ExportOptions: ParsableArguments {
    package init() {}

    @Option(
        help: "The video codec: h264, hevc, vp9, av1 or prores. Default: chosen by the kind of file.",
        completion: .list(["h264", "hevc", "vp9", "av1", "prores"]))
    package var codec: String?

    @Option(parsing: .unconditional, help: "The constant quality, on the codec's scale; smaller is better.")
    package var quality: Double?

    @Option(
        parsing: .unconditional, help: "The average video bit rate in bits per second; k and M are allowed, as in 800k."
    )
    package var bitRate: String?

    @Option(
        help: ArgumentHelp(
            "The encoder's preset, which trades speed for size, fastest first: \(Self.presets.joined(separator: ", ")). Default: \(VideoCodec.h264.usualPreset)."
        ), completion: .list(Self.presets))
    package var preset: String?

    @Option(help: "The codec's profile, such as high or hq.")
    package var profile: String?

    @Option(
        help: "The audio codec: aac, opus, mp3, flac, pcm_s16 or pcm_s24. Default: chosen by the kind of file.",
        completion: .list(AudioCodec.allCases.map(\.rawValue)))
    package var audioCodec: String?

    private static let presets = VideoCodec.h264.presets

    /// Applies the options to a script's settings.
    /// - Throws: an error in an option, for the kind of file or with the script's other settings.
    package func change(_ settings: inout ExportSettings, in container: ExportSettings.Container) throws(HostError) {
        try check(in: container)
        let script = settings
        settings = try applied(to: script, in: container)
        // Errors of the script alone are reported as the script's, and its settings for other kinds
        // of files are no errors.
        let known = Set(asked(script, container).problems(in: container, object: Self.object))
        let found = asked(settings, container).problems(in: container, object: Self.object)
        try refuse(found.filter { !known.contains($0) })
    }

    /// Returns the settings as if this kind of file had been requested.
    private func asked(_ settings: ExportSettings, _ container: ExportSettings.Container) -> ExportSettings {
        var settings = settings
        settings.container = container
        return settings
    }

    /// Returns a script's settings with the options applied.
    /// - Parameter container: the kind of the output; nil if it is not known yet.
    package func applied(to script: ExportSettings, in container: ExportSettings.Container?) throws(HostError)
        -> ExportSettings
    {
        let options = try video()
        let fitted = container.map { script.fitted(to: $0) } ?? script
        guard !options.isEmpty || audioCodec != nil, case .object(var fields) = fitted.value else { return script }
        fields["video"] = merged(
            fields["video"], options, without: quality != nil ? "bit_rate" : bitRate != nil ? "quality" : nil)
        if let audioCodec { fields["audio"] = merged(fields["audio"], ["codec": .string(audioCodec)], without: nil) }
        // The output's name decides the container, and the settings are checked against it. Until
        // then it decides only the codec, if none is named.
        fields["container"] = Self.namesCodec(fields["video"]) ? nil : container.map { .string($0.rawValue) }
        var settings = try read(fields)
        settings.container = script.container
        return settings
    }

    /// Checks the options independently of a script.
    /// - Parameter container: the kind of the output; nil if it is not known yet.
    package func check(in container: ExportSettings.Container?) throws(HostError) {
        let video = try video()
        var fields: [String: Value] = [
            "video": .object(video), "audio": .object(audioCodec.map { ["codec": .string($0)] } ?? [:]),
        ]
        if let container {
            try refuseUseless(container, video.keys.sorted())
            if codec == nil { fields["container"] = .string(container.rawValue) }
        }
        var settings = try read(fields)
        // The valid qualities and presets depend on the codec. If no option chooses one, the script
        // may.
        guard codec != nil || container?.videoCodecs.count ?? 2 < 2 else {
            if let container, audioCodec != nil {
                settings.video = ExportSettings.Video()
                try refuse(
                    settings.problems(in: container, object: Self.object).filter { $0.object.hasSuffix("audio") })
            }
            return
        }
        let known = container ?? settings.usualContainer
        settings.container = known
        try refuse(settings.problems(in: known, object: Self.object))
    }

    /// Refuses options that cannot apply to a file of this kind, because they were not meant.
    private func refuseUseless(_ container: ExportSettings.Container, _ video: [String]) throws(HostError) {
        var lines: [String] = []
        func refuse(_ option: String, _ what: String) {
            lines.append(
                "‘\(option)’ does not apply to ‘.\(container.rawValue)’, which holds \(what); leave it out, or choose another kind of file."
            )
        }
        if container.isSoundOnly { for key in video { refuse(Self.option(key), "sound only") } }
        if container.audioCodecs.isEmpty, audioCodec != nil { refuse("--audio-codec", "no sound") }
        if !lines.isEmpty { throw HostError(.usage, lines) }
    }

    // MARK: Conversion to settings

    private func video() throws(HostError) -> [String: Value] {
        var fields: [String: Value] = [:]
        fields["codec"] = codec.map(Value.string)
        fields["quality"] = quality.map(Value.number)
        if let bitRate { fields["bit_rate"] = .number(try Self.bits(bitRate)) }
        fields["preset"] = preset.map(Value.string)
        fields["profile"] = profile.map(Value.string)
        return fields
    }

    private static func namesCodec(_ video: Value?) -> Bool {
        guard case .object(let fields)? = video else { return false }
        return fields["codec"] != nil
    }

    private func read(_ fields: [String: Value]) throws(HostError) -> ExportSettings {
        do throws(Problem) {
            return try ExportSettings(reading: .object(fields), object: Self.object)
        } catch {
            throw Self.usage([error])
        }
    }

    private func merged(_ old: Value?, _ new: [String: Value], without key: String?) -> Value {
        var fields: [String: Value] = [:]
        if case .object(let found)? = old { fields = found }
        if let key { fields[key] = nil }
        // Another codec has other scales and names.
        if new["codec"] != nil { for key in ["quality", "preset", "profile"] { fields[key] = nil } }
        return .object(fields.merging(new) { $1 })
    }

    private static func bits(_ text: String) throws(HostError) -> Double {
        guard let bits = ExportSettings.bits(text) else {
            throw HostError(.usage, "‘--bit-rate \(text)’ must be bits per second, as in 2500000, 800k or 2.5M.")
        }
        return bits
    }

    // MARK: Problems

    private static let object = "export options"

    private func refuse(_ problems: [Problem]) throws(HostError) {
        if !problems.isEmpty { throw Self.usage(problems) }
    }

    private static func option(_ key: String) -> String { "--" + key.replacing("_", with: "-") }

    /// Returns the problems of the settings, with the names of options in place of keys.
    private static func usage(_ problems: [Problem]) -> HostError {
        let lines = problems.map { problem in
            let codec = problem.object.hasSuffix("audio") ? "--audio-codec" : "--codec"
            var text = problem.message.replacing("‘codec’", with: "‘\(codec)’")
            for key in ["quality", "bit_rate", "preset", "profile"] {
                text = text.replacing("‘\(key)’", with: "‘\(option(key))’")
            }
            return sentence(text.contains("‘--") ? text : "‘\(codec)’: \(text)")
        }
        return HostError(.usage, lines)
    }
}
