import TestSupport
import Testing

@testable import Web

/// The limits for a page's messages on its WebSocket.
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
                isTaken = isTaken && meter.take(rest.prefix(count), at: 0) == nil
                rest = rest.dropFirst(count)
            }
            #expect(isTaken, "\(name)")
        }
    }

    @Test(arguments: [65_537, 1 << 40, .max]) func `a message that is too long is not taken`(length: Int) {
        var meter = SocketMeter(at: 0)
        #expect(meter.take(Self.frame(length)[...], at: 0) == .tooLarge)
    }

    /// Interleaved control frames do not count.
    @Test func `nor is one of many frames`() {
        var meter = SocketMeter(at: 0)
        var taken = 0
        while taken < 100, meter.take(Self.frame(10_000, code: taken == 0 ? 1 : 0, isLast: false)[...], at: 0) == nil,
            meter.take(Self.frame(100, code: 9)[...], at: 0) == nil
        { taken += 1 }
        #expect(taken == 6)
        #expect(SocketMeter.largestMessage == 65_536)
    }

    @Test func `a flood of frames is cut, and a page's own pace never is`() {
        var meter = SocketMeter(at: 0)
        var isTaken = true
        for second in 0..<100 {
            for _ in 0..<60 { isTaken = meter.take(Self.frame(20)[...], at: Double(second)) == nil && isTaken }
        }
        #expect(isTaken)
        var count = 0
        while count < 5000, meter.take(Self.frame(20)[...], at: 100) == nil { count += 1 }
        #expect(count == 1000)
        #expect(meter.take(Self.frame(20)[...], at: 100) == .policy)
    }

    /// RFC 6455, section 5.4.
    @Test func `a message may not begin within another, nor go on outside one`() {
        var meter = SocketMeter(at: 0)
        #expect(meter.take(Self.frame(10, code: 1, isLast: false)[...], at: 0) == nil)
        #expect(meter.take(Self.frame(10, code: 9)[...], at: 0) == nil)
        #expect(meter.take(Self.frame(10, code: 1)[...], at: 0) == .protocolError)
        meter = SocketMeter(at: 0)
        #expect(meter.take(Self.frame(10, code: 0)[...], at: 0) == .protocolError)
        meter = SocketMeter(at: 0)
        for code in [1, 0, 0] as [UInt8] {
            #expect(meter.take(Self.frame(10, code: code, isLast: false)[...], at: 0) == nil)
        }
        #expect(meter.take(Self.frame(10, code: 0)[...], at: 0) == nil)
        #expect(meter.take(Self.frame(10, code: 2)[...], at: 0) == nil)
    }

    /// RFC 6455, sections 5.1, 5.2 and 5.5.
    @Test(
        arguments: [
            [0x81, 1, 7], [0x89, 0], [0xC1, 0x81], [0xA1, 0x81], [0x91, 0x81], [0x83, 0x81], [0x8F, 0x80],
            [0x09, 0x80], [0x88, 0xFE, 0, 126],
        ] as [[UInt8]]) func `a frame that no client may send ends the connection`(bytes: [UInt8])
    {
        for before in [[], Self.frame(3)] {
            var meter = SocketMeter(at: 0)
            #expect(meter.take((before + bytes)[...], at: 0) == .protocolError)
            // Byte by byte.
            meter = SocketMeter(at: 0)
            let found = (before + bytes).map { meter.take([$0], at: 0) }
            #expect(found.contains(.protocolError) && !found.prefix(before.count).contains { $0 != nil })
        }
    }

    @Test func `the answer's frames are told apart, however their bytes are cut`() {
        let head = Array("HTTP/1.1 101 Switching\r\nA: \r\r\nB: c\r\n\r\n".utf8)
        // Like those of a server: unmasked.
        let frames: [[UInt8]] = [
            [0x81, 2, 5, 6], [0x81, 126, 0, 200] + Array(repeating: 0x81, count: 200), [0x8A, 0],
        ]
        let ends = frames.reduce(into: [head.count]) { $0.append(($0.last ?? 0) + $1.count) }
        var answer = SocketAnswer()
        for (index, byte) in (head + frames.joined()).enumerated() {
            answer.take([byte])
            #expect(answer.isBetweenFrames == ends.contains(index + 1), "\(index)")
        }
        var whole = SocketAnswer()
        whole.take((head + frames.joined())[...])
        #expect(whole.isBetweenFrames)
        whole.take([0x81])
        #expect(!whole.isBetweenFrames)
    }
}
