import Values

/// How a file that was joined from several continues from part to part. Readers of every worker
/// follow it, so that each of them gives a packet the same time wherever it begins to read.
public enum FileJoints: Hashable, Sendable, Codable {
    /// The streams run through the file, but their clock jumps (MPEG transport and program
    /// streams).
    case clock(jumps: ClockJumps)
    /// Each part has its own headers and its own clock (chained Ogg).
    case links(parts: [FileLink])
}

/// The places at which a file's clock jumps, and what makes it run on.
public struct ClockJumps: Hashable, Sendable, Codable {
    /// A packet from which on a stream's clock is shifted. A later one of the same stream replaces
    /// it.
    public struct Shift: Hashable, Sendable, Codable {
        /// libav's number of the stream.
        public var stream: Int
        /// The byte of the file at which the packet begins.
        public var position: Int64
        /// What is added to the file's clock.
        public var shift: Time

        public init(stream: Int, position: Int64, shift: Time) {
            (self.stream, self.position, self.shift) = (stream, position, shift)
        }
    }

    /// A jump, for people.
    public struct Jump: Hashable, Sendable, Codable {
        /// Source time.
        public var time: Time
        /// How far the clock jumps; negative: back.
        public var distance: Time

        public init(time: Time, distance: Time) { (self.time, self.distance) = (time, distance) }
    }

    /// In the file's order.
    public var shifts: [Shift]
    /// A wrap of the clock is a shift without a jump.
    public var jumps: [Jump]
    /// There are more jumps than are followed.
    public var isIncomplete: Bool

    /// The number of shifts that are followed in one file.
    public static let limit = 1000

    public init(shifts: [Shift], jumps: [Jump], isIncomplete: Bool = false) {
        (self.shifts, self.jumps, self.isIncomplete) = (shifts, jumps, isIncomplete)
    }
}

/// A part of a file that could be a file of its own.
public struct FileLink: Hashable, Sendable, Codable {
    /// The first byte, and the one after the last.
    public var start: Int64
    public var end: Int64
    /// Source time at which the part begins.
    public var time: Time
    /// False for a part whose headers are damaged or that has nothing to be played; it is left out.
    public var isPlayed: Bool

    /// The number of parts that are read of one file.
    public static let limit = 1000

    public init(start: Int64, end: Int64, time: Time, isPlayed: Bool = true) {
        (self.start, self.end, self.time, self.isPlayed) = (start, end, time, isPlayed)
    }
}

extension FileJoints {
    /// Where the file continues, as a sentence's end; nil for a clock that only wraps.
    public var forPeople: String? {
        switch self {
        case .clock(let jumps): jumps.forPeople
        case .links(let parts): warning ?? "\(parts.count) chained parts, played one after the other"
        }
    }

    /// What is probably not meant, as a sentence's end: a clock that jumps, parts that are not
    /// played.
    public var warning: String? {
        switch self {
        case .clock(let jumps): return jumps.forPeople
        case .links(let parts):
            let lost = parts.filter { !$0.isPlayed }
            guard let first = lost.first else {
                return parts.count < FileLink.limit
                    ? nil
                    : "of its chained parts only the first \(FileLink.limit) are played; cut it into several files"
            }
            let more = lost.count > 1 ? ", and \(lost.count - 1) more of \(parts.count)," : ""
            return "the part at \(first.time.forPeople) s (bytes \(first.start)–\(first.end))\(more) cannot be read "
                + "and is left out"
        }
    }
}

extension ClockJumps {
    /// The jumps as a sentence's end, at most three by name; nil where there are none.
    public var forPeople: String? {
        guard !jumps.isEmpty else { return nil }
        let isOne = jumps.count == 1
        let places = jumps.prefix(3).map { jump in
            let distance = jump.distance < .zero ? Time.zero - jump.distance : jump.distance
            return
                "at \(jump.time.forPeople) s \(jump.distance < .zero ? "back" : "forward") by \(distance.forPeople) s"
        }
        let more = jumps.count > 3 ? " and at \(jumps.count - 3) more places" : ""
        let rest = isIncomplete ? "; only the first \(Self.limit) are followed, so convert it to MP4 or Matroska" : ""
        return "its clock jumps \(places.joined(separator: ", "))\(more); "
            + "the \(isOne ? "two parts are" : "parts are") played one after the other\(rest)"
    }
}
