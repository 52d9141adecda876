import Draft

/// Finds the places at which the packets of a transport or program stream do not follow each other,
/// because bytes are missing or overwritten there. libav searches for the next packet and says
/// nothing.
///
/// Looks at the bytes that libav reads anyway, so that a large recording is not read twice.
final class PacketChain {
    private let layout: Layout
    private let size: Int64
    private var found = DataBreaks()
    /// The byte at which the next packet should begin.
    private var position: Int64
    /// The packets are not in step: the next one is searched for.
    private var isSearching: Bool
    /// The bytes being examined, and the position of the first one.
    private var bytes: [UInt8] = []
    private var start: Int64 = 0

    private enum Layout {
        case transport(TransportLayout)
        case program
    }

    /// nil for formats without such packets.
    /// - Parameter format: libavformat's name.
    init?(_ file: InputFile, format: String) throws(MediaError) {
        size = file.size
        switch format {
        case "mpegts":
            guard let layout = try TransportLayout.find(in: file) else { return nil }
            (self.layout, position, isSearching) = (.transport(layout), layout.first, false)
        case "mpeg": (layout, position, isSearching) = (.program, 0, true)
        default: return nil
        }
    }

    /// nil where there are none, as far as the file was read.
    var breaks: DataBreaks? { found.count > 0 ? found : nil }

    /// Takes over what was read of the file. What does not continue from what was taken before is
    /// left out.
    func take(_ read: UnsafeRawBufferPointer, at offset: Int64) {
        let end = start + Int64(bytes.count)
        guard offset <= end, offset + Int64(read.count) > end else { return }
        bytes += read[Int(end - offset)...]
        while isSearching ? search() : step() {}
        let seen = min(Int(position - start), bytes.count)
        bytes.removeFirst(seen)
        start += Int64(seen)
    }

    private enum Packet {
        case size(Int)
        case none
        /// Its header was not wholly read yet.
        case unknown
    }

    /// Skips to the end of the current packet.
    /// - Returns: false where more has to be read before.
    private func step() -> Bool {
        let index = Int(position - start)
        guard index < bytes.count else { return false }
        switch packet(at: index) {
        case .unknown: return false
        case .size(let count): position += Int64(count)
        case .none:
            // The beginning of a last packet is what ``FileEnd`` reports.
            if case .transport(let layout) = layout, size - position < layout.size { return false }
            found.add(position)
            isSearching = true
        }
        return true
    }

    private func packet(at index: Int) -> Packet {
        guard case .transport(let layout) = layout else { return programPacket(at: index) }
        guard index + layout.sync < bytes.count else { return .unknown }
        return bytes[index + layout.sync] == TransportLayout.mark ? .size(layout.size) : .none
    }

    /// Packs, system headers and PES packets (ISO/IEC 13818-1, 2.5.3; ISO/IEC 11172-1, 2.4.3), and
    /// zeros between them.
    private func programPacket(at index: Int) -> Packet {
        let head = bytes[index..<min(index + 14, bytes.count)]
        func byte(_ offset: Int) -> UInt8 { head[index + offset] }
        guard head.count >= 6 else { return .unknown }
        guard byte(0) == 0, byte(1) == 0, byte(2) == 1 else {
            return head.prefix(3).allSatisfy { $0 == 0 } ? .size(1) : .none
        }
        switch byte(3) {
        case 0xB9: return .size(4)
        case 0xBA where byte(4) & 0xF0 == 0x20: return .size(12)
        case 0xBA where byte(4) & 0xC0 == 0x40: return head.count == 14 ? .size(14 + Int(byte(13) & 7)) : .unknown
        case 0xBB...: return .size(6 + Int(byte(4)) << 8 + Int(byte(5)))
        default: return .none
        }
    }

    /// Goes to the next place at which packets are in step.
    private func search() -> Bool {
        let index = Int(position - start)
        let (needed, isFound) = beginning
        let last = bytes.count - needed
        guard index <= last else { return false }
        let place = bytes.withUnsafeBufferPointer { bytes in (index...last).first { isFound(bytes, $0) } }
        isSearching = place == nil
        position = start + Int64(place ?? last + 1)
        return true
    }

    /// How many bytes tell that packets begin, and whether they do.
    private var beginning: (count: Int, test: (UnsafeBufferPointer<UInt8>, Int) -> Bool) {
        switch layout {
        case .program:
            return (4, { $0[$1] == 0 && $0[$1 + 1] == 0 && $0[$1 + 2] == 1 && $0[$1 + 3] == 0xBA })
        case .transport(let layout):
            let (step, mark) = (layout.size, TransportLayout.mark)
            return (
                3 * step,
                { bytes, index in
                    let first = index + layout.sync
                    return bytes[first] == mark && bytes[first + step] == mark && bytes[first + 2 * step] == mark
                }
            )
        }
    }
}

/// How the packets of a transport stream lie in a file: 188 bytes each, with a time stamp (M2TS) or
/// a check sum 192 or 204, and 0x47 at the same place of each (ISO/IEC 13818-1, 2.4.3).
struct TransportLayout {
    /// The bytes of a packet.
    let size: Int
    /// The place of the mark in it.
    let sync: Int
    /// The byte at which the first packet begins.
    let first: Int64

    static let mark: UInt8 = 0x47

    /// nil where the file does not begin with packets in step.
    static func find(in file: InputFile) throws(MediaError) -> TransportLayout? {
        let head = try file.bytes(at: 0, count: 8 << 10)
        for (size, sync) in [(188, 0), (192, 4), (204, 0)] {
            let first = (0..<size).first { start in
                (0..<5).allSatisfy {
                    head.indices.contains(start + sync + $0 * size) && head[start + sync + $0 * size] == mark
                }
            }
            if let first { return TransportLayout(size: size, sync: sync, first: Int64(first)) }
        }
        return nil
    }
}
