import Glibc

/// What a probe may spend on one file. Without it a file with holes, or of noise, would keep the
/// probe busy for as long as the file is large.
///
/// Time in which the thread could have run and another one had the processor does not count: on a
/// busy machine a sound file would be taken for a damaged one.
final class ReadingBudget {
    struct Limits: Sendable {
        /// Most bytes that are read from one find, a packet or a stream's description, to the next.
        /// The largest pictures are one packet.
        var bytes: Int64 = 1 << 30
        /// The most bytes of zeros one after the other, in which nothing is found. Only holes in
        /// files have so many: an uncompressed black picture is read at once.
        var zeros: Int64 = 32 << 20
        /// Most seconds from one find to the next: fewer than a worker may be silent.
        var seconds = 20.0
        /// Most seconds for the whole file. A file that does not say how long it is has to be read
        /// to its end.
        var total = 180.0
    }

    /// The limit that was reached.
    struct Spent: Error {
        /// For ``MediaError/reason``.
        var reason: String
    }

    private var limits: Limits
    private let clock: () -> Duration
    private let begin: Duration
    private var lastFind: Duration
    private var bytes: Int64 = 0
    /// The zeros that were read last: where they are in the file.
    private var zeros: Range<Int64> = 0..<0

    /// - Parameter clock: the time that counts, from any moment on.
    init(_ limits: Limits = Limits(), clock: @escaping () -> Duration = ReadingBudget.clock()) {
        (self.limits, self.clock) = (limits, clock)
        begin = clock()
        lastFind = begin
    }

    /// A clock that stands while the thread waits for a processor.
    private static func clock() -> () -> Duration {
        let start = ContinuousClock.now
        var (looked, waited) = (start, waiting)
        return {
            let now = ContinuousClock.now
            // Asking the system for each packet would take longer than reading it.
            if now - looked > .milliseconds(200) { (looked, waited) = (now, waiting) }
            return now - start - waited
        }
    }

    /// How long the thread has been ready to run and did not (schedstat of proc(5)); zero where the
    /// system does not say.
    private static var waiting: Duration {
        let descriptor = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .zero }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        let words = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard words.count > 1, let nanoseconds = Int64(String(decoding: words[1], as: UTF8.self)) else { return .zero }
        return .nanoseconds(nanoseconds)
    }

    /// Extends the time for the whole file for one of this many bytes that has to be read to its
    /// end, from a disk that gives 50 MB a second.
    func allowReading(_ bytes: Int64) { limits.total = max(limits.total, Double(bytes) / 50_000_000) }

    /// Something was found: the search for the next one begins.
    func found() {
        lastFind = clock()
        bytes = 0
        zeros = 0..<0
    }

    /// Looks for a hole in what was read in search of something.
    /// - Parameter offset: where it is in the file.
    func look(at read: UnsafeRawBufferPointer, from offset: Int64) throws(Spent) {
        let end = offset + Int64(read.count)
        let last = read.lastIndex { $0 != 0 }
        // A search reads blocks that overlap.
        let continues = last == nil && zeros.lowerBound <= offset && offset <= zeros.upperBound
        let begin = continues ? zeros.lowerBound : offset + Int64(last ?? -1) + 1
        zeros = begin..<end
        guard zeros.count > limits.zeros else { return }
        throw Spent(
            reason:
                "there is a hole in it: from byte \(begin) on \(limits.zeros / (1 << 20)) MiB of zeros, and no picture or sound in "
                + "them; copy or download it again")
    }

    /// - Parameter count: bytes that were read.
    func spend(_ count: Int = 0) throws(Spent) {
        bytes += Int64(count)
        let now = clock()
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
