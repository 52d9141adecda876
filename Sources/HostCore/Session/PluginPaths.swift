import Foundation
import Values

/// The search path for plugins, in which the first effect with an id wins: `--plugin-path`,
/// `$CUTROOM_PLUGIN_PATH`, the user's and the system's plugin folders, then the shipped ones beside
/// the program.
package enum PluginPaths {
    /// Returns the search path.
    /// - Parameter wished: `--plugin-path`: folders or libraries, separated by colons.
    package static func search(_ wished: [String]) -> [String] {
        let environment = ProcessInfo.processInfo.environment
        let here = FileManager.default.currentDirectoryPath
        let given = wished + [environment["CUTROOM_PLUGIN_PATH"] ?? ""]
        var paths = given.flatMap { $0.split(separator: ":") }.map { absolutePath(String($0), in: here) }
        // The default folders may be missing.
        paths += (usual(environment) + shipped).filter { FileManager.default.fileExists(atPath: $0) }
        var seen = Set<String>()
        return paths.filter { seen.insert($0).inserted }
    }

    /// Returns the named paths as absolute ones.
    package static func named(_ wished: [String]) -> [String] {
        let here = FileManager.default.currentDirectoryPath
        return wished.flatMap { $0.split(separator: ":") }.map { absolutePath(String($0), in: here) }
    }

    /// Returns the user's folder, then the system's.
    static func usual(_ environment: [String: String]) -> [String] {
        let data = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
        return ((data.map { [$0] } ?? []) + ["/usr/local/lib", "/usr/lib"]).map { $0 + "/cutroom/plugins" }
    }

    /// Returns the paths of `--plugin-path` that do not exist.
    static func missing(_ wished: [String]) -> [String] {
        let here = FileManager.default.currentDirectoryPath
        return wished.flatMap { $0.split(separator: ":") }.map(String.init).filter {
            !FileManager.default.fileExists(atPath: absolutePath($0, in: here))
        }
    }

    /// The folder of the shipped plugins: `../lib/cutroom/plugins` from the installed program; in a
    /// build folder the libraries beside it.
    private static var shipped: [String] {
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: program)) ?? []
        return [installed] + beside.filter(isShippedName).sorted().map { program + "/" + $0 }
    }

    /// The folder of the program.
    private static let program: String = {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (path as NSString).deletingLastPathComponent
    }()
    private static let installed = absolutePath("../lib/cutroom/plugins", in: program)
    private static let installedForReal = realPath(installed)

    private static func isShippedName(_ name: String) -> Bool {
        name.hasPrefix("libcutroom_plugin_") && name.hasSuffix(".so")
    }

    /// Returns whether a library comes with Cutroom, judging by its path.
    /// - Parameter path: absolute, without links.
    package static func isShipped(_ path: String) -> Bool {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        return folder == installedForReal || (folder == program && isShippedName(name))
    }
}

/// Returns the absolute path without links; nil, with `errno`, if it does not exist.
package func realPath(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
}
