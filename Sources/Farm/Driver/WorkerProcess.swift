import CPosix
import Cleanup
import FoundationEssentials
import Glibc
import Messaging

/// A worker's process: started by exec in a process group of its own, watched through a pidfd, held by a lifeline.
///
/// Why not swift-subprocess: there a process's life is that of an `async` call on Swift's cooperative threads, while
/// the queue's thread must see an end in the same poll as its sockets, in a known order with the worker's last
/// messages, and must go on when those threads are all busy.
package struct WorkerProcess {
    /// Becomes readable when the process has ended.
    let pidfd: Int32
    let pid: Int32
    private let lifeline: Int32
    private let launch: WorkerLaunch
    private let log: String

    /// What of standard error goes into a failure's evidence.
    private static let tailBytes = 16 << 10
    private static let tailLines = 40

    /// Starts the program.
    /// - Throws: what went wrong, as half a sentence.
    init(_ launch: WorkerLaunch, program: String, arguments: [String], environment: [String]) throws(RuntimeDirectory
        .Failure)
    {
        func failure(_ what: String, _ code: Int32) -> RuntimeDirectory.Failure {
            RuntimeDirectory.Failure(description: "\(what): \(String(cString: strerror(code)))")
        }
        log = launch.directory + "/stderr"
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("cannot make \(log)", errno) }
        defer { close(output) }
        var ends: [Int32] = [-1, -1]
        let piped = cposix_pipe(&ends)
        guard piped == 0 else { throw failure("cannot make a pipe", -piped) }
        defer { close(ends[0]) }

        do throws(RuntimeDirectory.Failure) {
            (pid, pidfd) = try Leavings.all.start { () throws(RuntimeDirectory.Failure) in
                let spawned = Self.withCStrings([program] + launch.arguments + arguments) { argv in
                    Self.withCStrings(environment) { cposix_spawn(program, argv, $0, ends[0], output) }
                }
                guard spawned > 0 else { throw failure("cannot run \(program)", -spawned) }
                let watched = cposix_pidfd_open(spawned)
                guard watched >= 0 else {
                    Glibc.kill(spawned, SIGKILL)
                    waitpid(spawned, nil, 0)
                    throw failure("cannot watch worker \(launch.worker)", -watched)
                }
                return (spawned, watched)
            }
        } catch {
            close(ends[1])
            throw error
        }
        lifeline = ends[1]
        self.launch = launch
    }

    /// Ends the process, and what it has started, by SIGKILL. Its pid is safe to use as it has not been reaped.
    func kill() { _ = Glibc.kill(-pid, SIGKILL) }

    /// Reaps the process if it has ended. Afterwards this value must not be used any more.
    /// - Parameters:
    ///   - logDirectory: where the standard error of a worker that crashed is kept.
    ///   - explainsFault: see ``JobQueue/Configuration/explainsFault``.
    func reap(logDirectory: String?, explainsFault: (Data) -> String?) -> WorkerExit? {
        var end = cposix_end()
        guard cposix_ended(pidfd, false, &end) == 1 else { return nil }
        kill()  // What it started must not outlive it.
        Leavings.all.forget(pid)
        guard cposix_ended(pidfd, true, &end) == 1 else { return nil }
        close(pidfd)
        close(lifeline)
        var exit = WorkerExit(end.signalled ? .signal(end.value) : .code(end.value))
        let crumb = Breadcrumb.read(file: launch.breadcrumb)
        exit.culprit = crumb?.place
        exit.blame = crumb.map { PluginBlame(path: $0.path, effectID: $0.effectID, frame: $0.frame) }
        exit.fault = FileManager.default.contents(atPath: launch.fault).flatMap(explainsFault)
        exit.errorTail = errorTail()
        if exit.status != .code(0), !exit.status.isFromOutside, let logDirectory {
            exit.log = keepLog(in: logDirectory)
        }
        try? FileManager.default.removeItem(atPath: launch.directory)
        return exit
    }

    private func errorTail() -> String {
        let descriptor = open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: min(max(0, size), Self.tailBytes))
        let count = pread(descriptor, &bytes, bytes.count, size - bytes.count)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: true)
        return lines.suffix(Self.tailLines).joined(separator: "\n")
    }

    private func keepLog(in folder: String) -> String? {
        let path = "\(folder)/worker-\(pid)-\(launch.worker).log"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: path)
        guard (try? FileManager.default.copyItem(atPath: log, toPath: path)) != nil else { return nil }
        Self.removeOldLogs(in: folder)
        return path
    }

    /// The newest logs are kept.
    private static let keptLogs = 20

    private static func removeOldLogs(in folder: String) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasPrefix("worker-")
        }
        guard names.count > keptLogs else { return }
        let logs = names.map { name in
            var info = stat()
            lstat("\(folder)/\(name)", &info)
            return (path: "\(folder)/\(name)", time: (info.st_mtim.tv_sec, info.st_mtim.tv_nsec))
        }
        for old in logs.sorted(by: { $0.time > $1.time }).dropFirst(keptLogs) { unlink(old.path) }
    }

    /// A list as C programs get it, ended by a null, for the length of the call.
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

extension Breadcrumb {
    /// Half a sentence: plugin, path, effect, and frame or time.
    fileprivate var place: String {
        var text = "plugin \(plugin) (\(path))"
        if !effectID.isEmpty, effectID != plugin { text += ", effect \(effectID)" }
        // Not a number of the host's own: what the page holds may be anything.
        if let seconds, abs(seconds) < 1e9 { return text + ", at \((seconds * 1000).rounded() / 1000) s" }
        return frame.map { text + ", at frame \($0)" } ?? text + ", in its \(phase) call"
    }
}
