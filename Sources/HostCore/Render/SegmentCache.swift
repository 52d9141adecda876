import Cleanup
import Farm
import Foundation
import Glibc
import Jobs
import Logging
import Rendering

/// What one render has of the cache: a folder of its own, in which every part lies that it uses, rendered now or before.
/// An entry of the shared ``CacheStore`` is a second name of such a part, so whatever others remove meanwhile, a render never
/// loses what it has.
///
/// The *size* of the cache is that of its entries. Renders that are running have their parts besides, bounded by
/// what they render, until they end.
package struct SegmentCache: Sendable {
    /// nil: nothing is taken from the cache and nothing kept.
    private let store: CacheStore?
    private let bound: Int64
    private let place: Place
    private let log: Logger
    /// What is put into the store behind the render's back: the store's lock may be somebody else's for a while.
    private let backlog = Backlog("cache")

    /// Where a render's parts lie while it runs.
    private enum Place {
        /// Beside the cache's entries, so that one file can have a name in both.
        case beside(PartsFolder)
        /// Where there is no cache.
        case scratch(RuntimeDirectory)
    }

    /// This render's own folder, removed with ``close()``.
    package var partsFolder: String {
        switch place {
        case .beside(let folder): folder.path
        case .scratch(let folder): folder.path
        }
    }

    /// Whether what is rendered is there for the next render.
    package var keeps: Bool { store != nil && bound > 0 }

    /// - Parameters:
    ///   - keeps: false for `--no-cache`: the cache's folder is not touched then, and parts lie in `$TMPDIR`. So they do where
    ///     the cache's folder cannot be written to, which the log says.
    ///   - bound: bytes that the entries may take; 0: none outlives this render.
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
                log.warning("\(error.message) Nothing is taken from the cache or kept.")
            }
        }
        store = nil
        do throws(RuntimeDirectory.Failure) {
            place = .scratch(try RuntimeDirectory(parent: Self.scratchFolder, name: "cutroom-render-"))
        } catch {
            throw HostError(.cannotCreate, error.description)
        }
    }

    /// `$TMPDIR`, else `/tmp`.
    private static var scratchFolder: String {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        return folder.hasPrefix("/") ? folder : "/tmp"
    }

    package static var baseFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return folder + "/cutroom" }
        return (environment["HOME"] ?? NSTemporaryDirectory()) + "/.cache/cutroom"
    }

    /// The standard error of workers that crashed, with `--verbose`; the newest few.
    package static var logFolder: String { baseFolder + "/logs" }

    /// The bound that is asked for by option or `$CUTROOM_CACHE_SIZE`; else 10 GiB, or a tenth of the file system where
    /// that is less.
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

    /// A part that was rendered before, under a name of this render's own, which has not been used.
    package func find(_ key: String, as name: String) -> WrittenFile? {
        let path = partsFolder + "/" + name
        return store?.borrow(key, as: path).map { WrittenFile(path: path, file: $0) }
    }

    package func find(_ version: PartVersion) -> WrittenFile? {
        find(version.key, as: version.name)
    }

    /// Keeps a finished part of this render for later ones, where there is room. Returns at once. What goes wrong with that costs
    /// time later, not the render.
    package func keep(_ part: WrittenFile, as key: String) {
        guard let store else { return }
        backlog.add { [bound, log] in
            do throws(HostError) {
                try store.keep(part.path, as: key, part.file, bound: bound)
            } catch {
                log.warning("a rendered part is not kept: \(error.message)")
            }
        }
    }

    /// Forgets an entry, for one that turned out to be damaged. Returns at once.
    package func forget(_ key: String) {
        guard let store else { return }
        backlog.add { store.remove(key) }
    }

    /// How long a command waits at its end for a store that gets nothing done.
    package static let patience = Duration.seconds(5)

    /// Waits until everything is kept, unless nothing gets done for a while, and removes what the cache has above the bound. Then
    /// removes this render's own folder.
    package func close() async {
        let lost = await backlog.finish(patience: Self.patience)
        if let store, lost > 0 {
            let parts = lost == 1 ? "a rendered part is" : "\(lost) rendered parts are"
            log.warning("\(parts) not kept: \(store.noAnswer)")
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
