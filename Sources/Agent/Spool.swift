import Files
import FoundationEssentials
import Glibc
import Messaging

/// A folder of results that the server has not acknowledged; a restarted node sends them again.
/// Each is a file of its own, which is written, synced and then renamed, so an existing file is
/// complete.
///
/// Methods block on disks, so they run on a thread of their own (``NodeAgent``). A lock shows that
/// an agent uses the folder.
struct Spool: Sendable {
    /// A problem with the folder, as a sentence.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    let folder: String
    private let lock: FileLock

    /// The folder of files that were made for the server, until it has them.
    var made: String { folder + "/" + Self.madeName }

    private static let suffix = ".result"
    private static let madeName = "made"
    /// The largest file: a job's result and the data around it.
    private static let largestFile = Wire.largestPayload + (4 << 20)

    /// The header of a result's file.
    private struct Record: Codable {
        var slot: Int
        var host: String
        var header: Int
        var body: Int
        var delivery: Delivery?
    }

    init(folder: String) throws(Problem) {
        self.folder = folder
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Problem(description: "The folder ‘\(folder)’ (--spool) cannot be made: \(Self.reason).")
        }
        do throws(FileLock.Failure) {
            lock = try FileLock(folder + "/lock", permissions: .ownerReadWrite, patience: .brief)
        } catch {
            switch error {
            case .held:
                throw Problem(
                    description:
                        "Another cutroom-worker uses ‘\(folder)’; give each its own ‘--name’ and key, or its own ‘--spool’."
                )
            case .cannotOpen(let reason):
                throw Problem(description: "The folder ‘\(folder)’ (--spool) cannot be written to: \(reason).")
            case .cannotLock(let reason):
                throw Problem(description: "The folder ‘\(folder)’ (--spool) cannot be locked: \(reason).")
            }
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private func path(_ slot: Int, _ lease: Lease) -> String { "\(folder)/\(slot)-\(lease.epoch)\(Self.suffix)" }

    /// Stores a result.
    /// - Returns: the problem, as half a sentence; nil on success.
    func keep(_ completion: Completion, of slot: Int) -> String? {
        let (header, body) = completion.message.encoded()
        let record = Record(
            slot: slot, host: completion.host, header: header.count, body: body.count, delivery: completion.delivery)
        guard let line = try? JSONEncoder().encode(record) else { return "it cannot be encoded" }
        let path = path(slot, completion.lease)
        let temporary = path + ".new"
        let bytes: Data = line + [UInt8(ascii: "\n")] + header + body
        do throws(Errno) {
            try OpenFile.make(temporary, bytes, permissions: .ownerReadWrite, replaces: true, isDurable: true)
        } catch {
            return "\(error)"
        }
        guard rename(temporary, path) == 0 else {
            let reason = Self.reason
            unlink(temporary)
            return reason
        }
        try? OpenFile(folder, .readOnly, .directory).sync()
        return nil
    }

    func forget(_ lease: Lease, of slot: Int) { unlink(path(slot, lease)) }

    /// Returns the stored results by slot; unreadable files are removed.
    func load() -> [Int: [Completion]] {
        var found: [Int: [Completion]] = [:]
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
            let path = folder + "/" + name
            if name.hasSuffix(Self.suffix), let (slot, completion) = Self.read(path) {
                found[slot, default: []].append(completion)
            } else if name != "lock", name != Self.madeName {
                unlink(path)
            }
        }
        let kept = Set(found.values.joined().compactMap(\.delivery?.folder))
        for name in (try? FileManager.default.contentsOfDirectory(atPath: made)) ?? []
        where !kept.contains("\(made)/\(name)") {
            try? FileManager.default.removeItem(atPath: "\(made)/\(name)")
        }
        return found
    }

    private static func read(_ path: String) -> (Int, Completion)? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_size <= largestFile,
            let data = FileManager.default.contents(atPath: path),
            let end = data.firstIndex(of: UInt8(ascii: "\n")),
            let record = try? JSONDecoder().decode(Record.self, from: data[..<end])
        else { return nil }
        let rest = data[(end + 1)...]
        guard (0...rest.count).contains(record.header), record.body == rest.count - record.header,
            case .success(let message) = Message.decode([
                Data(rest.prefix(record.header)), Data(rest.dropFirst(record.header)),
            ])
        else { return nil }
        switch message {
        case .completed(let lease, _), .failed(let lease, _):
            return (
                record.slot,
                Completion(lease: lease, message: message, host: record.host, delivery: record.delivery)
            )
        default: return nil
        }
    }
}
