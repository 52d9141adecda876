import CFFmpeg
import Values

/// What the packets of a file tell of its streams: when each of them ends, where the clock jumps,
/// how frames follow each other.
struct PacketScan {
    private let demuxer: Demuxer
    private let streams: [Int: Demuxer.Stream]
    /// Follows the clock of a file that is read from its start, and in which it may jump.
    private(set) var clock: ClockScan?
    private(set) var intervals: FrameIntervals
    /// Packets that one before them in the file may still follow: libav gives a frame when the next
    /// one of its stream begins.
    private var waiting: [Found] = []
    private var ends: [Stretch: End] = [:]
    /// The shift of each stream's first packet, as an index in the clock's shifts.
    private var firstShifts: [Int: Int?] = [:]
    /// The stretch of each stream's last packet with a time.
    private var latest: [Int: Stretch] = [:]
    private var last: [Int: Int64] = [:]
    private var discarded: [Int: Int64] = [:]

    /// The packets of one stream that have one shift of the clock.
    private struct Stretch: Hashable {
        var stream: Int
        var shift: Int?
    }

    private struct Found {
        var stream: Demuxer.Stream
        var stamp: ClockScan.Stamp
        /// On the file's clock, less its origin.
        var end: Time
        var hasDecodingTime: Bool
        /// The packets after it that say no time at all: frames that begin in the same PES packet.
        var untimed = 0
    }

    private struct End {
        /// On the file's clock, less its origin.
        var time = Time.zero
        /// When the packet after the last one is to be decoded.
        var nextDecoding: Time?
        /// Some packets do not say when they are presented.
        var hasUnstamped = false

        mutating func addUntimed(_ count: Int, _ frame: Time) {
            guard count > 0 else { return }
            hasUnstamped = true
            nextDecoding = nextDecoding.map { $0 + Time(flicks: Int64(count) * frame.flicks) }
        }
    }

    private init(_ demuxer: Demuxer, fromStart: Bool) {
        self.demuxer = demuxer
        streams = Dictionary(
            ([demuxer.video].compactMap { $0 } + demuxer.audioTracks).map { ($0.index, $0) },
            uniquingKeysWith: { first, _ in first })
        clock = demuxer.mayRestart && fromStart ? ClockScan(origin: demuxer.origin) : nil
        intervals = FrameIntervals(tick: demuxer.video?.timeBase ?? AVRational(num: 1, den: 1))
    }

    /// Reads to the end of the file. Packets without timestamps (raw streams) follow each other at
    /// the frame rate, which can only be counted from the start.
    static func read(_ demuxer: Demuxer, fromStart: Bool) throws(MediaError) -> PacketScan {
        var scan = PacketScan(demuxer, fromStart: fromStart)
        let packet = try Packet()
        var positions: [Int: Int64] = [:]
        while try demuxer.read(into: packet) {
            guard let stream = scan.streams[packet.streamIndex] else { continue }
            if packet.raw.pointee.pos >= 0 { positions[stream.index] = packet.raw.pointee.pos }
            // In a transport stream, a counter that jumps at a joint marks the packet before as
            // well, and it is whole.
            if packet.isCorrupt, !demuxer.mayRestart { continue }
            scan.take(packet, stream, at: positions[stream.index] ?? 0, isCounted: fromStart)
        }
        scan.finish(scan.waiting.count)
        return scan
    }

    private mutating func take(_ packet: Packet, _ stream: Demuxer.Stream, at position: Int64, isCounted: Bool) {
        let isPicture = stream.index == demuxer.video?.index
        let frame = Time(frame: 1, rate: stream.frameRate)
        guard let timestamp = packet.pts ?? packet.dts else {
            if demuxer.mayRestart {
                countUntimed(stream)
            } else if isCounted {
                ends[Stretch(stream: stream.index), default: End()].time += frame
            }
            return
        }
        if packet.isDiscarded {
            discarded[stream.index] = max(discarded[stream.index] ?? timestamp, timestamp)
            return
        }
        // libavformat computes absurd ones in Ogg where it does not know the page before.
        let isKnown = packet.duration > 0 && stream.clock(packet.duration) < Self.longestFrame
        let duration = isKnown ? stream.clock(packet.duration) : frame
        let stamp = ClockScan.Stamp(
            stream: stream.index, decoding: stream.clock(packet.dts ?? timestamp),
            presentation: packet.pts.map(stream.clock), duration: duration, position: position,
            isKey: packet.isKey, isPicture: isPicture, wrap: stream.wrap)
        if isPicture, let dts = packet.dts, demuxer.mayRestart { intervals.add(dts) }
        let time = demuxer.sourceTime(timestamp, of: stream) + duration
        // libavformat's Ogg demuxer has shortened the duration already.
        let isPadded = !isPicture && demuxer.formatName != "ogg"
        let end = isPadded ? time - packet.trimmedEnd(of: stream) : time
        last[stream.index] = max(last[stream.index] ?? timestamp, timestamp)
        wait(Found(stream: stream, stamp: stamp, end: end, hasDecodingTime: packet.dts != nil))
    }

    /// A still picture of a slide show may be shown as long as this.
    private static let longestFrame = Time(flicks: 86_400 * Time.flicksPerSecond)

    private mutating func countUntimed(_ stream: Demuxer.Stream) {
        if let index = waiting.lastIndex(where: { $0.stamp.stream == stream.index }) {
            waiting[index].untimed += 1
        } else if let stretch = latest[stream.index] {
            ends[stretch]?.addUntimed(1, Time(frame: 1, rate: stream.frameRate))
        }
    }

    /// As many packets as lie between the ends of two frames of one stream.
    private static let depth = 512

    private mutating func wait(_ found: Found) {
        guard clock != nil else { return finish(found) }
        var place = waiting.count
        while place > 0, waiting[place - 1].stamp.position > found.stamp.position { place -= 1 }
        waiting.insert(found, at: place)
        if waiting.count >= 2 * Self.depth { finish(Self.depth) }
    }

    private mutating func finish(_ count: Int) {
        for found in waiting.prefix(count) { finish(found) }
        waiting.removeFirst(min(count, waiting.count))
    }

    private mutating func finish(_ found: Found) {
        let shift = clock?.take(found.stamp)
        let stream = found.stamp.stream
        if firstShifts[stream] == nil { firstShifts[stream] = .some(shift) }
        let stretch = Stretch(stream: stream, shift: shift)
        var end = ends[stretch] ?? End(time: found.end)
        end.time = max(end.time, found.end)
        if found.hasDecodingTime, demuxer.mayRestart {
            end.nextDecoding = found.stamp.decoding + found.stamp.duration - demuxer.origin
            end.hasUnstamped = end.hasUnstamped || found.stamp.presentation == nil
        }
        end.addUntimed(found.untimed, Time(frame: 1, rate: found.stream.frameRate))
        ends[stretch] = end
        latest[stream] = stretch
    }

    func extents() -> (video: Extents.Extent?, audio: [Int: Extents.Extent]) {
        let tracks = demuxer.audioTracks.compactMap { track in extent(track).map { (track.index, $0) } }
        return (extent(demuxer.video), Dictionary(tracks, uniquingKeysWith: { first, _ in first }))
    }

    private func extent(_ stream: Demuxer.Stream?) -> Extents.Extent? {
        guard let stream, var end = end(of: stream) else { return nil }
        let shift = (firstShifts[stream.index] ?? nil).flatMap { clock?.shift($0) } ?? .zero
        let start = (stream.start ?? .zero) - demuxer.origin + shift
        // An edit list may end within the last packet, or hold the last frame until one that is not
        // shown any more.
        let next = discarded[stream.index].map { demuxer.sourceTime($0, of: stream) } ?? end
        if demuxer.formatName.contains("mp4"), let promised = Extents.promised(stream, demuxer),
            let last = last[stream.index],
            promised.end > demuxer.sourceTime(last, of: stream), promised.end <= max(end, next)
        {
            end = promised.end
        }
        return Extents.Extent(start: max(start, .zero), end: max(end, max(start, .zero) + Time(flicks: 1)))
    }

    /// The latest end, not that of the last packet: frames are stored in decoding order.
    private func end(of stream: Demuxer.Stream) -> Time? {
        ends.filter { $0.key.stream == stream.index }.map { stretch, end in
            var time = end.time
            // In a stream with a constant delay the last frame is presented this long after the
            // last one is decoded.
            if end.hasUnstamped, let next = end.nextDecoding {
                let delay = max(0, Int(stream.parameters.pointee.video_delay))
                time = max(time, next + Time(frame: delay, rate: stream.frameRate))
            }
            return time + (clock?.shift(stretch.shift) ?? .zero)
        }.max()
    }
}

extension Demuxer {
    /// The clock may begin again within the file: MPEG transport and program streams, which may be
    /// joined byte by byte.
    var mayRestart: Bool { ["mpegts", "mpeg"].contains(formatName) }
}

extension Demuxer.Stream {
    /// After this time the stream's clock begins again at zero; nil: never.
    var wrap: Time? {
        let bits = raw.pointee.pts_wrap_bits
        return (1...40).contains(bits) ? clock(1 << Int64(bits)) : nil
    }
}
