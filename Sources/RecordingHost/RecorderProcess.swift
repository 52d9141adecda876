import CPosix
import Farm
import Files
import Foundation
import Glibc
import HostCore
import Recording

/// The recorder's process. It ends with this object, or when its host ends.
package final class RecorderProcess: @unchecked Sendable {
    private let process: pid_t
    private let input: Int32
    private let lock = NSLock()
    private var hasEnded = false

    /// The default program: `$CUTROOM_RECORDER`, or else `cutroom-recorder` beside the running one,
    /// or `../lib/cutroom/cutroom-recorder` from there, where it is installed.
    package static var usualPath: String {
        if let path = ProcessInfo.processInfo.environment["CUTROOM_RECORDER"], !path.isEmpty { return path }
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = (program as NSString).deletingLastPathComponent
        let beside = folder + "/cutroom-recorder"
        return access(beside, X_OK) == 0
            ? beside : (folder as NSString).deletingLastPathComponent + "/lib/cutroom/cutroom-recorder"
    }

    /// Starts the process.
    /// - Parameters:
    ///   - folder: of the takes. Another recorder that is just ending there is waited for.
    ///   - onReport: called on a thread of its own with each report, and with nil when the
    ///     process has ended.
    package init(
        folder: String, program: String = RecorderProcess.usualPath,
        onReport: @escaping @Sendable (RecorderReport?) -> Void
    ) throws(HostError) {
        guard access(program, X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw HostError(.unavailable, "The recorder ‘\(program)’ cannot be run: \(reason).")
        }
        var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard cposix_pipe(&down) >= 0, cposix_pipe(&up) >= 0 else {
            throw HostError(.unavailable, "The recorder cannot be started: there are no more descriptors.")
        }
        let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        let started = WorkerProcess.withCStrings([program, "--serve", folder]) { arguments in
            WorkerProcess.withCStrings(variables) { cposix_spawn(program, arguments, $0, down[0], up[1]) }
        }
        close(down[0])
        close(up[1])
        guard started > 0 else {
            close(down[1])
            close(up[0])
            throw HostError(
                .unavailable, "The recorder ‘\(program)’ cannot be run: \(String(cString: strerror(-started))).")
        }
        (process, input) = (started, down[1])
        let output = up[0]
        Thread.detachNewThread {
            Self.read(output, onReport)
            close(output)
            onReport(nil)
        }
    }

    deinit { end() }

    package func send(_ command: RecorderCommand) {
        guard let data = try? JSONEncoder().encode(command) else { preconditionFailure("a command is encodable") }
        // A recorder that is gone is reported as such.
        writeAll(data + [UInt8(ascii: "\n")], to: input)
    }

    /// Lets the process end by itself, and kills it after five seconds.
    package func end() {
        lock.lock()
        defer { lock.unlock() }
        guard !hasEnded else { return }
        hasEnded = true
        close(input)
        var status: Int32 = 0
        for _ in 0..<500 {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process || ended < 0 && errno != EINTR { return }
            usleep(10_000)
        }
        kill(-process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func read(_ output: Int32, _ onReport: (RecorderReport?) -> Void) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                // Libraries may print lines that are no reports.
                if let report = try? JSONDecoder().decode(RecorderReport.self, from: Data(rest[..<end])) {
                    onReport(report)
                }
                rest.removeSubrange(...end)
            }
            if rest.count > 1 << 20 { rest = [] }
        }
    }
}
