import CSourceWatch
import Foundation
import Synchronization

/// Notices that PulseAudio has moved this process's stream to another source, as it does where the
/// source is removed. libavdevice does not tell.
final class StreamMoves: Sendable {
    private let names = Mutex<[String]>([])

    /// Starts watching, on a thread of its own, for as long as this process lives.
    init() {
        Thread.detachNewThread { [self] in
            csourcewatch_pulse(
                { context, name in
                    guard let context, let name else { return }
                    let moves = Unmanaged<StreamMoves>.fromOpaque(context).takeUnretainedValue()
                    moves.names.withLock { $0.append(String(cString: name)) }
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// The sources that the stream was moved to since the last call, as users call them.
    func take() -> [String] {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}
