import TestSupport
import Testing

@testable import Host

/// What a page may say over its WebSocket.
@Suite struct SocketMeterTests {
    private static func frame(_ length: Int, code: UInt8 = 1, isLast: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [(isLast ? 0x80 : 0) | code]
        switch length {
        case ..<126: bytes.append(0x80 | UInt8(length))
        case ..<65536: bytes += [0x80 | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: bytes += [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        return bytes + [1, 2, 3, 4] + Array(repeating: 7, count: min(length, 70_000))
    }

    @Test func `messages pass, however their bytes are cut`() {
        Seed.rounds(200, of: "SocketMeterTests") { name, random in
            var random = random
            var meter = SocketMeter(at: 0)
            let frames = [0, 1, 125, 126, 127, 65_535, 65_536].flatMap { Self.frame($0) } + Self.frame(3, code: 9)
            var rest = frames[...]
            var isTaken = true
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...random.pick([1, 7, 100_000]), using: &random))
                isTaken = isTaken && meter.take(rest.prefix(count), at: 0)
                rest = rest.dropFirst(count)
            }
            #expect(isTaken, "\(name)")
        }
    }

    @Test(arguments: [65_537, 1 << 40, .max]) func `a message that is too long is not taken`(length: Int) {
        var meter = SocketMeter(at: 0)
        let isTaken = meter.take(Self.frame(length)[...], at: 0)
        #expect(!isTaken)
    }

    /// Control frames in between do not count.
    @Test func `nor is one of many frames`() {
        var meter = SocketMeter(at: 0)
        var taken = 0
        while taken < 100, meter.take(Self.frame(10_000, code: taken == 0 ? 1 : 0, isLast: false)[...], at: 0),
            meter.take(Self.frame(100, code: 9)[...], at: 0)
        { taken += 1 }
        #expect(taken == 6)
        #expect(SocketMeter.largestMessage == 65_536)
    }

    @Test func `a flood of frames is cut, and a page's own pace never is`() {
        var meter = SocketMeter(at: 0)
        var isTaken = true
        for second in 0..<100 {
            for _ in 0..<60 { isTaken = meter.take(Self.frame(20)[...], at: Double(second)) && isTaken }
        }
        #expect(isTaken)
        var count = 0
        while count < 5000, meter.take(Self.frame(20)[...], at: 100) { count += 1 }
        #expect(count == 1000)
    }
}
