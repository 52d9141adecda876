import CKernels
import TestSupport
import Testing

/// Alpha in a plane of its own, and the colour of what is transparent.
@Suite struct AlphaKernelTests {
    /// 256 pixels of one colour, of every alpha.
    private static func ramp(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> [UInt8] {
        var bytes: [UInt8] = []
        for alpha in 0..<256 { bytes += [red, green, blue, UInt8(alpha)] }
        return bytes
    }

    @Test(arguments: [8, 10]) func `alpha goes to a plane and comes back`(bits: Int32) {
        let stride = bits == 8 ? 256 : 512
        var plane = [UInt8](repeating: 0, count: stride)
        var back = Self.ramp(7, 8, 9).map { ~$0 }
        for pixel in 0..<256 { (back[4 * pixel], back[4 * pixel + 1], back[4 * pixel + 2]) = (7, 8, 9) }
        ck_rgba_give_alpha(Self.ramp(1, 2, 3), 1024, &plane, stride, 256, 1, bits)
        ck_rgba_take_alpha(&back, 1024, plane, stride, 256, 1, bits)
        #expect(back == Self.ramp(7, 8, 9))
        var floats = [Float](repeating: 0.5, count: 1024)
        ck_rgbaf_take_alpha(&floats, 4096, plane, stride, 256, 1, bits)
        for value in 0..<256 {
            let difference = abs(floats[4 * value + 3] - Float(value) / 255)
            #expect(difference < 0.001)
        }
        var again = plane.map { ~$0 }
        ck_rgbaf_give_alpha(floats, 4096, &again, stride, 256, 1, bits)
        #expect(again == plane)
    }

    @Test func `alpha beyond its bounds counts as the nearest`() {
        let floats: [Float] = [0, 0, 0, .nan, 0, 0, 0, -1, 0, 0, 0, 2, 0, 0, 0, .infinity]
        var plane = [UInt8](repeating: 9, count: 4)
        ck_rgbaf_give_alpha(floats, 64, &plane, 4, 4, 1, 8)
        #expect(plane == [0, 0, 255, 255])
    }

    /// The neighbours' colours, by their alpha; nothing that is seen changes.
    @Test func `what is transparent takes the colour beside it`() {
        var row: [[UInt8]] = [
            [1, 1, 1, 0], [9, 9, 9, 0], [200, 40, 0, 255], [9, 9, 9, 0], [100, 100, 60, 85],
            [5, 5, 5, 0],
        ]
        let before = row
        var bytes = Array(row.joined())
        #expect(ck_spread_rgba(&bytes, 24, 6, 1) == 0)
        row = (0..<6).map { Array(bytes[4 * $0..<4 * $0 + 4]) }
        #expect(row[2] == before[2] && row[4] == before[4])
        // Two pixels away, from the block of four that has something to be seen.
        #expect(row[0] == [200, 40, 0, 0])
        #expect(row[1] == [200, 40, 0, 0] && row[5] == [100, 100, 60, 0])
        // 3 : 1.
        #expect(row[3] == [175, 55, 15, 0])
        var floats = before.joined().map { Float($0) }
        #expect(ck_spread_rgbaf(&floats, 96, 6, 1) == 0)
        #expect(zip(floats, bytes).allSatisfy { abs($0 - Float($1)) < 0.51 })
    }

    /// One colour goes on everywhere, however far away; where nothing is seen, nothing changes.
    @Test func `a hidden colour is nowhere`() {
        var random = SplitMix64(seed: 8)
        for (width, height) in [(1, 1), (3, 2), (17, 9), (64, 33), (130, 1), (1, 70)] {
            for count in [0, 1, 3] {
                var bytes = (0..<4 * width * height).map { $0 % 4 == 3 ? 0 : UInt8.random(in: 0...255, using: &random) }
                let before = bytes
                for _ in 0..<count {
                    let at = 4 * Int.random(in: 0..<width * height, using: &random)
                    bytes.replaceSubrange(at..<at + 4, with: [90, 12, 250, .random(in: 1...255, using: &random)])
                }
                var floats = bytes.map { Float($0) }
                #expect(ck_spread_rgba(&bytes, 4 * width, Int32(width), Int32(height)) == 0)
                #expect(ck_spread_rgbaf(&floats, 16 * width, Int32(width), Int32(height)) == 0)
                guard count > 0 else {
                    #expect(bytes == before)
                    continue
                }
                for pixel in stride(from: 0, to: bytes.count, by: 4) {
                    #expect(Array(bytes[pixel..<pixel + 3]) == [90, 12, 250])
                    #expect(zip(floats[pixel..<pixel + 3], [90, 12, 250]).allSatisfy { abs($0 - $1) < 0.01 })
                }
            }
        }
    }

    @Test func `a tint is as strong as the alpha`() {
        let picture: [Float] = [0.9, 0.9, 0.9, 1, 0.1, 0.1, 0.1, 0.5]
        var tinted = [Float](repeating: 7, count: 8)
        ck_tint_rgba(&tinted, 32, picture, 32, 2, 1, [0.25, 0.5, 0, 0.75])
        #expect(tinted == [0.25, 0.5, 0, 0.75, 0.125, 0.25, 0, 0.375])
    }
}
