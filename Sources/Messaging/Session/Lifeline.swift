import CPosix
import Glibc

/// Ends this process as soon as the host is gone.
///
/// The host holds the other end of a pipe and never writes into it. The kernel closes it however
/// the host ends, even by `kill -9`. A thread that blocks in `read` sees the end at once, whatever
/// the rest of the process is doing.
enum Lifeline {
    /// Watches the pipe at a descriptor, and replaces it by /dev/null so that nothing else reads
    /// it.
    /// - Returns: false if the watch could not be set up.
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
    /// The host is gone, or was never there.
    public static let hostGone: Int32 = 69  // EX_UNAVAILABLE
    /// The host refused this worker.
    public static let refused: Int32 = 76  // EX_PROTOCOL
}
