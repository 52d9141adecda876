/// The packets before which data were lost, among those that libav's analysis of the streams reads.
///
/// The analysis keeps its packets and returns them later. Losses between them are logged during the
/// analysis, and the log does not say where. So the same bytes are read once more, packet by
/// packet.
struct ReadAheadLosses {
    private struct Place: Hashable {
        var stream: Int
        var position: Int64
        var size: Int32
    }

    private var places: Set<Place> = []
    /// Streams that had a packet since the last loss.
    private var settled: Set<Int> = []
    private var hasLost = false

    var isEmpty: Bool { places.isEmpty }

    /// Takes the next packet. The first packet of each stream behind a loss is one that lacks its
    /// predecessor, as the log does not name the stream.
    mutating func take(_ packet: Packet, isBehindLoss: Bool) {
        if isBehindLoss { (hasLost, settled) = (true, []) }
        guard hasLost, settled.insert(packet.streamIndex).inserted, let place = Self.place(of: packet) else { return }
        places.insert(place)
    }

    /// Whether data were lost before a packet that was read again.
    func isBehindLoss(_ packet: Packet) -> Bool { Self.place(of: packet).map(places.contains) ?? false }

    private static func place(of packet: Packet) -> Place? {
        packet.position.map { Place(stream: packet.streamIndex, position: $0, size: packet.raw.pointee.size) }
    }
}
