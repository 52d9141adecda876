import Cleanup
import Foundation
import HostCore
import Recording
import RecordingHost
import Synchronization

/// The terminal of a recording: prints what happens, and ends it at a signal.
final class RecordSession: Sendable {
    private let path: String
    private let recovers: Bool
    private let failure = Mutex<String?>(nil)
    private let driver = Mutex<RecordingDriver?>(nil)

    init(path: String, recovers: Bool) { (self.path, self.recovers) = (path, recovers) }

    func run(_ driver: RecordingDriver) async throws {
        self.driver.withLock { $0 = driver }
        defer { self.driver.withLock { $0 = nil } }
        let interrupts = Interrupts { _ in driver.post(.close) }
        driver.post(recovers ? .close : .start)
        let takes = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: driver.run()) }
        }
        withExtendedLifetime(interrupts) {}
        if let failure = failure.withLock({ $0 }) { throw HostError(.inputOutput, failure) }
        let seconds = String(format: "%.2f", takes.duration.seconds)
        Console.say("\(path): \(takes.kept.count == 1 ? "1 take" : "\(takes.kept.count) takes"), \(seconds) s")
    }

    func notice(_ notice: Recording.Notice) {
        switch notice {
        case .ready: Console.inform("the sources are ready")
        case .started(let take): Console.inform("take \(take) is being recorded. Ctrl-C finishes it.")
        case .paused(let take): Console.inform("take \(take) is paused")
        case .resumed(let take): Console.inform("take \(take) continues")
        case .finished(let take): Console.inform("take \(take.number) is finished")
        case .recovered(let take): Console.inform("take \(take.number) of an earlier run is recovered")
        case .discarded(let takes): Console.inform("discarded: \(takes.map(String.init).joined(separator: ", "))")
        case .restored(let takes): Console.inform("restored: \(takes.map(String.init).joined(separator: ", "))")
        case .limit(let limit):
            Console.inform("the limit is reached: \(limit.rawValue)")
            close()
        case .warning(let text), .refused(let text): Console.warn(text)
        case .lost(let text), .failed(let text):
            failure.withLock { $0 = $0 ?? text }
            close()
        }
    }

    private func close() { driver.withLock { $0 }?.post(.close) }

    func progress(_ progress: PartProgress, _ recording: Recording) {}
}
