import Composition
import Content
import Draft
import Farm
import Foundation
import Glibc
import Hashing
import Jobs
import Synchronization

/// The facts that earlier commands have found in files, stored beside the cache's entries, so that
/// unchanged files are not probed again. A file is identified by its stamp, which includes the time
/// of its last change (ctime), which programs cannot set.
package final class MediaMemory: Sendable {
    /// The facts about a file that are known before a worker probes it.
    package struct Glance: Sendable {
        fileprivate let stamp: FileStamp
        /// The facts about this version, with the libraries that found them; nil if it was not
        /// probed yet.
        let info: MediaInfo?
        let libraries: String
    }

    private struct Note: Codable {
        var libraries: String
        var info: MediaInfo
    }

    private let notes: FileNotes
    /// The version of the prober, as far as it affects the facts.
    private let finder: String
    private let lane = FileLane("media")
    private let backlog = Backlog("media-notes")
    private let isPrepared = Mutex(false)

    /// The age in nanoseconds below which a file is not trusted: it may change again without a new
    /// stamp.
    private static let youngest: Int64 = 2_000_000_000
    /// The largest note in bytes; there are very many notes. A longer one belongs to a file of many
    /// subtitles, which is quickly read.
    private static let longest = 16 << 10

    /// Makes a memory.
    /// - Parameters:
    ///   - folder: the folder of the notes, made with the first note.
    ///   - finder: a text that is unique to the version of the prober.
    package init(folder: String, finder: String) {
        notes = FileNotes(folder: folder)
        self.finder = finder
    }

    /// Makes the memory of a user's commands.
    package convenience init() {
        let worker = Self.stamp(JobQueue.Configuration.usualWorkerPath)?.text ?? ""
        self.init(folder: Self.usualFolder, finder: "\(Engine.version) \(worker)")
    }

    package static var usualFolder: String { SegmentCache.baseFolder + "/media" }

    /// Returns the stamp of a file; nil for anything but a regular file.
    private static func stamp(_ path: String) -> FileStamp? {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStamp(info)
    }

    private func question(_ file: DraftFile, _ stamp: FileStamp) -> String {
        "\(file.content.rawValue) \(stamp.text) \(finder) \(file.path)"
    }

    /// Looks a file up. May block on disks.
    /// - Returns: nil for anything but a regular file.
    func look(at file: DraftFile) -> Glance? {
        guard let stamp = Self.stamp(file.path) else { return nil }
        let note = notes.read(question(file, stamp)).flatMap(Self.note)
        return Glance(stamp: stamp, info: note?.info, libraries: note?.libraries ?? "")
    }

    /// Looks many files up, for callers that must not block.
    func look(at files: [DraftFile]) async -> [DraftFile: Glance] {
        await lane.run { [self] in
            Dictionary(files.compactMap { file in look(at: file).map { (file, $0) } }) { first, _ in first }
        }
    }

    /// Notes the findings of a worker about a file, for later commands. Returns at once.
    /// - Parameters:
    ///   - glance: the result of looking the file up before that.
    ///   - now: nanoseconds since 1970.
    package func keep(_ reply: ProbeJob.Reply, of file: DraftFile, _ glance: Glance, now: Int64 = MediaMemory.now) {
        let stamp = glance.stamp
        guard let info = reply.files.first?.info, info.identity.size == stamp.size,
            info.identity.modified == stamp.modified, now &- max(stamp.modified, stamp.changed) >= Self.youngest
        else { return }
        backlog.add { [self] in
            // The findings belong to this version only if it is still the current one.
            guard Self.stamp(file.path) == stamp,
                let text = try? JSONEncoder().encode(Note(libraries: reply.libraries, info: info)),
                text.count <= Self.longest
            else { return }
            let isFirst = isPrepared.withLock { isPrepared in
                defer { isPrepared = true }
                return !isPrepared
            }
            if isFirst { notes.prepare() }
            notes.write(Data(SHA256.hash(text).utf8) + text, on: question(file, stamp))
        }
    }

    /// Waits until all notes are written, unless nothing is written for a while; missing notes are
    /// found again by the next command.
    package func close() async { _ = await backlog.finish(patience: SegmentCache.patience) }

    /// Decodes a note; nil for a damaged one.
    private static func note(_ data: Data) -> Note? {
        let text = data.dropFirst(digestLength)
        guard data.prefix(digestLength).elementsEqual(SHA256.hash(text).utf8) else { return nil }
        guard let note = try? JSONDecoder().decode(Note.self, from: text), note.info.excess == nil else { return nil }
        return note
    }

    /// The number of characters of a SHA-256.
    private static let digestLength = 64

    package static var now: Int64 { timespec.now.nanoseconds }
}
