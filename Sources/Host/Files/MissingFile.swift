import Draft
import Foundation

/// What may have been meant by a path at which nothing is.
enum MissingFile {
    /// `; did you mean ‘a.mp4’?`; empty where something is there, or nothing is near.
    /// - Parameters:
    ///   - path: absolute.
    ///   - isScript: whether a script or a document is wanted.
    static func hint(_ path: String, isScript: Bool = false) -> String {
        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        guard !exists(path) else { return "" }
        var missing = path as NSString
        // The mistake is the first part of the path that is not there.
        while missing.length > 1, !exists(missing.deletingLastPathComponent) {
            missing = missing.deletingLastPathComponent as NSString
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: missing.deletingLastPathComponent)) ?? []
        // Hidden files are seldom meant, and a folder of very many takes long to compare.
        let seen = names.lazy.filter { !$0.hasPrefix(".") }.prefix(10_000)
        return near(missing.lastPathComponent, in: seen.sorted(), isScript: isScript).map { "; did you mean ‘\($0)’?" }
            ?? ""
    }

    /// The name in other capitals, the same name of another kind, or one of that kind that is spelled nearly so.
    static func near(_ name: String, in names: [String], isScript: Bool = false) -> String? {
        func stem(_ name: String) -> String { (name as NSString).deletingPathExtension.lowercased() }
        func suffix(_ name: String) -> String { (name as NSString).pathExtension.lowercased() }
        if let same = names.first(where: { $0.lowercased() == name.lowercased() }) { return same }
        // Who misses a.mov does not mean the script a.lua.
        let other = names.first {
            stem($0) == stem(name) && ["lua", "cutroom"].contains(suffix($0)) == isScript
        }
        if let other { return other }
        let alike = names.filter { suffix($0) == suffix(name) }
        return nearestName(to: stem(name), in: alike.map(stem)).flatMap { near in alike.first { stem($0) == near } }
    }
}
