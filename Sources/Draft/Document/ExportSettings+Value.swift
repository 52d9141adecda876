extension ExportSettings {
    /// `{ container, network_use, video = { codec, quality, bit_rate, key_frame_interval, profile, preset },
    /// audio = { codec, channels, sample_rate, bit_rate } }`
    public init(reading value: Value, object: String = "export", origin: Origin? = nil) throws(Problem) {
        self.init()
        var fields = try FieldReader(value, object: object, origin: origin)
        container = try fields.choice("container", Container.self)
        networkUse = try fields.bool("network_use") ?? networkUse
        var video = try FieldReader(fields.value("video") ?? .null, object: "\(object), video", origin: origin)
        var audio = try FieldReader(fields.value("audio") ?? .null, object: "\(object), audio", origin: origin)
        try fields.finish()
        try readVideo(&video)
        try readAudio(&audio)
    }

    public static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    ]
    public static let profiles = ["baseline", "main", "high"]
    public static let sampleRates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000]

    private mutating func readVideo(_ fields: inout FieldReader) throws(Problem) {
        video.codec = try fields.string("codec")
        video.quality = try fields.number("quality")
        video.bitRate = try fields.int("bit_rate")
        video.keyFrameInterval = try fields.int("key_frame_interval")
        video.profile = try fields.string("profile")
        video.preset = try fields.string("preset")
        try fields.finish()
        try Self.check(&fields, "codec", video.codec, ["h264"])
        try Self.check(&fields, "profile", video.profile, Self.profiles)
        try Self.check(&fields, "preset", video.preset, Self.presets)
        if video.quality != nil, video.bitRate != nil {
            throw fields.problem("give ‘quality’ or ‘bit_rate’, not both")
        }
        if let quality = video.quality, !(0...51).contains(quality) {
            throw fields.problem("‘quality’ is \(Value.text(of: quality)), but must lie between 0 (lossless) and 51 (worst)")
        }
        if video.quality == 0, let profile = video.profile {
            throw fields.problem("‘quality’ 0 is lossless, which profile ‘\(profile)’ cannot carry; leave ‘profile’ out")
        }
        if let rate = video.bitRate, !(10_000...1_000_000_000).contains(rate) {
            throw fields.problem("‘bit_rate’ is \(rate), but must lie between 10000 and 1000000000 bits per second")
        }
        if let interval = video.keyFrameInterval, !(1...10_000).contains(interval) {
            throw fields.problem("‘key_frame_interval’ is \(interval), but must lie between 1 and 10000 frames")
        }
    }

    private mutating func readAudio(_ fields: inout FieldReader) throws(Problem) {
        audio.codec = try fields.string("codec")
        audio.channels = try fields.int("channels")
        audio.sampleRate = try fields.int("sample_rate")
        audio.bitRate = try fields.int("bit_rate")
        try fields.finish()
        try Self.check(&fields, "codec", audio.codec, ["aac"])
        if let channels = audio.channels, ![1, 2, 6].contains(channels) {
            throw fields.problem("‘channels’ is \(channels), but must be 1, 2 or 6")
        }
        if let rate = audio.sampleRate, !Self.sampleRates.contains(rate) {
            throw fields.problem("‘sample_rate’ is \(rate), but must be one of \(Self.sampleRates.map(String.init).joined(separator: ", "))")
        }
        if let rate = audio.bitRate, !(8_000...1_000_000).contains(rate) {
            throw fields.problem("‘bit_rate’ is \(rate), but must lie between 8000 and 1000000 bits per second")
        }
    }

    private static func check(
        _ fields: inout FieldReader, _ key: String, _ value: String?, _ allowed: [String]
    ) throws(Problem) {
        guard let value, !allowed.contains(value) else { return }
        throw fields.problem("‘\(key)’ is \(Value.quoted(value))\(suggestion(for: value, in: allowed))")
    }

    public var value: Value {
        var writer = FieldWriter()
        writer.put("container", container?.rawValue)
        if !networkUse { writer.put("network_use", .bool(false)) }
        var video = FieldWriter()
        video.put("codec", self.video.codec)
        video.put("quality", self.video.quality)
        video.put("bit_rate", self.video.bitRate)
        video.put("key_frame_interval", self.video.keyFrameInterval)
        video.put("profile", self.video.profile)
        video.put("preset", self.video.preset)
        if !video.fields.isEmpty { writer.put("video", video.value) }
        var audio = FieldWriter()
        audio.put("codec", self.audio.codec)
        audio.put("channels", self.audio.channels)
        audio.put("sample_rate", self.audio.sampleRate)
        audio.put("bit_rate", self.audio.bitRate)
        if !audio.fields.isEmpty { writer.put("audio", audio.value) }
        return writer.value
    }
}
