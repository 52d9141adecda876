import CFFmpeg
import Draft
import Glibc
import Values

/// Joins the parts of a take to one MP4 file, without encoding anything again.
public enum TakeJoiner {
    public struct Result: Hashable, Sendable {
        /// The length of the picture, or of the sound where there is none.
        public var duration: Time
        /// Bytes.
        public var size: Int64
    }

    /// Joins the parts that can be read, in their order. Parts that were cut off count up to their
    /// last whole fragment; parts without a frame and missing ones are left out.
    /// - Parameters:
    ///   - output: is replaced where it exists. It is complete and on the disk when this returns,
    ///     and removed where it throws.
    ///   - pulse: called while it works.
    /// - Returns: nil where no part has a frame; there is no output then.
    /// - Throws: `mux`, `diskFull`, `wrongContent` for parts with different tracks, and others.
    public static func join(
        _ parts: [String], output: String, pulse: @escaping Pulse = { _ in }
    ) throws(MediaError) -> Result? {
        var readers: [Part] = []
        for path in parts { if let part = try Part.open(path, pulse) { readers.append(part) } }
        guard let first = readers.first else { return nil }
        let muxer = try Muxer(path: output, format: "mp4")
        let picture = try first.demuxer.video.map { source throws(MediaError) in try track(source, muxer) }
        let sound = try first.demuxer.audio.map { source throws(MediaError) in try track(source, muxer) }
        try muxer.begin(options: ["movie_timescale": "\(TakeWriter.clock)", "avoid_negative_ts": "disabled"])
        var joint = Joint(muxer: muxer, picture: picture, sound: sound)
        for part in readers { try joint.append(part) }
        let duration = joint.place
        try muxer.finish()
        var status = stat()
        guard stat(output, &status) == 0 else {
            throw MediaError(.mux, "write", path: output, reason: String(cString: strerror(errno)))
        }
        return Result(duration: duration, size: Int64(status.st_size))
    }

    /// A part with at least one frame.
    private struct Part {
        let path: String
        let demuxer: Demuxer

        /// - Returns: nil where there is nothing to read.
        static func open(_ path: String, _ pulse: @escaping Pulse) throws(MediaError) -> Part? {
            do throws(MediaError) {
                // A file without a frame has no length.
                let info = try Probe.probe(path: path, pulse: pulse)
                guard info.video != nil || info.audio != nil else { return nil }
                return Part(path: path, demuxer: try Demuxer(path: path, pulse: pulse))
            } catch {
                switch error.code {
                case .notFound, .empty, .notMedia, .truncated, .decode: return nil
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
                    try muxer.writeInterleaved(packet, to: sound, timeBase: source.timeBase)
                }
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
        private func move(
            _ packet: Packet, of source: Demuxer.Stream, to stream: UnsafeMutablePointer<AVStream>, by place: Time
        ) throws(MediaError) {
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
