import Draft
import Foundation

/// Where plugins are looked for, the first one of an id wins: `--plugin-path`, `$CUTROOM_PLUGIN_PATH`, the user's and the
/// system's plugin folders, then the shipped ones beside the program.
enum PluginPaths {
    /// - Parameter wished: `--plugin-path`: folders or libraries, separated by colons.
    static func search(_ wished: [String]) -> [String] {
        let environment = ProcessInfo.processInfo.environment
        let here = FileManager.default.currentDirectoryPath
        let given = wished + [environment["CUTROOM_PLUGIN_PATH"] ?? ""]
        var paths = given.flatMap { $0.split(separator: ":") }.map { absolutePath(String($0), in: here) }
        // What nobody asked for by name may be absent.
        paths += (usual(environment) + shipped).filter { FileManager.default.fileExists(atPath: $0) }
        var seen = Set<String>()
        return paths.filter { seen.insert($0).inserted }
    }

    /// The user's folder, then the system's.
    static func usual(_ environment: [String: String]) -> [String] {
        let data = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
        return ((data.map { [$0] } ?? []) + ["/usr/local/lib", "/usr/lib"]).map { $0 + "/cutroom/plugins" }
    }

    /// What `--plugin-path` names and is not there.
    static func missing(_ wished: [String]) -> [String] {
        let here = FileManager.default.currentDirectoryPath
        return wished.flatMap { $0.split(separator: ":") }.map(String.init).filter {
            !FileManager.default.fileExists(atPath: absolutePath($0, in: here))
        }
    }

    /// Installed: `../lib/cutroom/plugins` from the program; in a build folder: the libraries beside it.
    private static var shipped: [String] {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = (program as NSString).deletingLastPathComponent
        let installed = absolutePath("../lib/cutroom/plugins", in: folder)
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return [installed]
            + beside.filter { $0.hasPrefix("libcutroom_plugin_") && $0.hasSuffix(".so") }.sorted().map {
                folder + "/" + $0
            }
    }
}
