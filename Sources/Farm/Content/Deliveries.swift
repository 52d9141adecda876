import Content
import Dispatch
import Files
import FoundationEssentials
import Glibc
import Hashing
import Messaging

/// Receives outputs from nodes, under the names that their runs would have given them here. A file
/// has a temporary name until it is complete and checked. Calls may block on disks.
final class Deliveries: Sendable {
    /// The files that are being hashed, with the progress.
    private let checking = Locked<[String: Int64]>([:])
    private let lane = DispatchQueue(label: "content-results")

    /// The most runs of one lease that may deliver. A lease is given to one run, so a node that
    /// uses more names misbehaves.
    private static let mostRuns = 8
    private static let suffix = ".incoming"
    /// Files of at most this size are hashed while the request waits.
    private static let small: Int64 = 4 << 20
    /// The bytes of a disk that are left free.
    private static let reserve: Int64 = 64 << 20

    /// Returns why a node must not write to a path, as half a sentence; nil if it may.
    static func refusal(of path: String, _ grant: ContentLedger.Grant, _ reach: JobReach) -> String? {
        guard let run = run(of: path, grant.lease, reach) else { return "is not a file name of this run" }
        let isKnown = grant.deliveries.withLock { deliveries in
            if deliveries.runs.count < mostRuns { deliveries.runs.insert(run) }
            return deliveries.runs.contains(run)
        }
        return isKnown ? nil : "comes from too many runs of one lease"
    }

    /// Returns the part of a path up to the run's name, which ``Messaging/JobContext/runName``
    /// makes; nil for any other path.
    static func run(of path: String, _ lease: Lease, _ reach: JobReach) -> String? {
        for output in reach.writes {
            let start = "\(output).\(lease.epoch)-"
            guard path.utf8.starts(with: start.utf8) else { continue }
            let rest = path.utf8.dropFirst(start.utf8.count)
            let number = rest.prefix { (48...57).contains($0) }
            guard (1...20).contains(number.count) else { continue }
            let name = rest.dropFirst(number.count)
            if name.isEmpty || isPicture(String(decoding: name, as: UTF8.self)) {
                return start + String(decoding: number, as: UTF8.self)
            }
        }
        return nil
    }

    /// Returns whether a name is that of a picture of a sequence in a folder: `/12.png`.
    private static func isPicture(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].first == "/" && ["png", "jpg"].contains(parts[1])
            && (2...12).contains(parts[0].utf8.count)
            && parts[0].utf8.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    /// Returns how much of a file is here.
    func offer(_ path: String, _ id: ContentID, _ grant: ContentLedger.Grant) -> ContentAnswer.Say {
        if isKept(path, id, grant) { return .kept }
        let size = Self.size(path + Self.suffix) ?? 0
        if size > id.size { unlink(path + Self.suffix) }
        return .has(size > id.size ? 0 : size)
    }

    /// Appends bytes that continue a file.
    func give(_ path: String, _ id: ContentID, from: Int64, _ bytes: Data) -> ContentAnswer.Say {
        guard !bytes.isEmpty, bytes.count <= ContentWire.pieceSize, from >= 0,
            from <= id.size - Int64(bytes.count)
        else { return .refused(reason: "A piece of ‘\(path)’ lies outside the file.") }
        // The pictures of a sequence lie in a folder, which belongs to the run.
        if let end = path.lastIndex(of: "/"), Self.isPicture(String(path[end...])) {
            mkdir(String(path[..<end]), 0o755)
        }
        do throws(Errno) {
            let file = try OpenFile(
                path + Self.suffix, .writeOnly, [.create, .noFollow, .nonBlocking], permissions: .readableByAll)
            guard let info = try? file.status(), info.st_mode & S_IFMT == S_IFREG else {
                return .refused(reason: "‘\(path)’ is not a regular file.")
            }
            // A repetition, or an earlier piece was lost.
            guard Int64(info.st_size) == from else { return .has(Int64(info.st_size)) }
            var space = statvfs()
            if fstatvfs(file.descriptor.rawValue, &space) == 0,
                Int64(space.f_bavail) * Int64(space.f_frsize) < min(Self.reserve, id.size - from)
            {
                throw Errno.noSpace
            }
            do throws(Errno) { try file.write(bytes, at: from) } catch {
                try? file.resize(to: from)
                throw error
            }
        } catch {
            return .lacking(reason: "The server cannot write ‘\(path)’: \(error).")
        }
        return .has(from + Int64(bytes.count))
    }

    /// Checks a complete file. That may take a while; until then the answer is that the file is
    /// being read.
    func finish(_ path: String, _ id: ContentID, _ grant: ContentLedger.Grant) -> ContentAnswer.Say {
        if isKept(path, id, grant) { return .kept }
        let incoming = path + Self.suffix
        // This run, or an earlier server, may have checked it before.
        let name = Self.size(incoming) == nil && Self.size(path) != nil ? path : incoming
        let size = Self.size(name) ?? 0
        guard size == id.size || size == 0 && id.size == 0 else { return .has(size) }
        if id.size == 0, Self.size(name) == nil {
            _ = try? OpenFile(incoming, .writeOnly, .create, permissions: .readableByAll)
        }
        let (done, isNew) = checking.withLock { checking in
            defer { checking[path] = checking[path] ?? 0 }
            return (checking[path] ?? 0, checking[path] == nil)
        }
        guard isNew else { return .counting(done: done, total: id.size) }
        guard id.size > Self.small else {
            check(name, path, id, grant)
            return isKept(path, id, grant) ? .kept : .has(0)
        }
        lane.async { [self] in check(name, path, id, grant) }
        return .counting(done: done, total: id.size)
    }

    private func check(_ name: String, _ path: String, _ id: ContentID, _ grant: ContentLedger.Grant) {
        defer { checking.withLock { _ = $0.removeValue(forKey: path) } }
        guard digest(of: name, path) == id.digest, Self.sync(name), name == path || rename(name, path) == 0 else {
            // A file with a wrong digest is sent again.
            unlink(name)
            return
        }
        grant.deliveries.withLock { $0.kept[path] = id.digest }
    }

    private func digest(of name: String, _ path: String) -> String? {
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: name)
            return try ContentRecord(counting: file) { done in
                checking.withLock { $0[path] = done }
                return true
            }?.id.digest
        } catch {
            return nil
        }
    }

    private func isKept(_ path: String, _ id: ContentID, _ grant: ContentLedger.Grant) -> Bool {
        grant.deliveries.withLock { $0.kept[path] } == id.digest && Self.size(path) == id.size
    }

    private static func size(_ path: String) -> Int64? {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int64(info.st_size) : nil
    }

    private static func sync(_ path: String) -> Bool {
        (try? OpenFile(path, .readOnly, .noFollow).sync()) != nil
    }
}
