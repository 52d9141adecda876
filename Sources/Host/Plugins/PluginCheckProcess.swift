import CPosix
import Farm
import Foundation
import Glibc
import HostCore
import Jobs

/// One test of a plugin in a process of its own.
struct PluginCheckProcess {
    enum Ending: Equatable {
        case code(Int32), signal(Int32)
        /// It was killed, as it took longer than it may.
        case timeout
    }

    /// What is left of it.
    struct Outcome {
        var ending: Ending
        var lines: [PluginCheckLine]
        /// The end of standard error.
        var stderr: String
    }

    /// The worker program.
    let program: String
    let launch: PluginCheckLaunch
    /// Over this process's own.
    var environment: [String: String] = [:]
    /// Seconds.
    let limit: Double

    /// Runs it to its end; blocks the thread, which must not be one of Swift's own.
    /// - Parameter isCancelled: asked several times a second; once true, the process is killed.
    /// - Throws: where no process can be started.
    func run(isCancelled: () -> Bool) throws(HostError) -> Outcome {
        let log = launch.report + ".err"
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [output, input] where descriptor >= 0 { close(descriptor) } }
        guard output >= 0, input >= 0 else {
            throw HostError(.cannotCreate, "The check cannot write ‘\(log)’: \(String(cString: strerror(errno))).")
        }
        // What the C library keeps at hand for each thread counts as allocated, and would look like a leak.
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
        // Not yet reaped, so the id is still the process's.
        while cposix_ended(pidfd, false, &end) == 0 {
            if isCancelled() || start.duration(to: .now) > .seconds(limit) {
                isLate = true
                kill(pid, SIGKILL)
            }
            var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, 100)
        }
        // Nor may what it started outlive it.
        kill(-pid, SIGKILL)
        _ = cposix_ended(pidfd, true, &end)
        close(pidfd)
        return isLate ? .timeout : end.signalled ? .signal(end.value) : .code(end.value)
    }

    private var lines: [PluginCheckLine] {
        let data = FileManager.default.contents(atPath: launch.report) ?? Data()
        // A line that the process's death cut off says nothing.
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
