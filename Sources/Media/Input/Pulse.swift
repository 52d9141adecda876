import CFFmpeg

/// Called often while media is read or written: between packets, with true, and on every read from
/// disk, with false. True means that the work has come on; libav may read in a loop, so reading
/// alone is no proof of that. What it throws stops the work; the caller gets
/// ``MediaError/Code/cancelled`` with that error as the cause. It should cost next to nothing.
public typealias Pulse = (_ advances: Bool) throws -> Void

/// A pulse whose receiver changes when another thread continues the work.
final class PulseRelay {
    var pulse: Pulse
    init(_ pulse: @escaping Pulse) { self.pulse = pulse }
}

/// A pulse that libav can call, and the memory of what it threw. A probe's has a budget as well.
final class Interrupter {
    private let pulse: Pulse
    let budget: ReadingBudget?
    private(set) var thrown: (any Error)?

    init(_ pulse: @escaping Pulse, budget: ReadingBudget? = nil) {
        self.pulse = pulse
        self.budget = budget
    }

    /// False once the pulse has thrown, which is not called again then, or the budget is spent.
    func goesOn(advances: Bool = false) -> Bool {
        if thrown != nil { return false }
        do { try pulse(advances) } catch { thrown = error }
        return thrown == nil && spend(0)
    }

    /// False once the budget is spent, where there is one.
    /// - Parameter count: bytes that were read.
    func spend(_ count: Int) -> Bool {
        guard let budget else { return true }
        if thrown != nil { return false }
        do { try budget.spend(count) } catch { thrown = error }
        return thrown == nil
    }

    /// False where there is nothing but a hole in what was read, and the budget says so.
    func look(at read: UnsafeRawBufferPointer, from offset: Int64) -> Bool {
        guard let budget else { return true }
        do { try budget.look(at: read, from: offset) } catch { thrown = error }
        return thrown == nil
    }

    /// The same pulse for a second reader of the file.
    var relay: Pulse {
        { [self] advances in if !goesOn(advances: advances), let thrown { throw thrown } }
    }

    /// A pulse after a piece of work.
    func check(_ operation: String, path: String) throws(MediaError) {
        if !goesOn(advances: true) { throw cancelled(operation, path: path) }
    }

    /// What ended the work: the pulse or the budget.
    func cancelled(_ operation: String, path: String) -> MediaError {
        if let spent = thrown as? ReadingBudget.Spent {
            return MediaError(.overBudget, operation, path: path, reason: spent.reason)
        }
        return MediaError(.cancelled, operation, path: path, reason: "the work was stopped", cause: thrown)
    }

    /// For `AVFormatContext.interrupt_callback`; the format context must not outlive this object.
    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { raw in
                guard let raw else { return 0 }
                return Unmanaged<Interrupter>.fromOpaque(raw).takeUnretainedValue().goesOn() ? 0 : 1
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
