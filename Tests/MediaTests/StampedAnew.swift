import Foundation

/// Transport and program streams whose times were moved from some byte on, as an edited or
/// restarted recording has them.
enum StampedAnew {
    /// 2³³ ticks of 90 kHz.
    private static let turn: Int64 = 1 << 33

    static func moved(_ data: Data, isTransport: Bool, from start: Int, by ticks: Int64) -> Data {
        isTransport ? transport(data, from: start, by: ticks) : program(data, from: start, by: ticks)
    }

    /// Moves all times in whole packets from the byte `start` on by `ticks` of 90 kHz.
    private static func transport(_ data: Data, from start: Int, by ticks: Int64) -> Data {
        var bytes = [UInt8](data)
        var packet = (start + 187) / 188 * 188
        while packet + 188 <= bytes.count {
            defer { packet += 188 }
            guard bytes[packet] == 0x47 else { continue }
            let (hasField, hasPayload) = (bytes[packet + 3] & 0x20 != 0, bytes[packet + 3] & 0x10 != 0)
            let field = hasField ? Int(bytes[packet + 4]) + 1 : 0
            if field > 6, bytes[packet + 5] & 0x10 != 0 { moveReference(&bytes, packet + 6, ticks) }
            let payload = packet + 4 + field
            if hasPayload, bytes[packet + 1] & 0x40 != 0, payload + 19 <= packet + 188 {
                movePacket(&bytes, payload, ticks)
            }
        }
        return Data(bytes)
    }

    /// The same of a program stream: from the first pack at or after the byte `start` on.
    private static func program(_ data: Data, from start: Int, by ticks: Int64) -> Data {
        var bytes = [UInt8](data)
        var isMoved = false
        var position = 0
        while position + 20 < bytes.count {
            guard bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 else {
                position += 1
                continue
            }
            let code = bytes[position + 3]
            if code == 0xBA {
                isMoved = isMoved || position >= start
                position += 12
            } else if code >= 0xBB {
                if isMoved { movePacket(&bytes, position, ticks) }
                position += 6 + Int(bytes[position + 4]) << 8 + Int(bytes[position + 5])
            } else {
                position += 4
            }
        }
        return Data(bytes)
    }

    /// The times of a PES packet: those of ISO/IEC 13818-1, or of ISO/IEC 11172-1.
    private static func movePacket(_ bytes: inout [UInt8], _ start: Int, _ ticks: Int64) {
        guard bytes[start] == 0, bytes[start + 1] == 0, bytes[start + 2] == 1 else { return }
        guard (0xC0...0xEF).contains(bytes[start + 3]) || bytes[start + 3] == 0xBD else { return }
        var times = start + 6
        let count: Int
        if bytes[times] & 0xC0 == 0x80 {
            count = [0, 0, 1, 2][Int(bytes[start + 7] >> 6)]
            times = start + 9
        } else {
            while bytes[times] == 0xFF { times += 1 }
            if bytes[times] & 0xC0 == 0x40 { times += 2 }
            count = [2: 1, 3: 2][bytes[times] >> 4] ?? 0
        }
        for index in 0..<count { moveTime(&bytes, times + 5 * index, ticks) }
    }

    private static func moveTime(_ bytes: inout [UInt8], _ at: Int, _ ticks: Int64) {
        let parts =
            [Int64(bytes[at] >> 1 & 7)]
            + [1, 3].map { Int64(bytes[at + $0]) << 7 | Int64(bytes[at + $0 + 1] >> 1) }
        let time = moved(parts[0] << 30 | parts[1] << 15 | parts[2], ticks)
        bytes[at] = bytes[at] & 0xF1 | UInt8(time >> 30) << 1
        for (offset, part) in [(1, time >> 15 & 0x7FFF), (3, time & 0x7FFF)] {
            bytes[at + offset] = UInt8(part >> 7)
            bytes[at + offset + 1] = UInt8(part & 0x7F) << 1 | 1
        }
    }

    private static func moveReference(_ bytes: inout [UInt8], _ at: Int, _ ticks: Int64) {
        let high = bytes[at..<at + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let time = moved(high << 1 | Int64(bytes[at + 4] >> 7), ticks)
        for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: time >> Int64(25 - 8 * index)) }
        bytes[at + 4] = bytes[at + 4] & 0x7F | UInt8(time & 1) << 7
    }

    private static func moved(_ time: Int64, _ ticks: Int64) -> Int64 { ((time + ticks) % turn + turn) % turn }
}
