import Foundation
import Glibc
import Jobs

/// The cache: files that outlive the command that made them, shared by all hosts of a user. Each is
/// named by the hash of everything that decides its bytes, and never changes. Its record contains
/// the key (``CacheRecord``).
///
/// An entry is a part or an analysis result: `entries/ab/abcd…` with `abcd….json` beside it, which
/// records count, size and digest. Adding or removing an entry requires the ``CacheLock``. Reading
/// needs no lock, because a reader takes a hard link: a removed entry still exists under the names
/// of the renders that use it.
package struct CacheStore: Sendable {
    /// The folder `…/cutroom`.
    package let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    private var entries: String { folder + "/entries" }

    private func path(_ key: String) -> String { "\(entries)/\(key.prefix(2))/\(key)" }
    private func record(_ path: String) -> String { path + ".json" }

    /// Returns the size of a file on disk, in blocks of 4 KiB as `du` counts it on the usual file
    /// systems.
    private static func blocks(_ size: Int64) -> Int64 { (size + 4095) / 4096 * 4096 }

    /// Returns the size that an entry counts: the blocks of the file, and one for the record.
    static func cost(_ file: RenderedFile) -> Int64 { blocks(file.size) + blocks(1) }

    /// The message for a cache that makes no progress, as a sentence.
    var noAnswer: String {
        "The cache ‘\(folder)’ does not answer; another program may hold its lock, or the disk is slow."
    }

    // MARK: Using an entry

    /// Links an existing entry, if it has its recorded size, to a name that belongs to the caller,
    /// who must check the content.
    package func borrow(_ key: String, as name: String) -> RenderedFile? {
        let path = path(key)
        guard let file = CacheRecord.read(record(path), of: key), Self.duplicate(path, name) else { return nil }
        var info = stat()
        guard stat(name, &info) == 0, Int64(info.st_size) == file.size else {
            unlink(name)
            return nil
        }
        // Updates the time of last use.
        utimensat(AT_FDCWD, path, nil, 0)
        return file
    }

    /// Returns the content of an existing entry, complete or not, with its record.
    package func read(_ key: String) -> (data: Data, file: RenderedFile)? {
        let path = path(key)
        guard let file = CacheRecord.read(record(path), of: key), let data = FileManager.default.contents(atPath: path)
        else { return nil }
        utimensat(AT_FDCWD, path, nil, 0)
        return (data, file)
    }

    /// Makes a hard link, or a copy if the file system has no hard links.
    private static func duplicate(_ from: String, _ to: String) -> Bool {
        if link(from, to) == 0 { return true }
        guard [EPERM, EOPNOTSUPP, EMLINK, EXDEV, ENOSYS].contains(errno) else { return false }
        return (try? FileManager.default.copyItem(atPath: from, toPath: to)) != nil
    }

    // MARK: Adding and removing

    /// Adds a finished part as an entry. If the entries would exceed `bound` bytes, the least
    /// recently used entries are evicted first. A part that is larger than that is not added. The
    /// part itself stays in its place.
    package func keep(_ part: String, as key: String, _ file: RenderedFile, bound: Int64) throws(HostError) {
        let cost = Self.cost(file)
        guard cost <= bound else { return }
        let path = path(key)
        let folders = makeFolders((path as NSString).deletingLastPathComponent)
        guard folders == 0 else {
            throw HostError(.inputOutput, "The cache ‘\(folder)’ cannot be written to: \(systemText(folders)).")
        }
        let lock = try CacheLock(folder)
        // The render may have ended while this waited for the lock.
        guard access(part, F_OK) == 0 else { return }
        dropEarlierVersions(lock)
        // Another render may have been faster; the newer part is known to be complete.
        drop(path, lock)
        var total = lock.total ?? scan().bytes
        if total + cost > bound { total = evict(to: min(bound - cost, bound / 10 * 9)) }
        lock.total = total + cost
        // The record is written last: an entry without it does not count. It is written here,
        // because the part may be on another file system.
        var code = Self.duplicate(part, path) ? 0 : errno
        let new = record(path) + ".new"
        // Encoding numbers and texts cannot fail; an entry without them does not count.
        if code == 0 { code = writeFile(new, CacheRecord(key: key, file: file).data) }
        if code == 0, rename(new, record(path)) != 0 { code = errno }
        guard code == 0 else {
            unlink(new)
            unlink(path)
            lock.total = total
            throw HostError(.inputOutput, "The cache entry ‘\(path)’ cannot be written: \(systemText(code)).")
        }
    }

    /// Removes an entry that turned out to be damaged.
    package func remove(_ key: String) {
        guard let lock = try? CacheLock(folder) else { return }
        drop(path(key), lock)
    }

    /// Removes an entry and subtracts its size.
    private func drop(_ path: String, _ lock: CacheLock) {
        var info = stat()
        guard stat(path, &info) == 0, unlink(path) == 0, unlink(record(path)) == 0, let total = lock.total else {
            return
        }
        lock.total = max(0, total - Self.blocks(Int64(info.st_size)) - Self.blocks(1))
    }

    /// Removes the entries of earlier versions, which used other folders and are never found any
    /// more.
    private func dropEarlierVersions(_ lock: CacheLock) {
        let old = folder + "/segments"
        guard access(old, F_OK) == 0 else { return }
        try? FileManager.default.removeItem(atPath: old)
        lock.total = nil
    }

    /// Evicts the least recently used entries until the rest takes at most `bound` bytes.
    func trim(to bound: Int64) throws(HostError) {
        let lock = try CacheLock(folder)
        dropEarlierVersions(lock)
        if let total = lock.total, total <= bound { return }
        lock.total = evict(to: bound)
    }

    /// Removes all entries. Running renders keep what they use.
    /// - Returns: the number of removed entries and their size.
    package func clear() throws(HostError) -> (entries: Int, bytes: Int64) {
        let lock = try CacheLock(folder)
        dropEarlierVersions(lock)
        let before = scan()
        lock.total = evict(to: 0)
        return (before.entries.count, before.bytes)
    }

    // MARK: Counting

    package struct Entry {
        package var path: String
        package var bytes: Int64
        package var lastUse: timespec
    }

    /// Evicts the least recently used entries until the rest takes at most `limit` bytes.
    /// - Returns: the size of the rest in bytes.
    private func evict(to limit: Int64) -> Int64 {
        let found = scan()
        var total = found.bytes
        let oldest = found.entries.sorted {
            ($0.lastUse.tv_sec, $0.lastUse.tv_nsec) < ($1.lastUse.tv_sec, $1.lastUse.tv_nsec)
        }
        for entry in oldest where total > limit {
            // The record first: from then on no reader takes the entry.
            unlink(record(entry.path))
            if unlink(entry.path) == 0 || errno == ENOENT { total -= entry.bytes }
        }
        return total
    }

    /// Returns all entries. Incomplete ones were left by a host that died, and are removed if the
    /// caller has the lock.
    private func scan(isLocked: Bool = true) -> (entries: [Entry], bytes: Int64) {
        var entries: [Entry] = []
        for prefix in (try? FileManager.default.contentsOfDirectory(atPath: self.entries)) ?? [] {
            let folder = "\(self.entries)/\(prefix)"
            let names = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            for name in names {
                let path = "\(folder)/\(name)"
                let isRecord = name.hasSuffix(".json")
                guard names.contains(isRecord ? String(name.dropLast(5)) : name + ".json") else {
                    if isLocked { unlink(path) }
                    continue
                }
                var info = stat()
                guard !isRecord, stat(path, &info) == 0 else { continue }
                entries.append(
                    Entry(path: path, bytes: Self.blocks(Int64(info.st_size)) + Self.blocks(1), lastUse: info.st_mtim))
            }
        }
        return (entries, entries.reduce(0) { $0 + $1.bytes })
    }

    /// Counts all entries anew, and the renders that use the cache now.
    package func usage() throws(HostError) -> (entries: [Entry], runningRenders: Int) {
        guard access(folder, R_OK | X_OK) == 0 else {
            throw HostError(.inputOutput, "The cache folder ‘\(folder)’ cannot be read: \(systemText(errno)).")
        }
        // A cache that cannot be written to can still be listed.
        let lock = try? CacheLock(folder)
        let found = scan(isLocked: lock != nil)
        lock?.total = found.bytes
        return (found.entries, PartsFolder.countInUse(in: folder))
    }
}
