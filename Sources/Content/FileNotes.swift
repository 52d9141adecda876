import FoundationEssentials
import Glibc
import Hashing

/// A cache of facts about versions of files, so that they are not read again for them: short notes
/// in a folder, each a file named by a hash of its question. Calls may block on disks. A note that
/// cannot be written is only lost time.
public struct FileNotes: Sendable {
    private let folder: String
    private static let mostNotes = 20_000

    public init(folder: String) { self.folder = folder }

    private func path(_ question: String) -> String { "\(folder)/\(SHA256.hash(question.utf8))" }

    /// Makes the folder, and removes the oldest notes if there are very many.
    public func prepare() {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.count > Self.mostNotes else { return }
        func age(_ name: String) -> Int {
            var info = stat()
            return stat(folder + "/" + name, &info) == 0 ? info.st_mtim.tv_sec : 0
        }
        let oldest = names.map { (name: $0, time: age($0)) }.sorted { $0.time < $1.time }
        for (name, _) in oldest.prefix(names.count - Self.mostNotes / 2) { unlink(folder + "/" + name) }
    }

    /// Returns the note for a question.
    /// - Parameter question: names the version of the file (``FileStamp/text``) and the fact.
    public func read(_ question: String) -> Data? { FileManager.default.contents(atPath: path(question)) }

    /// Writes a note, replacing one for the same question. Call ``prepare()`` first.
    public func write(_ note: Data, on question: String) {
        try? note.write(to: URL(fileURLWithPath: path(question)), options: .atomic)
    }
}
