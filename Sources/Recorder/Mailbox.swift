import Foundation
import Media
import Recording

/// What the recorder's loop handles, in the order of its arrival.
enum Message: Sendable {
    case command(RecorderCommand)
    /// The host is gone.
    case hostEnded
    case form(source: Int, LiveForm)
    case picture(source: Int, LivePicture)
    case samples(source: Int, LiveSamples)
    /// The device has ended, and why.
    case lost(source: Int, String)
}

/// A picture on its way: the thread that has it is the only one that uses it.
struct LivePicture: @unchecked Sendable {
    let picture: Picture
    /// Nanoseconds on the monotonic clock.
    let time: Int64
}

/// One plane of samples for each channel, one behind the other.
struct LiveSamples: Sendable {
    var samples: [Float]
    var channels: Int
    /// When the first one was captured: nanoseconds on the monotonic clock.
    var time: Int64

    var count: Int { channels > 0 ? samples.count / channels : 0 }
}

/// The queue of the recorder's loop. When the loop is too slow, the oldest pictures that wait are
/// dropped and counted.
final class Mailbox: @unchecked Sendable {
    private let condition = NSCondition()
    private var messages: [Message] = []
    private var pictures = 0
    private var dropped = 0

    /// Pictures that may wait.
    private static let mostPictures = 8

    func post(_ message: Message) {
        condition.lock()
        defer { condition.unlock() }
        if case .picture = message {
            pictures += 1
            if pictures > Self.mostPictures,
                let oldest = messages.firstIndex(where: { if case .picture = $0 { true } else { false } })
            {
                messages.remove(at: oldest)
                pictures -= 1
                dropped += 1
            }
        }
        messages.append(message)
        condition.signal()
    }

    var isEmpty: Bool {
        condition.lock()
        defer { condition.unlock() }
        return messages.isEmpty
    }

    /// Takes the next message; nil at the deadline.
    func next(before deadline: Date) -> Message? {
        condition.lock()
        defer { condition.unlock() }
        while messages.isEmpty { if !condition.wait(until: deadline) { return nil } }
        let message = messages.removeFirst()
        if case .picture = message { pictures -= 1 }
        return message
    }

    /// The pictures that were dropped since the last call.
    func takeDropped() -> Int {
        condition.lock()
        defer { condition.unlock() }
        defer { dropped = 0 }
        return dropped
    }
}
