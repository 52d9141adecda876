import Values

/// One take of a recording: what was recorded between its start and its finish, pauses left out.
public struct Take: Hashable, Sendable {
    /// Counts from 1; the number of a discarded take is not given again.
    public let number: Int
    public var settings: TakeSettings
    /// The take in whose place the clip comes: it is discarded when this one is finished.
    public var replaces: Int?
    /// That has happened, or a command has decided otherwise.
    var hasReplaced = false
    /// The files that it is, or was, recorded into: names in the takes' folder, in their order.
    /// Once it is joined, they are removed.
    public var parts: [String] = []
    public var state: State = .unjoined

    public init(number: Int, settings: TakeSettings, replaces: Int? = nil) {
        self.number = number
        self.settings = settings
        self.replaces = replaces
    }

    public enum State: Hashable, Sendable {
        /// Recorded, or being recorded, in parts.
        case unjoined
        /// One file, which is not yet known to be a clip of the draft.
        case joined(RecordedFile)
        /// One file, and a clip of the draft.
        case finished(RecordedFile)
        /// The file is in the folder of discarded takes, until the recorder ends.
        case discarded(RecordedFile)
        /// The file is removed.
        case removed
    }

    /// The name of the finished file, `0001.mp4`: it has the container of the parts.
    public var fileName: String {
        let container = TakeContainer.allCases.first { parts.first?.hasSuffix($0.suffix) ?? false } ?? .mp4
        return Self.digits(number) + container.suffix
    }

    /// The name of part `index`, from 1: `0001.part1.mp4`.
    static func partName(_ number: Int, _ index: Int, _ container: TakeContainer) -> String {
        "\(digits(number)).part\(index)\(container.suffix)"
    }

    /// The name or the path of the file of the second picture that belongs to a file of a take:
    /// `0001.second.mp4`.
    public static func second(of name: String) -> String {
        let base = name.lastIndex(of: ".") ?? name.endIndex
        return name[..<base] + ".second" + name[base...]
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }

    /// The file, wherever it is; nil: there is none yet, or it is removed.
    public var file: RecordedFile? {
        switch state {
        case .joined(let file), .finished(let file), .discarded(let file): file
        case .unjoined, .removed: nil
        }
    }

    /// The file of a take that is a clip of the draft, or about to be one.
    public var kept: RecordedFile? {
        switch state {
        case .joined(let file), .finished(let file): file
        case .unjoined, .discarded, .removed: nil
        }
    }
}

/// The container of a take's files.
public enum TakeContainer: String, Hashable, Sendable, Codable, CaseIterable {
    /// Parts are in fragments.
    case mp4
    /// VP8 and VP9 of browsers that encode nothing else.
    case webm

    /// `.mp4`.
    public var suffix: String { "." + rawValue }
}

/// What a take's clip gets in the draft.
public struct TakeSettings: Hashable, Sendable, Codable {
    /// The clip's speed: 2 plays the take twice as fast.
    public var speed: Rational
    /// The clip's volume, 1: as recorded.
    public var volume: Double

    public static let speeds = 0.01...100
    public static let volumes = 0.0...100

    public init(speed: Rational = .one, volume: Double = 1) {
        self.speed = speed
        self.volume = volume
    }

    /// The length of a clip of this recorded length.
    public func final(_ recorded: Time) -> Time { recorded.scaled(by: speed.reciprocal) }
    /// The recorded length of a clip of this length.
    public func recorded(_ final: Time) -> Time { final.scaled(by: speed) }
}

/// A finished file of a take.
public struct RecordedFile: Hashable, Sendable {
    /// The name in the folder of takes.
    public var name: String
    /// The length as recorded, before the take's speed.
    public var duration: Time
    /// Bytes, with those of the second picture.
    public var size: Int64
    /// False for sound alone: its clip is an audio clip.
    public var hasPicture: Bool
    /// The length of the second picture as recorded, which is in a file of its own beside this one:
    /// see ``Take/second(of:)``. nil: there is none.
    public var second: Time?

    public init(name: String, duration: Time, size: Int64, hasPicture: Bool = true, second: Time? = nil) {
        (self.name, self.duration, self.size, self.hasPicture) = (name, duration, size, hasPicture)
        self.second = second
    }
}
