import CPosix
import Glibc
import Messaging

/// The end of a worker process, and what it left behind.
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

        /// Whether the signal usually comes from outside: from a person, the out-of-memory killer,
        /// a shutdown. A job is blamed for one only if its worker was in a plugin's call, which may
        /// have raised it.
        var isFromOutside: Bool {
            switch self {
            case .code: false
            case .signal(let number): [SIGKILL, SIGTERM, SIGINT, SIGHUP].contains(number)
            }
        }
    }

    var status: Status
    /// The call that the worker was about to make when it ended, from its breadcrumb: plugin, path,
    /// frame.
    var culprit: String?
    /// The same call for programs.
    var blame: PluginBlame?
    /// The memory fault that ended it, if it was explained: half a sentence that begins with “it”.
    var fault: String?
    /// The resource whose lack ended it: half a sentence that continues after “its worker”.
    var lack: String?
    /// Whether the out-of-memory killer has ended a process of the machine meanwhile.
    var mayBeOutOfMemory = false
    /// The last lines of its standard error.
    var errorTail: String
    /// The file with all of its standard error.
    var log: String?

    init(_ status: Status, culprit: String? = nil, errorTail: String = "", log: String? = nil) {
        self.status = status
        self.culprit = culprit
        self.errorTail = errorTail
        self.log = log
    }

    /// Returns the lines for a failure's details.
    func evidence(worker: String) -> [String] {
        var lines = ["worker \(worker) ended: \(status)"]
        if let culprit { lines.append("it was in \(culprit)") }
        if !errorTail.isEmpty { lines.append("its standard error ended with:\n\(errorTail)") }
        if let log { lines.append("all of it is in \(log)") }
        return lines
    }
}
