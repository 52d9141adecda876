import Foundation

/// A child process in a process group of its own, its output kept in files so that no pipe can fill
/// up and block it.
///
/// Every way out leaves no process behind: ``wait(timeout:)`` kills the group on a timeout, and so
/// does `deinit` where the end was not waited for.
public final class Command: @unchecked Sendable {
    public struct Output: Sendable, CustomStringConvertible {
        /// The exit status; nil where a signal ended the process.
        public var status: Int32?
        /// The signal that ended the process.
        public var signal: Int32?
        /// The process was killed because it ran too long.
        public var isTimeout: Bool
        public var stdout: Data
        public var stderr: String

        public var text: String { String(decoding: stdout, as: UTF8.self) }
        public var succeeded: Bool { status == 0 }
        public var description: String {
            let end = isTimeout ? "timed out" : status.map { "exit status \($0)" } ?? "signal \(signal ?? 0)"
            return "\(end)\n--- stdout\n\(text.suffix(4000))\n--- stderr\n\(stderr.suffix(4000))"
        }
    }

    public struct Failure: Error, CustomStringConvertible {
        public var description: String

        public init(description: String) { self.description = description }
    }

    /// Of the process and of its group.
    public var pid: pid_t { child.pid }
    private let folder: TemporaryFolder
    private let child: Child
    private let lock = NSLock()
    private var ended: Output?

    /// Starts `arguments[0]`, looked up in `PATH` where it has no slash.
    /// - Parameters:
    ///   - environment: set over this process's own; nil values are unset.
    ///   - folder: the working folder; nil: this process's own.
    ///   - input: the child's standard input; nil: `/dev/null`.
    public init(
        _ arguments: [String], environment: [String: String?] = [:], in workingFolder: String? = nil, input: Data? = nil
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        // `env` becomes the command itself (exec), so the process id stays the command's.
        let arguments = (workingFolder.map { ["env", "-C", $0] } ?? []) + arguments
        let source = try input.map { try folder.write($0, to: "in") } ?? "/dev/null"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, source, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, folder.file("out"), O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, folder.file("err"), O_WRONLY | O_CREAT, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)

        let variables = ProcessInfo.processInfo.environment.merging(environment.compactMapValues { $0 }) { $1 }
            .filter { key, _ in environment[key].map { $0 != nil } ?? true }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw Failure(description: "\(arguments[0]): \(String(cString: strerror(code)))") }
        self.child = Child(child)
    }

    deinit {
        guard ended == nil else { return }
        child.send(SIGKILL, toGroup: true)
        _ = child.wait(until: nil)
    }

    /// Sends a signal to the process alone, or to its whole group as a terminal's Ctrl-C does.
    public func send(_ signal: Int32, toGroup: Bool = false) { child.send(signal, toGroup: toGroup) }

    /// What the process has written to standard error so far.
    public var stderrSoFar: String { text("err") }
    /// What the process has written to standard output so far.
    public var stdoutSoFar: String { text("out") }
    public var isRunning: Bool { child.wait(until: .now) == nil }

    /// Waits for the end; after `timeout` seconds the whole group is killed. May be called again.
    public func wait(timeout: Double = 60) -> Output {
        TestThreads.expectWaitingIsAllowed(for: "a program")
        if let status = child.wait(until: .now + .seconds(timeout)) { return output(status) }
        child.send(SIGKILL, toGroup: true)
        return output(child.wait(until: nil) ?? SIGKILL, isTimeout: true)
    }

    /// Waits until `condition` holds, at most `timeout` seconds; false where it never did.
    public static func until(timeout: Double = 20, _ condition: () -> Bool) -> Bool {
        TestThreads.expectWaitingIsAllowed(for: "a condition")
        let start = ContinuousClock.now
        while true {
            let begun = ContinuousClock.now
            if condition() { return true }
            if start.duration(to: .now) > .seconds(timeout) { return false }
            // A condition that costs something, a program perhaps, is asked seldomer.
            let cost = begun.duration(to: .now) / .microseconds(1)
            usleep(UInt32(min(200_000, max(5000, 4 * cost))))
        }
    }

    /// - Parameter status: as `waitpid` gives it.
    private func output(_ status: Int32, isTimeout: Bool = false) -> Output {
        lock.withLock {
            if let ended { return ended }
            let signal = status & 0x7f
            let output = Output(
                status: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
                isTimeout: isTimeout, stdout: FileManager.default.contents(atPath: folder.file("out")) ?? Data(),
                stderr: text("err"))
            ended = output
            return output
        }
    }

    private func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: folder.file(name)) ?? Data(), as: UTF8.self)
    }

    /// Whether a program is found in `PATH`.
    public static func isInstalled(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    /// Runs a command to its end.
    public static func run(
        _ arguments: [String], environment: [String: String?] = [:], in workingFolder: String? = nil,
        input: Data? = nil,
        timeout: Double = 60
    ) throws -> Output {
        try Command(arguments, environment: environment, in: workingFolder, input: input).wait(timeout: timeout)
    }
}
