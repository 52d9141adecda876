import Foundation
import HostCore
import Values

/// The page's files, read once: nothing in a request becomes a path.
struct PageFiles: Sendable {
    struct File: Sendable {
        var data: Data
        var type: String
    }

    /// By their names in addresses: `index.html`, `player/buffer.js`.
    private let files: [String: File]
    /// Files are read for each request, for developing the page.
    private let folder: String?

    /// Reads the files.
    /// - Parameter folder: the page's folder; nil: the installed one.
    init(_ folder: String?) throws(HostError) {
        self.folder = folder.map { absolutePath($0, in: FileManager.default.currentDirectoryPath) }
        let places = self.folder.map { [$0] } ?? Self.usualFolders
        guard let found = places.lazy.map(Self.read).first(where: { $0["index.html"] != nil }) else {
            let names = places.map { "‘\($0)’" }.joined(separator: " or ")
            throw HostError(.software, "The editor's page was not found at \(names); install Cutroom again.")
        }
        files = found
    }

    /// Installed: `../share/cutroom/editor` relative to the program; in a build folder: next to it.
    private static var usualFolders: [String] {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = (program as NSString).deletingLastPathComponent
        return [absolutePath("../share/cutroom/editor", in: folder), folder + "/cutroom_Editor.resources/Page"]
    }

    private static func read(_ folder: String) -> [String: File] {
        var files: [String: File] = [:]
        for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
            guard let type = types[(name as NSString).pathExtension],
                let data = FileManager.default.contents(atPath: folder + "/" + name)
            else { continue }
            files[name] = File(data: data, type: type)
        }
        return files
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "json": "application/json",
    ]

    package subscript(name: String) -> File? { folder.map { Self.read($0)[name] } ?? files[name] }
}
