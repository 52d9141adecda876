import Draft

/// An open file that can be asked for any time and answers fastest a little after the last one.
protocol PositionedSource: AnyObject {
    /// Source time of what was read last; nil before the first read.
    var position: Time? { get }
}

/// Open sources of one kind. A source that is not in use stays open for the next segment, which mostly goes on where this
/// one ended; beyond the limit the one idle for longest is closed.
final class SourcePool<Source: PositionedSource> {
    private let idleLimit: Int
    private var idle: [(path: String, identity: FileIdentity, source: Source)] = []

    init(idleLimit: Int) { self.idleLimit = idleLimit }

    /// A source of `file` for the caller's use alone: the idle one that is nearest before `time`, else a new one.
    func take(_ path: String, _ identity: FileIdentity, near time: Time, open: () throws -> Source) throws -> Source {
        let candidates = idle.indices.filter { idle[$0].path == path && idle[$0].identity == identity }
        func distance(_ index: Int) -> Int64 {
            let ahead = time - (idle[index].source.position ?? .zero)
            return ahead >= .zero ? ahead.flicks : .max
        }
        if let best = candidates.min(by: { distance($0) < distance($1) }) { return idle.remove(at: best).source }
        return try open()
    }

    func giveBack(_ source: Source, _ path: String, _ identity: FileIdentity) {
        idle.append((path, identity, source))
        if idle.count > idleLimit { idle.removeFirst() }
    }
}
