import CBridges
import Draft
import Glibc
import PluginABI

/// What an open library offers, whichever interface it was written against.
package struct PluginEntry {
    /// The name for people; nil where the library does not say.
    let name: String?
    /// The interface behind the bridge that presents the library; nil where it is Cutroom's own.
    package let bridge: String?
    /// Begins one use of the library by this host.
    package let initialize: (UnsafePointer<cutroom_host>, _ path: String) -> cutroom_status
    /// The data files that it declares: paths relative to its folder.
    package let files: [String]
    package let deinitialize: () -> Void
    package let effectCount: () -> UInt32
    package let effect: (UInt32) -> Effect

    package struct Effect {
        package let table: UnsafePointer<cutroom_effect>?
        /// Why it can be listed and not used; nil where it can.
        var refusal: String?
        /// True where a bridge made the table from a library of another interface.
        var isBridged = false
    }

    struct Defect: Error {
        var code: PluginError.Code
        var reason: String
    }

    /// - Parameter handle: what `dlopen` gave. A bridge runs the library's code here.
    init(_ handle: UnsafeMutableRawPointer, path: String) throws(Defect) {
        if let symbol = dlsym(handle, "cutroom_plugin_entry") {
            try self.init(try Self.negotiated(UnsafeRawPointer(symbol)))
        } else if let bridge = cbridge_find(handle) {
            try self.init(bridge.pointee, handle, path)
        } else {
            throw Defect(code: .notAPlugin, reason: "it is no Cutroom plugin: it does not export cutroom_plugin_entry")
        }
    }

    private init(_ entry: cutroom_plugin) throws(Defect) {
        files = try Self.files(entry.files)
        name = pluginText(entry.name)
        bridge = nil
        initialize = { host, path in path.withCString { entry.`init`(host, $0) } }
        deinitialize = { entry.deinit?() }
        effectCount = { entry.effect_count() }
        effect = { Effect(table: entry.effect($0)) }
    }

    private init(_ bridge: cbridge, _ handle: UnsafeMutableRawPointer, _ path: String) throws(Defect) {
        var library = cbridge_library()
        if let failure = pluginText(path.withCString { bridge.open(handle, $0, &library) }) {
            throw Defect(code: .invalidDescriptor, reason: failure)
        }
        let effects = UnsafeBufferPointer(start: library.effects, count: Int(library.effect_count))
        name = pluginText(library.name)
        files = []
        self.bridge = pluginText(bridge.name)
        initialize = { _, _ in CUTROOM_OK }
        deinitialize = {}
        effectCount = { UInt32(effects.count) }
        effect = { index in
            guard index < effects.count else { return Effect(table: nil) }
            return Effect(
                table: effects[Int(index)].table, refusal: pluginText(effects[Int(index)].refusal), isBridged: true)
        }
    }

    private static func files(_ list: UnsafePointer<UnsafePointer<CChar>?>?) throws(Defect) -> [String] {
        var files: [String] = []
        while let name = pluginText(list?[files.count]) {
            guard DataFiles.isName(name) else {
                throw Defect(
                    code: .invalidDescriptor,
                    reason: "it declares the data file ‘\(name)’; give a path relative to its folder, without ‘..’ and "
                        + "without hidden files")
            }
            guard !files.contains(name) else {
                throw Defect(code: .invalidDescriptor, reason: "it declares the data file ‘\(name)’ twice")
            }
            files.append(name)
            guard files.count <= DataFiles.most else {
                throw Defect(
                    code: .invalidDescriptor, reason: "it declares more than \(DataFiles.most) data files; use fewer")
            }
        }
        return files
    }

    /// Negotiates versions and sizes before anything else is believed.
    private static func negotiated(_ raw: UnsafeRawPointer) throws(Defect) -> cutroom_plugin {
        // The first five fields are frozen for every version.
        func head(_ index: Int) -> UInt32 { raw.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self) }
        guard head(0) == CUTROOM_MAGIC else {
            throw Defect(
                code: .notAPlugin, reason: "it is no Cutroom plugin: its entry does not begin with the magic number")
        }
        guard head(2) == CUTROOM_ABI_MAJOR else {
            throw Defect(
                code: .incompatible,
                reason: "it was built for version \(head(2)) of the plugin interface and this Cutroom has version "
                    + "\(CUTROOM_ABI_MAJOR); get a build of the plugin for that version")
        }
        guard head(4) <= CUTROOM_ABI_MINOR else {
            throw Defect(
                code: .incompatible,
                reason: "it needs version \(head(2)).\(head(4)) of the plugin interface and this Cutroom has "
                    + "\(CUTROOM_ABI_MAJOR).\(CUTROOM_ABI_MINOR); use a newer Cutroom")
        }
        let needed = MemoryLayout<cutroom_plugin>.offset(of: \.effect)! + MemoryLayout<UInt>.size
        let size = Int(head(1))
        guard size >= needed else {
            throw Defect(
                code: .invalidDescriptor, reason: "its entry has \(size) bytes; version 1.0 has at least \(needed)")
        }
        var entry = cutroom_plugin()
        withUnsafeMutableBytes(of: &entry) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min(size, $0.count)))
        }
        let lacking = lackingFunctions([
            ("init", entry.`init` != nil), ("effect_count", entry.effect_count != nil), ("effect", entry.effect != nil),
        ])
        if let lacking { throw Defect(code: .invalidDescriptor, reason: "its entry lacks \(lacking)") }
        return entry
    }
}

/// Returns which of a table's functions are null, as the rest of a sentence; nil where none is.
func lackingFunctions(_ functions: [(name: String, isThere: Bool)]) -> String? {
    let names = functions.filter { !$0.isThere }.map(\.name)
    guard let last = names.last else { return nil }
    if names.count == 1 { return "the function \(last)" }
    return "the functions \(names.dropLast().joined(separator: ", ")) and \(last)"
}
