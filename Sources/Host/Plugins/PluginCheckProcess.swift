import CPosix
import Farm
import Foundation
import Glibc
import HostCore
import Jobs

/// A process that runs one test of a plugin.
struct PluginCheckProcess {
    enum Ending: Equatable {
        case code(Int32), signal(Int32)
        /// It exceeded its time limit and was killed.
        case timeout
    }

    /// The result of the process.
    struct Outcome {
        var ending: Ending
        var lines: [PluginCheckLine]
        /// The end of standard error.
        var stderr: String
    }

    /// The worker program.
    let program: String
    let launch: PluginCheckLaunch
    /// Overrides this process's environment.
    var environment: [String: String] = [:]
    /// In seconds.
    let limit: Double

    /// Runs the process to its end. Blocks the thread, which must not belong to Swift's
    /// concurrency.
    /// - Parameter isCancelled: polled several times a second; once it returns true, the process is
    ///   killed.
    /// - Throws: if the process cannot be started.
    func run(isCancelled: () -> Bool) throws(HostError) -> Outcome {
        let log = launch.report + ".err"
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [output, input] where descriptor >= 0 { close(descriptor) } }
        guard output >= 0, input >= 0 else {
            throw HostError(.cannotCreate, "The check cannot write ‘\(log)’: \(String(cString: strerror(errno))).")
        }
        // The C library's cache for each thread counts as allocated memory, and would look like a
        // leak.
        let steady = environment.merging(["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"]) { $1 }
        let variables = ProcessInfo.processInfo.environment.merging(steady) { $1 }.map { "\($0)=\($1)" }
        let pid = WorkerProcess.withCStrings([program] + launch.arguments) { argv in
            WorkerProcess.withCStrings(variables) { cposix_spawn(program, argv, $0, input, output) }
        }
        guard pid > 0 else {
            throw HostError(
                .unavailable, "Cannot run the worker program ‘\(program)’: \(String(cString: strerror(-pid))).")
        }
        let ending = wait(pid, isCancelled: isCancelled)
        return Outcome(ending: ending, lines: lines, stderr: tail(of: log))
    }

    private func wait(_ pid: pid_t, isCancelled: () -> Bool) -> Ending {
        let pidfd = cposix_pidfd_open(pid)
        var end = cposix_end()
        var isLate = false
        let start = ContinuousClock.now
        // The process is not reaped yet, so its id is still valid.
        while cposix_ended(pidfd, false, &end) == 0 {
            if isCancelled() || start.duration(to: .now) > .seconds(limit) {
                isLate = true
                kill(pid, SIGKILL)
            }
            var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, 100)
        }
        // Kill the processes that it has started, too.
        kill(-pid, SIGKILL)
        _ = cposix_ended(pidfd, true, &end)
        close(pidfd)
        return isLate ? .timeout : end.signalled ? .signal(end.value) : .code(end.value)
    }

    private var lines: [PluginCheckLine] {
        let data = FileManager.default.contents(atPath: launch.report) ?? Data()
        // A line cut off by the process's death is ignored.
        return data.split(separator: UInt8(ascii: "\n")).compactMap {
            try? JSONDecoder().decode(PluginCheckLine.self, from: $0)
        }
    }

    private func tail(of path: String) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? handle.close() }
        let size = (try? handle.seekToEnd()) ?? 0
        try? handle.seek(toOffset: size > 4096 ? size - 4096 : 0)
        return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
