import Composition
import Draft
import Jobs
import Values

/// The damage that a job met in what it shows and plays of its files.
final class DamageNotes {
    private struct Source: Hashable {
        var file: FileIdentity
        var isSound: Bool
    }

    private var found: [Source: [Range<Time>]] = [:]
    /// Still pictures that were damaged when this worker decoded them; later jobs may find them in
    /// its cache.
    private var stills: Set<FileIdentity> = []

    /// Ranges are joined when there are so many.
    private static let limit = 1000

    func note(_ file: MediaFile, isSound: Bool, _ range: Range<Time>) {
        let source = Source(file: file.info.identity, isSound: isSound)
        if let last = found[source]?.last, last.lowerBound <= range.lowerBound, range.lowerBound <= last.upperBound {
            let count = found[source]?.count ?? 1
            found[source]?[count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            return
        }
        found[source, default: []].append(range)
        guard let count = found[source]?.count, count.isMultiple(of: Self.limit) else { return }
        let joined = SourceDamage(source.file, isSound: isSound, found[source] ?? [])
        if joined.omitted == 0 { found[source] = joined.stretches.map { $0.start..<$0.end } }
    }

    /// A still picture was decoded.
    func decoded(_ file: MediaFile, isDamaged: Bool) {
        if isDamaged { stills.insert(file.info.identity) } else { stills.remove(file.info.identity) }
    }

    /// What was found since the last call.
    /// - Parameter files: those of the job; a still picture among them that is damaged is in the
    ///   report.
    func take(_ files: [MediaFile]) -> DamageReport? {
        defer { found = [:] }
        var sources = found.map { SourceDamage($0.key.file, isSound: $0.key.isSound, $0.value) }
        let shown = Set(files.filter { $0.info.kind == .image }.map(\.info.identity)).intersection(stills)
        sources += shown.map { SourceDamage($0, isSound: false, []) }
        return sources.isEmpty ? nil : DamageReport(sources)
    }
}
