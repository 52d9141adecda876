import Glibc
import Messaging
import PluginABI

/// One plugin library that has been opened, checked and initialised. Never closed: dlclose of a library with a language
/// run-time in it (Swift's, for one) breaks the process, so a worker that must forget a plugin ends instead.
final class PluginLibrary {
    let path: String
    let name: String
    let digest: String
    /// The usable effects in the plugin's order.
    let effects: [PluginEffectTable]
    /// What is wrong with the others.
    let problems: [PluginProblem]

    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - host: lent to the plugin until the process ends.
    init(path: String, host: PluginHost, table: UnsafePointer<cutroom_host>, trail: PluginTrail) throws(PluginError) {
        func failure(_ code: PluginError.Code, _ reason: String, plugin: String? = nil, status: Int32? = nil) -> PluginError
        {
            PluginError(code: code, operation: "load", path: path, plugin: plugin, status: status, reason: reason)
        }
        guard let digest = fileDigest(path) else {
            throw failure(.missing, "it cannot be read: \(String(cString: strerror(errno)))")
        }
        let fileName = path.split(separator: "/").last.map(String.init) ?? path
        let handle = trail.mark(Breadcrumb(phase: .load, path: path, plugin: fileName)) {
            dlopen(path, RTLD_NOW | RTLD_LOCAL)
        }
        guard let handle else {
            throw failure(
                .notALibrary, "the dynamic loader refuses it: \(dlerror().map { String(cString: $0) } ?? "no reason")")
        }
        guard let symbol = dlsym(handle, "cutroom_plugin_entry") else {
            throw failure(.notAPlugin, "it is no Cutroom plugin: it does not export cutroom_plugin_entry")
        }
        let entry: cutroom_plugin
        do throws(EntryDefect) {
            entry = try Self.readEntry(UnsafeRawPointer(symbol))
        } catch {
            throw failure(error.code, error.reason)
        }
        let plugin = pluginText(entry.name) ?? fileName
        let status = trail.mark(Breadcrumb(phase: .initialize, path: path, plugin: plugin)) {
            path.withCString { entry.`init`(table, $0) }
        }
        guard status == CUTROOM_OK else {
            let text = host.initialization.takeMessage() ?? PluginError.meaning(of: status)
            throw failure(.initializationFailed, "its initialisation failed: \(text)", plugin: plugin, status: status)
        }
        let (effects, problems) = trail.mark(Breadcrumb(phase: .describe, path: path, plugin: plugin)) {
            Self.readEffects(entry, path: path, digest: digest)
        }
        (self.path, self.name, self.digest) = (path, plugin, digest)
        (self.effects, self.problems) = (effects, problems)
    }

    private struct EntryDefect: Error {
        var code: PluginError.Code
        var reason: String
    }

    /// Negotiates versions and sizes before anything else is believed.
    private static func readEntry(_ raw: UnsafeRawPointer) throws(EntryDefect) -> cutroom_plugin {
        // The first five fields are frozen for every version.
        func head(_ index: Int) -> UInt32 { raw.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self) }
        guard head(0) == CUTROOM_MAGIC else {
            throw EntryDefect(
                code: .notAPlugin, reason: "it is no Cutroom plugin: its entry does not begin with the magic number")
        }
        guard head(2) == CUTROOM_ABI_MAJOR else {
            throw EntryDefect(
                code: .incompatible,
                reason: "it was built for version \(head(2)) of the plugin interface and this Cutroom has version "
                    + "\(CUTROOM_ABI_MAJOR); get a build of the plugin for that version")
        }
        guard head(4) <= CUTROOM_ABI_MINOR else {
            throw EntryDefect(
                code: .incompatible,
                reason: "it needs version \(head(2)).\(head(4)) of the plugin interface and this Cutroom has "
                    + "\(CUTROOM_ABI_MAJOR).\(CUTROOM_ABI_MINOR); use a newer Cutroom")
        }
        let needed = MemoryLayout<cutroom_plugin>.offset(of: \.effect)! + MemoryLayout<UInt>.size
        let size = Int(head(1))
        guard size >= needed else {
            throw EntryDefect(
                code: .invalidDescriptor, reason: "its entry has \(size) bytes; version 1.0 has at least \(needed)")
        }
        var entry = cutroom_plugin()
        withUnsafeMutableBytes(of: &entry) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min(size, $0.count)))
        }
        guard entry.`init` != nil, entry.effect_count != nil, entry.effect != nil else {
            throw EntryDefect(
                code: .invalidDescriptor, reason: "its entry lacks one of the functions init, effect_count and effect")
        }
        return entry
    }

    private static func readEffects(
        _ entry: cutroom_plugin, path: String, digest: String
    ) -> (effects: [PluginEffectTable], problems: [PluginProblem]) {
        var effects: [PluginEffectTable] = []
        var problems: [PluginProblem] = []
        let count = entry.effect_count()
        guard count <= 10_000 else {
            return (
                [], [PluginProblem(path: path, reason: "plugin \(path) claims to have \(count) effects; 10000 are allowed")]
            )
        }
        for index in 0..<count {
            do throws(PluginEffectTable.Defect) {
                let effect = try PluginEffectTable(entry.effect(index), path: path, digest: digest)
                if effects.contains(where: { $0.descriptor.id == effect.descriptor.id }) {
                    throw PluginEffectTable.Defect(reason: "its id is used by an earlier effect of the same plugin")
                }
                effects.append(effect)
            } catch {
                let which = error.effectID.map { "effect \($0)" } ?? "effect number \(index)"
                problems.append(
                    PluginProblem(path: path, reason: "\(which) of plugin \(path) is left out: \(error.reason)"))
            }
        }
        return (effects, problems)
    }
}

/// Leaves a breadcrumb around each call into foreign code.
struct PluginTrail {
    var writer: BreadcrumbWriter?

    func mark<R>(_ crumb: @autoclosure () -> Breadcrumb, _ body: () -> R) -> R {
        guard let writer else { return body() }
        writer.write(crumb())
        defer { writer.clear() }
        return body()
    }
}
