import CFFmpeg
import Draft
import Values

/// Makes the clock of a file run on that jumps, packet by packet, by the position of each packet in
/// the file.
struct JumpingClock {
    private var shifts: [Int: [(position: Int64, ticks: Int64)]] = [:]
    /// Where the last packet of each stream begins that says so; libav says it of the first frame
    /// in a PES packet only.
    private var positions: [Int: Int64] = [:]

    /// Which shift the last packet has, counted in its stream; nil before the first one.
    private(set) var current: Int?

    /// - Parameter ticks: a time in ticks of a stream.
    init(_ jumps: ClockJumps, ticks: (_ time: Time, _ stream: Int) -> Int64) {
        for shift in jumps.shifts {
            shifts[shift.stream, default: []].append((shift.position, ticks(shift.shift, shift.stream)))
        }
    }

    /// Forgets where reading was, before a seek.
    mutating func forget() { positions = [:] }

    /// Shifts the packet's times.
    /// - Returns: false where its place is unknown, right after a seek.
    mutating func shift(_ packet: Packet) -> Bool {
        let stream = packet.streamIndex
        if packet.raw.pointee.pos >= 0 { positions[stream] = packet.raw.pointee.pos }
        guard let position = positions[stream] else { return false }
        let index = shifts[stream]?.lastIndex { $0.position <= position }
        current = index
        guard let index, let shift = shifts[stream]?[index] else { return true }
        if let pts = packet.pts { packet.raw.pointee.pts = pts + shift.ticks }
        if let dts = packet.dts { packet.raw.pointee.dts = dts + shift.ticks }
        return true
    }
}
