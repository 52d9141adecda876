import CFFmpeg
import Glibc

/// libav's log, kept instead of printed: the last error lines of each thread, to be attached to the
/// ``MediaError`` that follows them. With one thread per codec, libav logs on the thread that
/// called it.
package enum LibavLog {
    private static let capacity = 8

    private final class Lines {
        var lines: [String] = []
        var count = 0
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { raw in
            if let raw { Unmanaged<Lines>.fromOpaque(raw).release() }
        }
        return key
    }()

    private static let installed: Void = {
        // SVT-AV1 has a log of its own; 1 is errors.
        setenv("SVT_LOG", "1", 0)
        av_log_set_level(AV_LOG_ERROR)
        av_log_set_callback { object, level, format, arguments in
            guard level <= AV_LOG_ERROR, let format, let arguments else { return }
            var showsPrefix: Int32 = 0
            let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { line in
                av_log_format_line2(object, level, format, arguments, line.baseAddress, Int32(line.count), &showsPrefix)
                return String(cString: line.baseAddress!)
            }
            LibavLog.append(text.trimmingTail)
        }
    }()

    /// Takes libav's log over, once for the process. Called by everything that opens a libav
    /// object.
    package static func install() { _ = installed }

    private static func current() -> Lines {
        if let raw = pthread_getspecific(key) { return Unmanaged<Lines>.fromOpaque(raw).takeUnretainedValue() }
        let lines = Lines()
        pthread_setspecific(key, Unmanaged.passRetained(lines).toOpaque())
        return lines
    }

    private static func append(_ line: String) {
        guard !line.isEmpty else { return }
        let store = current()
        store.count &+= 1
        if store.lines.last == line { return }
        if store.lines.count == capacity { store.lines.removeFirst() }
        store.lines.append(line)
    }

    /// How many errors this thread has logged so far. `AV_LOG_ERROR` is documented as “something
    /// went wrong and cannot losslessly be recovered”, and some decoders (HEVC, JPEG) say so
    /// nowhere else.
    static var errorCount: Int { current().count }

    /// This thread's last error lines, oldest first; they are forgotten with this call.
    package static func takeRecent() -> [String] {
        let store = current()
        defer { store.lines = [] }
        return store.lines
    }
}

extension String {
    fileprivate var trimmingTail: String {
        var text = Substring(self)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
