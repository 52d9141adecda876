import Files
import Glibc
import Synchronization

/// The failure handling of a thread that serves something: it logs failures, waits longer each
/// time, and if the thread cannot continue takes the process down with it. A thread that ended or
/// span silently would leave a process that looks alive and serves nothing.
///
/// The thread's loop calls ``worked()`` after each successful iteration and ``failed(_:)`` after
/// each other one.
public struct ServiceFailures {
    private let service: String
    private let log: @Sendable (String) -> Void
    private let limit: Int
    private let end: @Sendable (String) -> Void
    private var count = 0

    /// The number of consecutive failures, over about 20 s, that end the process.
    public static let limit = 25
    private static let firstPause = Duration.milliseconds(10)
    private static let longestPause = Duration.seconds(1)

    /// Ends the process after a service has failed. A program with something to clean up replaces
    /// this `_exit`.
    private static let ending = Mutex<@Sendable (Int32) -> Void>({ _exit($0) })
    /// EX_OSERR of sysexits.h.
    private static let exitCode: Int32 = 71

    public static func setEnding(_ end: @escaping @Sendable (Int32) -> Void) { ending.withLock { $0 = end } }

    /// Makes the state of one service.
    /// - Parameters:
    ///   - service: its name for people, such as “the socket for content”.
    ///   - log: called with sentences.
    public init(_ service: String, log: @escaping @Sendable (String) -> Void = Self.complain) {
        self.init(service, limit: Self.limit, log: log) { _ in
            let end = Self.ending.withLock { $0 }
            end(Self.exitCode)
        }
    }

    /// Makes the state of one service.
    /// - Parameter end: called with the last failure.
    init(
        _ service: String, limit: Int, log: @escaping @Sendable (String) -> Void,
        end: @escaping @Sendable (String) -> Void
    ) {
        (self.service, self.limit, self.log, self.end) = (service, limit, log, end)
    }

    public mutating func worked() {
        if count > 0 { log("\(service) works again after \(count) failures in a row") }
        count = 0
    }

    /// Waits before the next iteration, up to a second, or ends the process.
    public mutating func failed(_ reason: String) {
        SystemThread.pause(noted(reason))
    }

    /// Counts a failure.
    /// - Returns: how long to wait before the next iteration.
    public mutating func noted(_ reason: String) -> Duration {
        count += 1
        if count >= limit {
            log("\(service) has failed \(count) times in a row, so this process exits; the last error: \(reason)")
            end(reason)
        } else if count & (count - 1) == 0 {
            // The 1st, 2nd, 4th, 8th …
            log("\(service) failed\(count > 1 ? " \(count) times in a row" : ""): \(reason)")
        }
        return min(Self.longestPause, Self.firstPause * (1 << min(count - 1, 10)))
    }

    /// Writes a line to standard error.
    public static let complain: @Sendable (String) -> Void = { text in
        writeAll((text + "\n").utf8, to: STDERR_FILENO)
    }
}
