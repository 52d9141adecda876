import Content
import Farm
import Files
import Foundation
import Glibc
import Messaging

/// A node's content cache: a folder for each content, named by its digest, with the content's bytes
/// and a map of the blocks that are present. The cache is bounded: the least recently used contents
/// are evicted first, and contents that running jobs use stay. Calls may block on disks, and may
/// come from several threads.
///
/// Contents that were there when the node started, or that another process has changed since, are
/// checked block by block before they are used. Damaged blocks are fetched again.
final class ContentStore: Sendable {
    /// The reason why something cannot be stored, as half a sentence.
    struct Problem: Error {
        let reason: String
    }

    struct State {
        var items: [ContentID: Item] = [:]
        /// A counter that grows with each use.
        var uses: UInt64 = 0

        var bytes: Int64 { items.values.reduce(0) { $0 + $1.bytes } }
    }

    struct Item {
        var pins = 0
        /// Whether a caller is filling the content.
        var isBusy = false
        /// The time of the last use, as a value of ``State/uses``.
        var used: UInt64
        /// The bytes that it takes, or will take.
        var bytes: Int64 = 0
        /// The file's stamp when all of its present blocks were known to be right.
        var seen: FileStamp?
        /// Whether all of it was also compared with its SHA-256: the block digests are only the
        /// server's claim.
        var isProven = false
    }

    let folder: String
    let bound: Int64
    private let lock: FileLock
    let state = Locked(State())

    static let dataName = ".data"
    private static let lockName = ".lock"
    private static let goneName = ".gone"

    init(folder: String, bound: Int64) throws(Problem) {
        (self.folder, self.bound) = (folder, bound)
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do throws(FileLock.Failure) {
            lock = try FileLock(folder + "/" + Self.lockName, permissions: .ownerReadWrite, patience: .brief)
        } catch {
            switch error {
            case .held: throw Problem(reason: "is used by another cutroom-worker")
            case .cannotOpen(let reason): throw Problem(reason: "cannot be written to: \(reason)")
            case .cannotLock(let reason): throw Problem(reason: "cannot be locked: \(reason)")
            }
        }
        load()
    }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Loads the contents that an earlier process left, ordered by last use.
    private func load() {
        var found: [(ContentID, Int64, Int64)] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name != Self.lockName && name != PartialContent.pipeName {
            let place = folder + "/" + name
            var info = stat()
            guard let id = ContentID(name), stat(place + "/" + BlockMap.fileName, &info) == 0,
                let map = BlockMap(path: place + "/" + BlockMap.fileName, writes: false), map.size == id.size,
                !map.isGone
            else {
                try? FileManager.default.removeItem(atPath: place)
                continue
            }
            found.append((id, FileStamp(info).modified, map.present))
        }
        found.sort { $0.1 < $1.1 }
        state.withLock { state in
            for (id, _, bytes) in found {
                state.uses += 1
                state.items[id] = Item(used: state.uses, bytes: bytes)
            }
        }
        makeRoom()
    }

    func place(of id: ContentID) -> String { folder + "/\(id)" }
    func dataPath(of id: ContentID) -> String { place(of: id) + "/" + Self.dataName }

    // MARK: Use

    /// Keeps a content in the store until ``release(_:)`` was called as often.
    func pin(_ id: ContentID) {
        state.withLock { state in
            state.uses += 1
            state.items[id, default: Item(used: state.uses)].pins += 1
            state.items[id]?.used = state.uses
        }
    }

    func release(_ ids: [ContentID]) {
        state.withLock { state in
            for id in ids {
                state.uses += 1
                state.items[id]?.pins -= 1
                state.items[id]?.used = state.uses
            }
        }
        // The next process orders contents by these times.
        for id in ids { utimensat(AT_FDCWD, place(of: id) + "/" + BlockMap.fileName, nil, 0) }
    }

    /// Claims the right to fill a pinned content.
    /// - Returns: false if another caller has it.
    func begin(_ id: ContentID) -> Bool {
        state.withLock { state in
            guard state.items[id]?.isBusy == false else { return false }
            state.items[id]?.isBusy = true
            return true
        }
    }

    func end(_ id: ContentID) {
        let bytes = BlockMap(path: place(of: id) + "/" + BlockMap.fileName, writes: false)?.present
        state.withLock { state in
            state.items[id]?.isBusy = false
            state.items[id]?.bytes = bytes ?? 0
        }
    }

    /// Returns the map of a content that a caller is filling; nil if nothing is there.
    func map(of id: ContentID) -> BlockMap? {
        guard let map = BlockMap(path: place(of: id) + "/" + BlockMap.fileName, writes: true), !map.isGone,
            map.size == id.size
        else { return nil }
        return map
    }

    /// Makes an empty content.
    func make(_ record: ContentRecord) throws(Problem) -> BlockMap {
        let place = place(of: record.id)
        try? FileManager.default.removeItem(atPath: place)
        guard mkdir(place, 0o700) == 0 else { throw Problem(reason: Self.text(errno)) }
        do throws(Errno) {
            let file = try OpenFile(
                dataPath(of: record.id), .writeOnly, .create, permissions: .ownerReadWrite)
            try file.resize(to: record.id.size)
            let path = place + "/" + BlockMap.fileName
            try BlockMap.create(path, record)
            guard let map = BlockMap(path: path, writes: true) else { throw Errno(rawValue: errno) }
            return map
        } catch {
            throw Problem(reason: "\(error)")
        }
    }

    /// Returns whether the bytes are known to be right: no other process has changed them since
    /// this process checked them.
    func isKnown(_ id: ContentID) -> Bool {
        guard let seen = state.withLock({ $0.items[id]?.seen }) else { return false }
        return stamp(of: id) == seen
    }

    func note(_ id: ContentID) {
        let stamp = stamp(of: id)
        state.withLock { $0.items[id]?.seen = stamp }
    }

    /// Returns whether the content still matches its own SHA-256, and not only the server's block
    /// digests.
    func isProven(_ id: ContentID) -> Bool { isKnown(id) && state.withLock { $0.items[id]?.isProven == true } }

    /// Notes that all of the content was compared with its SHA-256.
    func prove(_ id: ContentID) {
        note(id)
        state.withLock { $0.items[id]?.isProven = true }
    }

    private func stamp(of id: ContentID) -> FileStamp? {
        var info = stat()
        return lstat(dataPath(of: id), &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? FileStamp(info) : nil
    }

    /// Checks every block that the map marks as present.
    /// - Returns: the number of damaged blocks, which are marked as missing now.
    func check(_ id: ContentID, _ map: BlockMap, goesOn: () throws(JobFailure) -> Void) throws(JobFailure) -> Int {
        state.withLock { $0.items[id]?.isProven = false }
        guard let table = map.table(of: id) else { return 0 }
        let file = try? ContentFile(path: dataPath(of: id))
        var damaged = 0
        for block in 0..<map.count where map.has(block) {
            try goesOn()
            let bytes = try? file?.read(block: block)
            if let bytes, table.holds(block, bytes) { continue }
            map.clear(block)
            damaged += 1
        }
        return damaged
    }

    /// Writes a block whose digest was checked.
    func put(_ id: ContentID, _ block: Int, _ bytes: Data, _ map: BlockMap) throws(Problem) {
        do throws(Errno) {
            let start = BlockTable.range(block, of: id.size).lowerBound
            try OpenFile(dataPath(of: id), .writeOnly, .noFollow).write(bytes, at: start)
        } catch {
            throw Problem(reason: "\(error)")
        }
        map.set(block)
    }

    /// Returns a path to the content that ends in a name and never changes.
    func path(of id: ContentID, named name: String) throws(Problem) -> String {
        let path = place(of: id) + "/" + ContentName.file(name)
        // A hard link and not a symbolic one, so that the real path of a library is this one.
        let isKnown = isKnown(id)
        guard link(dataPath(of: id), path) == 0 || errno == EEXIST else { throw Problem(reason: Self.text(errno)) }
        if isKnown { note(id) }
        return path
    }

    /// Returns a library's path, under its name, in a folder that also has its data files. The
    /// folder is removed with the library.
    /// - Parameter files: the folder's files, by their paths relative to it.
    func path(of id: ContentID, named name: String, beside files: [String: ContentID]) throws(Problem) -> String {
        let folder = "\(place(of: id))/with-\(ContentID.name(of: files))"
        let library = "\(folder)/\(ContentName.file(name))"
        for (path, id) in files.map({ ("\(folder)/\($0)", $1) }) + [(library, id)] {
            do {
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw Problem(reason: Self.text(errno))
            }
            guard link(dataPath(of: id), path) == 0 || errno == EEXIST else { throw Problem(reason: Self.text(errno)) }
            if isKnown(id) { note(id) }
        }
        return library
    }

    // MARK: Eviction

    /// Reserves room for a content that is about to be filled.
    /// - Parameter total: the bytes that it will take.
    func reserve(_ id: ContentID, _ total: Int64) throws(Problem) {
        state.withLock { $0.items[id]?.bytes = total }
        guard makeRoom() else {
            throw Problem(
                reason:
                    "its content cache is too small: its limit is \(bound) bytes, and its running jobs use more")
        }
    }

    /// Removes all unused contents.
    func empty() { makeRoom(within: 0) }

    /// Evicts the least recently used contents until the rest fits the bound.
    /// - Returns: whether it fits.
    @discardableResult
    private func makeRoom(within wished: Int64? = nil) -> Bool {
        let bound = wished ?? bound
        while true {
            let victim: ContentID? = state.withLock { state in
                guard state.bytes > bound else { return nil }
                let free = state.items.filter { $0.value.pins == 0 && !$0.value.isBusy }
                guard let oldest = free.min(by: { $0.value.used < $1.value.used })?.key else { return nil }
                // Keeps other threads from filling it meanwhile.
                state.items[oldest]?.isBusy = true
                return oldest
            }
            guard let victim else { return state.withLock { $0.bytes <= bound } }
            remove(victim)
            state.withLock { state in
                // Another thread may want it again already.
                guard let item = state.items[victim] else { return }
                state.items[victim] = item.pins > 0 ? Item(pins: item.pins, used: item.used) : nil
            }
        }
    }

    private func remove(_ id: ContentID) {
        let place = place(of: id)
        // Tells readers that still have it open that no more blocks will come.
        BlockMap(path: place + "/" + BlockMap.fileName, writes: true)?.setGone()
        let gone = "\(folder)/\(Self.goneName)-\(UInt64.random(in: .min ... .max))"
        if rename(place, gone) == 0 { try? FileManager.default.removeItem(atPath: gone) }
    }
}
