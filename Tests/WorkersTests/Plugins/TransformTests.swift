import Draft
import TestSupport
import Testing

@testable import PluginHosting

/// Where org.cutroom.transform takes the picture's points.
@Suite struct TransformTests {
    private static func run(_ input: FrameMemory, _ values: [String: Double], edges: String = "clamp") throws
        -> FrameMemory
    {
        try EffectLab.run(
            "transform", input, values.mapValues { .numbers([$0]) }.merging(["edges": .text(edges)]) { $1 })
    }

    @Test func `nothing to do is the picture itself`() throws {
        for format in [PluginFormat.yuv420p8, .rgba8] {
            let input = EffectLab.picture(format, 40, 24)
            #expect(try Self.run(input, [:]) === input)
        }
    }

    @Test func `whole pixels move without a change`() throws {
        let input = EffectLab.picture(.rgba8, 40, 20)
        let output = try Self.run(input, ["dx": 0.1, "dy": -0.25])
        for y in 0..<15 { for x in 16..<160 { #expect(output[0, x, y] == input[0, x - 16, y + 5]) } }
        // Luma by an even number of pixels, and chroma by half of it.
        let planar = EffectLab.picture(.yuv420p8, 40, 20)
        let moved = try Self.run(planar, ["dx": 0.1, "dy": -0.2])
        for y in 0..<8 { for x in 2..<20 { #expect(moved[1, x, y] == planar[1, x - 2, y + 2]) } }
    }

    @Test func `quarters of a turn are exact, clockwise`() throws {
        let input = EffectLab.picture(.rgba8, 32, 32)
        let quarter = try Self.run(input, ["angle": 90]), half = try Self.run(input, ["angle": 180])
        for y in 0..<32 {
            for x in 0..<32 {
                for c in 0..<4 {
                    #expect(abs(Int(quarter[0, 4 * x + c, y]) - Int(input[0, 4 * y + c, 31 - x])) <= 1)
                    #expect(abs(Int(half[0, 4 * x + c, y]) - Int(input[0, 4 * (31 - x) + c, 31 - y])) <= 1)
                }
            }
        }
    }

    /// A ramp twice as large has half its slope, about the centre.
    @Test func `zoom enlarges about the centre`() throws {
        let ramp = FrameMemory(.yuv420p8, 101, 50)
        ramp.fill { plane, x, _ in plane == 0 ? UInt8(16 + 2 * x) : 128 }
        let large = try Self.run(ramp, ["zoom": 2]), small = try Self.run(ramp, ["zoom": 0.5], edges: "black")
        for x in 0..<101 { #expect(abs(Double(large[0, x, 25]) - Double(16 + 50 + x)) <= 0.51, "\(x)") }
        // Black is 16 in luma, 128 in chroma.
        #expect(small[0, 10, 25] == 16 && small[0, 50, 5] == 16 && small[1, 2, 10] == 128)
        #expect(abs(Int(small[0, 40, 25]) - (116 - 40)) <= 1)
    }

    @Test func `edges are mirrored, held or black`() throws {
        let ramp = FrameMemory(.rgba8, 20, 10)
        ramp.fill { _, byte, _ in byte % 4 == 3 ? 255 : UInt8(100 + 5 * (byte / 4)) }
        let values = ["dx": 0.25]
        let mirror = try Self.run(ramp, values, edges: "mirror"), clamp = try Self.run(ramp, values),
            black = try Self.run(ramp, values, edges: "black")
        #expect((0..<5).map { mirror[0, 4 * $0, 5] } == [120, 115, 110, 105, 100])
        #expect((0..<5).map { clamp[0, 4 * $0, 5] } == [100, 100, 100, 100, 100])
        #expect((0..<5).map { black[0, 4 * $0, 5] } == [0, 0, 0, 0, 0] && black[0, 3, 5] == 255)
        #expect(mirror[0, 20, 5] == 100 && clamp[0, 20, 5] == 100 && black[0, 20, 5] == 100)
        // Half a pixel of black goes into the edge.
        #expect(try Self.run(ramp, ["dx": 0.025], edges: "black")[0, 0, 5] == 50)
    }

    /// With alpha, black is transparent.
    @Test func `beyond the edge a picture with alpha is transparent`() throws {
        let input = EffectLab.flat(.rgba8, 20, 10, [200, 100, 50])
        let output = try EffectLab.run(
            "transform", input, ["dx": .numbers([0.25]), "edges": .text("black")], alpha: .straight)
        #expect(output[0, 3, 5] == 0 && output[0, 23, 5] == 255 && output[0, 20, 5] == 200)
    }

    /// Floats go the same way as bytes.
    @Test(arguments: ["mirror", "clamp", "black"]) func `floats agree with bytes`(edges: String) throws {
        let bytes = EffectLab.picture(.rgba8, 37, 23)
        let floats = FrameMemory(.rgbaFloat, 37, 23, padding: 12)
        for y in 0..<23 { for i in 0..<148 { floats.setFloat(Float(bytes[0, i, y]) / 255, i, y) } }
        let values: [String: ParameterInput] = [
            "dx": .numbers([0.07]), "dy": .numbers([-0.11]), "angle": .numbers([17]), "zoom": .numbers([1.3]),
            "edges": .text(edges),
        ]
        let (a, b) = (try EffectLab.run("transform", bytes, values), try EffectLab.run("transform", floats, values))
        var worst: Float = 0
        for y in 0..<23 { for i in 0..<148 { worst = max(worst, abs(Float(a[0, i, y]) / 255 - b.float(i, y))) } }
        #expect(worst < 0.012, "\(worst)")
    }
}
