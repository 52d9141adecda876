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
