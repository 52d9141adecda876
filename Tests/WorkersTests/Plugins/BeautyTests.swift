import TestSupport
import Testing

@testable import PluginHosting

/// The beauty effect: skin, all of it and nothing else.
@Suite struct BeautyTests {
    /// sRGB of skin from very light to very dark (Monk Skin Tone Scale, 1…10), and of what is none.
    private static let skin = ["f6ede4", "f3e7db", "f7ead0", "eadaba", "d7bd96", "a07e56", "825c43", "604134"]
    private static let others = ["2060c0", "30a040", "808080", "ffffff", "e0d020", "9020a0", "20a0a0"]

    private static func codes(_ hex: String) -> [UInt8] {
        let rgb = [0, 2, 4].map { Double(Int(hex.dropFirst($0).prefix(2), radix: 16)!) / 255 }
        let y: Double = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
        let u = (rgb[2] - y) / 1.8556
        let v = (rgb[0] - y) / 1.5748
        let codes: [Double] = [16 + 219 * y, 128 + 224 * u, 128 + 224 * v]
        return codes.map { UInt8($0.rounded()) }
    }

    /// Fine noise of ±4 codes over one colour.
    private static func noisy(_ hex: String) -> FrameMemory {
        let frame = EffectLab.flat(.yuv420p8, 96, 64, codes(hex))
        for y in 0..<64 {
            for x in 0..<96 {
                let noise = (x &* 31 &+ y &* 57) % 9 - 4
                frame[0, x, y] = UInt8(clamping: Int(frame[0, x, y]) + noise)
            }
        }
        return frame
    }

    private static func roughness(_ frame: FrameMemory) -> Double {
        var sum = 0
        for y in 8..<56 { for x in 8..<88 { sum += abs(Int(frame[0, x, y]) - Int(frame[0, x + 1, y])) } }
        return Double(sum) / Double(48 * 80)
    }

    @Test(arguments: skin.dropFirst(3)) func skinBecomesSmooth(color: String) throws {
        let input = Self.noisy(color)
        let output = try EffectLab.run("beauty", input, ["smooth": .numbers([1]), "whiten": .numbers([0])])
        #expect(
            Self.roughness(output) < 0.4 * Self.roughness(input),
            "\(Self.roughness(output)) of \(Self.roughness(input))")
        let brighter = try EffectLab.run("beauty", input, ["smooth": .numbers([0]), "whiten": .numbers([1])])
        #expect(brighter[0, 40, 30] > input[0, 40, 30] + 10)
        #expect(brighter[2, 20, 15] < input[2, 20, 15] && brighter[2, 20, 15] > 128)
    }

    @Test(arguments: others) func whatIsNoSkinStays(color: String) throws {
        let input = Self.noisy(color)
        let output = try EffectLab.run("beauty", input, ["smooth": .numbers([1]), "whiten": .numbers([1])])
        #expect(output.samples == input.samples)
    }

    /// Dark eyes and hair on skin keep their edges: the step is as steep as it was.
    @Test(arguments: [PluginFormat.yuv420p8, .rgba8]) func edgesStaySharp(format: PluginFormat) throws {
        let input = FrameMemory(format, 96, 64)
        let (light, dark) =
            format == .rgba8 ? ([215, 160, 130], [50, 35, 30]) : (Self.codes("d7a082"), Self.codes("32231e"))
        input.fill { plane, byte, _ in
            let x = format == .rgba8 ? byte / 4 : plane > 0 ? byte * 2 : byte
            let color = (40..<56).contains(x) ? dark : light
            return format == .rgba8 ? byte % 4 == 3 ? 255 : UInt8(color[byte % 4]) : UInt8(color[plane])
        }
        let output = try EffectLab.run("beauty", input, ["smooth": .numbers([1]), "whiten": .numbers([0])])
        let bytes = format == .rgba8 ? 4 : 1
        func step(_ frame: FrameMemory) -> Int { Int(frame[0, 39 * bytes, 32]) - Int(frame[0, 40 * bytes, 32]) }
        #expect(step(output) * 10 > step(input) * 8, "\(step(output)) of \(step(input))")
    }

    @Test func nothingIsNothing() throws {
        let input = EffectLab.picture(.yuv420p8, 32, 32)
        #expect(try EffectLab.run("beauty", input, ["smooth": .numbers([0]), "whiten": .numbers([0])]) === input)
    }
}
