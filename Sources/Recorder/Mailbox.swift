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
    /// What users should know of the live effects: a sentence.
    case effectWarning(process: Int, String)
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
    /// All that had come when the part's time to wait was over has been handled.
    /// - Parameter part: when it began.
    case caughtUp(part: Int64)
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
        /// The times of the pictures of each source that wait.
        var pictures: [Int: Deque<Int64>] = [:]
        var dropped = 0
    }

    private let state = Mutex(State())
    /// One for each message. A dropped picture leaves its own.
    private let arrivals = DispatchSemaphore(value: 0)

    /// How much time the pictures of a source that wait may span, in nanoseconds: an encoder that
    /// is slow for a moment costs none of them. A crash loses them and the last fragment, which has
    /// half a second; both together must be less than a second.
    static let longest: Int64 = 300_000_000
    /// Bytes of these pictures.
    static let mostBytes = 128 << 20
    /// Pictures that may wait, whatever their size and rate.
    static let fewest = 8

    func post(_ message: Message) {
        state.withLock { state in
            state.messages.append(message)
            guard case .picture(let source, let picture) = message else { return }
            var times = state.pictures[source] ?? []
            times.append(picture.time)
            while let first = times.first, Self.areMany(times.count, picture, spanning: picture.time - first),
                let oldest = state.messages.firstIndex(where: { $0.pictured == source })
            {
                state.messages.remove(at: oldest)
                times.removeFirst()
                state.dropped += 1
            }
            state.pictures[source] = times
        }
        arrivals.signal()
    }

    /// Whether so many pictures, the last of which is this one, are too many.
    private static func areMany(_ count: Int, _ picture: LivePicture, spanning time: Int64) -> Bool {
        let size = Picture.pipedSize(width: picture.picture.width, height: picture.picture.height)
        return count > fewest && (count * size > mostBytes || time > longest)
    }

    /// Takes the next message.
    /// - Returns: nil if none comes within a time.
    func next(within time: DispatchTimeInterval) -> Message? {
        guard arrivals.wait(timeout: .now() + time) == .success else { return nil }
        return state.withLock { state in
            let message = state.messages.popFirst()
            if let source = message?.pictured { state.pictures[source]?.removeFirst() }
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
