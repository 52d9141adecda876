import Draft
import Foundation
import Glibc
import Hashing
import HostCore
import ServerClient

/// Which scripts editors have open: a small file for each, which an editor that ends takes away. Those of editors that were killed are found
/// again.
struct OpenDrafts: Sendable {
    /// A script that was open.
    struct Entry: Codable, Sendable {
        var script: String
        /// Seconds since 1970.
        var opened: Int
        /// The command that opens it again.
        var words: String
    }

    private let folder: String
    private let name: String

    /// - Parameter script: absolute.
    init(_ script: String) throws(HostError) {
        folder = try ServerPlace(nil).folder + "/editors"
        name = "\(SHA256.hash(script.utf8).prefix(16))-\(getpid()).json"
    }

    /// Writes down that the script is open. What goes wrong costs nothing but the finding again.
    func open(_ entry: Entry) {
        guard (try? ServerPlace(nil))?.makeOwn() == 0, makeFolders(folder) == 0,
            let data = try? JSONEncoder().encode(entry)
        else { return }
        _ = writeFile(folder + "/" + name, data)
    }

    func close() { unlink(folder + "/" + name) }

    /// What others have open, or had when they were killed; each script once, the newest first.
    func others() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let own = FileManager.default.contents(atPath: folder + "/" + name).flatMap(Self.entry)
        var seen = Set([own?.script].compactMap(\.self))
        return names.filter { $0 != name }.compactMap { FileManager.default.contents(atPath: folder + "/" + $0) }
            .compactMap(Self.entry).filter { FileManager.default.fileExists(atPath: $0.script) }
            .sorted { ($0.opened, $0.script) > ($1.opened, $1.script) }.filter { seen.insert($0.script).inserted }
    }

    private static func entry(_ data: Data) -> Entry? { try? JSONDecoder().decode(Entry.self, from: data) }

    /// Forgets what editors that do not run any more had open, of this script alone: it is open again.
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
