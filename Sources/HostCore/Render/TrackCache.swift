import Draft
import Farm
import Foundation
import Hashing
import Jobs
import Logging

/// The cached results of analysers, stored with the rendered parts in the ``CacheStore`` under the
/// same limit.
package struct TrackCache: Sendable {
    /// The shared store; nil if nothing is taken from the cache and nothing kept.
    private let store: CacheStore?
    private let bound: Int64
    private let log: Logger
    private let backlog = Backlog("tracks")

    init(keeps: Bool, bound: ByteSize, log: Logger) {
        store = keeps && bound.bytes > 0 ? CacheStore(folder: SegmentCache.baseFolder) : nil
        self.bound = bound.bytes
        self.log = log
    }

    /// Returns an earlier result. A damaged entry is removed, so that it is made again.
    func find(_ key: String, _ grid: AnalysisGrid) -> AnalysisTrack? {
        guard let store, let (data, file) = store.read(key) else { return nil }
        if data.count == file.size, Self.digest(data) == file.digest,
            let track = try? JSONDecoder().decode(AnalysisTrack.self, from: data), track.fits(grid)
        {
            return track
        }
        log.warning("a cached analysis is damaged, and is made again: ‘\(key)’")
        backlog.add { store.remove(key) }
        return nil
    }

    /// Keeps a result for later runs, if there is room. Returns at once. A failure only costs time
    /// later.
    func keep(_ track: AnalysisTrack, as key: String) {
        guard let store else { return }
        backlog.add { [bound, log] in
            do throws(HostError) {
                try Self.keep(track, as: key, in: store, bound)
            } catch {
                log.warning("an analysis is not cached: \(error.message)")
            }
        }
    }

    /// Waits until everything is kept, unless there is no progress for a while.
    func close() async {
        guard let store, await backlog.finish(patience: SegmentCache.patience) > 0 else { return }
        log.warning("an analysis is not cached: \(store.noAnswer)")
    }

    private static func keep(_ track: AnalysisTrack, as key: String, in store: CacheStore, _ bound: Int64)
        throws(HostError)
    {
        // Encoding finite numbers cannot fail.
        let data = (try? JSONEncoder().encode(track)) ?? Data()
        let parts = try PartsFolder(in: store.folder)
        defer { parts.remove() }
        let part = parts.path + "/track"
        let code = writeFile(part, data)
        guard code == 0 else {
            throw HostError(.inputOutput, "The file ‘\(part)’ cannot be written: \(systemText(code)).")
        }
        let file = RenderedFile(count: track.frames.count, size: Int64(data.count), digest: digest(data))
        try store.keep(part, as: key, file, bound: bound)
    }

    private static func digest(_ data: Data) -> String {
        var hasher = SHA256()
        hasher.update(data)
        return hasher.finish()
    }
}

extension AnalysisTrack {
    /// Returns whether it covers exactly these frames.
    func fits(_ grid: AnalysisGrid) -> Bool { self.grid == grid && frames.count == grid.frameCount }
}
