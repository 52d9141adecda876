import Draft
import Files
import Foundation
import Glibc
import Logging
import Synchronization

/// The two output streams of the command: results on standard output, messages for people on
/// standard error.
package enum Console {
    /// Whether the terminal's last line is a progress bar, which the next message replaces.
    private static let hasBar = Mutex(false)

    // Names, tags and messages come from files, scripts, plugins and other machines. Control
    // characters in them are escaped here, and nowhere else.

    package static func say(_ text: String) { write(text.printable + "\n", to: STDOUT_FILENO) }
    /// Prints a line on standard error.
    /// - Parameter mark: printed unchanged before it, with its colours.
    package static func note(_ text: String, after mark: String = "") {
        replaceBar(mark + text.printable + "\n", isBar: false)
    }

    /// Replaces the progress bar, which has no line end.
    package static func showBar(_ text: String) { replaceBar("\r\u{1b}[K" + text.printableLine, isBar: true) }
    package static func clearBar() { replaceBar("", isBar: false) }

    private static func replaceBar(_ text: String, isBar: Bool) {
        hasBar.withLock { hasBar in
            write((hasBar && !isBar ? "\r\u{1b}[K" : "") + text, to: STDERR_FILENO)
            hasBar = isBar
        }
    }

    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The columns of the terminal; 80 if it does not say.
    package static var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// The lines of the terminal; 24 if it does not say.
    package static var height: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 ? Int(size.ws_row) : 24
    }

    /// Writes all of a text. A closed reader is no error.
    package static func write(_ text: String, to descriptor: Int32) { writeAll(text.utf8, to: descriptor) }

    /// Writes bytes that were made printable before.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) { writeAll(bytes, to: descriptor) }
}
