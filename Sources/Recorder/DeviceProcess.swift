import CPosix
import Files
import Foundation
import Glibc
import Media
import Synchronization

/// A device process, as the recorder sees it.
final class DeviceProcess: Sendable {
    let name: String
    private let process: pid_t
    /// The process's standard input; -1: it has none.
    private let input: Int32
    private let hasEnded = Atomic(false)
    private let lastRecord: LastRecord

    /// When the process was started, or last sent something: nanoseconds on the monotonic clock.
    var heard: Int64 { lastRecord.time.load(ordering: .relaxed) }

    /// Starts the process and reads what it sends on a thread of its own.
    /// - Parameter source: the number of the source in messages.
    /// - Throws: a sentence.
    init(_ launch: some ProcessLaunch, source: Int, to mailbox: Mailbox) throws(RecorderFailure) {
        name = launch.name
        lastRecord = LastRecord()
        var (ends, down): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard cposix_pipe(&ends) >= 0 else { throw RecorderFailure("there are no more descriptors") }
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if !launch.takesCommands || cposix_pipe(&down) < 0 { down = [null, -1] }
        input = down[1]
        defer {
            Glibc.close(ends[1])
            Glibc.close(down[0])
        }
        let words: [String]
        do { words = try launch.arguments } catch { throw RecorderFailure("its options cannot be passed on") }
        let started = Self.spawn(words, input: down[0], output: ends[1])
        guard started > 0 else {
            Glibc.close(ends[0])
            if input >= 0 { Glibc.close(input) }
            throw RecorderFailure("its process cannot be started: \(String(cString: strerror(-started)))")
        }
        process = started
        let reader = DeviceReader(descriptor: ends[0], source: source, mailbox: mailbox, lastRecord: lastRecord)
        Thread.detachNewThread { reader.run() }
    }

    /// A process that is gone, or does not read, is lost anyway.
    func send(_ command: PlayerCommand) {
        guard input >= 0, let data = try? JSONEncoder().encode(command) else { return }
        var state = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) > 0, state.revents & Int16(POLLOUT) != 0 else { return }
        writeAll(data + [UInt8(ascii: "\n")], to: input)
    }

    /// Starts a program with arguments.
    /// - Parameter program: nil: this one.
    /// - Returns: the process, or a negative errno.
    static func spawn(_ words: [String], of program: String? = nil, input: Int32, output: Int32) -> pid_t {
        let program = program ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return withCStrings([program] + words) { arguments in
            withCStrings(ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }) { variables in
                cposix_spawn(program, arguments, variables, input, output)
            }
        }
    }

    /// Kills processes: a device may never return from a call. They are waited for, so that their
    /// devices are free, but not for longer than a second, because a process that hangs in the
    /// kernel does not end.
    static func end(_ devices: [DeviceProcess]) {
        let living = devices.filter { !$0.hasEnded.exchange(true, ordering: .relaxed) }
        for device in living { kill(device.process, SIGKILL) }
        var waiting = living.map(\.process)
        for _ in 0..<100 {
            waiting.removeAll { process in
                var status: Int32 = 0
                let ended = waitpid(process, &status, WNOHANG)
                return ended == process || ended < 0 && errno != EINTR
            }
            if waiting.isEmpty { return }
            usleep(10_000)
        }
        for process in waiting {
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
            }
        }
    }

    deinit {
        if input >= 0 { Glibc.close(input) }
        if !hasEnded.load(ordering: .relaxed) { kill(process, SIGKILL) }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// Why something cannot be recorded: the second half of a sentence.
struct RecorderFailure: Error, Hashable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

private final class LastRecord: Sendable {
    let time = Atomic(Clock.now)
}

/// Reads a device's records until it ends.
private struct DeviceReader: Sendable {
    let descriptor: Int32
    let source: Int
    let mailbox: Mailbox
    let lastRecord: LastRecord

    func run() {
        defer { Glibc.close(descriptor) }
        var form: LiveForm?
        while let header = readHeader() {
            lastRecord.time.store(Clock.now, ordering: .relaxed)
            guard header.size <= DeviceStream.longest, let kind = DeviceStream.Kind(rawValue: header.kind) else {
                break
            }
            switch kind {
            case .form:
                guard let data = readBytes(Int(header.size)),
                    let found = try? JSONDecoder().decode(LiveForm.self, from: Data(data)), found.isUsable
                else { return lost("its process sends what is not a form") }
                form = found
                mailbox.post(.form(source: source, found))
            case .picture:
                guard let form, let picture = readPicture(form, Int(header.size)) else { return lost() }
                mailbox.post(.picture(source: source, LivePicture(picture: picture, time: header.time)))
            case .samples:
                guard case .sound(_, let channels)? = form?.source,
                    let samples = readSamples(Int(header.size), channels)
                else { return lost() }
                mailbox.post(
                    .samples(source: source, LiveSamples(samples: samples, channels: channels, time: header.time)))
            case .warning:
                guard header.size <= 4096, let text = readBytes(Int(header.size)) else { return lost() }
                mailbox.post(.warning(source: source, String(decoding: text, as: UTF8.self)))
            case .lost:
                let text = readBytes(Int(min(header.size, 4096))).map { String(decoding: $0, as: UTF8.self) }
                return lost(text ?? "")
            case .playing: mailbox.post(.playing(source: source, header.time))
            case .alive: mailbox.post(.alive(source: source))
            }
        }
        lost()
    }

    private func lost(_ reason: String = "its process has ended") {
        mailbox.post(.lost(source: source, reason))
    }

    private func readHeader() -> DeviceStream.Header? {
        var header = DeviceStream.Header(kind: 0, size: 0, time: 0)
        guard withUnsafeMutableBytes(of: &header, { readAll(into: $0, from: descriptor) }) else { return nil }
        // A time that is a day away is not one.
        if (header.time.subtractingReportingOverflow(Clock.now).partialValue).magnitude > 86_400_000_000_000 {
            header.time = Clock.now
        }
        return header
    }

    private func readBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return bytes.withUnsafeMutableBytes { readAll(into: $0, from: descriptor) } ? bytes : nil
    }

    private func readSamples(_ size: Int, _ channels: Int) -> [Float]? {
        guard size % (4 * channels) == 0, size <= 1 << 26 else { return nil }
        var samples = [Float](repeating: 0, count: size / 4)
        return samples.withUnsafeMutableBytes { readAll(into: $0, from: descriptor) } ? samples : nil
    }

    private func readPicture(_ form: LiveForm, _ size: Int) -> Picture? {
        guard size == Picture.pipedSize(width: form.width, height: form.height),
            let picture = try? Picture(width: form.width, height: form.height, format: .yuv420p),
            picture.read(from: descriptor)
        else { return nil }
        return picture
    }
}

extension LiveForm {
    /// Within the bounds of the pipe.
    fileprivate var isUsable: Bool {
        switch source {
        case .picture:
            width > 0 && height > 0 && width % 2 == 0 && height % 2 == 0 && width <= 16_384 && height <= 16_384
        case .sound(let rate, let channels): (1...768_000).contains(rate) && (1...64).contains(channels)
        }
    }
}
