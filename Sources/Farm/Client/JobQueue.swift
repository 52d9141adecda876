import Cleanup
import Dispatch
import FoundationEssentials
import Messaging

/// Runs jobs in worker processes of its own. The embedded farm: a broker on its own thread, local
/// workers over `ipc://` and, if it listens, remote workers.
///
/// Workers are started when there is work for them, and stay until `shutdown`. All functions may be
/// called from any thread or task, concurrently. Jobs are submitted by a ``JobClient``, or by
/// `run`.
package final class JobQueue: Sendable {
    let mailbox: Mailbox
    /// The addresses for remote workers, with the actual ports.
    package let endpoints: [String]
    /// The time without progress after which a job's worker is ended.
    package let stallTimeout: Duration

    /// Opens the queue; starts no worker yet.
    /// - Throws: `.unavailable` if the private folder, the socket or the thread cannot be made.
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

    /// Disconnects nodes whose keys were removed from the allow list; their jobs go to other
    /// workers. For callers that maintain the list themselves.
    package func revoke(_ nodes: Set<String>) { _ = mailbox.post(.revoked(nodes)) }

    /// Returns the state of a flow's jobs, at most about half a second old; nil if there are none.
    package func standing(of flow: JobSpec.Flow) -> FlowStanding? { mailbox.standing(of: flow) }

    deinit { _ = mailbox.post(.shutdown(graceful: false, whenClosed: {})) }

    /// Starts a ``shutdown(graceful:)`` without waiting for it.
    package func stop() { _ = mailbox.post(.shutdown(graceful: false, whenClosed: {})) }

    /// Shuts down as ``shutdown(graceful:)`` does; blocks the calling thread.
    package func shutdownBlocking(graceful: Bool) {
        let done = DispatchSemaphore(value: 0)
        if mailbox.post(.shutdown(graceful: graceful, whenClosed: { done.signal() })) { done.wait() }
    }

    /// Cancels all jobs, ends all workers and removes all files of the queue. Returns when nothing
    /// is left.
    /// - Parameter graceful: whether the workers get a moment to stop; otherwise they are killed at
    ///   once. May be called again, ungracefully, during a graceful shutdown.
    package func shutdown(graceful: Bool = true) async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.shutdown(graceful: graceful, whenClosed: { continuation.resume() })) {
                continuation.resume()
            }
        }
    }
}
