import Foundation
import TestSupport
import Testing

/// Plugins of the tests, built as a third party would build them.
enum Fixture {
    static let folder = Project.root + "/Tests/WorkersTests/Plugins/Fixtures"
    static let include = Project.root + "/Sources/PluginABI/include"

    /// Builds a source of `folder`, C or C++ by its name.
    static func build(_ source: String, _ defines: [String], to path: String) throws {
        let isC = source.hasSuffix(".c")
        let result = try Command.run(
            [
                isC ? "cc" : "c++", isC ? "-std=c11" : "-std=c++17", "-O1", "-fvisibility=hidden", "-shared", "-fPIC",
                "-I", include,
            ]
                + defines.map { "-D\($0)" } + ["-o", path, "\(folder)/\(source)", "-lm"])
        try #require(result.succeeded, "\(result)")
    }

    /// Builds a C source where the runs of a studio look for plugins.
    static func plugin(_ name: String, _ defines: [String] = [], as library: String, in studio: Studio) throws {
        try FileManager.default.createDirectory(atPath: studio.file("plugins"), withIntermediateDirectories: true)
        try build("\(name).c", defines, to: studio.file("plugins/\(library).so"))
        studio.environment["CUTROOM_PLUGIN_PATH"] = studio.file("plugins")
    }
}
