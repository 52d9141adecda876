import Files
import Glibc
import Hashing
import Messaging
import PluginABI

/// One plugin library that has been opened, checked and initialised. Never closed: dlclose of a
/// library with a language run-time in it (Swift's, for one) breaks the process, so a worker that
/// must forget a plugin ends instead.
package final class PluginLibrary {
    let path: String
    package let name: String
    /// SHA-256 of the library or, where it declares data files, of it and them.
    package let digest: String
    package let entry: PluginEntry
    /// The usable effects in the plugin's order.
    package let effects: [PluginEffectTable]
    /// What is wrong with the others.
    package let problems: [PluginProblem]

    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - host: lent to the plugin until the process ends.
    package init(path: String, host: PluginHost, table: UnsafePointer<cutroom_host>, trail: PluginTrail)
        throws(PluginError)
    {
        func failure(_ code: PluginError.Code, _ reason: String, plugin: String? = nil, status: Int32? = nil)
            -> PluginError
        {
            PluginError(code: code, operation: "load", path: path, plugin: plugin, status: status, reason: reason)
        }
        let own: String
        do throws(Errno) { own = try fileDigest(path) } catch {
            throw failure(.missing, "it cannot be read: \(error)")
        }
        let fileName = path.split(separator: "/").last.map(String.init) ?? path
        let handle = trail.mark(Breadcrumb(phase: .load, path: path, plugin: fileName)) {
            dlopen(path, RTLD_NOW | RTLD_LOCAL)
        }
        guard let handle else {
            // The loader says “No such file” of these.
            if let built = ElfMachine(file: path), let own = ElfMachine.own, built != own {
                throw failure(
                    .notALibrary, "it is built for \(built), but this Cutroom runs on \(own); get a build for \(own)")
            }
            throw failure(
                .notALibrary, "the dynamic loader refuses it: \(dlerror().map { String(cString: $0) } ?? "no reason")")
        }
        // A bridge runs the library's code to know what it is.
        let opening = trail.mark(Breadcrumb(phase: .describe, path: path, plugin: fileName)) {
            Result { () throws(PluginEntry.Defect) in try PluginEntry(handle, path: path) }
        }
        let entry: PluginEntry
        do throws(PluginEntry.Defect) {
            entry = try opening.get()
        } catch {
            throw failure(error.code, error.reason)
        }
        let plugin = entry.name ?? fileName
        let digest: String
        do throws(MissingFile) { digest = try Self.digest(own, with: entry.files, beside: path) } catch {
            var failure = failure(
                .missing,
                "its data file ‘\(error.name)’ cannot be read: \(error.reason); it belongs into the library's folder",
                plugin: plugin)
            failure.dataFiles = entry.files
            throw failure
        }
        // It belongs to another library.
        _ = host.initialization.takeMessage()
        let status = trail.mark(Breadcrumb(phase: .initialize, path: path, plugin: plugin)) {
            entry.initialize(table, path)
        }
        guard status == CUTROOM_OK else {
            let text = host.initialization.takeMessage() ?? PluginError.meaning(of: status)
            throw failure(.initializationFailed, "its initialisation failed: \(text)", plugin: plugin, status: status)
        }
        let (effects, problems) = trail.mark(Breadcrumb(phase: .describe, path: path, plugin: plugin)) {
            Self.readEffects(entry, path: path, digest: digest)
        }
        (self.path, self.name, self.digest, self.entry) = (path, plugin, digest, entry)
        (self.effects, self.problems) = (effects, problems)
    }

    private struct MissingFile: Error {
        var name: String
        var reason: String
    }

    /// - Parameter own: of the library alone, which is the digest where it has no data files.
    private static func digest(_ own: String, with files: [String], beside path: String) throws(MissingFile) -> String {
        if files.isEmpty { return own }
        var hasher = SHA256()
        hasher.update("\(own)\n".utf8)
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        for name in files.sorted() {
            do throws(Errno) {
                let digest = try fileDigest("\(folder)/\(name)")
                hasher.update("\(digest) \(name)\n".utf8)
            } catch {
                throw MissingFile(name: name, reason: "\(error)")
            }
        }
        return hasher.finish()
    }

    /// The effect that an id names. Two libraries of other interfaces may have effects of one id,
    /// so the version may follow it.
    func effect(_ id: String) -> PluginEffectTable? {
        if let effect = effects.first(where: { $0.descriptor.id == id }) { return effect }
        guard entry.bridge != nil else { return nil }
        return effects.first { "\($0.descriptor.id).\($0.descriptor.version)" == id }?.renamed(id)
    }

    private static func readEffects(
        _ entry: PluginEntry, path: String, digest: String
    ) -> (effects: [PluginEffectTable], problems: [PluginProblem]) {
        var effects: [PluginEffectTable] = []
        var problems: [PluginProblem] = []
        let count = entry.effectCount()
        guard count <= 10_000 else {
            return (
                [],
                [PluginProblem(path: path, reason: "plugin \(path) claims to have \(count) effects; 10000 are allowed")]
            )
        }
        for index in 0..<count {
            do throws(PluginEffectTable.Defect) {
                let effect = try PluginEffectTable(
                    entry.effect(index), path: path, digest: digest, files: entry.files)
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
