import Foundation
import Testing

/// Plugins of the tests: built against the public header as a third party would build them, without
/// a warning.
public enum TestPlugin {
    public static let include = Project.root + "/Sources/PluginABI/include"
    public static let fixtures = Project.root + "/Tests/WorkersTests/Plugins/Fixtures"

    /// The public header and the fixtures: what a build may read besides its source.
    private static let headers: [String] = [include, fixtures].flatMap { folder in
        let names = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted()
        return names.filter { $0.hasSuffix(".h") }.map { Kept.content(of: "\(folder)/\($0)") }
    }

    /// Builds a source, C or C++ by its name: one of the fixtures, or any file by its absolute
    /// path. Equal builds are made once.
    /// - Parameter path: the library's.
    public static func build(_ source: String, _ defines: [String] = [], to path: String) throws {
        let isFixture = !source.hasPrefix("/")
        let file = isFixture ? "\(fixtures)/\(source)" : source
        let compiler = source.hasSuffix(".c") ? ["cc", "-std=c11"] : ["c++", "-std=c++17"]
        // Fixtures in C give fields of a common initializer other values.
        let mildness = isFixture && source.hasSuffix(".c") ? ["-Wno-override-init"] : []
        let arguments =
            compiler + ["-O1", "-Wall", "-Wextra", "-pedantic"] + mildness
            // What is wrong on purpose may be warned of.
            + (source.hasPrefix("Bad/") ? [] : ["-Werror"])
            // A missing symbol is found early where the host asks for that, whatever the compiler's
            // default is.
            + ["-fvisibility=hidden", "-shared", "-fPIC", "-Wl,-z,lazy", "-I", include] + defines.map { "-D\($0)" }
        let made = try Kept.file("plugin.so", from: arguments + [Kept.content(of: file)] + headers) { made in
            let result = try Command.run(arguments + ["-o", made, file, "-lm"])
            try #require(result.succeeded, "\(result)")
        }
        // A new file, as a build makes one: where the old one is loaded it stays whole.
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        try Data(contentsOf: URL(fileURLWithPath: made)).write(to: URL(fileURLWithPath: path))
    }
}
