import FoundationEssentials
import Glibc
import Logging
import Messaging

extension JobQueue {
    package struct Configuration: Sendable {
        /// The most local workers at a time. May be 0 if there are remote workers.
        package var workers: Int
        /// The number of workers to start beyond those that waiting jobs need, within ``workers``,
        /// because more jobs will come soon.
        package var spareWorkers = 0
        /// The path of the worker program.
        package var workerPath: String
        /// The build; workers of another build are refused.
        package var engine: String
        /// The folder in which the queue makes a private folder for its socket and its workers'
        /// files. The path must be short: a socket's path has at most 107 bytes.
        package var runtimeDirectory: String
        /// The folder that keeps the whole standard error of crashed workers; nil to keep only its
        /// end, in the job's failure.
        package var logDirectory: String?
        /// The time without a sign of life after which a worker counts as lost.
        package var leaseTimeout: Duration = .seconds(15)
        /// The time without progress after which a job counts as stuck.
        package var stallTimeout: Duration = .seconds(60)
        /// The number of crashes and stalls, each of another process, after which a job fails.
        package var faultsPerJob = 3
        /// The tags of this machine, which jobs may require.
        package var tags: Set<String> = []
        /// Further folders that the workers may write to. Folders that do not exist when a worker
        /// starts are left out.
        package var writable: [String] = []
        /// Whether plugins get their frames in guarded memory.
        package var isParanoid = false
        /// Further arguments for the workers, after the queue's own.
        package var extraArguments: [String] = []
        /// Further variables for the workers' environment, which take precedence over this
        /// process's.
        package var environment: [String: String] = [:]
        /// Explains a worker's memory fault from the note that the worker left: half a sentence
        /// that begins with “it”, or nil if the note says nothing. It may block.
        package var explainsFault: @Sendable (Data) -> String? = { _ in nil }
        /// Called with the workers' warnings on their jobs, which are logged, too. Called on the
        /// queue's thread, so it must not block.
        package var onWarning: @Sendable (JobID, String) -> Void = { _, _ in }
        /// The epoch of the first lease. If remote workers outlive a queue, its successor must
        /// start above all of its epochs.
        package var firstEpoch: UInt64 = 1
        /// The name by which remote workers know the queue. A queue of the same name continues with
        /// what the previous one gave them; nil gives each queue a name of its own.
        package var name: String?
        /// The leases that the previous queue gave to remote workers and that may still be valid;
        /// their epochs are below ``firstEpoch``.
        package var lent: [LentLease] = []
        /// The addresses for remote workers; nil if there are none.
        package var listening: Listening?
        package var logger = Logger(label: "queue", factory: { _ in SwiftLogNoOpLogHandler() })

        /// The network endpoint for remote workers.
        package struct Listening: Sendable {
            /// The addresses, such as `tcp://0.0.0.0:7700`; the port `*` stands for any free one.
            package var endpoints: [String]
            /// The queue's own key.
            package var key: KeyPair
            /// The keys of the nodes that may connect.
            package var allowed: AllowList
            /// The folder that the list mirrors; nil if the caller updates the list
            /// (``JobQueue/revoke(_:)``).
            package var keys: FarmKeys?
            /// The folders that remote workers may have under other paths.
            package var roots = PathRoots()
            /// The content service for nodes without this machine's storage; nil for none.
            package var content: ContentSettings?

            package init(endpoints: [String], key: KeyPair, allowed: AllowList, keys: FarmKeys? = nil) {
                (self.endpoints, self.key, self.allowed, self.keys) = (endpoints, key, allowed, keys)
            }
        }

        package init(
            workers: Int, workerPath: String = Self.usualWorkerPath, engine: String,
            runtimeDirectory: String = Self.usualRuntimeDirectory
        ) {
            self.workers = workers
            self.workerPath = workerPath
            self.engine = engine
            self.runtimeDirectory = runtimeDirectory
        }

        /// The default worker program: `$CUTROOM_WORKER`, or else `cutroom-worker` beside the
        /// running program.
        package static var usualWorkerPath: String {
            if let path = variable("CUTROOM_WORKER") { return path }
            let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            let folder = program.lastIndex(of: "/").map { program[..<$0] } ?? "."
            return folder + "/cutroom-worker"
        }

        /// The default runtime folder: the first of `$XDG_RUNTIME_DIR`, `$TMPDIR` and `/tmp` that
        /// exists and can be written to.
        package static var usualRuntimeDirectory: String {
            let candidates = [variable("XDG_RUNTIME_DIR"), variable("TMPDIR")].compactMap { $0 }
            return candidates.first { $0.hasPrefix("/") && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
        }

        private static func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
