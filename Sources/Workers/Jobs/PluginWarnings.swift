import Messaging
import Synchronization

/// The warnings and errors that plugins log, as sentences for people, each told once. Any thread
/// may add one.
final class PluginWarnings: Sendable {
    private struct State {
        var waiting: [String] = []
        var told: Set<String> = []
        /// By the library's path.
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())
    /// A plugin may have something else to say of each frame.
    private static let most = 10

    /// - Parameter call: the call in progress; nil where a plugin's own thread speaks between
    ///   calls.
    func note(_ line: String, isError: Bool, by call: Breadcrumb?) {
        let plugin = call.map { $0.plugin.isEmpty ? $0.path : "‘\($0.plugin)’ (\($0.path))" }
        let subject =
            switch (call?.effectID, plugin) {
            case (.some(let id), .some(let plugin)) where !id.isEmpty: "effect \(id) of plugin \(plugin)"
            case (_, .some(let plugin)): "plugin \(plugin)"
            default: "a plugin"
            }
        state.withLock { state in
            let path = call?.path ?? ""
            let text = "\(subject) \(isError ? "reports an error" : "warns"): \(line.prefix(500))"
            guard state.counts[path, default: 0] <= Self.most, state.told.insert(text).inserted else { return }
            state.counts[path, default: 0] += 1
            let isLast = state.counts[path] == Self.most + 1
            state.waiting.append(isLast ? "\(subject) says more, which is in the workers' log (--verbose)" : text)
        }
    }

    /// Returns what is to be told at the end of a job.
    func take() -> [String] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
