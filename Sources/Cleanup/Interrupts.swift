import Dispatch
import Glibc
import Synchronization

/// Handles Ctrl-C, SIGTERM and SIGHUP. The first signal stops cleanly and keeps what is finished.
/// The second removes unfinished files and ends the process at once.
package final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []

    /// The signal that stopped the command; nil before the first.
    package static var received: Int32? { first.withLock { $0?.number } }

    private static let living = Mutex(0)
    private static let first = Mutex<(number: Int32, at: ContinuousClock.Instant)?>(nil)

    /// The time within which further signals belong to the first: a terminal and `timeout` signal
    /// both a process and its group, so one stop may arrive twice.
    private static let oneStop = Duration.milliseconds(500)

    /// Starts handling signals; before that, they end the process.
    /// - Parameter stop: called once with the signal, on a queue of its own.
    package init(stop: @escaping @Sendable (Int32) -> Void) {
        Self.living.withLock { $0 += 1 }
        let queue = DispatchQueue(label: "interrupts")
        let isHeard = DispatchSemaphore(value: 0)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // libdispatch catches the signal itself. If it were ignored until then, it would be
            // lost whenever the source's thread starts late.
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let now = ContinuousClock.now
                let before = Self.first.withLock { first in
                    defer { first = first ?? (number, now) }
                    return first
                }
                guard let before else { return stop(number) }
                if now - before.at > Self.oneStop { CleanupRegistry.shared.endProcess(128 + number) }
            }
            source.setRegistrationHandler { isHeard.signal() }
            source.resume()
            sources.append(source)
        }
        for _ in sources { isHeard.wait() }
    }

    /// Restores the signals' default action. libdispatch keeps catching them after its sources are
    /// gone, so they would be ignored otherwise.
    deinit {
        for source in sources { source.cancel() }
        Self.living.withLock { living in
            living -= 1
            guard living == 0 else { return }
            for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        }
    }
}
