extension ExportSettings {
    /// `{ container, network_use, video = { codec, quality, bit_rate, key_frame_interval, profile, preset },
    /// audio = { codec, channels, sample_rate, bit_rate } }`
    public init(reading value: Value, object: String = "export", origin: Origin? = nil) throws(Problem) {
        self.init()
        var fields = try FieldReader(value, object: object, origin: origin)
        container = try fields.choice("container", Container.self, otherNames: .containers)
        networkUse = try fields.bool("network_use") ?? networkUse
        var video = try FieldReader(fields.value("video") ?? .null, object: "\(object), video", origin: origin)
        var audio = try FieldReader(fields.value("audio") ?? .null, object: "\(object), audio", origin: origin)
        try fields.finish(otherNames: .export)
        try readVideo(&video)
        try readAudio(&audio)
        // With an open container only what the named codecs decide can be told already; the rest when the output is known.
        if let problem = problems(in: usualContainer, object: object, origin: origin).first { throw problem }
    }

    public static let sampleRates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000]

    private mutating func readVideo(_ fields: inout FieldReader) throws(Problem) {
        video.codec = try Self.codec(&fields, VideoCodec.otherNames)
        video.quality = try fields.number("quality")
        video.bitRate = try fields.bitRate("bit_rate")
        video.keyFrameInterval = try fields.int("key_frame_interval")
        video.profile = try fields.string("profile")
        video.preset = try fields.string("preset")
        try fields.finish(otherNames: .exportedPicture)
        if video.quality != nil, video.bitRate != nil {
            throw fields.problem("give ‘quality’ or ‘bit_rate’, not both")
        }
        if let rate = video.bitRate, !(10_000...1_000_000_000).contains(rate) {
            throw fields.problem("‘bit_rate’ is \(rate), but must lie between 10000 and 1000000000 bits per second")
        }
        if let interval = video.keyFrameInterval, !(1...10_000).contains(interval) {
            throw fields.problem("‘key_frame_interval’ is \(interval), but must lie between 1 and 10000 frames")
        }
    }

    private mutating func readAudio(_ fields: inout FieldReader) throws(Problem) {
        audio.codec = try Self.codec(&fields, AudioCodec.otherNames)
        audio.channels = try fields.int("channels")
        audio.sampleRate = try fields.int("sample_rate")
        audio.bitRate = try fields.bitRate("bit_rate")
        try fields.finish(otherNames: .exportedSound)
    }

    private static func codec<C: RawRepresentable<String> & CaseIterable>(
        _ fields: inout FieldReader, _ otherNames: [String: C]
    ) throws(Problem) -> C? {
        guard let name = try fields.string("codec") else { return nil }
        if let codec = C(rawValue: name) ?? otherNames[name] { return codec }
        let hint = suggestion(for: name, in: C.allCases.map(\.rawValue), otherNames: .codecs)
        throw fields.problem("‘codec’ is \(Value.quoted(name))\(hint)")
    }

    /// Bits per second of `2500000`, `800k` or `2.5M`; nil where the text is none of these.
    public static func bits(_ text: String) -> Double? {
        let units: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? text : String(text.dropLast())), number.isFinite else { return nil }
        return (number * (unit ?? 1)).rounded()
    }

    public var value: Value {
        var writer = FieldWriter()
        writer.put("container", container?.rawValue)
        if !networkUse { writer.put("network_use", .bool(false)) }
        var video = FieldWriter()
        video.put("codec", self.video.codec?.rawValue)
        video.put("quality", self.video.quality)
        video.put("bit_rate", self.video.bitRate)
        video.put("key_frame_interval", self.video.keyFrameInterval)
        video.put("profile", self.video.profile)
        video.put("preset", self.video.preset)
        if !video.fields.isEmpty { writer.put("video", video.value) }
        var audio = FieldWriter()
        audio.put("codec", self.audio.codec?.rawValue)
        audio.put("channels", self.audio.channels)
        audio.put("sample_rate", self.audio.sampleRate)
        audio.put("bit_rate", self.audio.bitRate)
        if !audio.fields.isEmpty { writer.put("audio", audio.value) }
        return writer.value
    }
}

extension FieldReader {
    /// Bits per second, as a number or as a text such as `"5M"`.
    fileprivate mutating func bitRate(_ key: String) throws(Problem) -> Int? {
        guard case .string(let text)? = value(key) else { return try int(key) }
        guard let bits = ExportSettings.bits(text), let rate = Int(exactly: bits) else {
            throw wrong(key, "bits per second such as 2500000, \"800k\" or \"2.5M\"", .string(text))
        }
        return rate
    }
}
