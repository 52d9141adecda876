import ArgumentParser
import Draft

/// What the command line says about the output's encoding; it rules over the script.
struct ExportOptions: ParsableArguments {
    @Option(help: "The picture's codec: h264, hevc, vp9, av1 or prores. Default: as goes with the file.")
    var codec: String?

    @Option(help: "Constant quality on the codec's scale; smaller is better.")
    var quality: Double?

    @Option(help: "The picture's average rate in bits per second; k and M are allowed, as in 800k.")
    var bitRate: String?

    @Option(help: "The encoder's trade of speed for size: ultrafast … veryslow.")
    var preset: String?

    @Option(help: "The codec's profile, as in high or hq.")
    var profile: String?

    @Option(help: "The sound's codec: aac, opus, mp3, flac, pcm_s16 or pcm_s24. Default: as goes with the file.")
    var audioCodec: String?

    /// Reads the options as a script's would be read.
    /// - Throws: what is wrong with one.
    func change(_ settings: inout ExportSettings) throws {
        var video: [String: Value] = [:]
        video["codec"] = codec.map(Value.string)
        video["quality"] = quality.map(Value.number)
        video["bit_rate"] = try bitRate.map { .number(try Self.bits($0)) }
        video["preset"] = preset.map(Value.string)
        video["profile"] = profile.map(Value.string)
        guard !video.isEmpty || audioCodec != nil else { return }
        guard case .object(var fields) = settings.value else { return }
        fields["video"] = merged(fields["video"], video, without: quality != nil ? "bit_rate" : bitRate != nil ? "quality" : nil)
        if let audioCodec { fields["audio"] = merged(fields["audio"], ["codec": .string(audioCodec)], without: nil) }
        // The output's name decides on the container, and rules on both are checked against it.
        fields["container"] = nil
        let container = settings.container
        settings = try ExportSettings(reading: .object(fields), object: "export options")
        settings.container = container
    }

    private func merged(_ old: Value?, _ new: [String: Value], without key: String?) -> Value {
        var fields: [String: Value] = [:]
        if case .object(let found)? = old { fields = found }
        if let key { fields[key] = nil }
        // Another codec has other scales and names.
        if new["codec"] != nil { for key in ["quality", "preset", "profile"] { fields[key] = nil } }
        return .object(fields.merging(new) { $1 })
    }

    private static func bits(_ text: String) throws -> Double {
        let units: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? text : String(text.dropLast())), number.isFinite else {
            throw HostError(.usage, "‘--bit-rate \(text)’ must be bits per second, as in 2500000, 800k or 2.5M.")
        }
        return number * (unit ?? 1)
    }
}
