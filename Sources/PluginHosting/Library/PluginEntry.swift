import CBridges
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
    package let deinitialize: () -> Void
    package let effectCount: () -> UInt32
    package let effect: (UInt32) -> Effect

    package struct Effect {
        package let table: UnsafePointer<cutroom_effect>?
        /// Why it can be listed and not used; nil where it can.
        var refusal: String?
    }

    struct Defect: Error {
        var code: PluginError.Code
        var reason: String
    }

    /// - Parameter handle: what `dlopen` gave. A bridge runs the library's code here.
    init(_ handle: UnsafeMutableRawPointer, path: String) throws(Defect) {
        if let symbol = dlsym(handle, "cutroom_plugin_entry") {
            self.init(try Self.negotiated(UnsafeRawPointer(symbol)))
        } else if let bridge = cbridge_find(handle) {
            try self.init(bridge.pointee, handle, path)
        } else {
            throw Defect(code: .notAPlugin, reason: "it is no Cutroom plugin: it does not export cutroom_plugin_entry")
        }
    }

    private init(_ entry: cutroom_plugin) {
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
        self.bridge = pluginText(bridge.name)
        initialize = { _, _ in CUTROOM_OK }
        deinitialize = {}
        effectCount = { UInt32(effects.count) }
        effect = { index in
            guard index < effects.count else { return Effect(table: nil) }
            return Effect(table: effects[Int(index)].table, refusal: pluginText(effects[Int(index)].refusal))
        }
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
        guard entry.`init` != nil, entry.effect_count != nil, entry.effect != nil else {
            throw Defect(
                code: .invalidDescriptor, reason: "its entry lacks one of the functions init, effect_count and effect")
        }
        return entry
    }
}
