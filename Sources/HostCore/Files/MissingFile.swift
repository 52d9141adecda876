import Foundation
import Values

/// Suggestions for a path that does not exist.
enum MissingFile {
    /// Returns `; did you mean ‘a.mp4’?`; empty if the file exists, or no name is similar.
    /// - Parameters:
    ///   - path: absolute.
    ///   - isScript: whether a script or a document is expected.
    static func hint(_ path: String, isScript: Bool = false) -> String {
        guard let (folder, missing) = firstMissing(path) else { return "" }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // Hidden files are rarely meant, and very large folders take long to compare.
        let seen = names.lazy.filter { !$0.hasPrefix(".") }.prefix(10_000)
        return near(missing, in: seen.sorted(), isScript: isScript).map { "; did you mean ‘\($0)’?" }
            ?? ""
    }

    /// Returns the first missing component of a path, and the folder that lacks it; nil if the
    /// whole path exists, or it is longer than any path.
    private static func firstMissing(_ path: String) -> (folder: String, name: String)? {
        guard path.utf8.count < Int(PATH_MAX) else { return nil }
        var folder = ""
        for part in path.split(separator: "/") {
            let next = "\(folder)/\(part)"
            guard FileManager.default.fileExists(atPath: next) else {
                return (folder.isEmpty ? "/" : folder, String(part))
            }
            folder = next
        }
        return nil
    }

    /// Returns the name in other capitals, the same name with another suffix, or a similarly
    /// spelled name with the same suffix.
    static func near(_ name: String, in names: [String], isScript: Bool = false) -> String? {
        func stem(_ name: String) -> String { (name as NSString).deletingPathExtension.lowercased() }
        func suffix(_ name: String) -> String { (name as NSString).pathExtension.lowercased() }
        if let same = names.first(where: { $0.lowercased() == name.lowercased() }) { return same }
        // A missing a.mov does not stand for the script a.lua.
        let other = names.first {
            stem($0) == stem(name) && ["lua", "cutroom"].contains(suffix($0)) == isScript
        }
        if let other { return other }
        let alike = names.filter { suffix($0) == suffix(name) }
        return nearestName(to: stem(name), in: alike.map(stem)).flatMap { near in alike.first { stem($0) == near } }
    }
}
