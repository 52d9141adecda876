import DequeModule
import Dispatch
import Media
import Recording
import Synchronization

/// What reaches the recorder's loop, in the order of its arrival.
enum Message: Sendable {
    case command(RecorderCommand)
    /// The host is gone.
    case hostEnded
    case form(source: Int, LiveForm)
    case picture(source: Int, LivePicture)
    case samples(source: Int, LiveSamples)
    /// A picture comes from the live effects, under the number with which it was sent.
    case effected(process: Int, picture: Int64, LivePicture)
    /// The live effects' process has ended, and how: half a sentence.
    case effectsEnded(process: Int, String)
    /// The background is heard from a time on: nanoseconds on the monotonic clock.
    case playing(source: Int, Int64)
    /// The device works.
    case alive(source: Int)
    /// What users should know of the device: a sentence.
    case warning(source: Int, String)
    /// The device has ended, and why.
    case lost(source: Int, String)
    /// What users should know of a file: a sentence.
    case fileWarning(String)
    /// Work on a file, on a thread of its own, is done.
    case done(RecorderReport)
}

/// A picture on its way. Nothing writes into it any more, so that threads may share it.
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

/// The queue of the recorder's loop. When the loop is too slow, the oldest pictures of a source
/// that wait are dropped and counted.
final class Mailbox: Sendable {
    private struct State {
        var messages: Deque<Message> = []
        /// How many pictures of each source wait.
        var pictures: [Int: Int] = [:]
        var dropped = 0
    }

    private let state = Mutex(State())
    /// One for each message. A dropped picture leaves its own.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Pictures of a source that may wait.
    private static let mostPictures = 8

    func post(_ message: Message) {
        state.withLock { state in
            if let source = message.pictured {
                state.pictures[source, default: 0] += 1
                if state.pictures[source, default: 0] > Self.mostPictures,
                    let oldest = state.messages.firstIndex(where: { $0.pictured == source })
                {
                    state.messages.remove(at: oldest)
                    state.pictures[source, default: 0] -= 1
                    state.dropped += 1
                }
            }
            state.messages.append(message)
        }
        arrivals.signal()
    }

    /// Takes the next message.
    /// - Returns: nil if none comes within a time.
    func next(within time: DispatchTimeInterval) -> Message? {
        guard arrivals.wait(timeout: .now() + time) == .success else { return nil }
        return state.withLock { state in
            let message = state.messages.popFirst()
            if let source = message?.pictured { state.pictures[source, default: 0] -= 1 }
            return message
        }
    }

    /// The pictures that were dropped since the last call.
    func takeDropped() -> Int {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }
}

extension Message {
    /// The source of a picture.
    fileprivate var pictured: Int? { if case .picture(let source, _) = self { source } else { nil } }
}
