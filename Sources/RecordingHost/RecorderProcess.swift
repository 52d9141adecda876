import CPosix
import Farm
import Files
import Foundation
import Glibc
import HostCore
import Recording
import Synchronization

/// The recorder's process. It ends with this object, or when its host ends.
package final class RecorderProcess: TakeRecorder {
    private let process: pid_t
    private let input: Int32
    private let hasEnded = Mutex(false)
    private let watch = SilenceWatch()

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

    /// Starts the default program, `usualPath`.
    package static let launch: TakeRecorderLaunch = { folder, onEvent throws(HostError) in
        try RecorderProcess(folder: folder, onEvent: onEvent)
    }

    /// Starts the process.
    /// - Parameters:
    ///   - folder: of the takes. Another recorder that is just ending there is waited for.
    ///   - onEvent: called on a thread of its own, with the end last.
    package init(
        folder: String, program: String = RecorderProcess.usualPath,
        onEvent: @escaping @Sendable (TakeRecorderEvent) -> Void
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
        let (output, watch) = (up[0], watch)
        Thread.detachNewThread {
            Self.read(output) { report in
                if watch.hear() { onEvent(.report(report)) }
            }
            close(output)
            if watch.end() { onEvent(.ended("The recorder has ended unexpectedly.")) }
        }
        watch.start {
            // A process that hangs in the kernel may never end; then its pipe stays open.
            kill(-started, SIGKILL)
            let silence = Int(RecorderReport.silence)
            onEvent(.ended("The recorder has not answered for \(silence) s, and was ended."))
        }
    }

    deinit { end() }

    package func send(_ command: RecorderCommand) {
        guard let data = try? JSONEncoder().encode(command) else { preconditionFailure("a command is encodable") }
        // A recorder that is gone is reported as such.
        writeAll(data + [UInt8(ascii: "\n")], to: input)
    }

    /// Lets the process end by itself, and kills it after six seconds.
    package func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        _ = watch.end()
        close(input)
        if Self.ends(process, within: 600) { return }
        kill(-process, SIGKILL)
        if Self.ends(process, within: 100) { return }
        // It hangs in the kernel.
        let process = process
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// - Parameter count: of hundredths of a second.
    private static func ends(_ process: pid_t, within count: Int) -> Bool {
        var status: Int32 = 0
        for _ in 0..<count {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process || ended < 0 && errno != EINTR { return true }
            usleep(10_000)
        }
        return false
    }

    private static func read(_ output: Int32, _ onReport: (RecorderReport) -> Void) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let report = try? JSONDecoder().decode(RecorderReport.self, from: Data(rest[..<end])) {
                    onReport(report)
                }
                rest.removeSubrange(...end)
            }
            if rest.count > 1 << 20 { rest = [] }
        }
    }
}

/// Notices that a process is silent, by the time in which this process has run: one that was
/// stopped itself has heard nothing, either.
private final class SilenceWatch: Sendable {
    private struct State {
        var isOver = false
        /// Seconds.
        var silence = 0.0
    }

    private let state = Mutex(State())
    /// Seconds.
    private static let pause = 0.25

    /// - Returns: false where it is too late.
    func hear() -> Bool {
        state.withLock { state in
            state.silence = 0
            return !state.isOver
        }
    }

    /// Ends the watch.
    /// - Returns: false where it was over.
    func end() -> Bool {
        state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
    }

    /// - Parameter onSilence: called once at most, on a thread of its own, when the watch is over
    ///   because of silence.
    func start(_ onSilence: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            while true {
                usleep(UInt32(Self.pause * 1e6))
                let (isOver, isTooLong) = state.withLock { state in
                    state.silence += Self.pause
                    let isTooLong = !state.isOver && state.silence > RecorderReport.silence
                    state.isOver = state.isOver || isTooLong
                    return (state.isOver, isTooLong)
                }
                if isTooLong { onSilence() }
                if isOver { return }
            }
        }
    }
}
