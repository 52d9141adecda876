import Jobs
import Draft
import Foundation
import Hashing
import Logging

/// What analysers found, beside the rendered parts in the ``CacheStore`` and under the same bound.
struct TrackCache: Sendable {
    /// nil: nothing is taken from the cache and nothing kept.
    private let store: CacheStore?
    private let bound: Int64
    private let log: Logger

    init(keeps: Bool, bound: ByteSize, log: Logger) {
        store = keeps && bound.bytes > 0 ? CacheStore(folder: SegmentCache.baseFolder) : nil
        self.bound = bound.bytes
        self.log = log
    }

    /// What was found before. An entry that is damaged is removed, so that it is made again.
    func find(_ key: String, _ grid: AnalysisGrid) -> AnalysisTrack? {
        guard let store, let (data, file) = store.read(key) else { return nil }
        if data.count == file.size, Self.digest(data) == file.digest,
            let track = try? JSONDecoder().decode(AnalysisTrack.self, from: data), track.fits(grid)
        {
            return track
        }
        log.warning(
            "what an analyser found is damaged in the cache, and found out again", metadata: ["entry": "\(key)"])
        store.remove(key)
        return nil
    }

    /// Keeps a track for later runs, where there is room. What goes wrong with that costs time later, not this run.
    func keep(_ track: AnalysisTrack, as key: String) {
        guard let store else { return }
        do throws(HostError) {
            // Encoding finite numbers cannot fail.
            let data = (try? JSONEncoder().encode(track)) ?? Data()
            let parts = try PartsFolder(in: store.folder)
            defer { parts.remove() }
            let part = parts.path + "/track"
            let code = writeFile(part, data)
            guard code == 0 else {
                throw HostError(.inputOutput, "The file ‘\(part)’ cannot be written: \(systemText(code)).")
            }
            let file = RenderedFile(count: track.frames.count, size: Int64(data.count), digest: Self.digest(data))
            try store.keep(part, as: key, file, bound: bound)
        } catch {
            log.warning("what an analyser found is not kept", metadata: ["reason": "\(error.message)"])
        }
    }

    private static func digest(_ data: Data) -> String {
        var hasher = SHA256()
        hasher.update(data)
        return hasher.finish()
    }
}

extension AnalysisTrack {
    /// It is of these frames, and of all of them.
    func fits(_ grid: AnalysisGrid) -> Bool { self.grid == grid && frames.count == grid.frameCount }
}
