import CPosix
import DequeModule
import Dispatch
import Files
import Foundation
import Glibc
import Media
import Recording
import Synchronization

/// The process that puts effects on live pictures, as the recorder sees it. Plugins run in it, so
/// it may crash, hang or send anything.
final class EffectProcess: Sendable {
    /// The number in messages, which no other process has.
    let number: Int
    private let process: EndingProcess
    private let pictures: PictureQueue
    private let arrived: Mutex<LiveEffects<LivePicture>.Arrivals>

    /// Ours sends a few for each plugin.
    private static let mostWarnings = 1000

    /// What has come back, handled or not.
    var arrivals: LiveEffects<LivePicture>.Arrivals { arrived.withLock { $0 } }

    /// Starts the process. The mailbox gets the pictures that come back, and the end.
    /// - Throws: a ``RecorderFailure``, as the second half of a sentence.
    init(_ launch: LiveLaunch, number: Int, to mailbox: Mailbox) throws(RecorderFailure) {
        self.number = number
        var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard cposix_pipe(&down) >= 0 else { throw RecorderFailure("there are no more descriptors") }
        guard cposix_pipe(&up) >= 0 else {
            for end in down { Glibc.close(end) }
            throw RecorderFailure("there are no more descriptors")
        }
        let started = DeviceProcess.spawn(
            launch.folder.arguments, of: launch.program, input: down[0], output: up[1])
        Glibc.close(down[0])
        Glibc.close(up[1])
        let (input, output) = (down[1], up[0])
        guard started > 0 else {
            Glibc.close(input)
            Glibc.close(output)
            throw RecorderFailure("‘\(launch.program)’ cannot be run: \(String(cString: strerror(-started)))")
        }
        let process = EndingProcess(started)
        self.process = process
        for descriptor in [input, output] { _ = fcntl(descriptor, DevicePipe.setPipeSize, 1 << 20) }
        let pictures = PictureQueue()
        self.pictures = pictures
        arrived = Mutex(.init())
        Thread.detachNewThread {
            while let (number, picture) = pictures.next() {
                let header = LiveHeader(number: number, time: picture.time)
                guard header.write(to: input), picture.picture.write(to: input) else { break }
            }
            Glibc.close(input)
        }
        Thread.detachNewThread { [weak self] in
            var (last, warnings) = (Int64(0), 0)
            while let header = LiveHeader.read(from: output) {
                if header == .opening {
                    // Once for each picture: to say so without end would be to hang.
                    self?.arrived.withLock { if !$0.isOpening { ($0.time, $0.isOpening) = (Clock.now, true) } }
                    continue
                }
                if let count = header.warningBytes, warnings < Self.mostWarnings {
                    var text = [UInt8](repeating: 0, count: count)
                    guard text.withUnsafeMutableBytes({ readAll(into: $0, from: output) }) else { break }
                    warnings += 1
                    mailbox.post(.effectWarning(process: number, String(decoding: text, as: UTF8.self)))
                    continue
                }
                // A process that sends nonsense ends here.
                guard header.number == last + 1,
                    let picture = try? Picture(width: launch.width, height: launch.height, format: .yuv420p),
                    picture.read(from: output)
                else { break }
                last = header.number
                self?.arrived.withLock { $0 = .init(number: last, time: Clock.now, isOpening: false) }
                mailbox.post(
                    .effected(process: number, picture: last, LivePicture(picture: picture, time: header.time)))
            }
            Glibc.close(output)
            pictures.close()
            mailbox.post(.effectsEnded(process: number, process.end()))
        }
    }

    /// Passes a picture on, to be written by another thread.
    /// - Parameter number: rises with each.
    func send(_ picture: LivePicture, number: Int64) { pictures.append(picture, number) }

    /// Kills it. The message of its end comes later.
    func end() {
        pictures.close()
        process.kill()
    }

    deinit { end() }
}

/// A process that is killed and waited for, on different threads: its number is not used once it
/// may be that of another process.
private final class EndingProcess: Sendable {
    private struct State {
        var isReaped = false
        var isKilled = false
    }

    private let process: pid_t
    private let state = Mutex(State())

    init(_ process: pid_t) { self.process = process }

    func kill() {
        state.withLock { state in
            guard !state.isReaped else { return }
            state.isKilled = true
            _ = Glibc.kill(process, SIGKILL)
        }
    }

    /// Waits for the end of a process that has closed its output, and kills it after a second.
    /// - Returns: how it ended: the second half of a sentence.
    func end() -> String {
        var info = siginfo_t()
        for _ in 0..<100 {
            info = siginfo_t()
            if waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT | WNOHANG) < 0, errno != EINTR { break }
            if info.si_signo != 0 { break }
            usleep(10_000)
        }
        if info.si_signo == 0 { kill() }
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        var status: Int32 = 0
        let wasKilled = state.withLock { state in
            state.isReaped = true
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return state.isKilled
        }
        switch status & 0x7f {
        case 0: return "failed"
        case SIGKILL: return wasKilled ? "failed" : "was killed (SIGKILL), perhaps for want of memory"
        case let signal: return "crashed (\(String(cString: strsignal(signal))))"
        }
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
