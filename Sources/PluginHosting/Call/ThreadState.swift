import CPosix

/// What of its thread, and of its process' limits, a call into a plugin must leave as it was: all
/// that is computed and written afterwards depends on it. To look costs less than a microsecond.
package struct ThreadState {
    package enum Aspect: String, Hashable, Sendable {
        case floatingPoint = "floating-point mode (rounding, denormals or traps)"
        case signalMask = "signal mask"
        case fileSize = "limit of how large files may become (RLIMIT_FSIZE)"
    }

    package struct Change: Hashable, Sendable {
        package let aspect: Aspect
        private let before: String
        private let after: String
        /// False where the system does not let it.
        package let isTakenBack: Bool

        /// The rest of a sentence: whose, and from what to what.
        package var description: String { "\(aspect.rawValue) from ‘\(before)’ to ‘\(after)’" }

        init(_ aspect: Aspect, _ before: String, _ after: String, isTakenBack: Bool = true) {
            (self.aspect, self.before, self.after, self.isTakenBack) = (aspect, before, after, isTakenBack)
        }
    }

    private let floatingPoint = cposix_floating_point_mode()
    private let signalMask = cposix_signal_mask()
    private let fileSize: FileSize = {
        var (soft, hard) = (UInt64.max, UInt64.max)
        _ = cposix_limit(CPOSIX_FILE_SIZE, &soft, &hard)
        return FileSize(soft: soft, hard: hard)
    }()

    private struct FileSize: Equatable, CustomStringConvertible {
        /// Bytes; `UInt64.max`: no limit.
        var soft: UInt64
        var hard: UInt64

        var description: String { soft == .max ? "unlimited" : "\(soft)" }
    }

    /// The calling thread's, as it is now.
    package init() {}

    /// Gives the same thread back what has changed.
    package func restore() -> [Change] {
        let now = ThreadState()
        var changes: [Change] = []
        if now.floatingPoint != floatingPoint {
            cposix_set_floating_point_mode(floatingPoint)
            changes.append(
                Change(.floatingPoint, String(floatingPoint, radix: 16), String(now.floatingPoint, radix: 16)))
        }
        if now.signalMask != signalMask {
            cposix_set_signal_mask(signalMask)
            changes.append(Change(.signalMask, Self.signals(signalMask), Self.signals(now.signalMask)))
        }
        if now.fileSize != fileSize {
            let code = cposix_set_limit(CPOSIX_FILE_SIZE, fileSize.soft, fileSize.hard)
            changes.append(Change(.fileSize, "\(fileSize)", "\(now.fileSize)", isTakenBack: code == 0))
        }
        return changes
    }

    private static func signals(_ mask: UInt64) -> String {
        var numbers: [String] = []
        for bit in 0..<UInt64(64) where mask & (1 << bit) != 0 { numbers.append(String(bit + 1)) }
        return numbers.joined(separator: " ")
    }
}
