import CPosix
import Cleanup
import FoundationEssentials
import Glibc
import Messaging

/// A worker's process: started by exec in a process group of its own, watched through a pidfd, and
/// tied to this process by a lifeline.
///
/// Why not swift-subprocess: there a process's life is that of an `async` call on Swift's
/// cooperative threads. The queue's thread must see an end in the same poll as its sockets, in a
/// known order with the worker's last messages, and must continue when those threads are all busy.
package struct WorkerProcess: Sendable {
    /// The reason why a start failed, as half a sentence.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ what: String, _ code: Int32) { description = "\(what): \(String(cString: strerror(code)))" }
    }

    /// A descriptor that becomes readable when the process has ended.
    let pidfd: Int32
    let remains: WorkerRemains
    private let lifeline: Int32

    private var pid: Int32 { remains.pid }

    /// Makes the worker's folder and starts the program. May block on a disk: for the folder, the
    /// log, the program.
    init(_ launch: WorkerLaunch, program: String, arguments: [String], environment: [String]) throws(Failure) {
        if mkdir(launch.directory, 0o700) != 0 {
            throw Failure("cannot make the folder \(launch.directory)", errno)
        }
        let log = launch.directory + "/stderr"
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw Failure("cannot make \(log)", errno) }
        defer { close(output) }
        var ends: [Int32] = [-1, -1]
        let piped = cposix_pipe(&ends)
        guard piped == 0 else { throw Failure("cannot make a pipe", -piped) }
        defer { close(ends[0]) }

        let kills = MemoryKills.count
        let pid: Int32
        do throws(Failure) {
            (pid, pidfd) = try CleanupRegistry.shared.start { () throws(Failure) in
                let spawned = Self.withCStrings([program] + launch.arguments + arguments) { argv in
                    Self.withCStrings(environment) { cposix_spawn(program, argv, $0, ends[0], output) }
                }
                guard spawned > 0 else { throw Failure("cannot run \(program)", -spawned) }
                let watched = cposix_pidfd_open(spawned)
                guard watched >= 0 else {
                    Glibc.kill(spawned, SIGKILL)
                    waitpid(spawned, nil, 0)
                    throw Failure("cannot watch worker \(launch.worker)", -watched)
                }
                return (spawned, watched)
            }
        } catch {
            close(ends[1])
            throw error
        }
        lifeline = ends[1]
        remains = WorkerRemains(launch: launch, pid: pid, log: log, memoryKills: kills)
    }

    /// Kills the process and its children by SIGKILL. The pid is safe to use because the process
    /// was not reaped yet.
    func kill() { _ = Glibc.kill(-pid, SIGKILL) }

    /// Reaps the process if it has ended; never blocks. Afterwards only the remains of this value
    /// may be used.
    func reap() -> WorkerExit.Status? {
        var end = cposix_end()
        guard cposix_ended(pidfd, false, &end) == 1 else { return nil }
        kill()  // What it started must not outlive it.
        CleanupRegistry.shared.forget(pid)
        guard cposix_ended(pidfd, true, &end) == 1 else { return nil }
        close(pidfd)
        close(lifeline)
        return end.signalled ? .signal(Self.signal(of: end, allowed: ProcessLimit(.processorTime))) : .code(end.value)
    }

    /// Returns the signal that ended a process: SIGXCPU if it used up its processor time. If the
    /// soft limit equals the hard limit, the kernel sends SIGKILL, which other processes send as
    /// well. For this decision the kernel counts clock ticks, but it reports exact times, so the
    /// two differ by a few ticks.
    static func signal(of end: cposix_end, allowed limit: ProcessLimit) -> Int32 {
        let isUsedUp = limit.isSet && (end.processor_micros + 250_000) / 1_000_000 >= limit.value
        return end.value == SIGKILL && isUsedUp ? SIGXCPU : end.value
    }

    /// Calls `body` with a list of strings in C's form, terminated by a null, which is valid during
    /// the call.
    package static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { buffer in
            // Never empty: the list ends with a null.
            body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
