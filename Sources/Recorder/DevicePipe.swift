import CPosix
import Files
import Glibc

/// A device process's end of the pipe to the recorder.
struct DevicePipe {
    let descriptor: Int32

    /// `F_SETPIPE_SZ` of fcntl(2), which Swift does not import.
    static let setPipeSize: Int32 = 1031

    /// Takes standard output for records alone: what libraries print must not come between them.
    /// The process ends with the recorder from now on.
    init() {
        _ = cposix_die_with_parent()
        signal(SIGPIPE, SIG_IGN)
        descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, null >= 0 else { _exit(71) }
        for standard in [STDOUT_FILENO, STDERR_FILENO] { dup2(null, standard) }
        _ = fcntl(descriptor, Self.setPipeSize, 1 << 20)
    }

    /// - Returns: false where the recorder is gone.
    @discardableResult
    func send(_ kind: DeviceStream.Kind, _ bytes: [UInt8] = [], at time: Int64) -> Bool {
        send(header: kind, bytes.count, at: time) && write(bytes)
    }

    /// Sends a sentence.
    func send(_ kind: DeviceStream.Kind, _ text: String) { send(kind, Array(text.utf8), at: Clock.now) }

    func send(header kind: DeviceStream.Kind, _ size: Int, at time: Int64) -> Bool {
        let header = DeviceStream.Header(kind: kind.rawValue, size: UInt32(size), time: time)
        return withUnsafeBytes(of: header) { writeAll($0, to: descriptor) }
    }

    func write(_ bytes: [UInt8]) -> Bool { writeAll(bytes, to: descriptor) }
}
