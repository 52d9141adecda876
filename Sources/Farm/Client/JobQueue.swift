import Cleanup
import Dispatch
import FoundationEssentials
import Messaging

/// Runs jobs in worker processes of its own. The embedded farm: a broker on its own thread, and local workers over
/// `ipc://`; where it listens, workers from elsewhere besides.
///
/// Workers are started when there is work for them, and stay until `shutdown`. All functions may be called from any
/// thread or task, at the same time. Jobs go in and come back by a ``JobClient``, or by `run`.
package final class JobQueue: Sendable {
    let mailbox: Mailbox
    /// Where workers from elsewhere may come, with the ports that were chosen.
    package let endpoints: [String]
    /// Without progress for this long a job's worker is ended.
    package let stallTimeout: Duration

    /// Opens the queue; starts no worker yet.
    /// - Throws: `.unavailable` when the private folder, the socket or the thread cannot be made.
    package init(configuration: Configuration) throws(QueueError) {
        stallTimeout = configuration.stallTimeout
        let runtime: RuntimeDirectory
        do {
            runtime = try RuntimeDirectory(parent: configuration.runtimeDirectory)
            mailbox = try Mailbox()
        } catch let error as RuntimeDirectory.Failure {
            throw QueueError(.unavailable, error.description)
        } catch {
            throw QueueError(.unavailable, "The queue cannot be opened: \(error).")
        }
        let opened = Handover<Result<[String], QueueError>>()
        let isRunning = SystemThread.start(name: "job-queue") { [mailbox] in
            QueueDriver.live(configuration, runtime, mailbox) { opened.put($0) }
        }
        guard isRunning else {
            runtime.remove()
            throw QueueError(.unavailable, "The queue cannot be opened: the system gives no more threads.")
        }
        endpoints = try opened.take().get()
    }

    /// Cuts nodes off whose keys were taken from the allow list: what their workers had is given to others. For who keeps the list himself.
    package func revoke(_ nodes: Set<String>) { _ = mailbox.post(.revoked(nodes)) }

    /// How the jobs of a flow stood half a second ago or later; nil where there were none.
    package func standing(of flow: JobSpec.Flow) -> FlowStanding? { mailbox.standing(of: flow) }

    deinit { _ = mailbox.post(.shutdown(graceful: false, whenClosed: {})) }

    /// Begins a ``shutdown(graceful:)`` and does not wait for it.
    package func stop() { _ = mailbox.post(.shutdown(graceful: false, whenClosed: {})) }

    /// The same as ``shutdown(graceful:)`` for a thread that may wait.
    package func shutdownBlocking(graceful: Bool) {
        let done = DispatchSemaphore(value: 0)
        if mailbox.post(.shutdown(graceful: graceful, whenClosed: { done.signal() })) { done.wait() }
    }

    /// Cancels all jobs, ends all workers and removes every file of the queue's. Returns when nothing is left.
    /// - Parameter graceful: give the workers a moment to stop; else they are killed at once. May be called again,
    ///   ungracefully, while a graceful shutdown is under way.
    package func shutdown(graceful: Bool = true) async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.shutdown(graceful: graceful, whenClosed: { continuation.resume() })) {
                continuation.resume()
            }
        }
    }
}
