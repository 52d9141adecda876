import FoundationEssentials
import Messaging

/// A worker's jobs that do nothing. A job's result is the time that the worker waited for it, in
/// seconds: from the end of the job before, with everything that lies between (result,
/// acknowledgement, the queue's decision, the assignment).
final class IdleHandler: JobHandler {
    private var lastEnd: SuspendingClock.Instant?

    func run(kind: String, payload: Data, context: JobContext) throws -> Data {
        let waited = lastEnd.map { SuspendingClock.now - $0 } ?? .zero
        lastEnd = SuspendingClock.now
        return IdleResult.data(waited)
    }
}

/// The result of a job that does nothing.
enum IdleResult {
    static func data(_ waited: Duration) -> Data {
        withUnsafeBytes(of: (waited / .seconds(1)).bitPattern.littleEndian) { Data($0) }
    }

    /// - Returns: seconds; nil for what is no such result.
    static func seconds(_ data: Data) -> Double? {
        guard data.count == 8 else { return nil }
        return Double(bitPattern: UInt64(littleEndian: data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
    }
}
