import Composition
import Foundation
import Glibc

/// Rendered segments and sound, each under the hash of everything that decides its bytes. Safe with several hosts at once:
/// entries appear by rename and are never changed.
///
/// `$XDG_CACHE_HOME/cutroom/segments/ab/abcd….mp4` with `abcd….json` beside it, which records size and digest; what is being
/// written lies in a folder of its own for each render.
struct SegmentCache: Sendable {
    /// Where entries are kept; nil: nothing is kept beyond this render.
    private let folder: String?
    /// This render's own folder, removed with ``close()``.
    let partsFolder: String

    /// - Parameter keeps: false for `--no-cache`.
    init(keeps: Bool) throws(HostError) {
        let base = Self.baseFolder
        let parts = "\(base)/parts/\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        do {
            try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
        } catch {
            throw HostError(.cannotCreate, "The cache folder ‘\(base)’ cannot be made: \(error.localizedDescription)")
        }
        folder = keeps ? base + "/segments" : nil
        partsFolder = parts
        removeAbandonedParts(base + "/parts")
    }

    static var baseFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return folder + "/cutroom" }
        return (environment["HOME"] ?? NSTemporaryDirectory()) + "/.cache/cutroom"
    }

    /// Removes what renders left whose process was killed.
    private func removeAbandonedParts(_ folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let process = name.split(separator: "-").first.flatMap({ pid_t($0) }), process != getpid() else { continue }
            if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        }
    }

    private func path(_ key: String) -> String? { folder.map { "\($0)/\(key.prefix(2))/\(key).mp4" } }

    /// An entry that is there with its recorded size; its content is checked when it is used.
    func find(_ key: String) -> (path: String, file: RenderedFile)? {
        guard let path = path(key), let record = FileManager.default.contents(atPath: path + ".json"),
            let file = try? JSONDecoder().decode(RenderedFile.self, from: record)
        else { return nil }
        var info = stat()
        guard stat(path, &info) == 0, Int64(info.st_size) == file.size else { return nil }
        // The time of last use, for whoever tidies up.
        utimensat(AT_FDCWD, path, nil, 0)
        return (path, file)
    }

    /// Takes over a finished part.
    /// - Returns: where it lies now.
    func commit(_ part: String, as key: String, _ file: RenderedFile) throws(HostError) -> String {
        guard let path = path(key) else { return part }
        let record = part + ".json"
        do {
            let parent = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try JSONEncoder().encode(file).write(to: URL(fileURLWithPath: record))
        } catch {
            throw HostError(.inputOutput, "The cache cannot be written: \(error.localizedDescription)")
        }
        // The record comes last: an entry without it does not count.
        guard rename(part, path) == 0, rename(record, path + ".json") == 0 else {
            throw HostError(.inputOutput, "The cache entry ‘\(path)’ cannot be written: \(String(cString: strerror(errno))).")
        }
        return path
    }

    /// Forgets an entry, for one that turned out to be damaged.
    func remove(_ key: String) {
        guard let path = path(key) else { return }
        unlink(path + ".json")
        unlink(path)
    }

    /// Removes this render's own folder.
    func close() { try? FileManager.default.removeItem(atPath: partsFolder) }
}
