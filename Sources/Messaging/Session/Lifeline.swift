import CPosix
import Glibc

/// Ends this process as soon as the host is gone.
///
/// The host holds the other end of a pipe and never writes into it. The kernel closes it however the host ends, `kill
/// -9` included, and a thread that waits in `read` sees the end at once, whatever the rest of the process is doing.
enum Lifeline {
    /// Watches the pipe at a descriptor, and puts /dev/null there so that nobody else reads it.
    /// - Returns: false when the watch could not be set up.
    static func watch(_ descriptor: Int32) -> Bool {
        let pipe = cposix_detach(descriptor)
        guard pipe >= 0 else { return false }
        return SystemThread.start(name: "lifeline") {
            var byte: UInt8 = 0
            while true {
                let count = read(pipe, &byte, 1)
                if count > 0 || (count < 0 && errno == EINTR) { continue }
                _exit(WorkerExitCode.hostGone)
            }
        }
    }
}

/// Exit codes of a worker process, after sysexits.h.
public enum WorkerExitCode {
    /// The host took no part in it any more, or never did.
    public static let hostGone: Int32 = 69  // EX_UNAVAILABLE
    /// The host refused this worker.
    public static let refused: Int32 = 76  // EX_PROTOCOL
}
