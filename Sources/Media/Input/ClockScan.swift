import Draft
import Values

/// Finds where the clock of a transport or program stream jumps, from all packets in the file's
/// order.
///
/// Follows FFmpeg's command line (`ffmpeg.c`, formats with `AVFMT_TS_DISCONT`): a decoding time
/// that is more than ten seconds from the expected one, or a tenth of a second before the last,
/// continues at the expected one. There, one shift holds for the whole file and changes with every
/// packet that jumps. Here, each stream changes to the shift of the new part with its own first
/// packet of that part, because the packets of two parts may overlap in the file.
struct ClockScan {
    /// A packet's times on the file's clock.
    struct Stamp {
        var stream: Int
        var decoding: Time
        var presentation: Time?
        var duration: Time
        var position: Int64
        var isKey: Bool
        var isPicture: Bool
        /// After this time the clock begins again at zero; nil: never.
        var wrap: Time?
    }

    /// A stretch of the file with one shift. The streams of a file share it.
    private struct Part {
        var shift: Time
        /// The byte at which it was found, and the shifted time.
        var position: Int64
        var begin: Time
        /// The file's clock there.
        var clock: Time
        /// The jump that it begins with; nil for a wrap.
        var jump: Int?
    }

    private struct Track {
        /// Index in `parts`.
        var part: Int
        /// Index in `shifts`; nil before the first.
        var shift: Int?
        /// Shifted times: when the next packet is expected, the last one's, and the end of all
        /// before.
        var next: Time?
        var last: Time
        var end: Time
    }

    private(set) var shifts: [(part: Int, stream: Int, position: Int64)] = []
    private var parts: [Part]
    private var jumps: [ClockJumps.Jump] = []
    private var tracks: [Int: Track] = [:]
    /// The shifted time of the last packet of any stream.
    private var latest: Time?
    /// The last hole in a stream that was taken for one.
    private var hole: (position: Int64, length: Time)?
    private var isIncomplete = false
    private let origin: Time

    /// As ffmpeg's `dts_delta_threshold`.
    private static let longestHole = Time(flicks: 10 * Time.flicksPerSecond)
    /// Smaller steps back are a muxer's rounding or disorder.
    private static let smallestStep = Time(flicks: Time.flicksPerSecond / 10)
    /// Streams of one part begin within so many bytes of each other.
    private static let nearby: Int64 = 8 << 20
    private static let second = Time(flicks: Time.flicksPerSecond)

    /// - Parameter origin: the file's clock at source time zero.
    init(origin: Time) {
        self.origin = origin
        parts = [Part(shift: .zero, position: 0, begin: origin, clock: origin)]
    }

    /// Takes over the packet that begins next in the file.
    /// - Returns: the index in ``shifts`` of the shift that holds for it; nil: none does.
    mutating func take(_ stamp: Stamp) -> Int? {
        var track =
            tracks[stamp.stream]
            ?? Track(part: parts.count - 1, next: nil, last: stamp.decoding, end: Time(flicks: .min / 4))
        if let next = track.next { follow(stamp, &track, next) } else { begin(stamp, &track) }
        let time = stamp.decoding + parts[track.part].shift
        track.next = time + stamp.duration
        track.last = time
        latest = time
        let end = (stamp.presentation ?? stamp.decoding) + parts[track.part].shift + stamp.duration
        track.end = max(track.end, end)
        tracks[stamp.stream] = track
        return track.shift
    }

    /// What is added to the file's clock by ``shifts``.
    func shift(_ index: Int?) -> Time { index.map { parts[shifts[$0].part].shift } ?? .zero }

    /// nil where the clock runs through.
    var result: ClockJumps? {
        guard !shifts.isEmpty else { return nil }
        return ClockJumps(
            shifts: shifts.map { .init(stream: $0.stream, position: $0.position, shift: parts[$0.part].shift) },
            jumps: jumps, isIncomplete: isIncomplete)
    }

    // MARK: - Following

    /// A stream that begins later than the others has the newest part's shift, unless that is far
    /// from where they are.
    private mutating func begin(_ stamp: Stamp, _ track: inout Track) {
        let latest = latest ?? origin
        let found = Self.distance(stamp.decoding + parts[track.part].shift - latest, stamp.wrap)
        if abs(found.rest) > Self.longestHole {
            let jump = ClockJumps.Jump(time: latest - origin, distance: found.rest)
            split(&track, shift: latest - stamp.decoding, stamp, latest, jump: jump)
        } else if found.wraps != .zero {
            split(&track, shift: parts[track.part].shift + found.wraps, stamp, latest, jump: nil)
        } else if track.part > 0 {
            change(&track, to: track.part, stamp)
        }
    }

    private mutating func follow(_ stamp: Stamp, _ track: inout Track, _ next: Time) {
        let newest = parts.count - 1
        let own = Self.distance(stamp.decoding + parts[track.part].shift - next, stamp.wrap)
        // Another stream has found a new part: this one is there where that brings it nearer to
        // where it should be.
        if track.part != newest, stamp.position >= parts[newest].position - Self.nearby {
            let other = Self.distance(stamp.decoding + parts[newest].shift - next, stamp.wrap)
            let isLonger = isJump(own.rest, next, track.last) && isYoung(newest, stamp) && other.rest < .zero
            if abs(other.rest) <= min(abs(own.rest), isLonger ? Self.longestHole : Self.second) {
                join(stamp, &track, newest, other)
                return
            }
        }
        if isJump(own.rest, next, track.last), !isHoleOfOthers(own.rest, stamp.position) {
            open(stamp, &track, next, own)
        } else if own.wraps != .zero {
            // The clock has wrapped, and nothing else.
            split(&track, shift: parts[track.part].shift + own.wraps, stamp, next, jump: nil)
        } else if own.rest > Self.second {
            hole = (stamp.position, own.rest)
        }
    }

    private func isJump(_ distance: Time, _ next: Time, _ last: Time) -> Bool {
        abs(distance) > Self.longestHole || next + distance + Self.smallestStep < last
    }

    /// The streams that are in a part have only begun with it, at about the same time of the file's
    /// clock, so one that was longer in the part before may delay them.
    private func isYoung(_ part: Int, _ stamp: Stamp) -> Bool {
        abs(Self.distance(stamp.decoding - parts[part].clock, stamp.wrap).rest) <= Self.second
            && tracks.values.allSatisfy { $0.part != part || $0.last - parts[part].begin <= Self.second }
    }

    /// Another stream has the same hole, which was just short enough to be one.
    private func isHoleOfOthers(_ distance: Time, _ position: Int64) -> Bool {
        guard let hole, distance > .zero else { return false }
        return abs(distance - hole.length) < Self.second && position - hole.position < Self.nearby
    }

    /// A new part begins with this packet.
    private mutating func open(_ stamp: Stamp, _ track: inout Track, _ next: Time, _ found: Distance) {
        var shift = next - stamp.decoding
        // Where a new recording begins its decoder's delay may be another one. In the middle of one
        // (not at a key frame) only decoding times tell how the packets follow each other.
        if stamp.isKey, let presentation = stamp.presentation { shift = max(shift, track.end - presentation) }
        let jump = ClockJumps.Jump(
            time: (stamp.presentation ?? stamp.decoding) + shift - origin, distance: found.rest)
        split(&track, shift: shift, stamp, stamp.decoding + shift, jump: jump)
    }

    private mutating func split(
        _ track: inout Track, shift: Time, _ stamp: Stamp, _ begin: Time, jump: ClockJumps.Jump?
    ) {
        guard shifts.count < ClockJumps.limit else {
            isIncomplete = true
            return
        }
        if let jump { jumps.append(jump) }
        parts.append(
            Part(
                shift: shift, position: stamp.position, begin: begin, clock: stamp.decoding,
                jump: jump.map { _ in jumps.count - 1 }))
        change(&track, to: parts.count - 1, stamp)
    }

    private mutating func join(_ stamp: Stamp, _ track: inout Track, _ part: Int, _ found: Distance) {
        if found.wraps != .zero {
            // Only this stream's clock is a turn away from the others'.
            split(&track, shift: parts[part].shift + found.wraps, stamp, parts[part].begin, jump: nil)
            return
        }
        change(&track, to: part, stamp)
        // This stream was longer than the others in the part before: so that nothing is lost, all
        // of them are delayed.
        var late = Time.zero - found.rest
        if stamp.isKey, let presentation = stamp.presentation {
            late = max(late, track.end - presentation - parts[part].shift)
        }
        let tolerance = stamp.isPicture ? Time(flicks: stamp.duration.flicks / 2) : Self.smallestStep
        guard late > tolerance, late <= Self.longestHole else { return }
        parts[part].shift = parts[part].shift + late
        parts[part].begin = parts[part].begin + late
        if let jump = parts[part].jump { jumps[jump].time = jumps[jump].time + late }
        for (stream, other) in tracks where other.part == part && stream != stamp.stream {
            tracks[stream]?.next = other.next.map { $0 + late }
            tracks[stream]?.last = other.last + late
            tracks[stream]?.end = other.end + late
        }
    }

    private mutating func change(_ track: inout Track, to part: Int, _ stamp: Stamp) {
        guard shifts.count < ClockJumps.limit else {
            isIncomplete = true
            return
        }
        track.part = part
        track.shift = shifts.count
        shifts.append((part, stamp.stream, stamp.position))
    }

    // MARK: - Wraps

    /// How far a time is from the expected one, and the whole turns of the clock in between that
    /// are to be added.
    private struct Distance {
        var rest: Time
        var wraps: Time
    }

    private static func distance(_ time: Time, _ wrap: Time?) -> Distance {
        guard let wrap, wrap > .zero else { return Distance(rest: time, wraps: .zero) }
        let turns = (Double(time.flicks) / Double(wrap.flicks)).rounded()
        let whole = Time(flicks: Int64(turns) * wrap.flicks)
        return Distance(rest: time - whole, wraps: .zero - whole)
    }

    private func abs(_ time: Time) -> Time { time < .zero ? .zero - time : time }
}
