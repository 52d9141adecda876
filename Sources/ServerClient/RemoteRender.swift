import Draft
import Farm
import Foundation
import Glibc
import HostCore
import Rendering
import Renders

/// A render that a server runs for a command. The command shows its progress and waits for it;
/// stopping the command cancels it.
package struct RemoteRender: Sendable {
    package let server: ServerAddress
    let reporter: ProgressReporter

    package init(server: ServerAddress, reporter: ProgressReporter) {
        self.server = server
        self.reporter = reporter
    }

    /// How long the server waits for a change, in seconds, and thus the longest delay after the
    /// command is stopped.
    private static let hold = 0.5
    /// The pause between two requests about a cancelled render, in microseconds.
    private static let pause: UInt32 = 100_000

    /// Submits a render and follows it.
    /// - Returns: the finished render.
    /// - Throws: why the render failed.
    package func run(_ submission: ServerRequest.Submission) async throws -> RenderEntry {
        let isStopped = Locked(false)
        let result: Result<RenderEntry, any Error> = await withTaskCancellationHandler {
            await FileLane("server").run { Result { try follow(submission, isStopped) } }
        } onCancel: {
            isStopped.withLock { $0 = true }
        }
        try Task.checkCancellation()
        return try result.get()
    }

    private func follow(_ submission: ServerRequest.Submission, _ isStopped: Locked<Bool>) throws -> RenderEntry {
        var connection = ReconnectingConnection(server)
        // With a key, a repeated submission after a lost answer is the same render.
        var submission = submission
        if server.isRemote { submission.key = submission.key ?? UUID().uuidString }
        guard case .submitted(let receipts) = try connection.ask(.submit([submission])), let id = receipts.first?.id
        else {
            throw HostError.unfittingAnswer
        }
        reporter.event("submitted", [("render", .integer(Int(id.number)))])
        var isCancelled = false
        while true {
            if isStopped.withLock({ $0 }), !isCancelled {
                // The render may have just ended.
                _ = try? connection.ask(.act(.cancel, [id]))
                isCancelled = true
            }
            let found = try connection.ask(.list(ServerRequest.Listing(ids: [id])))
            guard case .page(let renders, let page) = found else {
                throw HostError.unfittingAnswer
            }
            guard let render = renders.first else {
                throw HostError(.data, "Render \(id) was purged before its end was seen.")
            }
            switch render.entry.state {
            case .done: return render.entry
            case .failed, .cancelled:
                throw HostError(.software, render.entry.reason ?? "Render \(id) was \(render.entry.state.rawValue).")
            case .paused:
                throw HostError(
                    .unavailable,
                    "Render \(id) is paused: \(render.entry.reason ?? "a user paused it.") ‘cutroom jobs resume \(id)’ resumes it."
                )
            case .waiting, .queued, .running, .pausing, .cancelling: break
            }
            if let stage = render.stage, let done = render.done, let total = render.total {
                reporter.update(RenderProgress(total: total, done: done, stage: stage))
            }
            // A stopped command does not wait for changes.
            guard !isCancelled else {
                usleep(Self.pause)
                continue
            }
            let watch = ServerRequest.Watch(since: page.cursor, ids: [id], seconds: Self.hold)
            _ = try connection.fetch(.watch(watch), patience: RenderWatch.patience)
        }
    }
}

extension ServerRequest.Submission {
    /// Makes a submission.
    /// - Parameters:
    ///   - draft: with all changes that the command's options make.
    ///   - file: the output.
    ///   - roots: folders that a remote server has at other paths; nil: the server is on this
    ///     machine.
    ///   - isFetched: a remote server keeps the output.
    package init(
        _ draft: Draft, name: String, to file: OutputFile, scale: Double?, pluginPaths: [String],
        skipsFailingEffects: Bool, isStrict: Bool = false, roots: PathRoots?, isFetched: Bool = false,
        priority: Int = 0,
        tags: Set<String> = [],
        after: Set<RenderID> = [],
        key: String? = nil
    ) {
        request = RenderRequest(
            name: name, document: draft.document(in: "/"),
            output: file.path + (file.pictures?.isFolder == true ? "/" : ""), overwrites: file.overwrites, scale: scale,
            pluginPaths: roots == nil ? PluginPaths.search(pluginPaths) : PluginPaths.named(pluginPaths),
            skipsFailingEffects: skipsFailingEffects, isStrict: isStrict ? true : nil)
        self.roots = roots?.folders
        self.isFetched = roots != nil && isFetched ? true : nil
        (self.priority, self.tags, self.after, self.key) = (priority, tags, after, key)
    }
}
