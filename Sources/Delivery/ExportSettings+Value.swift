import Values

extension ExportSettings {
    /// `{ container, network_use, video = { codec, quality, bit_rate, key_frame_interval, profile,
    /// preset }, audio = { codec, channels, sample_rate, bit_rate } }`
    public init(reading value: Value, object: String = "export", origin: Origin? = nil) throws(Problem) {
        self.init()
        var fields = try FieldReader(value, object: object, origin: origin)
        try Self.options.read(&self, from: &fields)
        var video = try FieldReader(fields.value("video") ?? .null, object: "\(object), video", origin: origin)
        var audio = try FieldReader(fields.value("audio") ?? .null, object: "\(object), audio", origin: origin)
        try fields.finish(otherNames: .export)
        try Video.options.read(&self.video, from: &video)
        try video.finish(otherNames: .exportedPicture)
        try self.video.check(video)
        try Audio.options.read(&self.audio, from: &audio)
        try audio.finish(otherNames: .exportedSound)
        // With an open container only what the named codecs decide can be told already; the rest
        // when the output is known.
        if let problem = problems(in: usualContainer, object: object, origin: origin).first { throw problem }
    }

    public static let sampleRates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000]

    package static func codec<C: RawRepresentable<String> & CaseIterable>(
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
        var (writer, video, audio) = (FieldWriter(), FieldWriter(), FieldWriter())
        Self.options.write(self, to: &writer)
        Video.options.write(self.video, to: &video)
        Audio.options.write(self.audio, to: &audio)
        if !video.fields.isEmpty { writer.put("video", video.value) }
        if !audio.fields.isEmpty { writer.put("audio", audio.value) }
        return writer.value
    }
}

extension ExportSettings.Video {
    /// Refuses what no container changes.
    fileprivate func check(_ fields: FieldReader) throws(Problem) {
        if quality != nil, bitRate != nil { throw fields.problem("give ‘quality’ or ‘bit_rate’, not both") }
        if let bitRate, !Self.bitRates.contains(bitRate) {
            throw fields.problem("‘bit_rate’ is \(bitRate), but must lie between 10000 and 1000000000 bits per second")
        }
        if let keyFrameInterval, !Self.keyFrameIntervals.contains(keyFrameInterval) {
            throw fields.problem(
                "‘key_frame_interval’ is \(keyFrameInterval), but must lie between 1 and 10000 frames")
        }
    }

    package static let bitRates = 10_000...1_000_000_000
    package static let keyFrameIntervals = 1...10_000
}

extension FieldReader {
    /// Bits per second, as a number or as a text such as `"5M"`.
    package mutating func bitRate(_ key: String) throws(Problem) -> Int? {
        guard case .string(let text)? = value(key) else { return try int(key) }
        guard let bits = ExportSettings.bits(text), let rate = Int(exactly: bits) else {
            throw wrong(key, "bits per second such as 2500000, \"800k\" or \"2.5M\"", .string(text))
        }
        return rate
    }
}
