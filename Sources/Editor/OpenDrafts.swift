import Draft
import Foundation
import Glibc
import Hashing
import HostCore
import ServerClient

/// The scripts that editors have open: a small file for each, which the editor removes when it
/// ends. Files of killed editors remain, so that their scripts are found again.
struct OpenDrafts: Sendable {
    /// An open script.
    struct Entry: Codable, Sendable {
        var script: String
        /// In seconds since 1970.
        var opened: Int
        /// The command that opens the script again.
        var words: String
    }

    private let folder: String
    private let name: String

    /// Prepares the file of an editor.
    /// - Parameter script: an absolute path.
    init(_ script: String) throws(HostError) {
        folder = try ServerPlace(nil).folder + "/editors"
        name = "\(SHA256.hash(script.utf8).prefix(16))-\(getpid()).json"
    }

    /// Records that the script is open. Errors are ignored: the script is then just not listed.
    func open(_ entry: Entry) {
        guard (try? ServerPlace(nil))?.makeOwn() == 0, makeFolders(folder) == 0,
            let data = try? JSONEncoder().encode(entry)
        else { return }
        _ = writeFile(folder + "/" + name, data)
    }

    func close() { unlink(folder + "/" + name) }

    /// Returns the scripts that other editors have open, or had open when they were killed; each
    /// once, the newest first.
    func others() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let own = FileManager.default.contents(atPath: folder + "/" + name).flatMap(Self.entry)
        var seen = Set([own?.script].compactMap(\.self))
        return names.filter { $0 != name }.compactMap { FileManager.default.contents(atPath: folder + "/" + $0) }
            .compactMap(Self.entry).filter { FileManager.default.fileExists(atPath: $0.script) }
            .sorted { ($0.opened, $0.script) > ($1.opened, $1.script) }.filter { seen.insert($0.script).inserted }
    }

    private static func entry(_ data: Data) -> Entry? { try? JSONDecoder().decode(Entry.self, from: data) }

    /// Removes the files of killed editors of this script, which is open again.
    func adopt() {
        let prefix = name.prefix { $0 != "-" } + "-"
        for other in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where other.hasPrefix(prefix) && other != name {
            guard let process = pid_t(other.dropFirst(prefix.count).dropLast(5)), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            unlink(folder + "/" + other)
        }
    }
}
