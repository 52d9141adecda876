import Draft
import Values

/// Damage that a worker met in the media that a part shows or plays, in the media's own time.
///
/// It travels and is kept with the part, so that a part from the cache reports the same as one that
/// was just rendered. It holds no paths: the render that uses the part knows each file by its
/// identity.
public struct DamageReport: Sendable, Codable, Hashable {
    public private(set) var sources: [SourceDamage]

    /// Sources, and stretches of each, that a report holds at most; of further stretches the number
    /// is kept.
    public static let mostSources = 1000
    public static let mostStretches = 100

    public init(_ sources: [SourceDamage]) { self.sources = Array(sources.sorted().prefix(Self.mostSources)) }

    /// A report comes from another process: what cannot be is left out, and there is never more
    /// than the bounds allow.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(SourceDamage.merged(try container.decode([SourceDamage].self, forKey: .sources)))
    }

    /// What several parts report, each stretch once.
    public static func union(_ reports: some Sequence<DamageReport>) -> DamageReport {
        DamageReport(SourceDamage.merged(reports.flatMap(\.sources)))
    }
}

/// The damaged stretches of one file's picture or sound.
public struct SourceDamage: Sendable, Codable, Hashable, Comparable {
    /// The version of the file that was read. Size and digest alone do not tell a damaged copy from
    /// the whole file.
    public var file: FileIdentity
    public var isSound: Bool
    /// In source time, in order, ``mergedGap`` apart or more; empty for a still picture.
    public private(set) var stretches: [TimeRange]
    /// How many more there are.
    public private(set) var omitted: Int

    /// Stretches with less than this between them are one: half a second.
    public static let mergedGap = Time(flicks: Time.flicksPerSecond / 2)

    public init(_ file: FileIdentity, isSound: Bool, _ ranges: [Range<Time>]) {
        self.init(file, isSound: isSound, ranges, omitted: 0)
    }

    private init(_ file: FileIdentity, isSound: Bool, _ ranges: [Range<Time>], omitted: Int) {
        (self.file, self.isSound) = (file, isSound)
        let merged = Self.merged(ranges)
        stretches = merged.prefix(DamageReport.mostStretches).map { TimeRange(from: $0.lowerBound, to: $0.upperBound) }
        self.omitted = min(omitted + merged.count - stretches.count, Self.mostOmitted)
    }

    private static let mostOmitted = 1_000_000

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let known = -Time.longest...Time.longest
        let ranges = try container.decode([TimeRange].self, forKey: .stretches).compactMap { range -> Range<Time>? in
            guard known.contains(range.start), known.contains(range.duration), range.duration > .zero else {
                return nil
            }
            return range.start..<range.end
        }
        var file = try container.decode(FileIdentity.self, forKey: .file)
        file.digest = String(file.digest.prefix(64))
        self.init(
            file, isSound: try container.decode(Bool.self, forKey: .isSound), ranges,
            omitted: min(max(0, try container.decode(Int.self, forKey: .omitted)), Self.mostOmitted))
    }

    public static func < (a: SourceDamage, b: SourceDamage) -> Bool {
        let (first, second) = (a.file, b.file)
        return (first.digest, first.size, first.modified, a.isSound ? 1 : 0)
            < (second.digest, second.size, second.modified, b.isSound ? 1 : 0)
    }

    /// Joins ranges that overlap or lie close to each other.
    private static func merged(_ ranges: [Range<Time>]) -> [Range<Time>] {
        var merged: [Range<Time>] = []
        for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = merged.last, range.lowerBound - last.upperBound < mergedGap {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    private struct Source: Hashable {
        var file: FileIdentity
        var isSound: Bool
    }

    /// One entry for each file's picture and sound.
    static func merged(_ entries: [SourceDamage]) -> [SourceDamage] {
        Dictionary(grouping: entries) { Source(file: $0.file, isSound: $0.isSound) }.map { source, entries in
            SourceDamage(
                source.file, isSound: source.isSound, entries.flatMap(\.stretches).map { $0.start..<$0.end },
                omitted: entries.reduce(0) { $0 + $1.omitted })
        }
    }
}
