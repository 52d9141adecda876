import Dispatch
import Jobs
import Messaging
import PluginHosting

extension InspectJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.inspect(self) }
}

extension WorkerContext {
    /// - Throws: where a library takes longer than the job allows. The process must not be used any
    ///   more then.
    func inspect(_ job: InspectJob) throws -> InspectJob.Reply {
        guard let seconds = job.seconds else {
            return LibraryDescription(job, plugins.registry(searching: job.searchPaths)).made(plugins.changes)
        }
        let changes = ThreadChanges()
        let description = LibraryDescription(job, plugins.registry(searching: job.searchPaths, noting: changes))
        guard try description.run(within: seconds, pulse: { try self.beat(advances: false) }) else {
            endWorker()
            throw slowness(of: job, seconds)
        }
        plugins.changes.adopt(changes)
        return description.made(plugins.changes)
    }

    /// What to say of a library that did not come to an end, by the breadcrumb that it left.
    private func slowness(of job: InspectJob, _ limit: Double) -> JobFailure {
        let crumb = Breadcrumb.read(file: plugins.breadcrumbPath)
        let path = crumb?.path ?? job.searchPaths.first ?? ""
        let call =
            switch crumb?.phase {
            case .initialize: "its init does not return"
            case .load: "loading it does not end"
            default: "describing itself does not end"
            }
        let reason =
            "\(call) within \(limit.formatted()) s, so the library is left out; ‘cutroom plugin check’ says more"
        let name = crumb.map { "‘\($0.plugin)’ (\(path))" } ?? path
        return JobFailure(.plugin, "Plugin \(name): \(reason).", blame: PluginBlame(path: path, reason: reason))
    }
}

/// Opening and describing the libraries of one job.
///
/// `@unchecked`: one thread describes, and the other reads only after the first has signalled its
/// end.
private final class LibraryDescription: @unchecked Sendable {
    private let job: InspectJob
    private let registry: PluginRegistry
    private let done = DispatchSemaphore(value: 0)
    private lazy var found = registry.descriptors(without: job.leftOut)

    init(_ job: InspectJob, _ registry: PluginRegistry) { (self.job, self.registry) = (job, registry) }

    /// Describes in a thread of its own.
    /// - Parameter pulse: called several times a second; after it has thrown, the description is
    ///   still waited for.
    /// - Returns: false where it took longer than `seconds`. The thread goes on then.
    func run(within seconds: Double, pulse: () throws -> Void) throws -> Bool {
        let isStarted = SystemThread.start(name: "describe") { [self] in
            _ = found
            done.signal()
        }
        guard isStarted else { throw JobFailure(.resource, "The system gives no more threads.") }
        let end = SuspendingClock.now + .seconds(seconds)
        var failure: (any Error)?
        while done.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            guard SuspendingClock.now < end else { return false }
            do {
                if failure == nil { try pulse() }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return true
    }

    func made(_ changes: ThreadChanges) -> InspectJob.Reply {
        InspectJob.Reply(
            effects: found.effects, problems: found.problems.map(\.reason) + changes.all, lacking: registry.lacking)
    }
}
