/// What a probe may spend on one file. Without it a file with holes, or of noise, would keep the probe busy for as long as
/// the file is large.
final class ReadingBudget {
    struct Limits: Sendable {
        /// Most bytes that are read from one find, a packet or a stream's description, to the next. The largest pictures are
        /// one packet.
        var bytes: Int64 = 1 << 30
        /// Most seconds from one find to the next: fewer than a worker may be silent.
        var seconds = 20.0
        /// Most seconds for the whole file. A file that does not say how long it is has to be read to its end.
        var total = 180.0
    }

    /// The limit that was reached.
    struct Spent: Error {
        /// For ``MediaError/reason``.
        var reason: String
    }

    private let limits: Limits
    private let begin = ContinuousClock.now
    private var lastFind = ContinuousClock.now
    private var bytes: Int64 = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Something was found: the search for the next one begins.
    func found() {
        lastFind = ContinuousClock.now
        bytes = 0
    }

    /// - Parameter count: bytes that were read.
    func spend(_ count: Int = 0) throws(Spent) {
        bytes += Int64(count)
        let now = ContinuousClock.now
        let again = "it has holes or is damaged; copy or download it again"
        if bytes > limits.bytes {
            throw Spent(reason: "no picture or sound was found in \(limits.bytes / (1 << 20)) MiB of it: \(again)")
        }
        if now - lastFind > .seconds(limits.seconds) {
            throw Spent(reason: "no picture or sound was found in it for \(Int(limits.seconds)) s: \(again)")
        }
        if now - begin > .seconds(limits.total) {
            throw Spent(
                reason: "it was read for \(Int(limits.total)) s and its end was not reached, and it does not say how "
                    + "long it is; put it into an MP4 or Matroska file, which say so")
        }
    }
}
