import Files
import Foundation
import Glibc
import Recording

/// The recorder: owns the devices' processes and the encoders for a host, which it serves over its
/// standard input and output until the host ends.
@main
enum RecorderMain {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if let launch = DeviceLaunch(arguments: words) { DeviceMain.run(launch) }
        if let launch = PlayerLaunch(arguments: words) { PlayerMain.run(launch) }
        if let query = DeviceQuery(arguments: words) { DeviceFinder.answer(query) }
        if words == [DeviceFinder.option] { DeviceFinder.list() }
        guard words.count == 2, words[0] == "--serve" else {
            writeAll(
                Array("cutroom-recorder is started by cutroom; run ‘cutroom record’ instead.\n".utf8), to: STDERR_FILENO
            )
            exit(64)
        }
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        // Ctrl-C is for the host, which finishes the take.
        signal(SIGINT, SIG_IGN)
        guard let output = ReportPipe() else { exit(71) }
        let lock = lock(words[1], output)
        let mailbox = Mailbox()
        Thread.detachNewThread {
            while let line = readLine() {
                guard let command = try? JSONDecoder().decode(RecorderCommand.self, from: Data(line.utf8)) else {
                    continue
                }
                mailbox.post(.command(command))
            }
            // Ending a part takes a moment; a disk that hangs must not hold the lock for ever.
            alarm(5)
            mailbox.post(.hostEnded)
        }
        Engine(mailbox: mailbox, report: output.send).run()
        withExtendedLifetime(lock) {}
        _exit(0)
    }

    /// The recorder of a host that was killed may still be ending its part in the folder, which
    /// takes five seconds at most. If its process hangs in the kernel, this one ends without having
    /// done anything. A folder without locks has none.
    private static func lock(_ folder: String, _ output: ReportPipe) -> FileLock? {
        for _ in 0..<50 {
            do throws(FileLock.Failure) {
                return try FileLock(folder + "/recorder.lock", permissions: .readableByAll, patience: .brief)
            } catch {
                guard case .held = error else { return nil }
                output.send(.alive)
            }
        }
        exit(75)
    }
}

/// The host's pipe. It belongs to reports alone: what libraries print must not come between them.
private struct ReportPipe {
    private let descriptor: Int32
    private let encoder = JSONEncoder()

    init?() {
        descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, null >= 0 else { return nil }
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(null, standard) }
    }

    func send(_ report: RecorderReport) {
        // A host that was stopped reads nothing; the next report of progress says as much.
        switch report {
        case .progress, .alive: guard hasRoom else { return }
        default: break
        }
        guard let data = try? encoder.encode(report) else { preconditionFailure("a report is encodable") }
        writeAll(data + [UInt8(ascii: "\n")], to: descriptor)
    }

    private var hasRoom: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLOUT) != 0
    }
}
