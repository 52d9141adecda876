/// The templates of new plugins. They are embedded in the program (`Templates`, and the plugin
/// header itself), so that `cutroom plugin new` works wherever the program is.
enum PluginTemplates {
    static let header = text(PackageResources.plugin_h)
    static let exports = text(PackageResources.exports_map)
    static let readme = text(PackageResources.README_md_in)
    static let descriptor = text(PackageResources.descriptor_swift_in)
    static let entry = text(PackageResources.entry_c_in)
    static let moduleMap = text(PackageResources.module_modulemap)

    static func makefile(_ language: PluginProject.Language) -> String {
        switch language {
        case .c: text(PackageResources.c_Makefile)
        case .cpp: text(PackageResources.cpp_Makefile)
        case .swift: text(PackageResources.swift_Makefile)
        }
    }

    static func plugin(_ language: PluginProject.Language) -> String {
        switch language {
        case .c: text(PackageResources.plugin_c_in)
        case .cpp: text(PackageResources.plugin_cpp_in)
        case .swift: text(PackageResources.plugin_swift_in)
        }
    }

    /// Returns the part that differs between kinds: the function that makes a frame.
    static func process(_ language: PluginProject.Language, _ kind: PluginProject.Kind) -> String {
        switch (language, kind) {
        case (.c, .filter): text(PackageResources.filter_c_in)
        case (.c, .transition): text(PackageResources.transition_c_in)
        case (.c, .source): text(PackageResources.source_c_in)
        case (.c, .audioFilter): text(PackageResources.audio_filter_c_in)
        case (.c, .analyser): text(PackageResources.analyser_c_in)
        case (.cpp, .filter): text(PackageResources.filter_cpp_in)
        case (.cpp, .transition): text(PackageResources.transition_cpp_in)
        case (.cpp, .source): text(PackageResources.source_cpp_in)
        case (.cpp, .audioFilter): text(PackageResources.audio_filter_cpp_in)
        case (.cpp, .analyser): text(PackageResources.analyser_cpp_in)
        case (.swift, .filter): text(PackageResources.filter_swift_in)
        case (.swift, .transition): text(PackageResources.transition_swift_in)
        case (.swift, .source): text(PackageResources.source_swift_in)
        case (.swift, .audioFilter): text(PackageResources.audio_filter_swift_in)
        case (.swift, .analyser): text(PackageResources.analyser_swift_in)
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
