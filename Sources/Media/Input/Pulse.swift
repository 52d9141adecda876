import CFFmpeg

/// Called often while media is read or written: between packets, with true, and on every read from disk, with false. True
/// means that the work has come on; libav may read in a loop, so reading alone is no proof of that. What it throws stops
/// the work; the caller gets ``MediaError/Code/cancelled`` with that error as the cause. It should cost next to nothing.
public typealias Pulse = (_ advances: Bool) throws -> Void

/// A pulse that libav can call, and the memory of what it threw.
final class Interrupter {
    private let pulse: Pulse
    private(set) var thrown: (any Error)?

    init(_ pulse: @escaping Pulse) { self.pulse = pulse }

    /// False once the pulse has thrown; it is not called again then.
    func goesOn(advances: Bool = false) -> Bool {
        if thrown != nil { return false }
        do { try pulse(advances) } catch { thrown = error }
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

    func cancelled(_ operation: String, path: String) -> MediaError {
        MediaError(.cancelled, operation, path: path, reason: "the work was stopped", cause: thrown)
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
