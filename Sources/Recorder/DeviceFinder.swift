import CPosix
import Foundation
import Glibc
import Recording

/// Asks devices what they can do, each in a process of its own: one that does not answer in time is
/// left out.
enum DeviceFinder {
    static let option = "--list"

    /// Answers a question and ends: see ``DeviceQuery``.
    static func answer(_ query: DeviceQuery) -> Never {
        print(query.answer())
    }

    /// Prints what there is on this machine, as JSON, and ends.
    static func list() -> Never {
        let queries = DeviceQuery.all
        let answers = ask(queries, for: 3_000)
        let list = zip(queries, answers).reduce(DeviceList()) { list, entry in
            list + (entry.1 ?? DeviceList(problems: ["\(entry.0.name) did not answer."]))
        }
        print(list)
    }

    private static func print(_ list: @autoclosure () -> DeviceList) -> Never {
        let pipe = DevicePipe()
        guard let json = try? JSONEncoder().encode(list()) else { preconditionFailure("a list is encodable") }
        _exit(pipe.write(Array(json)) ? 0 : 74)
    }

    /// Asks for at most so many milliseconds.
    /// - Returns: the answers; nil for those that did not come.
    static func ask(_ queries: [DeviceQuery], for milliseconds: Int32) -> [DeviceList?] {
        let end = Clock.now + Int64(milliseconds) * 1_000_000
        var questions = queries.map { Question($0) }
        while true {
            let left = Int32(clamping: (end - Clock.now) / 1_000_000)
            var states = questions.map { pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0) }
            guard left > 0, states.contains(where: { $0.fd >= 0 }) else { break }
            guard poll(&states, nfds_t(states.count), left) > 0 else { continue }
            for (index, state) in states.enumerated() where state.fd >= 0 && state.revents != 0 {
                questions[index].read()
            }
        }
        return questions.map { $0.end() }
    }

    private struct Question {
        private var process: pid_t = -1
        private(set) var descriptor: Int32 = -1
        private(set) var isOpen = false
        private var bytes: [UInt8] = []
        /// An answer is not longer, in bytes.
        private static let most = 1 << 22

        init(_ query: DeviceQuery) {
            var ends: [Int32] = [-1, -1]
            let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard null >= 0, cposix_pipe(&ends) >= 0 else { return }
            process = DeviceProcess.spawn(query.arguments, input: null, output: ends[1])
            close(null)
            close(ends[1])
            (descriptor, isOpen) = (ends[0], process > 0)
        }

        mutating func read() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { return }
            guard count > 0, bytes.count + count <= Self.most else {
                isOpen = false
                return
            }
            bytes += buffer[..<count]
        }

        /// Ends the process. One that hangs in the kernel stays behind.
        func end() -> DeviceList? {
            if descriptor >= 0 { close(descriptor) }
            guard process > 0 else { return nil }
            kill(process, SIGKILL)
            for _ in 0..<20 {
                var status: Int32 = 0
                let ended = waitpid(process, &status, WNOHANG)
                if ended == process || ended < 0 && errno != EINTR { break }
                usleep(5_000)
            }
            return isOpen ? nil : try? JSONDecoder().decode(DeviceList.self, from: Data(bytes))
        }
    }
}
