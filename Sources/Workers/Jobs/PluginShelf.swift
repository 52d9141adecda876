import Composition
import Draft
import Foundation
import Messaging

/// The plugins that this worker has loaded; a library that was loaded stays so until the worker ends.
final class PluginShelf {
    /// Loads by path only.
    private lazy var registry = registry(searching: [])
    private let breadcrumb: BreadcrumbWriter?
    private var effects: [String: LoadedEffect] = [:]

    /// - Parameter breadcrumb: where to note which plugin is being called; without the note a crash is not explained, but
    ///   the work can be done.
    init(breadcrumb: String) { self.breadcrumb = BreadcrumbWriter(breadcrumbPath: breadcrumb) }

    /// - Throws: where the library is not the one that the plan was made with, or cannot be loaded.
    func effect(_ id: String, in use: PluginUse) throws -> LoadedEffect {
        let key = use.path + "\n" + id
        if let effect = effects[key] { return effect }
        let effect = try registry.load(path: use.path, effectID: id)
        guard effect.descriptor.digest == use.digest else {
            throw JobFailure(.plugin, "The plugin ‘\(use.path)’ changed while it was being used; render again.")
        }
        effects[key] = effect
        return effect
    }

    /// A new instance, or the one that serves everybody who asks for the same where the effect allows that.
    func instance(of loaded: LoadedEffect, _ setup: PluginSetup) throws -> EffectInstance {
        guard loaded.effect.sharesInstances else { return try loaded.makeInstance(setup) }
        let key = SharedInstance(path: loaded.descriptor.path, id: loaded.descriptor.id, setup: setup)
        if let known = shared[key] { return known }
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

    func registry(searching paths: [String]) -> PluginRegistry {
        PluginRegistry(searchPaths: paths, breadcrumb: breadcrumb) { level, line in
            if level.rawValue >= PluginHost.LogLevel.warning.rawValue {
                FileHandle.standardError.write(Data("plugin: \(line)\n".utf8))
            }
        }
    }
}

extension Workshop {
    func inspect(_ job: InspectJob) throws -> InspectJob.Reply {
        let found = plugins.registry(searching: job.searchPaths).descriptors()
        return InspectJob.Reply(effects: found.effects, problems: found.problems.map(\.reason))
    }
}

extension PluginError: JobFailureConvertible {
    var jobFailure: JobFailure { JobFailure(.plugin, description) }
}
