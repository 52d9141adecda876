import Content
import Dispatch
import FoundationEssentials
import Glibc

/// The digests of requested files. Each version of a file is read once, on a separate thread, and
/// its digest is kept, beyond this process if there is a folder for it. Calls may block on disks.
final class ContentIndex: Sendable {
    enum Answer {
        case known(ContentRecord, FileStamp)
        case counting(done: Int64, total: Int64)
        case failed(ContentFile.Problem)
    }

    private struct State {
        var known: [FileStamp: ContentRecord] = [:]
        /// The files that are being read, with the progress.
        var counting: [FileStamp: Int64] = [:]
    }

    private let state = Locked(State())
    private let notes: FileNotes?
    private let lane = DispatchQueue(label: "content-digests")

    /// Files of at most this size are read while the request waits.
    private static let small: Int64 = 1 << 20
    private static let mostKnown = 4096

    /// Makes an index.
    /// - Parameter folder: the folder that keeps digests; nil to keep them in memory only.
    init(folder: String?) {
        let notes = folder.map { FileNotes(folder: $0) }
        self.notes = notes
        lane.async { notes?.prepare() }
    }

    /// Returns what lies at a path now.
    func look(_ path: String) -> Answer {
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: path)
            let stamp = file.stamp
            if let record = state.withLock({ $0.known[stamp] }) ?? remembered(stamp) { return .known(record, stamp) }
            if stamp.size <= Self.small, let record = try ContentRecord(counting: file) {
                keep(record, stamp)
                return .known(record, stamp)
            }
            let (done, isNew) = state.withLock { state in
                defer { state.counting[stamp] = state.counting[stamp] ?? 0 }
                return (state.counting[stamp] ?? 0, state.counting[stamp] == nil)
            }
            if isNew { lane.async { [self] in count(path, stamp) } }
            return .counting(done: done, total: stamp.size)
        } catch {
            return .failed(error)
        }
    }

    private func count(_ path: String, _ stamp: FileStamp) {
        defer { state.withLock { _ = $0.counting.removeValue(forKey: stamp) } }
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: path)
            guard file.stamp == stamp else { return }
            let record = try ContentRecord(counting: file) { done in
                state.withLock { $0.counting[stamp] = done }
                return true
            }
            if let record { keep(record, stamp) }
        } catch {
            // The next request for it gets the error.
        }
    }

    private func remember(_ record: ContentRecord, _ stamp: FileStamp) {
        state.withLock { state in
            if state.known.count >= Self.mostKnown { state.known = [:] }
            state.known[stamp] = record
        }
    }

    /// The number of versions of files whose digests are in memory.
    var count: Int { state.withLock { $0.known.count } }

    private func keep(_ record: ContentRecord, _ stamp: FileStamp) {
        remember(record, stamp)
        notes?.write(Data("\(record.id)\n".utf8) + record.table.bytes, on: stamp.text)
    }

    private func remembered(_ stamp: FileStamp) -> ContentRecord? {
        guard let data = notes?.read(stamp.text), let end = data.firstIndex(of: UInt8(ascii: "\n")),
            let id = ContentID(String(decoding: data[..<end], as: UTF8.self)), id.size == stamp.size,
            let table = BlockTable(data[(end + 1)...], of: id)
        else { return nil }
        let record = ContentRecord(id: id, table: table)
        remember(record, stamp)
        return record
    }
}
