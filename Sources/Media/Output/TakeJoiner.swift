import CFFmpeg
import Draft
import Files
import FoundationEssentials
import Glibc
import Values

/// Joins the parts of a take to one MP4 file, without encoding anything again.
public enum TakeJoiner {
    public struct Result: Hashable, Sendable {
        /// The length of the picture, or of the sound where there is none; zero where no part has a
        /// frame: there is no output then.
        public var duration = Time.zero
        /// Bytes.
        public var size: Int64 = 0
        /// Parts with fragments that cannot be read. They are not in the output.
        public var unreadable: [String] = []
    }

    /// Joins the parts that can be read, in their order. Parts that were cut off count up to their
    /// last whole fragment; parts without a frame and missing ones are left out.
    /// - Parameters:
    ///   - output: is replaced where it exists. It is complete and on the disk when this returns,
    ///     and removed where it throws.
    ///   - pulse: called while it works.
    /// - Throws: `mux`, `diskFull`, `wrongContent` for parts with different tracks, `read` for a
    ///   part whose bytes the system does not give, and others.
    public static func join(
        _ parts: [String], output: String, pulse: @escaping Pulse = { _ in }
    ) throws(MediaError) -> Result {
        var readers: [Part] = []
        var result = Result()
        for path in parts {
            if let part = try Part.open(path, pulse) {
                readers.append(part)
            } else if hasFragment(path) {
                result.unreadable.append(path)
            }
        }
        guard let first = readers.first else { return result }
        let muxer = try Muxer(path: output, format: "mp4")
        let picture = try first.demuxer.video.map { source throws(MediaError) in try track(source, muxer) }
        let sound = try first.demuxer.audio.map { source throws(MediaError) in try track(source, muxer) }
        try muxer.begin(options: ["movie_timescale": "\(TakeWriter.clock)", "avoid_negative_ts": "disabled"])
        var joint = Joint(muxer: muxer, picture: picture, sound: sound)
        for part in readers { try joint.append(part) }
        // Nothing but indexes: the output goes with its muxer.
        guard joint.packets > 0 else { return result }
        result.duration = joint.place
        try muxer.finish()
        var status = stat()
        guard stat(output, &status) == 0 else {
            throw MediaError(.mux, "write", path: output, reason: String(cString: strerror(errno)))
        }
        result.size = Int64(status.st_size)
        return result
    }

    /// Whether a file has a fragment, as far as can be seen: one that was cut off before its first
    /// one holds nothing, and one that cannot be looked into may.
    private static func hasFragment(_ path: String) -> Bool {
        guard access(path, F_OK) == 0 else { return false }
        guard let file = try? OpenFile(path, .readOnly), let head = try? file.read(1 << 20) else { return true }
        return head.range(of: Data("moof".utf8)) != nil
    }

    /// A part with at least one frame.
    private struct Part {
        let path: String
        let demuxer: Demuxer

        /// - Returns: nil where there is nothing to read.
        static func open(_ path: String, _ pulse: @escaping Pulse) throws(MediaError) -> Part? {
            do throws(MediaError) {
                // A file without a frame that can be decoded holds nothing.
                let info = try Probe.probe(path: path, pulse: pulse)
                guard info.video != nil || info.audio != nil else { return nil }
                return Part(path: path, demuxer: try Demuxer(path: path, pulse: pulse))
            } catch {
                switch error.code {
                case .notFound, .empty, .notMedia, .truncated, .decode, .unsupported: return nil
                default: throw error
                }
            }
        }
    }

    private static func track(_ source: Demuxer.Stream, _ muxer: Muxer) throws(MediaError) -> UnsafeMutablePointer<
        AVStream
    > {
        let stream = try muxer.addStream()
        try check(
            avcodec_parameters_copy(stream.pointee.codecpar, source.raw.pointee.codecpar), "write", path: muxer.path,
            .mux)
        stream.pointee.codecpar.pointee.codec_tag = 0
        stream.pointee.time_base = source.timeBase
        stream.pointee.avg_frame_rate = source.raw.pointee.avg_frame_rate
        return stream
    }

    private struct Joint {
        let muxer: Muxer
        let picture: UnsafeMutablePointer<AVStream>?
        let sound: UnsafeMutablePointer<AVStream>?
        /// Where the next part begins.
        var place = Time.zero
        /// Packets that were written.
        var packets = 0
        /// The end of the sound so far, in samples.
        private var soundEnd: Int64?

        init(muxer: Muxer, picture: UnsafeMutablePointer<AVStream>?, sound: UnsafeMutablePointer<AVStream>?) {
            (self.muxer, self.picture, self.sound) = (muxer, picture, sound)
        }

        mutating func append(_ part: Part) throws(MediaError) {
            let demuxer = part.demuxer
            guard (demuxer.video != nil) == (picture != nil), (demuxer.audio != nil) == (sound != nil) else {
                throw MediaError(
                    .wrongContent, "join", path: part.path, reason: "its tracks are not those of the take's first part")
            }
            let (packet, last) = (try Packet(), try Packet())
            var isFirstSound = true
            while try demuxer.read(into: packet) {
                if let source = demuxer.video, let picture, packet.streamIndex == source.index {
                    if last.pts != nil { try move(last, of: source, to: picture, by: place) }
                    last.take(packet)
                } else if let source = demuxer.audio, let sound, packet.streamIndex == source.index {
                    guard try keeps(packet, of: source, isFirstSound) else { continue }
                    isFirstSound = false
                    packets += 1
                    try muxer.writeInterleaved(packet, to: sound, timeBase: source.timeBase)
                }
            }
            let error = demuxer.context.pointee.pb?.pointee.error ?? 0
            guard error >= 0 || error == cutroom_AVERROR_EOF else {
                throw .libav(error, "read", path: part.path, fallback: .read)
            }
            guard let source = demuxer.video ?? demuxer.audio else { return }
            // The stream's length is that of the fragments that were read; their packets do not
            // come with lengths.
            var end = source.raw.pointee.duration.timestamp ?? 0
            if let picture, let time = last.pts {
                end = max(end, time + 1)
                last.raw.pointee.duration = end - time
                try move(last, of: source, to: picture, by: place)
            }
            place = place + source.clock(end)
        }

        /// libav's clock is zero at the part's start. The sound begins before it, with the
        /// encoder's delay.
        private mutating func move(
            _ packet: Packet, of source: Demuxer.Stream, to stream: UnsafeMutablePointer<AVStream>, by place: Time
        ) throws(MediaError) {
            packets += 1
            let shift = source.ticks(place)
            if packet.pts != nil { packet.raw.pointee.pts += shift }
            if packet.dts != nil { packet.raw.pointee.dts += shift }
            try muxer.writeInterleaved(packet, to: stream, timeBase: source.timeBase)
        }

        /// Sound follows on the sound before it: an encoder's packets have a length of their own,
        /// which is not the part's. So that the sound is never off by more than half a packet, one
        /// is left out where it would be late by more. The first packet of a later part, the
        /// encoder's delay, is never written.
        private mutating func keeps(
            _ packet: Packet, of source: Demuxer.Stream, _ isFirst: Bool
        ) throws(MediaError) -> Bool {
            let length = max(1, packet.duration)
            guard var end = soundEnd else {
                soundEnd = (packet.pts ?? 0) + length
                return true
            }
            let stated = (packet.pts ?? 0) + source.ticks(place)
            if isFirst {
                if packet.pts ?? 0 < 0 { return false }
                // Too late already: the packet is left out.
                if end - stated > length / 2 { return false }
                // Sound that is missing stays missing.
                if stated - end > length / 2 { end = stated }
            } else if stated - end > length {
                end = stated
            }
            (packet.raw.pointee.pts, packet.raw.pointee.dts) = (end, end)
            soundEnd = end + length
            return true
        }
    }
}
