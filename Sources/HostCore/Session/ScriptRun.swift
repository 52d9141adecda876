import Farm
import Foundation
import Messaging
import Scripting

/// One run of a script, on a thread of its own: it waits for its probes, and Lua needs a deep
/// stack.
///
/// Lua checks its limits in each of its loops, except in its garbage collector, which can take
/// hours for some tables. If a thread does not end after a stop, or past the wall-clock limit, it
/// is abandoned after ``grace``, so that no script blocks its caller. It ends by itself once Lua
/// checks its limits again.
package struct ScriptRun: Sendable {
    /// The time that a script may take to end by itself.
    static let grace = Duration.seconds(1)

    package let limits: ScriptLimits
    package let clock = ScriptClock()
    /// Whether the script must stop. Called on the watching thread.
    let isStopped: @Sendable () -> Bool

    /// Returns or throws the result of `body`, or the reason why it was abandoned.
    func result<Made: Sendable>(
        of body: @escaping @Sendable () throws(ScriptError) -> Made
    ) async -> Result<Made, ScriptError> {
        await withCheckedContinuation { continuation in
            let waiting = Locked<CheckedContinuation<Result<Made, ScriptError>, Never>?>(continuation)
            let finish: @Sendable (Result<Made, ScriptError>) -> Void = { result in
                let taken = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                taken?.resume(returning: result)
            }
            let thread = Thread { finish(Result { () throws(ScriptError) in try body() }) }
            thread.name = "script"
            thread.stackSize = 16 << 20
            thread.start()
            let watch = Thread {
                if let error = overrun(while: { waiting.withLock { $0 != nil } }) { finish(.failure(error)) }
            }
            watch.name = "script-watch"
            watch.start()
        }
    }

    /// Waits until the script has ended, and returns nil, or until it is overdue.
    private func overrun(while isRunning: () -> Bool) -> ScriptError? {
        var stop: ContinuousClock.Instant?
        while isRunning() {
            if isStopped() { stop = stop ?? .now }
            if let stop, ContinuousClock.now - stop > Self.grace {
                return ScriptError(.cancelled, "the script was stopped")
            }
            if clock.elapsed > limits.wallTime + Self.grace {
                return ScriptError(.limit, ScriptError.overtime(limits.wallTime))
            }
            SystemThread.pause(.milliseconds(20))
        }
        return nil
    }
}
