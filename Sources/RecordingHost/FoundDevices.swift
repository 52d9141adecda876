import CPosix
import Farm
import Foundation
import Glibc
import HostCore
import Recording

/// What the recorder finds on this machine. The host itself opens no device.
package enum FoundDevices {
    /// The recorder gives each device three seconds. In milliseconds.
    private static let patience: Int32 = 10_000

    /// Asks the recorder, in a process of its own.
    package static func ask(program: String = RecorderProcess.usualPath) throws(HostError) -> DeviceList {
        guard access(program, X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw HostError(.unavailable, "The recorder ‘\(program)’ cannot be run: \(reason).")
        }
        var ends: [Int32] = [-1, -1]
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard null >= 0, cposix_pipe(&ends) >= 0 else {
            throw HostError(.unavailable, "The recorder cannot be started: there are no more descriptors.")
        }
        defer {
            close(ends[0])
            close(null)
        }
        let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        let started = WorkerProcess.withCStrings([program, "--list"]) { arguments in
            WorkerProcess.withCStrings(variables) { cposix_spawn(program, arguments, $0, null, ends[1]) }
        }
        close(ends[1])
        guard started > 0 else {
            throw HostError(
                .unavailable, "The recorder ‘\(program)’ cannot be run: \(String(cString: strerror(-started))).")
        }
        let answer = read(ends[0])
        kill(-started, SIGKILL)
        var status: Int32 = 0
        while waitpid(started, &status, 0) < 0, errno == EINTR {}
        guard let answer, let list = try? JSONDecoder().decode(DeviceList.self, from: answer) else {
            throw HostError(.unavailable, "The recorder ‘\(program)’ does not say what devices there are.")
        }
        return list
    }

    /// - Returns: nil if the end does not come in time.
    private static func read(_ input: Int32) -> Data? {
        let start = ContinuousClock.now
        var (bytes, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let passed = Int32((ContinuousClock.now - start) / .milliseconds(1))
            var state = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard passed < patience else { return nil }
            guard poll(&state, 1, patience - passed) > 0 else { continue }
            let count = Glibc.read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
    }
}
