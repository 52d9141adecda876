import CPosix
import DequeModule
import Dispatch
import Foundation
import Glibc
import Media
import Recording
import Synchronization

/// The process that puts effects on live pictures, as the recorder sees it. Plugins run in it, so
/// it may crash, hang or send anything.
final class EffectProcess: Sendable {
    /// Its number in messages. Each process has another one.
    let number: Int
    private let process: pid_t
    private let hasEnded = Atomic(false)
    private let pictures: PictureQueue

    /// Starts the process. What comes back, and its end, are messages.
    /// - Throws: half a sentence.
    init(_ launch: LiveLaunch, number: Int, to mailbox: Mailbox) throws(RecorderFailure) {
        self.number = number
        var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard cposix_pipe(&down) >= 0 else { throw RecorderFailure("there are no more descriptors") }
        guard cposix_pipe(&up) >= 0 else {
            for end in down { Glibc.close(end) }
            throw RecorderFailure("there are no more descriptors")
        }
        let started = DeviceProcess.spawn(
            launch.arguments, of: launch.program, input: down[0], output: up[1])
        Glibc.close(down[0])
        Glibc.close(up[1])
        let (input, output) = (down[1], up[0])
        guard started > 0 else {
            Glibc.close(input)
            Glibc.close(output)
            throw RecorderFailure("‘\(launch.program)’ cannot be run: \(String(cString: strerror(-started)))")
        }
        process = started
        for descriptor in [input, output] { _ = fcntl(descriptor, DevicePipe.setPipeSize, 1 << 20) }
        let pictures = PictureQueue()
        self.pictures = pictures
        Thread.detachNewThread {
            while let (number, picture) = pictures.next() {
                let header = LiveHeader(number: number, time: picture.time)
                guard header.write(to: input), picture.picture.write(to: input) else { break }
            }
            Glibc.close(input)
        }
        Thread.detachNewThread {
            Self.read(output, launch) { mailbox.post(.effected(process: number, picture: $0, $1)) }
            Glibc.close(output)
            pictures.close()
            // What sends nonsense ends, too.
            kill(started, SIGKILL)
            mailbox.post(.effectsEnded(process: number, Self.wait(for: started)))
        }
    }

    /// Passes a picture on, to be written by another thread.
    /// - Parameter number: rises with each.
    func send(_ picture: LivePicture, number: Int64) { pictures.append(picture, number) }

    /// Kills it. The message of its end comes later.
    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        pictures.close()
        kill(process, SIGKILL)
    }

    deinit { end() }

    private static func read(_ output: Int32, _ launch: LiveLaunch, _ take: (Int64, LivePicture) -> Void) {
        while let header = LiveHeader.read(from: output),
            let picture = try? Picture(width: launch.width, height: launch.height, format: .yuv420p),
            picture.read(from: output)
        {
            take(header.number, LivePicture(picture: picture, time: header.time))
        }
    }

    /// Waits until the process is gone.
    /// - Returns: how it ended: half a sentence.
    private static func wait(for process: pid_t) -> String {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return "ended" }
        }
        let signal = status & 0x7f
        guard signal != 0, signal != SIGKILL else { return "ended" }
        return "crashed (\(String(cString: strsignal(signal))))"
    }
}

/// Pictures on their way to the thread that writes them.
private final class PictureQueue: Sendable {
    private struct State {
        var pictures: Deque<(Int64, LivePicture)> = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    func append(_ picture: LivePicture, _ number: Int64) {
        state.withLock { $0.pictures.append((number, picture)) }
        arrivals.signal()
    }

    func close() {
        state.withLock { $0 = State(isClosed: true) }
        arrivals.signal()
    }

    /// Waits for the next one.
    /// - Returns: nil when the queue is closed.
    func next() -> (Int64, LivePicture)? {
        while true {
            arrivals.wait()
            let (picture, isClosed) = state.withLock { ($0.pictures.popFirst(), $0.isClosed) }
            if isClosed { return nil }
            if let picture { return picture }
        }
    }
}
