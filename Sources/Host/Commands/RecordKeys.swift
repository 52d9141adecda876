import Cleanup
import Foundation
import Glibc
import HostCore
import Recording
import Synchronization

/// The keys of `cutroom record`, read from the terminal on standard input without a return behind
/// each. The terminal is as it was when this object is gone, also if the process ends by a signal.
final class RecordKeys: Sendable {
    private let before: termios
    private let isOver = Mutex(false)

    /// Whether the terminal is there for keys and for messages.
    static var areThere: Bool {
        isatty(STDIN_FILENO) == 1 && Console.isTerminal && !Console.isJSON
            // A process in the background that changes its terminal is stopped.
            && tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    static let help = "space: start and finish a take, p: pause, d: discard the last take, u: undo, f: photo, q: end"

    /// Starts reading.
    /// - Parameter onKey: called on a thread of its own with the commands of each key.
    init?(_ onKey: @escaping @Sendable (@escaping @Sendable (Recording) -> [Recording.Command]) -> Void) {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // No key stops or kills the process in a way that leaves the terminal like this.
        withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            // Zero is _POSIX_VDISABLE on Linux.
            for key in [VQUIT, VSUSP] { keys[Int(key)] = 0 }
        }
        CleanupRegistry.shared.note(terminal: before)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
        let terminal = self
        Thread.detachNewThread { [weak terminal] in
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1, let terminal, !terminal.isOver.withLock({ $0 }) else { return }
                if let commands = Self.commands(byte) { onKey(commands) }
            }
        }
    }

    deinit { end() }

    func end() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return }
        var before = before
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
        CleanupRegistry.shared.note(terminal: nil)
    }

    /// The commands of a key; nil for one that has none.
    static func commands(_ key: UInt8) -> (@Sendable (Recording) -> [Recording.Command])? {
        switch key {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            return { $0.current == nil ? [.start] : [.finish] }
        case UInt8(ascii: "p"):
            return { recording in if case .paused = recording.phase { [.start] } else { [.pause] } }
        case UInt8(ascii: "d"): return { _ in [.discard(.last)] }
        case UInt8(ascii: "u"): return { _ in [.undo] }
        case UInt8(ascii: "f"): return { _ in [.photo(nil)] }
        // Ctrl-D ends input elsewhere.
        case UInt8(ascii: "q"), 4: return { _ in [.close] }
        default: return nil
        }
    }
}
