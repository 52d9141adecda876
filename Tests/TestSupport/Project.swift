import Foundation

/// Where the tests and what they test lie.
public enum Project {
    /// The project's absolute folder, symbolic links resolved.
    public static let root: String = {
        let here = realPath(#filePath) ?? #filePath
        return here.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    }()

    /// The folder where SwiftPM puts programs, plugins and the test bundle: the folder of this
    /// test's own binary.
    public static let products: String = {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let candidates = [program, CommandLine.arguments[0]].map { ($0 as NSString).deletingLastPathComponent }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0 + "/cutroom") } ?? candidates[1]
    }()

    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
