import PluginABI
import Synchronization

/// The object behind the `handle` of a setup or call: takes the text that a plugin gives with an
/// error, and what an analyser finds.
final class PluginCallContext: Sendable {
    let message = Mutex<String?>(nil)
    /// Nil where no analyser is looking at a frame.
    let emission = Mutex<PluginEmission?>(nil)

    var handle: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// `cutroom_host.emit`. May come from any thread.
    func emit(
        _ key: UnsafePointer<CChar>?, _ numbers: UnsafePointer<Double>?, _ count: UInt32
    ) -> cutroom_status {
        guard let key = pluginText(key), count == 0 || numbers != nil else { return CUTROOM_ERROR_PARAM }
        return emission.withLock { emission in
            guard emission != nil else { return CUTROOM_ERROR_UNSUPPORTED }
            let isTaken = emission?.take(key, UnsafeBufferPointer(start: numbers, count: Int(count))) == true
            return isTaken ? CUTROOM_OK : CUTROOM_ERROR_PARAM
        }
    }

    /// The text given since the last time, which is forgotten.
    func takeMessage() -> String? { message.withLock { $0.take() } }
}
