import CFFmpeg

/// What a decoder takes from packets before the one at which it begins, the same for every reader
/// of the file.
///
/// A decoder that starts in the middle must know what one that came from the start knows, or frames
/// depend on where a worker began. So after each seek a *new* decoder gets, in this order: the
/// container's parameters, the stream's first packet (``Decoder/prime(with:)``), and what changed
/// between that and the packet at which it begins (``complete(_:)``). Nothing of what a reader did
/// before the seek is left.
final class DecoderStart {
    private let demuxer: Demuxer
    private let stream: Demuxer.Stream
    private let pulse: Pulse
    private var first: Packet?
    private var ledger: StreamLedger?
    /// The parameters that the demuxer has sent last. MP4's demuxer sends them only where they
    /// differ from those.
    private var sent: [UInt8]?
    private var primed: Decoder?
    /// Motion JPEG's, as the last packet has left them; nil before the first packet, and after a
    /// seek.
    private var tables: JPEGTables?

    init(_ demuxer: Demuxer, _ stream: Demuxer.Stream, pulse: @escaping Pulse) {
        (self.demuxer, self.stream, self.pulse) = (demuxer, stream, pulse)
    }

    /// To be called with each packet of the stream that the demuxer gives, before it is decoded.
    func see(_ packet: Packet) throws(MediaError) {
        if first == nil {
            let copy = try packet.copy()
            copy.keepAllSamples()
            first = copy
        }
        if let parameters = packet.sideData(AV_PKT_DATA_NEW_EXTRADATA) { sent = parameters }
        guard stream.parameters.pointee.codec_id == AV_CODEC_ID_MJPEG else { return }
        if tables == nil { tables = try tables(before: packet) }
        tables?.take(packet)
        try tables?.complete(packet)
    }

    /// The tables that the packets before a packet have left.
    private func tables(before packet: Packet) throws(MediaError) -> JPEGTables? {
        guard let first else { return nil }
        let initial = JPEGTables(first: first)
        guard let position = packet.position, position != first.position, initial.lacks(in: packet) else {
            return initial
        }
        return try state(before: position).tables ?? initial
    }

    private func state(before position: Int64) throws(MediaError) -> StreamLedger.State {
        if let ledger { return try ledger.state(before: position) }
        let ledger = try StreamLedger(demuxer.file, stream.index, pulse: pulse)
        self.ledger = ledger
        return try ledger.state(before: position)
    }

    /// Reads the first packet where none was read yet. To be called before a seek.
    func learn() throws(MediaError) {
        let packet = try Packet()
        while first == nil, try demuxer.read(into: packet) {
            if packet.streamIndex == stream.index { try see(packet) }
        }
    }

    /// A decoder for the packets after a seek.
    func decoder() throws(MediaError) -> Decoder {
        tables = nil
        if let primed {
            primed.flush()
            return primed
        }
        let decoder = try Decoder(stream, path: demuxer.path)
        let codec = stream.parameters.pointee.codec_id
        // PCM's decoders learn nothing from a packet.
        if let first, !DecoderHistory.isPCM(codec) { try decoder.prime(with: first) }
        if DecoderHistory.isStateless(codec) { primed = decoder }
        return decoder
    }

    /// Adds to the first packet after a seek what the stream has changed before it.
    func complete(_ packet: Packet) throws(MediaError) {
        if packet.sideData(AV_PKT_DATA_NEW_EXTRADATA) == nil, let sent, demuxer.formatName.contains("mp4") {
            try packet.addSideData(AV_PKT_DATA_NEW_EXTRADATA, sent)
        }
        guard let position = packet.position, StreamLedger.isNeeded(demuxer, stream, first: first, for: packet) else {
            return
        }
        try state(before: position).complete(packet)
    }
}
