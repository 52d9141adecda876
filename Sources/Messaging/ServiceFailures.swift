import Files
import Glibc
import Synchronization

/// What becomes of a thread that serves something and fails: it says so, waits longer each time,
/// and where it cannot go on takes the process down with it. A thread that ends or spins silently
/// leaves a process that looks alive and serves nothing.
///
/// Its loop calls ``worked()`` after a turn that went well and ``failed(_:)`` after one that did
/// not.
public struct ServiceFailures {
    private let service: String
    private let log: @Sendable (String) -> Void
    private let limit: Int
    private let end: @Sendable (String) -> Void
    private var count = 0

    /// So many failures in a row, which take about 20 s, end the process.
    public static let limit = 25
    private static let firstPause = Duration.milliseconds(10)
    private static let longestPause = Duration.seconds(1)

    /// Ends the process after a service is gone. A program that has more to clean up puts its own
    /// in the place of `_exit`.
    private static let ending = Mutex<@Sendable (Int32) -> Void>({ _exit($0) })
    /// EX_OSERR of sysexits.h.
    private static let exitCode: Int32 = 71

    public static func setEnding(_ end: @escaping @Sendable (Int32) -> Void) { ending.withLock { $0 = end } }

    /// - Parameters:
    ///   - service: for people, as “the door”.
    ///   - log: takes sentences.
    public init(_ service: String, log: @escaping @Sendable (String) -> Void = Self.complain) {
        self.init(service, limit: Self.limit, log: log) { _ in
            let end = Self.ending.withLock { $0 }
            end(Self.exitCode)
        }
    }

    /// - Parameter end: takes the last failure.
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

    /// Waits before the next turn, up to a second, or ends the process.
    public mutating func failed(_ reason: String) {
        SystemThread.pause(noted(reason))
    }

    /// Takes in a failure.
    /// - Returns: how long to wait before the next turn.
    public mutating func noted(_ reason: String) -> Duration {
        count += 1
        if count >= limit {
            log("\(service) has failed \(count) times in a row, and this process ends; the last time: \(reason)")
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
