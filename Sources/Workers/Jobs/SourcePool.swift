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
    private var idle: [(path: String, identity: FileIdentity, track: Int?, source: Source)] = []

    init(idleLimit: Int) { self.idleLimit = idleLimit }

    /// A source of `file` for the caller's use alone: the idle one that is nearest before `time`, else a new one.
    /// - Parameter track: the sound track, where it is not the usual one.
    func take(_ path: String, _ identity: FileIdentity, track: Int? = nil, near time: Time, open: () throws -> Source)
        throws -> Source
    {
        let candidates = idle.indices.filter {
            idle[$0].path == path && idle[$0].identity == identity && idle[$0].track == track
        }
        func distance(_ index: Int) -> Int64 {
            let ahead = time - (idle[index].source.position ?? .zero)
            return ahead >= .zero ? ahead.flicks : .max
        }
        if let best = candidates.min(by: { distance($0) < distance($1) }) { return idle.remove(at: best).source }
        return try open()
    }

    func giveBack(_ source: Source, _ path: String, _ identity: FileIdentity, track: Int? = nil) {
        idle.append((path, identity, track, source))
        if idle.count > idleLimit { idle.removeFirst() }
    }

    func closeAll() { idle.removeAll() }
}
