import Draft
import Values

/// The pictures of a video file by source time: each is shown from its presentation time to that of
/// the next.
///
/// Reading forward decodes each frame once and holds two. Going back, or forward past a key frame,
/// seeks; what plays backwards is read through a ``BackwardWindow``.
public final class VideoReader {
    public let path: String
    public let info: MediaInfo
    private let relay: PulseRelay
    private(set) var reader: (any PictureReading)?
    /// The frame at the last time asked for, and the one after it.
    private var current: Picture?
    private var next: Picture?
    private var currentIsFirst = false
    private var hasEnded = false
    /// ``rest()`` was called, and nothing was asked for since.
    private var isUsedAgain = false
    /// The answers of this use, in their order.
    private var answers: [Answer] = []
    private var history = History.own
    private var window: BackwardWindow
    private let memory: PictureMemory.Share
    /// For the wide window of a file that plays backwards and is decoded from its start each time.
    private var windowMemory: PictureMemory.Share?
    /// How far back the window reached when it was last filled and had no room for more: the next
    /// one will need no more.
    private var windowSpan: Time?
    /// The time before which the last frame was asked for backwards; nil: none was.
    private var lastLimit: Time?
    /// Nothing was asked for backwards in this use.
    private var beginsUse = true
    /// This use continues backwards from the end of the previous one, like a worker's segments of
    /// one clip.
    private var goesOn = false
    private var hasTriedSpill = false
    package var spillSpace = SpillSpace.shared
    /// The folder of a temporary file for frames that play backwards and do not fit into memory;
    /// nil: they are decoded again. It decides how fast frames are read, not which.
    public var spillFolder: String?
    /// The earliest time that this use asks for backwards, where that is known: frames before it
    /// may be left out. It decides how fast frames are read, not which.
    public var earliest: Time?

    /// Opens nothing yet; the file and the decoder are opened with the first picture.
    /// - Parameter windowBudget: bytes of decoded frames that reading backwards may hold at once.
    /// - Throws: `noVideo`, and `overBudget` where the pictures of all open files would take too
    ///   much memory.
    public init(
        path: String, info: MediaInfo, windowBudget: Int = VideoReader.usualWindowBudget,
        pulse: @escaping Pulse = { _ in }
    ) throws(MediaError) {
        guard let video = info.video else {
            throw MediaError(.noVideo, "read the picture of", path: path, reason: "it has no picture")
        }
        memory = try PictureMemory.shared.reserve(PictureMemory.need(video, format: info.format), path: path)
        self.path = path
        self.info = info
        relay = PulseRelay(pulse)
        window = BackwardWindow(budget: windowBudget)
    }

    public enum Direction: Sendable { case forwards, backwards }

    /// The last frame presented at or before `time`; the first one for times before it, the last
    /// one for times after it.
    ///
    /// Timestamps that the container rounded up by half a tick (at most half a millisecond) still
    /// count as reached. The same object is returned while the frame stays the same. The caller
    /// shares the picture; see ``Picture``.
    /// - Throws: `decode` where not one frame can be decoded, `cancelled`, and what opening throws.
    public func picture(at time: Time) throws(MediaError) -> Picture {
        try answer { [unowned self] reader throws(MediaError) in
            let picture = try picture(reader, upTo: time + reader.tolerance)
            damage = damage(reader, of: picture, at: time)
            return picture
        }
    }

    private typealias Answer = (any PictureReading) throws(MediaError) -> Picture

    /// What the decoder has decoded since this use began, besides what the answers needed.
    private enum History {
        /// Nothing.
        case own
        /// What earlier uses or withdrawn answers needed.
        case more
        /// A withdrawn answer failed, so the reader may stand anywhere.
        case broken
    }

    /// Returns what `body` finds.
    ///
    /// The answers of a use are those of a new reader that is asked the same. Up to a fault in the
    /// file it does not matter what was decoded before. After it, what a decoder conceals depends
    /// on that, so a new reader repeats this use from its start.
    private func answer(_ body: @escaping Answer) throws(MediaError) -> Picture {
        if isUsedAgain { (isUsedAgain, history, answers) = (false, .more, []) }
        answers.append(body)
        if history != .broken {
            let reader = try opened()
            let found = Result { () throws(MediaError) in try body(reader) }
            if history == .own || !reader.isSpoiled { return try found.get() }
        }
        startAnew()
        let new = try opened()
        for answer in answers.dropLast() { _ = try answer(new) }
        return try body(new)
    }

    /// Takes back the last answers of this use: later ones are as if they had never been asked for.
    /// - Parameter hasFailed: the last of them threw.
    public func withdraw(_ count: Int, hasFailed: Bool) {
        guard count > 0 else { return }
        answers.removeLast(min(count, answers.count))
        history = hasFailed || history == .broken ? .broken : .more
    }

    private func startAnew() {
        (reader, history) = (nil, .own)
        (windowSpan, hasLackedFrames, lastLimit, goesOn) = (nil, false, nil, false)
        forget()
        window.forget()
    }

    /// What is damaged of what the last answer shows, in source time: its picture was concealed, or
    /// the one that should have been shown could not be decoded. nil: nothing.
    public private(set) var damage: Range<Time>?

    private func damage(_ reader: any PictureReading, of picture: Picture, at time: Time) -> Range<Time>? {
        guard let found = reader.damage(shown: picture.time, at: time) else { return nil }
        // That a file was cut off is known, and its last pictures may be cut off with it.
        let isCutOff = info.isTruncated == true || info.promisedDuration != nil
        let end = info.video?.duration ?? .zero
        return isCutOff && found.lowerBound >= end - Time(flicks: Time.flicksPerSecond) ? nil : found
    }

    /// The last frame presented before `time`; the first one for times up to its own, the last one
    /// for times after it.
    ///
    /// This is what an output frame shows whose middle is at `time`: no further from it than half
    /// an output frame, at whole ratios of the rates without judder, and in both directions the
    /// same. Timestamps that the container rounded down by half a tick do not count as before it,
    /// so the milliseconds of a Matroska file do no harm.
    ///
    /// Falling times decode each stretch between key frames as often as the window fits into it,
    /// half of it on average: once or twice with a ``spillFolder``. Memory is bounded by the window
    /// whatever the distance of key frames is.
    /// - Parameter direction: which way the times of later calls go; it decides how fast they are
    ///   answered, not what.
    /// - Throws: as ``picture(at:)``.
    public func picture(before time: Time, playing direction: Direction) throws(MediaError) -> Picture {
        try answer { [unowned self] reader throws(MediaError) in
            let limit = time - reader.tolerance
            let picture =
                switch direction {
                case .forwards: try picture(reader, upTo: limit - Time(flicks: 1))
                case .backwards: try picture(reader, backTo: limit)
                }
            damage = damage(reader, of: picture, at: limit - Time(flicks: 1))
            return picture
        }
    }

    /// The picture of ``picture(before:playing:)``, and the one that follows it in the file; nil:
    /// none does.
    /// - Throws: as ``picture(at:)``.
    public func pictures(
        around time: Time, playing direction: Direction
    ) throws(MediaError) -> (Picture, next: Picture?) {
        switch direction {
        case .forwards:
            let picture = try picture(before: time, playing: .forwards)
            // Reading forward has looked at the next one already.
            return (picture, next)
        case .backwards:
            if !window.holdsNext {
                window.forget()
                window.holdsNext = true
            }
            let picture = try picture(before: time, playing: .backwards)
            // Before the file's first picture the window keeps what it has.
            return (picture, window.ends(with: picture) ? window.next : nil)
        }
    }

    private func picture(_ reader: any PictureReading, upTo time: Time) throws(MediaError) -> Picture {
        let target = max(time, (info.video?.start ?? .zero) + reader.tolerance)
        if !window.isEmpty {
            // The reader stands somewhere after what was shown backwards.
            window.forget()
            try reposition(reader, to: target, hurryUntil: target - hurryMargin)
        } else if let current {
            if target < current.time {
                if !currentIsFirst { try reposition(reader, to: target, hurryUntil: target - hurryMargin) }
            } else if !holds(target), reader.seekPays(to: target, from: current.time) {
                try reposition(reader, to: target, hurryUntil: target - hurryMargin)
            }
        } else if reader.seekPays(to: target, from: info.video?.start ?? .zero) {
            try reposition(reader, to: target, hurryUntil: target - hurryMargin)
        } else {
            try begin(reader)
        }
        let picture = try advance(reader, to: target)
        // The one that is shown was perhaps left out in the hurry.
        guard reader.mayLack(after: picture.time) else { return picture }
        hasLackedFrames = true
        try reposition(reader, to: target, hurryUntil: nil)
        return try advance(reader, to: target)
    }

    private func picture(_ reader: any PictureReading, backTo limit: Time) throws(MediaError) -> Picture {
        count(limit)
        if let picture = window.picture(before: limit) { return picture }
        try fillWindow(reader, before: limit, hurryUntil: endOfHurry(before: limit))
        // What was left out in the hurry lies between the first ones.
        while let first = window.firstTime, reader.mayLack(after: first) { window.dropFirst() }
        if window.isEmpty { try fillWindow(reader, before: limit, hurryUntil: nil) }
        windowSpan = window.hasOverflowed ? window.firstTime.map { limit - $0 } : nil
        guard let picture = window.picture(before: limit) else { throw nothingDecoded }
        return picture
    }

    /// The time before which nothing needs to be held; nil: all is held for which there is room.
    ///
    /// A use that shows a part of a group decodes what is before it as fast as possible. If it
    /// continues from another use, more of the group will be shown.
    private func endOfHurry(before limit: Time) -> Time? {
        var end = windowSpan.map { limit - $0 - hurryMargin }
        if let earliest, earliest < limit, !goesOn {
            let start = earliest - hurryMargin
            end = end.map { max($0, start) } ?? start
        }
        return end
    }

    private func count(_ limit: Time) {
        if beginsUse {
            goesOn = lastLimit.map { limit <= $0 && $0 - limit < Self.nextUseDistance } ?? false
            beginsUse = false
        }
        lastLimit = limit
    }

    /// Between two uses, as others may make the segments between them.
    private static let nextUseDistance = Time(flicks: 10 * Time.flicksPerSecond)

    private func fillWindow(_ reader: any PictureReading, before limit: Time, hurryUntil end: Time?) throws(MediaError)
    {
        forget()
        window.forget()
        widenWindow(reader)
        openSpill()
        try reposition(reader, to: limit - Time(flicks: 1), hurryUntil: end)
        // What `reposition` found is the file's first frame where no frame is before the limit.
        guard let first = current else { throw nothingDecoded }
        current = nil
        window.begin(with: first, isFirstOfFile: currentIsFirst)
        while !window.isComplete { window.append(try reader.next(), limit: limit, earliest: end) }
    }

    private func openSpill() {
        guard let spillFolder, !hasTriedSpill else { return }
        hasTriedSpill = true
        if let spill = PictureSpill(in: spillFolder, space: spillSpace) { window.use(spill) }
    }

    /// Each filling of the window decodes the file from its start where that cannot begin elsewhere
    /// (animations, some codecs). So the window of such a file holds 256 MB, where the budget of
    /// the process has them: most animations are decoded once, whichever way they play.
    private func widenWindow(_ reader: any PictureReading) {
        guard windowMemory == nil, reader.startsOver || ["gif", "apng"].contains(info.format),
            let share = try? PictureMemory.shared.reserve(Self.wideWindowBudget, path: path)
        else { return }
        windowMemory = share
        window.budget = Self.wideWindowBudget
    }

    private static let wideWindowBudget = 256_000_000

    /// How long before a wanted frame no other is left out in a hurry, because it may be the one
    /// that is shown. At a steady rate a few frames are enough. Once they were not, half a second
    /// is used.
    private var hurryMargin: Time {
        guard !hasLackedFrames, let rate = info.video?.frameRate, rate > Rational(1) else { return Self.longMargin }
        return min(Self.longMargin, Time(frame: 4, rate: rate))
    }

    private static let longMargin = Time(flicks: Time.flicksPerSecond / 2)
    /// The shorter margin has left out what was to be shown.
    private var hasLackedFrames = false

    /// 32 MB: 10 frames of 1080p, 2 of 4K, so that a worker that encodes 1080p stays below 300 MB.
    /// A stretch of 60 frames of 1080p is decoded 3.5 times then, one of 250 frames 13 times, less
    /// the frames left out in the hurry; with twice the memory 2 and 6.8 times.
    public static let usualWindowBudget = 32_000_000

    /// Source time of the current frame; nil before the first one. Reading continues fastest a
    /// little after it.
    public var position: Time? { current?.time ?? window.lastTime }

    /// Frames that play backwards are on disk.
    public var holdsDiskSpace: Bool { window.isSpilled }

    /// Prepares for another use, which must get what it would get of a new reader.
    /// - Returns: false where only a new reader will do, because the file is damaged or reading it
    ///   has failed.
    public func rest() -> Bool {
        (windowSpan, earliest, beginsUse, hasLackedFrames, isUsedAgain, answers) = (nil, nil, true, false, true, [])
        return history != .broken && !(reader?.isSpoiled ?? false)
    }

    /// Called while the file is read. Another thread that continues with the reader sets its own.
    public var pulse: Pulse {
        get { relay.pulse }
        set { relay.pulse = newValue }
    }

    private func opened() throws(MediaError) -> any PictureReading {
        if let reader { return reader }
        let pulse: Pulse = { [relay] in try relay.pulse($0) }
        let reader: any PictureReading =
            info.format == AnimatedWebP.format
            ? try AnimatedWebPReader(path: path, pulse: pulse) : try Self.frames(of: path, info, pulse)
        self.reader = reader
        return reader
    }

    private static func frames(
        of path: String, _ info: MediaInfo, _ pulse: @escaping Pulse
    ) throws(MediaError) -> any PictureReading {
        let parts = FilePart.parts(of: info)
        guard parts.count == 1 else { return try LinkedFrameReader(path: path, parts: parts, pulse: pulse) }
        return try FrameReader(path: path, part: parts[0], pulse: pulse)
    }

    /// The current frame is shown at `target`, as far as is known.
    private func holds(_ target: Time) -> Bool {
        next.map { target < $0.time } ?? hasEnded
    }

    private func advance(_ reader: any PictureReading, to target: Time) throws(MediaError) -> Picture {
        while !hasEnded {
            if next == nil { next = try reader.next() }
            guard let following = next else {
                hasEnded = true
                break
            }
            guard following.time <= target else { break }
            current = following
            currentIsFirst = false
            next = nil
        }
        guard let current else { throw nothingDecoded }
        return current
    }

    /// Takes the first frame of the file.
    private func begin(_ reader: any PictureReading) throws(MediaError) {
        forget()
        current = try reader.next()
        guard current != nil else { throw nothingDecoded }
        currentIsFirst = true
    }

    /// Finds a frame at or before `target`, from which reading forward reaches it.
    /// - Parameter end: frames presented before it may be left out on the way.
    private func reposition(_ reader: any PictureReading, to target: Time, hurryUntil end: Time?) throws(MediaError) {
        var limit: Int64?
        // Index timestamps are decoding times, so a key frame at or before the target may still be
        // shown after it, or be followed by frames that cannot be decoded from there: each try goes
        // further back.
        for attempt in 0..<5 {
            forget()
            let back = attempt < 2 ? Time.zero : Time(flicks: Time.flicksPerSecond << (2 * (attempt - 2)))
            guard try reader.seek(to: target - back, before: limit, hurryUntil: end) else { break }
            if let frame = try reader.next(), frame.time <= target {
                current = frame
                return
            }
            if let first = reader.firstTimestamp { limit = min(first - 1, limit ?? .max) }
        }
        try reader.restart()
        try begin(reader)
    }

    private func forget() {
        (current, next) = (nil, nil)
        (currentIsFirst, hasEnded) = (false, false)
    }

    private var nothingDecoded: MediaError {
        MediaError(
            .decode, "read the picture of", path: path, reason: "not one of its frames can be decoded; it is damaged")
    }
}
