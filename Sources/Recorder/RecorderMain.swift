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
        guard words.count == 2, words[0] == "--serve" else {
            writeAll(
                Array("cutroom-recorder is started by cutroom; run ‘cutroom record’ instead.\n".utf8), to: STDERR_FILENO
            )
            exit(64)
        }
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        // Ctrl-C is for the host, which finishes the take.
        signal(SIGINT, SIG_IGN)
        // The recorder of a host that was killed may still be ending its part here.
        let lock = try? FileLock(words[1] + "/recorder.lock", permissions: .readableByAll, patience: .unbounded)
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
        let encoder = JSONEncoder()
        let engine = Engine(mailbox: mailbox) { report in
            guard let data = try? encoder.encode(report) else { preconditionFailure("a report is encodable") }
            writeAll(data + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
        }
        engine.run()
        withExtendedLifetime(lock) {}
        _exit(0)
    }
}
