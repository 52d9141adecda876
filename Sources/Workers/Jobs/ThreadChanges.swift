import Messaging
import PluginHosting

/// Changes that plugins made to the threads that called them, as sentences for people, each
/// reported once. They were undone.
///
/// A library is often loaded to be described, and used by a later job: changes during loading are
/// reported with that job. Used only on the render thread, like all of ``LoadedPlugins``.
final class ThreadChanges {
    /// By the library's path, in the order in which they were seen.
    private var texts: [String: [String]] = [:]
    private var used: Set<String> = []
    private var told: Set<String> = []

    /// All that was seen in this process.
    var all: [String] { texts.sorted { $0.key < $1.key }.flatMap(\.value) }

    func note(_ call: Breadcrumb, _ change: ThreadState.Change) {
        let text = Self.sentence(call, change)
        if texts[call.path]?.contains(text) != true { texts[call.path, default: []].append(text) }
    }

    /// Takes over what was noted elsewhere in this process.
    func adopt(_ other: ThreadChanges) {
        for (path, sentences) in other.texts {
            for text in sentences where texts[path]?.contains(text) != true { texts[path, default: []].append(text) }
        }
    }

    /// The running job calls a library.
    func uses(_ path: String) { used.insert(path) }

    /// What is to be told at the end of a job.
    func take() -> [String] {
        defer { used = [] }
        return used.sorted().flatMap { texts[$0] ?? [] }.filter { told.insert($0).inserted }
    }

    private static func sentence(_ call: Breadcrumb, _ change: ThreadState.Change) -> String {
        let plugin = call.plugin.isEmpty ? call.path : "‘\(call.plugin)’ (\(call.path))"
        let subject = call.effectID.isEmpty ? "plugin \(plugin)" : "effect \(call.effectID) of plugin \(plugin)"
        let whose = change.aspect == .fileSize ? "process" : "thread"
        let back = change.isTakenBack ? "Cutroom puts it back" : "it cannot be put back"
        return "\(subject) changes the \(change.aspect.rawValue) of its \(whose) in its \(call.phase) call; "
            + "\(back), and ‘cutroom plugin check’ says more"
    }
}
