import Cleanup
import Farm
import Foundation
import Glibc
import Jobs
import Logging
import Rendering

/// One render's view of the cache: a folder of its own with every part that it uses, rendered now
/// or before. An entry of the shared ``CacheStore`` is a hard link to such a part, so a render
/// never loses a part that it has, whatever other hosts evict meanwhile.
///
/// The *size* of the cache is that of its entries. Running renders additionally keep their parts,
/// bounded by their own length, until they end.
package struct SegmentCache: Sendable {
    /// The shared store; nil if nothing is taken from the cache and nothing kept.
    private let store: CacheStore?
    private let bound: Int64
    private let place: Place
    private let log: Logger
    /// Background work of adding to the store, because other processes may hold its lock for a
    /// while.
    private let backlog = Backlog("cache")

    /// The place of a render's parts while it runs.
    private enum Place {
        /// Beside the cache's entries, so that one file can have a name in both.
        case beside(PartsFolder)
        /// A scratch folder, without a cache.
        case scratch(RuntimeDirectory)
    }

    /// This render's own folder, removed by ``close()``.
    package var partsFolder: String {
        switch place {
        case .beside(let folder): folder.path
        case .scratch(let folder): folder.path
        }
    }

    /// Whether rendered parts are kept for the next render.
    package var keeps: Bool { store != nil && bound > 0 }

    /// Opens the cache.
    /// - Parameters:
    ///   - keeps: false for `--no-cache`: the cache's folder is not touched then, and parts are in
    ///     `$TMPDIR`. They are also there, with a warning in the log, if the cache's folder cannot
    ///     be written to.
    ///   - bound: the bytes that the entries may take; with 0 none outlives this render.
    package init(keeps: Bool, bound: ByteSize, log: Logger) throws(HostError) {
        self.bound = bound.bytes
        self.log = log
        let folder = Self.baseFolder
        if keeps {
            do throws(HostError) {
                place = .beside(try PartsFolder(in: folder))
                store = CacheStore(folder: folder)
                return
            } catch {
                log.warning("\(error.message) This render does not use the cache.")
            }
        }
        store = nil
        do throws(RuntimeDirectory.Failure) {
            place = .scratch(try RuntimeDirectory(parent: Self.scratchFolder, name: "cutroom-render-"))
        } catch {
            throw HostError(.cannotCreate, error.description)
        }
    }

    /// The folder `$TMPDIR`, else `/tmp`.
    private static var scratchFolder: String {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        return folder.hasPrefix("/") ? folder : "/tmp"
    }

    package static var baseFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return folder + "/cutroom" }
        return (environment["HOME"] ?? NSTemporaryDirectory()) + "/.cache/cutroom"
    }

    /// The folder for the standard error of crashed workers, with `--verbose`; it keeps the newest
    /// few.
    package static var logFolder: String { baseFolder + "/logs" }

    /// Returns the size limit from the option or `$CUTROOM_CACHE_SIZE`; else 10 GiB, or a tenth of
    /// the file system if that is less.
    package static func bound(_ option: String?) throws(HostError) -> ByteSize {
        let variable = ProcessInfo.processInfo.environment["CUTROOM_CACHE_SIZE"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = option ?? variable else { return usualBound }
        guard let size = ByteSize(text) else {
            let name = option == nil ? "$CUTROOM_CACHE_SIZE" : "--cache-size"
            throw HostError(.usage, "‘\(name)’ is ‘\(text)’, but must be a size such as 500M, 2G or 0.")
        }
        return size
    }

    private static var usualBound: ByteSize {
        let usual = Int64(10) << 30
        var path = baseFolder
        var info = statvfs()
        while statvfs(path, &info) != 0 {
            guard path.count > 1 else { return ByteSize(bytes: usual) }
            path = (path as NSString).deletingLastPathComponent
        }
        let capacity = UInt64(info.f_blocks).multipliedReportingOverflow(by: UInt64(info.f_frsize))
        return ByteSize(bytes: capacity.overflow ? usual : min(usual, Int64(capacity.partialValue / 10)))
    }

    /// Returns a part that was rendered before, under a new name of this render's own.
    package func find(_ key: String, as name: String) -> WrittenFile? {
        let path = partsFolder + "/" + name
        return store?.borrow(key, as: path).map { WrittenFile(path: path, file: $0) }
    }

    package func find(_ version: PartVersion) -> WrittenFile? {
        find(version.key, as: version.name)
    }

    /// Keeps a finished part of this render for later ones, if there is room. Returns at once. A
    /// failure only costs time later.
    package func keep(_ part: WrittenFile, as key: String) {
        guard let store else { return }
        backlog.add { [bound, log] in
            do throws(HostError) {
                try store.keep(part.path, as: key, part.file, bound: bound)
            } catch {
                log.warning("a rendered part is not cached: \(error.message)")
            }
        }
    }

    /// Removes an entry that turned out to be damaged. Returns at once.
    package func forget(_ key: String) {
        guard let store else { return }
        backlog.add { store.remove(key) }
    }

    /// The time that a command waits at its end for a store that makes no progress.
    package static let patience = Duration.seconds(5)

    /// Waits until everything is kept, unless there is no progress for a while, and evicts entries
    /// above the limit. Then removes this render's own folder.
    package func close() async {
        let lost = await backlog.finish(patience: Self.patience)
        if let store, lost > 0 {
            let parts = lost == 1 ? "a rendered part is" : "\(lost) rendered parts are"
            log.warning("\(parts) not cached: \(store.noAnswer)")
        } else if let store {
            backlog.add { [bound] in try? store.trim(to: bound) }
            _ = await backlog.finish(patience: Self.patience)
        }
        await FileLane("parts").run { [place] in
            switch place {
            case .beside(let folder): folder.remove()
            case .scratch(let folder): folder.remove()
            }
        }
    }
}
