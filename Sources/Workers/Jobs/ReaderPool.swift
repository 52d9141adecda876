import Content
import Draft
import Glibc
import Values

/// An open file that can be asked for any time and answers fastest a little after the last one.
protocol PositionedReader: AnyObject {
    /// Source time of what was read last; nil before the first read.
    var position: Time? { get }
    /// Prepares for another use, which must get what it would get of a new reader; false where that
    /// cannot be.
    func rest() -> Bool
}

/// Open readers of one kind. A reader that is not in use stays open for the next segment, which
/// mostly goes on where this one ended; beyond the limit the one idle for longest is closed. Those
/// that the next job does not need are closed when it begins (``keepOnly(_:)``), so that idle
/// readers take no memory beside those in use.
final class ReaderPool<Reader: PositionedReader> {
    private let idleLimit: Int
    private var idle: [(path: String, identity: FileIdentity, track: Int?, stamp: FileStamp, reader: Reader)] = []
    /// What the files were when readers in use opened them.
    private var stamps: [ObjectIdentifier: FileStamp] = [:]

    init(idleLimit: Int) { self.idleLimit = idleLimit }

    /// A reader of the file for the caller's use alone: the idle one that is nearest before `time`,
    /// else a new one.
    /// - Parameter track: the sound track, where it is not the usual one.
    func take(_ path: String, _ identity: FileIdentity, track: Int? = nil, near time: Time, open: () throws -> Reader)
        throws -> Reader
    {
        let stamp = Self.stamp(path)
        // A reader keeps the file that it has opened: a node may have put another one in its place.
        idle.removeAll { $0.path == path && $0.stamp != stamp }
        let candidates = idle.indices.filter {
            idle[$0].path == path && idle[$0].identity == identity && idle[$0].track == track
        }
        func distance(_ index: Int) -> Int64 {
            let ahead = time - (idle[index].reader.position ?? .zero)
            return ahead >= .zero ? ahead.flicks : .max
        }
        let reader: Reader
        if let best = candidates.min(by: { distance($0) < distance($1) }) {
            reader = idle.remove(at: best).reader
        } else {
            reader = try open()
        }
        stamps[ObjectIdentifier(reader)] = stamp
        return reader
    }

    private static func stamp(_ path: String) -> FileStamp? {
        var info = stat()
        return stat(path, &info) == 0 ? FileStamp(info) : nil
    }

    /// What still comes may go again while no job reads it, so its reader is closed; so is one
    /// whose answers could depend on what it has read.
    func giveBack(_ reader: Reader, _ path: String, _ identity: FileIdentity, track: Int? = nil) {
        let stamp = stamps.removeValue(forKey: ObjectIdentifier(reader))
        guard let stamp, !PartialContent.isComing(path), reader.rest() else { return }
        idle.append((path, identity, track, stamp, reader))
        if idle.count > idleLimit { idle.removeFirst() }
    }

    func closeAll() { idle.removeAll() }

    /// Closes idle readers but the last ones.
    func trim(to count: Int) { idle.removeFirst(max(0, idle.count - count)) }

    /// Closes the idle readers of all files but these.
    func keepOnly(_ paths: Set<String>) { idle.removeAll { !paths.contains($0.path) } }

    /// Closes the idle readers that meet a condition.
    func close(where condition: (Reader) -> Bool) { idle.removeAll { condition($0.reader) } }
}
