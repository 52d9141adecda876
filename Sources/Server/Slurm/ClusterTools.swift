import CPosix
import Farm
import Foundation
import Glibc
import HostCore

/// Runs the cluster's programs, such as `squeue`. Blocks: do not call from asynchronous code.
struct ClusterTools {
    struct Output {
        var code: Int32
        /// Standard output and standard error.
        var text: String

        /// What went wrong, in one line: the programs print it last.
        var reason: String {
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            return lines.last { !$0.isEmpty } ?? "exit code \(code)"
        }

        /// The controller is unavailable or does not answer in time, which may change soon.
        var isPassing: Bool {
            ["Unable to contact", "timed out", "Connection refused", "Zero Bytes", "Transport endpoint"].contains {
                text.contains($0)
            }
        }
    }

    /// A folder for the output of the programs.
    let folder: String

    /// The time after which a program is killed.
    private static let limit = Duration.seconds(30)
    private static let mostText = 16 << 20

    /// Runs a program.
    /// - Parameter input: a file for standard input.
    /// - Throws: `.unavailable` if there is no such program, or it does not end.
    func run(_ name: String, _ arguments: [String], input: String = "/dev/null") throws(HostError) -> Output {
        guard let program = Self.path(of: name) else {
            throw HostError(
                .unavailable, "The program ‘\(name)’ is not in PATH: this machine needs the Slurm client programs.")
        }
        let path = folder + "/output"
        let source = open(input, O_RDONLY | O_CLOEXEC)
        let output = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { for descriptor in [source, output] where descriptor >= 0 { close(descriptor) } }
        guard source >= 0, output >= 0 else {
            throw HostError(.inputOutput, "Cannot write to the folder ‘\(folder)’: \(systemText(errno)).")
        }
        let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        let pid = WorkerProcess.withCStrings([program] + arguments) { argv in
            WorkerProcess.withCStrings(variables) { cposix_spawn(program, argv, $0, source, output) }
        }
        guard pid > 0 else { throw HostError(.unavailable, "Cannot run ‘\(program)’: \(systemText(-pid)).") }
        guard let code = Self.wait(pid) else {
            throw HostError(.unavailable, "‘\(name)’ timed out; the cluster does not answer.")
        }
        let data = (FileManager.default.contents(atPath: path) ?? Data()).prefix(Self.mostText)
        return Output(code: code, text: String(decoding: data, as: UTF8.self))
    }

    /// Waits for a process.
    /// - Returns: its exit status; nil if it had to be killed.
    private static func wait(_ pid: pid_t) -> Int32? {
        let pidfd = cposix_pidfd_open(pid)
        let deadline = ContinuousClock.now + limit
        var (end, isLate) = (cposix_end(), false)
        while cposix_ended(pidfd, false, &end) == 0 {
            if ContinuousClock.now > deadline {
                isLate = true
                kill(-pid, SIGKILL)
            }
            var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, 200)
        }
        _ = cposix_ended(pidfd, true, &end)
        close(pidfd)
        return isLate ? nil : end.signalled ? 128 + end.value : end.value
    }

    private static func path(of name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
