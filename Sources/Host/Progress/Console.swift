import Foundation
import Glibc

/// The two streams of the command: results on standard output, everything said to people on standard error.
enum Console {
    static func say(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
    static func complain(_ text: String) { write("cutroom: " + text + "\n", to: STDERR_FILENO) }
    static func note(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of the terminal; 80 where it does not say.
    static var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes all of it; a reader that is gone is no reason to fail.
    static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return }
            written += count
        }
    }
}
