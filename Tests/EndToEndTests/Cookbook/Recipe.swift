import Foundation
import TestSupport
import Testing

/// A recipe of the cookbook: a script in `Scripts/cookbook` that begins with the command that
/// renders it.
struct Recipe: Sendable, CustomTestStringConvertible {
    static let folder = Project.root + "/Scripts/cookbook"

    let name: String
    let text: String

    static var all: [Recipe] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".lua") }.sorted().map {
                Recipe(
                    name: String($0.dropLast(4)), text: try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
            }
        }
    }

    var testDescription: String { name }

    /// Whether the recipe renders in the usual tests: quick ones, each by other means. The others
    /// render in the sweep.
    var isUsual: Bool {
        ["dissolve", "subtitles_track", "trim_and_join", "watermark"].contains(name)
    }

    /// The arguments of `cutroom` in the first line.
    var command: [String] {
        let line = text.prefix { $0 != "\n" }
        return line.split(separator: " ").dropFirst(2).map(String.init)
    }

    /// The folder that `Scripts/cookbook/media.sh` fills. Tests share it and must not write to it.
    static var media: String {
        get throws {
            let script = folder + "/media.sh"
            return try Kept.file("cookbook", from: [Kept.content(of: script)]) { folder in
                let output = try Command.run(["bash", script, folder], timeout: 300)
                guard output.succeeded else { throw ToolFailure("media.sh: \(output)") }
            }
        }
    }

    /// Runs the recipe's command, as a reader would, in a folder with the script and the media.
    func cook(in studio: Studio) throws -> Dish {
        let media = try Self.media
        for name in try FileManager.default.contentsOfDirectory(atPath: media) {
            try FileManager.default.createSymbolicLink(
                atPath: studio.file(name), withDestinationPath: media + "/" + name)
        }
        try studio.folder.write(text, to: name + ".lua")
        let output = try studio.run(command + ["--workers", "1"], timeout: 120)
        guard output.status == 0, !output.stderr.contains("warning") else { throw ToolFailure("\(name): \(output)") }
        return Dish(path: studio.file(command.last ?? ""))
    }
}
