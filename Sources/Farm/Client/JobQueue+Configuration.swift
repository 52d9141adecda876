import FoundationEssentials
import Glibc
import Logging
import Messaging

extension JobQueue {
    package struct Configuration: Sendable {
        /// At most this many workers of this machine at once. May be 0 where workers come from elsewhere.
        package var workers: Int
        /// So many workers more than there are jobs for are started, within ``workers``, as more jobs are soon to come.
        package var spareWorkers = 0
        /// The worker program.
        package var workerPath: String
        /// The build; workers of another one are refused.
        package var engine: String
        /// A folder in which the queue makes a private one for its socket and its workers' files. Its path must be
        /// short: a socket's path has at most 107 bytes.
        package var runtimeDirectory: String
        /// Where the whole standard error of crashed workers is kept. Nil: only its end is kept, in the job's failure.
        package var logDirectory: String?
        /// After this long without a sign of life a worker is taken for lost.
        package var leaseTimeout: Duration = .seconds(15)
        /// After this long without progress a job is taken for stuck.
        package var stallTimeout: Duration = .seconds(60)
        /// Crashes and stalls that a job may cause, each of another process; the last one fails it.
        package var faultsPerJob = 3
        /// What this machine has that some jobs need.
        package var tags: Set<String> = []
        /// Folders that the workers may write to besides their own. Those that are not there when a worker starts are left out.
        package var writable: [String] = []
        /// Plugins get their frames in guarded memory.
        package var isParanoid = false
        /// Further arguments for the workers, after the queue's own.
        package var extraArguments: [String] = []
        /// What the workers' environment has besides this process's own; wins over it.
        package var environment: [String: String] = [:]
        /// What a worker's memory fault was, from the note that the worker left of it: half a sentence that begins with “it”, or nil
        /// where the note says nothing. May wait.
        package var explainsFault: @Sendable (Data) -> String? = { _ in nil }
        /// Told of what workers remark on their jobs, besides the log: on the queue's thread, so it must not wait.
        package var hearsRemark: @Sendable (JobID, String) -> Void = { _, _ in }
        /// The epoch of the first lease. Where workers from elsewhere outlive a queue, its successor's epochs lie above all of its own.
        package var firstEpoch: UInt64 = 1
        /// What workers from elsewhere know the queue by. A queue of the same name goes on with what one before it gave them; nil: each queue
        /// has a name of its own.
        package var name: String?
        /// The leases that the queue before this one gave to workers from elsewhere, and that may hold still; of lower epochs than ``firstEpoch``.
        package var lent: [LentLease] = []
        /// Where workers from elsewhere may come; nil: there are none.
        package var listening: Listening?
        package var logger = Logger(label: "queue", factory: { _ in SwiftLogNoOpLogHandler() })

        /// A network that workers from elsewhere come over.
        package struct Listening: Sendable {
            /// Such as `tcp://0.0.0.0:7700`; a port of `*` is any that is free.
            package var endpoints: [String]
            /// The queue's own key.
            package var key: KeyPair
            /// Whose nodes may come.
            package var allowed: AllowList
            /// The folder that the list is kept like; nil: somebody else changes it (``JobQueue/revoke(_:)``).
            package var keys: FarmKeys?
            /// Folders that workers from elsewhere may have in other places.
            package var roots = PathRoots()
            /// How nodes without this machine's storage are served; nil: none are.
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

        /// `$CUTROOM_WORKER`, or else `cutroom-worker` beside the running program.
        package static var usualWorkerPath: String {
            if let path = variable("CUTROOM_WORKER") { return path }
            let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            let folder = program.lastIndex(of: "/").map { program[..<$0] } ?? "."
            return folder + "/cutroom-worker"
        }

        /// `$XDG_RUNTIME_DIR`, `$TMPDIR` or `/tmp`: the first that is there and can be written.
        package static var usualRuntimeDirectory: String {
            let candidates = [variable("XDG_RUNTIME_DIR"), variable("TMPDIR")].compactMap { $0 }
            return candidates.first { $0.hasPrefix("/") && access($0, W_OK | X_OK) == 0 } ?? "/tmp"
        }

        private static func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
