import Composition
import Draft
import Foundation
import Glibc
import HostCore

/// The media folders.
extension Editor {
    struct MediaList: Encodable, Sendable {
        var folders: [String]
        var files: [MediaEntry]
    }

    struct MediaEntry: Encodable, Sendable {
        var path: String
        var name: String
        var kind: String
        /// In seconds since 1970.
        var modified: Int
        var size: Int64
        /// The line that adds the file to a script.
        var add: String
    }

    private static let mostFiles = 5000

    /// Returns the files of the media folders, newest first.
    /// - Parameter folder: only this folder; nil: all.
    func mediaList(_ folder: String?) async throws(WebError) -> MediaList {
        let folders = mediaFolders
        let wanted =
            try folder.map { name throws(WebError) in
                guard let real = realPath(name), folders.contains(real) else {
                    throw WebError(404, "‘\(name)’ is not a media folder.")
                }
                return [real]
            } ?? folders
        let home = (script as NSString).deletingLastPathComponent
        let files = await pictures.run { wanted.flatMap { Self.files(in: $0, home) } }
        return MediaList(
            folders: folders, files: Array(files.sorted { $0.modified > $1.modified }.prefix(Self.mostFiles)))
    }

    private static func files(in folder: String, _ home: String) -> [MediaEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.compactMap { name in
            guard let kind = MediaName(path: name) else { return nil }
            let path = folder + "/" + name
            var info = stat()
            guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
            let shown = relative(path, to: home)
            return MediaEntry(
                path: path, name: name, kind: kind.rawValue, modified: info.st_mtim.tv_sec, size: Int64(info.st_size),
                add:
                    "draft:\(kind == .sound ? "add_audio" : kind == .image ? "add_image" : "add_clip")(\(quotedForLua(shown)))"
            )
        }
    }

    /// Returns a path as a script in `folder` writes it: below that folder, or next to it.
    private static func relative(_ path: String, to folder: String) -> String {
        let (from, to) = (folder.split(separator: "/"), path.split(separator: "/"))
        let common = zip(from, to).prefix { $0 == $1 }.count
        guard common > 0, from.count - common <= 3 else { return path }
        return (Array(repeating: "..", count: from.count - common) + to[common...].map(String.init)).joined(
            separator: "/")
    }

    private static func quotedForLua(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\n": quoted += "\\n"
            case _ where scalar.value < 32: quoted += "\\\(scalar.value)"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Returns the contents of a media file, in the format of `cutroom probe --json`.
    package func probe(_ path: String) async throws -> Data {
        let (file, _) = try await media(path)
        return Data(prettyJSON(file.info, snakeCase: true).utf8)
    }
}
