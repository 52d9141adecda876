import Foundation
import Glibc

/// The command's standard input, which may contain a script.
enum StandardInput {
    /// The largest input in bytes: a draft's document.
    private static let limit = 256 << 20

    /// Returns everything until end of file, or one byte more than the limit. Checks ten times a
    /// second whether the task was cancelled.
    static func read() throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count <= limit {
            try Task.checkCancellation()
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) != 0 else { continue }
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else {
                throw HostError(.noInput, "Standard input cannot be read: \(String(cString: strerror(errno))).")
            }
            if count == 0 { break }
            data.append(contentsOf: buffer[..<count])
        }
        return data
    }
}
