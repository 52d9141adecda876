/// The pictures that are under way through the live effects: those that were sent and have not come
/// back, and the reasons to give the effects up. Knows no process. Times are nanoseconds on the
/// monotonic clock.
public struct LiveEffects<Picture> {
    /// What has arrived from the process, perhaps before it was handled here.
    public struct Arrivals: Hashable, Sendable {
        /// The number of the last picture that came back, and when anything did.
        public var number: Int64
        public var time: Int64
        /// The process opens something, as a plugin or a font, for the next picture.
        public var isOpening: Bool

        public init(number: Int64 = 0, time: Int64 = 0, isOpening: Bool = true) {
            (self.number, self.time, self.isOpening) = (number, time, isOpening)
        }
    }

    /// What happens to a picture.
    public enum Fate: Hashable, Sendable {
        /// It goes through the effects under this number.
        case sent(Int64)
        /// It is recorded as it is, and opens the effects, if it has a number.
        case passed(Int64?)
        /// It is lost.
        case dropped
    }

    private let started: Int64
    private var hasAnswered = false
    private var sent: Int64 = 0
    private var waiting: [(number: Int64, picture: Picture, sent: Int64, isShown: Bool)] = []
    /// Whether each of the last pictures was dropped.
    private var fates: [Bool] = []

    /// Pictures that may be under way.
    static var mostWaiting: Int { 3 }
    /// Effects hang when they take so long for a picture.
    static var patience: Int64 { 250_000_000 }
    /// The same for a picture for which something is opened.
    static var patienceAtOpening: Int64 { 5_000_000_000 }
    /// Effects are too slow when more than half of so many pictures were dropped.
    static var judged: Int { 90 }

    /// - Parameter started: when the process was started.
    public init(started: Int64) { self.started = started }

    /// The pictures that are not recorded yet, the oldest first.
    public var missing: [Picture] { waiting.filter { !$0.isShown }.map(\.picture) }

    /// Decides about a picture from the source.
    /// - Parameter mayPass: pictures may be recorded without effects while these are being started.
    public mutating func take(_ picture: Picture, at now: Int64, _ arrivals: Arrivals, mayPass: Bool) -> Fate {
        guard hasAnswered else {
            guard waiting.isEmpty else { return mayPass ? .passed(nil) : .dropped }
            let number = send(picture, now, isShown: mayPass)
            return mayPass ? .passed(number) : .sent(number)
        }
        // Pictures that have arrived and wait to be encoded are not the effects' fault.
        let isLate = waiting.count { $0.number > arrivals.number } >= Self.mostWaiting
        if !arrivals.isOpening { fates.append(isLate) }
        if fates.count > Self.judged { fates.removeFirst() }
        return isLate ? .dropped : .sent(send(picture, now, isShown: false))
    }

    private mutating func send(_ picture: Picture, _ now: Int64, isShown: Bool) -> Int64 {
        sent += 1
        waiting.append((sent, picture, now, isShown))
        return sent
    }

    /// A picture comes back.
    /// - Returns: the one that was sent, if it is to be recorded with its effects; nil if it was
    ///   recorded without them.
    public mutating func receive(_ number: Int64) -> Picture? {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return nil }
        let picture = waiting[index]
        waiting.removeSubrange(...index)
        hasAnswered = true
        return picture.isShown ? nil : picture.picture
    }

    /// The reason to give the effects up: the second half of a sentence; nil if there is none.
    /// - Parameter resumed: when this process went on after it was stopped.
    public func fault(at now: Int64, _ arrivals: Arrivals, resumed: Int64) -> String? {
        if let oldest = waiting.first(where: { $0.number > arrivals.number }) {
            let patience = arrivals.isOpening ? Self.patienceAtOpening : Self.patience
            // Those before it may have been slow.
            let since = max(oldest.sent, arrivals.time, resumed, started)
            if now - since > patience {
                let text = arrivals.isOpening ? "\(patience / 1_000_000_000) s" : "\(patience / 1_000_000) ms"
                return "made no picture for \(text)"
            }
        }
        guard fates.count == Self.judged, fates.count(where: \.self) * 2 > Self.judged else { return nil }
        return "made less than half of the pictures in time"
    }
}
