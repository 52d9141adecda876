import Foundation
import Testing

/// Plugins of the tests: built against the public header as a third party would build them, without a warning.
public enum TestPlugin {
    public static let include = Project.root + "/Sources/PluginABI/include"
    public static let fixtures = Project.root + "/Tests/WorkersTests/Plugins/Fixtures"

    /// Builds a source, C or C++ by its name: one of the fixtures, or any file by its absolute path.
    /// - Parameter path: the library's.
    public static func build(_ source: String, _ defines: [String] = [], to path: String) throws {
        let isFixture = !source.hasPrefix("/")
        let compiler = source.hasSuffix(".c") ? ["cc", "-std=c11"] : ["c++", "-std=c++17"]
        // Fixtures in C give fields of a common initializer other values.
        let mildness = isFixture && source.hasSuffix(".c") ? ["-Wno-override-init"] : []
        let result = try Command.run(
            compiler + ["-O1", "-Wall", "-Wextra", "-pedantic"] + mildness
                // What is wrong on purpose may be warned of.
                + (source.hasPrefix("Bad/") ? [] : ["-Werror"])
                // A missing symbol is found early where the host asks for that, whatever the compiler's default is.
                + ["-fvisibility=hidden", "-shared", "-fPIC", "-Wl,-z,lazy", "-I", include] + defines.map { "-D\($0)" }
                + ["-o", path, isFixture ? "\(fixtures)/\(source)" : source, "-lm"])
        try #require(result.succeeded, "\(result)")
    }
}
