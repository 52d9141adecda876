import Composition
import Content
import Draft
import Farm
import Foundation
import Glibc
import Hashing
import Jobs
import Synchronization

/// What earlier commands have found out of files, beside the cache's entries: nobody looks into a file again that has not changed since. A file
/// is known again by its stamp, in which is the time of its last change, which nobody can set.
package final class MediaMemory: Sendable {
    /// What is known of a file before a worker looks into it.
    package struct Glance: Sendable {
        fileprivate let stamp: FileStamp
        /// What was found of this version of it, and with which libraries; nil: nobody has looked yet.
        let info: MediaInfo?
        let libraries: String
    }

    private struct Note: Codable {
        var libraries: String
        var info: MediaInfo
    }

    private let notes: FileNotes
    /// What looks into files, as far as that decides what it finds.
    private let finder: String
    private let lane = FileLane("media")
    private let backlog = Backlog("media-notes")
    private let isPrepared = Mutex(false)

    /// A file that changed a moment ago may change again without its stamp telling.
    private static let youngest: Int64 = 2_000_000_000
    /// Bytes of a note, which is one of very many. What is longer is a file of many subtitles, which is quickly read.
    private static let longest = 16 << 10

    /// - Parameters:
    ///   - folder: where the notes lie; made when there is something to note.
    ///   - finder: a text that no other version of what looks into files has.
    package init(folder: String, finder: String) {
        notes = FileNotes(folder: folder)
        self.finder = finder
    }

    /// The memory of a user's commands.
    package convenience init() {
        let worker = Self.stamp(JobQueue.Configuration.usualWorkerPath)?.text ?? ""
        self.init(folder: Self.usualFolder, finder: "\(Engine.version) \(worker)")
    }

    package static var usualFolder: String { SegmentCache.baseFolder + "/media" }

    /// nil where there is no regular file.
    private static func stamp(_ path: String) -> FileStamp? {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStamp(info)
    }

    private func question(_ file: DraftFile, _ stamp: FileStamp) -> String {
        "\(file.content.rawValue) \(stamp.text) \(finder) \(file.path)"
    }

    /// May wait for disks.
    /// - Returns: nil where there is no regular file, of which nothing is kept.
    func look(at file: DraftFile) -> Glance? {
        guard let stamp = Self.stamp(file.path) else { return nil }
        let note = notes.read(question(file, stamp)).flatMap(Self.note)
        return Glance(stamp: stamp, info: note?.info, libraries: note?.libraries ?? "")
    }

    /// The same of many, for those who must not wait for disks.
    func look(at files: [DraftFile]) async -> [DraftFile: Glance] {
        await lane.run { [self] in
            Dictionary(files.compactMap { file in look(at: file).map { (file, $0) } }) { first, _ in first }
        }
    }

    /// Notes what a worker has found in a file, for later commands. Returns at once.
    /// - Parameters:
    ///   - glance: what was seen of the file before that.
    ///   - now: nanoseconds since 1970.
    package func keep(_ reply: ProbeJob.Reply, of file: DraftFile, _ glance: Glance, now: Int64 = MediaMemory.now) {
        let stamp = glance.stamp
        guard let info = reply.files.first?.info, info.identity.size == stamp.size,
            info.identity.modified == stamp.modified, now &- max(stamp.modified, stamp.changed) >= Self.youngest
        else { return }
        backlog.add { [self] in
            // What was found belongs to this version only if it still is the file's.
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

    /// Waits until all is noted, unless nothing gets done for a while: then it is found out again by the next command.
    package func close() async { _ = await backlog.finish(patience: SegmentCache.patience) }

    /// nil for one that is damaged.
    private static func note(_ data: Data) -> Note? {
        let text = data.dropFirst(digestLength)
        guard data.prefix(digestLength).elementsEqual(SHA256.hash(text).utf8) else { return nil }
        guard let note = try? JSONDecoder().decode(Note.self, from: text), note.info.excess == nil else { return nil }
        return note
    }

    /// Characters of a SHA-256.
    private static let digestLength = 64

    package static var now: Int64 { timespec.now.nanoseconds }
}
