import CFFmpeg

/// Finds streams whose frames are reordered and whose timestamps are not: the packets have the
/// times at which they are decoded.
///
/// libavcodec then guesses when a frame is shown, from how many timestamps it found wrong since it
/// began. So what is shown depends on where decoding began. ffmpeg writes such files for Xvid, and
/// for H.264 in MXF.
enum DecodingStamps {
    /// As many packets have at least one that is shown before its predecessor, where frames are
    /// reordered at all.
    private static let count = 50

    /// - Returns: false for streams that cannot have such stamps, without reading anything.
    static func are(in stream: Demuxer.Stream, of demuxer: Demuxer) throws(MediaError) -> Bool {
        let parameters = stream.parameters.pointee
        // AVI has none but these, and its frames are put right by their count.
        let isSuspect =
            demuxer.formatName.hasPrefix("mxf")
            || parameters.codec_id == AV_CODEC_ID_MPEG4 && demuxer.formatName != "avi"
        guard isSuspect, parameters.video_delay > 0 else { return false }
        let start = try demuxer.reopened()
        let packet = try Packet()
        var (last, found): (Int64?, Int) = (nil, 0)
        while found < count, try start.read(into: packet) {
            guard packet.streamIndex == stream.index else { continue }
            guard let pts = packet.pts, last.map({ pts > $0 }) ?? true else { return false }
            (last, found) = (pts, found + 1)
        }
        return found > 1
    }
}
