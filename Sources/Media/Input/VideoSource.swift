import Draft

/// The pictures of a video file by source time: the one place where the rule *a source frame for time t is the last one
/// whose presentation time is ≤ t* is carried out.
///
/// Reading forward decodes each frame once and holds two. Going back, or forward past a key frame, seeks.
public final class VideoSource {
    public let path: String
    public let info: MediaInfo
    private let pulse: Pulse
    private var reader: (any PictureReading)?
    /// The frame at the last time asked for, and the one after it.
    private var current: Picture?
    private var next: Picture?
    private var currentIsFirst = false
    private var hasEnded = false

    /// Opens nothing yet; the file and the decoder are opened with the first picture.
    /// - Throws: `noVideo`.
    public init(path: String, info: MediaInfo, pulse: @escaping Pulse = {}) throws(MediaError) {
        guard info.video != nil else {
            throw MediaError(.noVideo, "read the picture of", path: path, reason: "it has no picture")
        }
        self.path = path
        self.info = info
        self.pulse = pulse
    }

    /// The last frame presented at or before `time`; the first one for times before it, the last one for times after it.
    ///
    /// Timestamps that the container rounded up by half a tick (at most half a millisecond) still count as reached, so a
    /// WebM file's milliseconds do not make it judder at its own rate. The same object is returned while the frame stays
    /// the same. The caller shares the picture; see ``Picture``.
    /// - Throws: `decode` where not one frame can be decoded, `cancelled`, and what opening throws.
    public func picture(at time: Time) throws(MediaError) -> Picture {
        let reader = try opened()
        let target = max(time, info.video?.start ?? .zero) + reader.tolerance
        if let current {
            if target < current.time {
                if !currentIsFirst { try reposition(reader, to: target) }
            } else if !holds(target), reader.seekPays(to: target, from: current.time) {
                try reposition(reader, to: target)
            }
        } else if reader.seekPays(to: target, from: info.video?.start ?? .zero) {
            try reposition(reader, to: target)
        } else {
            try begin(reader)
        }
        return try advance(reader, to: target)
    }

    /// Source time of the frame at hand; nil before the first one. Reading goes on fastest a little after it.
    public var position: Time? { current?.time }

    private func opened() throws(MediaError) -> any PictureReading {
        if let reader { return reader }
        let reader: any PictureReading =
            info.format == AnimatedWebP.format
            ? try AnimatedWebPReader(path: path, pulse: pulse) : try FrameReader(path: path, pulse: pulse)
        self.reader = reader
        return reader
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
    private func reposition(_ reader: any PictureReading, to target: Time) throws(MediaError) {
        var limit: Int64?
        // Index timestamps are decoding times, so a key frame at or before the target may still be shown after it, or be
        // followed by frames that cannot be decoded from there: each try goes further back.
        for attempt in 0..<5 {
            forget()
            let back = attempt < 2 ? Time.zero : Time(flicks: Time.flicksPerSecond << (2 * (attempt - 2)))
            guard reader.seek(to: target - back, before: limit) else { break }
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
        MediaError(.decode, "read the picture of", path: path, reason: "not one of its frames can be decoded; it is damaged")
    }
}
