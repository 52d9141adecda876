import FoundationEssentials
import Glibc
import Hashing

/// What was found out of versions of files, so that nobody has to read them again for it: short notes in a folder, each a file of its own under a
/// hash of its question. May wait for disks. What cannot be noted is found out again.
public struct FileNotes: Sendable {
    private let folder: String
    private static let mostNotes = 20_000

    public init(folder: String) { self.folder = folder }

    private func path(_ question: String) -> String { "\(folder)/\(SHA256.hash(question.utf8))" }

    /// Makes the folder, and forgets the oldest of very many notes.
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

    /// - Parameter question: names the version of the file (``FileStamp/text``) and what is asked of it.
    public func read(_ question: String) -> Data? { FileManager.default.contents(atPath: path(question)) }

    /// A note of the same question is replaced. To be called after ``prepare()``.
    public func write(_ note: Data, on question: String) {
        try? note.write(to: URL(fileURLWithPath: path(question)), options: .atomic)
    }
}
