import Foundation
import TestSupport

/// Plugins of the tests where a studio's runs find them.
enum Fixture {
    /// Builds a C source where the runs of a studio look for plugins.
    static func plugin(_ name: String, _ defines: [String] = [], as library: String, in studio: Studio) throws {
        try FileManager.default.createDirectory(atPath: studio.file("plugins"), withIntermediateDirectories: true)
        try TestPlugin.build("\(name).c", defines, to: studio.file("plugins/\(library).so"))
        studio.environment["CUTROOM_PLUGIN_PATH"] = studio.file("plugins")
    }
}
