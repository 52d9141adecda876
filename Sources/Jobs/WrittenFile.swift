import Draft

/// The reply of a job that writes a file: where this run wrote it and what it is.
public struct WrittenFile: Sendable, Codable, Hashable {
    public var path: String
    public var file: RenderedFile

    public init(path: String, file: RenderedFile) {
        self.path = path
        self.file = file
    }
}

/// What a segment or sound job wrote.
public struct RenderedFile: Sendable, Codable, Hashable {
    /// Frames of a segment, samples of sound.
    @FileNumber public var count: Int
    /// Bytes.
    @FileNumber public var size: Int64
    /// SHA-256 of the file.
    public var digest: String
    /// Bytes of a segment's encoded frames, without what the file around them takes; nil: not
    /// counted.
    public var payload: Int64?
    /// What was measured of a sound for which a loudness is asked; nil for others.
    public var level: SoundLevel?
    /// The damage found in its media; nil: none.
    public var damage: DamageReport?

    public init(count: Int, size: Int64, digest: String, payload: Int64? = nil) {
        self.count = count
        self.size = size
        self.digest = digest
        self.payload = payload
    }
}

/// A number that a file has of something. Workers, nodes and the cache's records say it, so
/// decoding refuses one that is negative or larger than any file's: sums of many of them do not
/// overflow.
@propertyWrapper
public struct FileNumber<Number: FixedWidthInteger & Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    public var wrappedValue: Number

    public init(wrappedValue: Number) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Number.self)
        guard (0...1 << 48).contains(wrappedValue) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no file has \(wrappedValue) of these"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

/// How a sound was brought to its loudness.
public struct SoundLevel: Sendable, Codable, Hashable {
    public var target: LoudnessTarget
    /// LUFS of the mix before; nil where it is silent, or too short to have a loudness: it stays as
    /// it is then, and nothing else is set.
    public var mix: Double?
    /// dBTP of the mix before.
    public var mixPeak: Double?
    /// dB.
    public var gain: Double?
    /// LUFS and dBTP of the encoded sound as it is played.
    public var reached: Double?
    public var truePeak: Double?

    public init(
        target: LoudnessTarget, mix: Double? = nil, mixPeak: Double? = nil, gain: Double? = nil,
        reached: Double? = nil, truePeak: Double? = nil
    ) {
        self.target = target
        (self.mix, self.mixPeak, self.gain) = (mix, mixPeak, gain)
        (self.reached, self.truePeak) = (reached, truePeak)
    }

    /// LU by which a sound may miss its loudness without a warning.
    public static let tolerance = 0.3
}
