import CPosix
import Glibc
import Messaging

/// How a worker process ended, and what it left behind.
struct WorkerExit: Hashable, Sendable {
    enum Status: Hashable, Sendable, CustomStringConvertible {
        case code(Int32)
        case signal(Int32)

        var description: String {
            switch self {
            case .code(let code): "exit code \(code)"
            case .signal(let number):
                cposix_signal_name(number).map { "SIG" + String(cString: $0) } ?? "signal \(number)"
            }
        }

        /// Whether the signal is one that ends a process from outside: by a person, the system's out-of-memory killer, a
        /// shutdown. A job is blamed for one only where its worker was in a plugin's call, which may have raised it.
        var isFromOutside: Bool {
            switch self {
            case .code: false
            case .signal(let number): [SIGKILL, SIGTERM, SIGINT, SIGHUP].contains(number)
            }
        }
    }

    var status: Status
    /// What the worker was about to call when it ended, from its breadcrumb: plugin, path, frame.
    var culprit: String?
    /// The same for programs.
    var blame: PluginBlame?
    /// The memory fault that it died of, where that was explained: half a sentence that begins with “it”.
    var fault: String?
    /// What of the machine's it lacked, where that ended it: half a sentence that goes on after “its worker”.
    var lack: String?
    /// Whether the system's out-of-memory killer has ended a process of the machine meanwhile.
    var mayBeOutOfMemory = false
    /// The last lines of its standard error.
    var errorTail: String
    /// Where the whole of its standard error is kept.
    var log: String?

    init(_ status: Status, culprit: String? = nil, errorTail: String = "", log: String? = nil) {
        self.status = status
        self.culprit = culprit
        self.errorTail = errorTail
        self.log = log
    }

    /// The lines of a failure's details.
    func evidence(worker: String) -> [String] {
        var lines = ["worker \(worker) ended: \(status)"]
        if let culprit { lines.append("it was in \(culprit)") }
        if !errorTail.isEmpty { lines.append("its standard error ended with:\n\(errorTail)") }
        if let log { lines.append("the whole of it is in \(log)") }
        return lines
    }
}
