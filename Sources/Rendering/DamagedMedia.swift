import Composition
import Jobs
import Values

/// A stretch of a media file that could not be decoded as it should have been, and that the output
/// shows or plays.
public struct DamagedMedia: Hashable, Sendable {
    public var path: String
    public var isSound: Bool
    /// In source time; nil for a still picture.
    public var stretch: TimeRange?
    /// How many more stretches of the file are damaged, where this is the last one that is
    /// reported.
    public var others: Int

    public var text: String {
        guard let stretch else { return "‘\(path)’ is damaged: its picture is shown as far as it can be decoded" }
        let kind = isSound ? "sound" : "picture"
        let more = others == 0 ? "" : ", and in \(others) more \(others == 1 ? "place" : "places") after that"
        return "‘\(path)’ is damaged: its \(kind) is wrong or missing "
            + "from \(stretch.start.forPeople) s to \(stretch.end.forPeople) s\(more)"
    }

    /// So many stretches of a file's picture or sound are told apart.
    static let limit = 20
}

extension [DamagedMedia] {
    /// The damage that parts report, with the names that the files have in this composition, in the
    /// order of files and times. Files that the composition does not name are left out.
    public init(_ reports: [DamageReport], in composition: Composition) {
        let report = DamageReport.union(reports)
        guard !report.sources.isEmpty else {
            self = []
            return
        }
        let paths = Dictionary(
            composition.filesOfAll.map { ($0.info.identity, $0.path) }, uniquingKeysWith: { first, _ in first })
        let found = report.sources.compactMap { source in
            paths[source.file].map { (path: $0, source: source) }
        }.sorted { ($0.path, $0.source.isSound ? 1 : 0) < ($1.path, $1.source.isSound ? 1 : 0) }
        self = found.flatMap { path, source -> [DamagedMedia] in
            guard !source.stretches.isEmpty else {
                return [DamagedMedia(path: path, isSound: source.isSound, stretch: nil, others: 0)]
            }
            let told = source.stretches.prefix(DamagedMedia.limit)
            let others = source.stretches.count - told.count + source.omitted
            return told.enumerated().map { index, stretch in
                DamagedMedia(
                    path: path, isSound: source.isSound, stretch: stretch, others: index == told.count - 1 ? others : 0)
            }
        }
    }
}

extension Composition {
    /// The files of its own and of the drafts in it, without what stands for a draft.
    fileprivate var filesOfAll: [MediaFile] {
        files.filter { $0.draft == nil } + (drafts ?? []).flatMap(\.filesOfAll)
    }
}

extension RenderStateMachine {
    /// The parts are there: says what of their media is damaged, or ends the render over it.
    mutating func tellDamage(_ next: (inout RenderStateMachine) -> [Action]) -> [Action] {
        let reports = versions(for: .file).compactMap { there[$0]?.file.damage }
        let damaged = [DamagedMedia](reports, in: plan.composition)
        guard options.isStrict, let first = damaged.first else {
            // Parts that are rendered again report the same as before.
            let notices = damaged.filter { told.insert($0).inserted }.map { Action.tell(.damagedMedia($0)) }
            return notices + next(&self)
        }
        let more = damaged.count - 1
        let rest = more == 0 ? "" : "; there \(more == 1 ? "is 1 more place" : "are \(more) more places") like that"
        let message = "\(first.text)\(rest). Without ‘--strict’ what can be decoded is rendered."
        return end(RenderFailure(.input, message, details: damaged.dropFirst().map(\.text)), running: [:])
    }
}
