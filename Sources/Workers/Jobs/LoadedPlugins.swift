import CPosix
import Composition
import Draft
import Foundation
import Glibc
import Jobs
import Messaging
import PluginHosting

/// The plugins that this worker has loaded; a library that was loaded stays so until the worker
/// ends.
final class LoadedPlugins {
    /// Loads by path only.
    private lazy var registry = registry(searching: [])
    private let breadcrumb: BreadcrumbWriter?
    /// Where the breadcrumb is.
    let breadcrumbPath: String
    /// What plugins hear of the running job.
    let watch = JobWatch()
    private var effects: [String: LoadedEffect] = [:]
    /// What plugins have changed of the threads that called them.
    let changes = ThreadChanges()
    /// What plugins have warned of.
    let warnings = PluginWarnings()
    private let current = PluginTrail.Current()

    /// Plugins get their frames in guarded memory.
    let isParanoid: Bool
    /// The process gives up its connections before it loads a plugin.
    private let isIsolated: Bool

    /// The shelf of a process that is not a worker's, and is left as it is.
    /// - Parameter breadcrumb: where to note which plugin is being called; without the note a crash
    ///   is not explained, but the work can be done.
    init(breadcrumb: String) {
        self.breadcrumb = BreadcrumbWriter(breadcrumbPath: breadcrumb)
        breadcrumbPath = breadcrumb
        (isParanoid, isIsolated) = (false, false)
    }

    /// A worker's shelf.
    init(_ launch: WorkerLaunch) {
        breadcrumb = BreadcrumbWriter(breadcrumbPath: launch.breadcrumb)
        breadcrumbPath = launch.breadcrumb
        (isParanoid, isIsolated) = (launch.isParanoid, true)
        guard isParanoid else { return }
        // Open until the process ends, which may be by the fault.
        let fault = open(launch.fault, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if fault >= 0 { _ = cposix_explain_faults(fault) }
    }

    /// - Throws: where the library is not the one that the plan was made with, or cannot be loaded.
    func effect(_ id: String, in use: PluginUse) throws -> LoadedEffect {
        let key = use.path + "\n" + id
        changes.uses(use.path)
        if let effect = effects[key] { return effect }
        let effect = try registry.load(path: use.path, effectID: id)
        guard effect.descriptor.digest == use.digest else {
            throw JobFailure(.plugin, "The plugin ‘\(use.path)’ changed while it was being used; render again.")
        }
        effects[key] = effect
        return effect
    }

    /// Returns a new instance, or a shared one for equal requests where the effect allows that.
    func instance(of loaded: LoadedEffect, _ setup: PluginSetup) throws -> EffectInstance {
        guard loaded.effect.sharesInstances else { return try loaded.makeInstance(setup) }
        let key = SharedInstance(path: loaded.descriptor.path, id: loaded.descriptor.id, setup: setup)
        if let known = shared[key], !known.isDead { return known }
        let instance = try loaded.makeInstance(setup)
        if shared.count >= Self.mostShared { shared.removeAll() }
        shared[key] = instance
        return instance
    }

    private struct SharedInstance: Hashable {
        var path: String
        var id: String
        var setup: PluginSetup
    }

    private var shared: [SharedInstance: EffectInstance] = [:]
    private static let mostShared = 32

    /// The line to the host is there by then, and a plugin has no business with other sockets.
    private lazy var endConnecting: Void = isIsolated ? Isolation.endConnecting() : ()

    /// - Parameter changes: where changes of the calling thread are noted; nil: with the shelf's.
    func registry(searching paths: [String], noting changes: ThreadChanges? = nil) -> PluginRegistry {
        _ = endConnecting
        let changes = changes ?? self.changes
        return PluginRegistry(
            searchPaths: paths, breadcrumb: breadcrumb, current: current,
            log: { [warnings, current] level, line in
                if level.rawValue >= PluginHost.LogLevel.warning.rawValue {
                    FileHandle.standardError.write(Data("plugin: \(line)\n".utf8))
                    warnings.note(line, isError: level == .error, by: current.call)
                }
            }, notice: changes.note, isCancelled: watch.isCancelled)
    }
}

extension PluginError: JobFailureConvertible {
    package var jobFailure: JobFailure {
        var frame: Int?
        if case .frame(let number) = place { frame = number }
        // The user's values are at fault where the plugin says so.
        return JobFailure(
            code == .invalidParameter ? .input : .plugin, description,
            blame: PluginBlame(path: path, effectID: effectID ?? "", frame: frame, reason: reason),
            isTransient: code == .retry)
    }
}
