import CFFmpeg

/// What a PNG holds beside its picture (PNG, third edition, 11.3): texts and a colour profile,
/// which may be compressed.
///
/// libav inflates them without a bound, so a file of two megabytes takes gigabytes, and nothing
/// here needs them.
enum PNGChunks {
    private static let signatures: [[UInt8]] = [
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0x8A, 0x4D, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
    ]
    private static let compressed = ["zTXt", "iTXt", "iCCP"].map { Array($0.utf8) }
    /// A kind that is ancillary and that nothing reads.
    private static let unknown = Array("skIp".utf8)

    static func areIn(_ codec: AVCodecID) -> Bool { codec == AV_CODEC_ID_PNG || codec == AV_CODEC_ID_APNG }

    /// Where the kinds of compressed chunks lie: of a file, a packet or the header of an animation.
    static func places(in bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
        var places: [Int] = []
        var position = signatures.contains { bytes.starts(with: $0) } ? 8 : 0
        // As libav walks: from chunk to chunk, whatever they are.
        while position + 12 <= bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - position - 8 else { break }
            let kind = position + 4
            if compressed.contains(where: { bytes[kind..<kind + 4].elementsEqual($0) }) { places.append(kind) }
            position += 12 + length
        }
        return places
    }

    /// Makes the compressed chunks of a packet unknown ones, which the decoder steps over.
    /// - Returns: false where there is no memory for that.
    static func disarm(_ packet: Packet) -> Bool {
        let places = places(in: packet.content)
        guard !places.isEmpty else { return true }
        guard av_packet_make_writable(packet.raw) >= 0 else { return false }
        for place in places { (packet.raw.pointee.data + place).update(from: unknown, count: unknown.count) }
        return true
    }

    /// The same for what an animation has before its first frame.
    static func disarm(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        guard let header = parameters.pointee.extradata else { return }
        let bytes = UnsafeBufferPointer(start: header, count: Int(max(0, parameters.pointee.extradata_size)))
        for place in places(in: bytes) { (header + place).update(from: unknown, count: unknown.count) }
    }
}
