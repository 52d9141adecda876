import Foundation
import Glibc

/// Ctrl-C (and SIGTERM): once stops cleanly and keeps what is rendered; twice ends the process at once.
final class Interrupts {
    private var sources: [any DispatchSourceSignal] = []
    private let count = Counter()

    /// - Parameters:
    ///   - first: called once, on a queue of its own.
    ///   - second: called before the process ends at the second signal; must not wait.
    init(first: @escaping @Sendable () -> Void, second: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "interrupts")
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [count] in
                if count.next() == 1 {
                    first()
                } else {
                    second()
                    _exit(128 + number)
                }
            }
            source.resume()
            sources.append(source)
        }
    }

    private final class Counter: @unchecked Sendable {
        private var value = 0
        /// Called on the one queue only.
        func next() -> Int {
            value += 1
            return value
        }
    }
}
