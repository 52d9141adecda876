import Draft
import Foundation

/// Libraries of other interfaces, which workers present as plugins. There may be hundreds of them, so none is opened because it
/// is there: an effect's id names its library's file, and that is opened when somebody asks for the effect.
struct ForeignPlugins: Sendable {
    /// What ids begin with, before a dot and the name of the library's file without `.so`.
    let name: String
    /// Where they are looked for; the first file of a name wins.
    let folders: [String]

    /// frei0r's own places, after those of `$FREI0R_PATH`.
    static let frei0r = ForeignPlugins(
        name: "frei0r", variable: "FREI0R_PATH",
        usual: ["/usr/local/lib/frei0r-1", "/usr/lib/frei0r-1"], home: "/.frei0r-1/lib")

    static let all = [frei0r]

    private init(name: String, variable: String, usual: [String], home: String) {
        self.name = name
        let environment = ProcessInfo.processInfo.environment
        let here = FileManager.default.currentDirectoryPath
        let given = (environment[variable] ?? "").split(separator: ":").map { absolutePath(String($0), in: here) }
        folders = given + (environment["HOME"].map { [$0 + home] } ?? []) + usual
    }

    /// The libraries that are there by their effects' ids.
    var libraries: [String: String] {
        var found: [String: String] = [:]
        for folder in folders {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where file.hasSuffix(".so")
            {
                let id = "\(name).\(file.dropLast(3))"
                found[id] = found[id] ?? "\(folder)/\(file)"
            }
        }
        return found
    }

    /// The library that would have the effect; nil where the id is none of these, or there is no such file.
    static func library(of id: String) -> String? {
        all.lazy.filter { id.hasPrefix($0.name + ".") }.compactMap { $0.libraries[id] }.first
    }

    /// The ids that there are, without a look into any library.
    static var ids: [String] { all.flatMap(\.libraries.keys).sorted() }
}
