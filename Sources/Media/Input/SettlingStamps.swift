/// Tells which packets of a transport or program stream have the right times after a seek.
///
/// The time in the header of a PES packet is that of the first frame that *begins* in it (ISO/IEC
/// 13818-1, 2.4.3.7). After a seek, libav's parsers give it to what comes first, which may be the
/// end of a frame before, and count the frames that follow from there. With the next header all is
/// right.
struct SettlingStamps {
    private struct Track {
        /// A header's time was read after the first packet.
        var isSettled = false
        /// libav may derive the decoding time of the next I or P frame from the first packet's
        /// presentation time.
        var mayFollowFirst: Bool
    }

    private var tracks: [Int: Track] = [:]

    /// - Returns: false for a packet whose times may be wrong. To be asked of all packets after the
    ///   seek, in order.
    mutating func accepts(_ packet: Packet) -> Bool {
        // For a frame that is presented later than it is decoded, libav may leave one of the times
        // open.
        let isReordered = packet.pts == nil || packet.pts != packet.dts
        // libav says a position only of frames whose times come from a header.
        let hasHeader = packet.position != nil
        guard var track = tracks[packet.streamIndex] else {
            tracks[packet.streamIndex] = Track(mayFollowFirst: isReordered)
            return false
        }
        track.isSettled = track.isSettled || hasHeader
        let isRight = track.isSettled && (hasHeader || !track.mayFollowFirst)
        if isReordered { track.mayFollowFirst = false }
        tracks[packet.streamIndex] = track
        return isRight
    }
}
