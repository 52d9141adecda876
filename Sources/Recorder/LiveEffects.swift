import Recording

/// The pictures that are under way through the live effects: what is sent, what has come back, and
/// when the effects are given up. Knows no process.
struct LiveEffects {
    let number: Int
    /// When the process was started, in nanoseconds on the monotonic clock.
    private let started: Int64
    private(set) var hasAnswered = false
    private var sent: Int64 = 0
    /// When the last picture came back, in nanoseconds.
    private var received: Int64 = 0
    /// Pictures under way, the oldest first, with the time when each was sent.
    private(set) var waiting: [(number: Int64, picture: LivePicture, sent: Int64)] = []
    /// What became of the last pictures: true for one that was dropped.
    private var fates: [Bool] = []

    /// Pictures that may be under way.
    static let mostWaiting = 3
    /// Effects hang when they take so long for a picture, in nanoseconds.
    static let patience: Int64 = 250_000_000
    /// The same for the first picture: plugins are loaded, and tables made.
    static let patienceAtStart: Int64 = 5_000_000_000
    /// Effects are too slow when more than half of so many pictures were dropped.
    static let judged = 90

    init(number: Int, started: Int64) { (self.number, self.started) = (number, started) }

    /// What happens to a picture.
    enum Fate {
        /// It goes through the effects under this number.
        case sent(Int64)
        /// It is recorded as it is.
        case passed
        /// It is lost.
        case dropped
    }

    /// - Parameter mayPass: pictures may be shown without effects while these are being opened.
    mutating func take(_ picture: LivePicture, at now: Int64, mayPass: Bool) -> Fate {
        guard hasAnswered || waiting.isEmpty else { return mayPass ? .passed : .dropped }
        if hasAnswered { note(waiting.count >= Self.mostWaiting) }
        guard waiting.count < Self.mostWaiting else { return .dropped }
        sent += 1
        waiting.append((sent, picture, now))
        return .sent(sent)
    }

    private mutating func note(_ isDropped: Bool) {
        fates.append(isDropped)
        if fates.count > Self.judged { fates.removeFirst() }
    }

    /// A picture comes back.
    /// - Returns: when it was captured; nil for one that is not under way.
    mutating func receive(_ number: Int64, at now: Int64) -> Int64? {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return nil }
        let time = waiting[index].picture.time
        waiting.removeSubrange(...index)
        (hasAnswered, received) = (true, now)
        return time
    }

    /// Why the effects are given up: the second half of a sentence; nil if they are not.
    /// - Parameter resumed: when this process went on after it was stopped.
    func fault(at now: Int64, resumed: Int64) -> String? {
        guard hasAnswered else {
            let isLate = now - max(started, resumed) > Self.patienceAtStart
            return isLate ? "made no picture for \(Self.patienceAtStart / 1_000_000_000) s" : nil
        }
        // Those before it may have been slow.
        if let oldest = waiting.first, now - max(oldest.sent, received, resumed) > Self.patience {
            return "made no picture for \(Self.patience / 1_000_000) ms"
        }
        guard fates.count == Self.judged, fates.count(where: \.self) * 2 > Self.judged else { return nil }
        return "made less than half of the pictures in time"
    }
}
