import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// Where effects leave chroma: an edge in it stays on the same edge in luma.
@Suite(.waits) struct EffectSitingTests {
    /// H.273's places plus one, as frames tell them.
    private static let left: UInt32 = 1, center: UInt32 = 2

    /// How far a sample's middle lies from the picture's left edge, in pixels.
    private static func middle(_ plane: Int, _ index: Int, _ location: UInt32) -> Double {
        plane == 0 ? Double(index) + 0.5 : 2 * Double(index) + (location == left ? 0.5 : 1)
    }

    /// Upwards in luma and U and downwards in V, over 24 pixels around `edge`.
    private static func ramp(_ width: Int, _ height: Int, edge: Double, _ location: UInt32) -> FrameMemory {
        let memory = FrameMemory(.yuv420p8, width, height)
        memory.fill { plane, x, _ in
            let share = min(max((middle(plane, x, location) - edge) / 24 + 0.5, 0), 1)
            return UInt8((Self.ends[plane].0 + (Self.ends[plane].1 - Self.ends[plane].0) * share).rounded())
        }
        return memory
    }

    private static let ends = [(40.0, 200.0), (40, 200), (200, 40)]

    /// Where samples cross the middle between the ramp's ends: the mean of where they cross codes
    /// around it, as a code is shared by several samples where the picture is enlarged.
    private static func crossings(_ samples: [UInt8], _ plane: Int, place: (Int) -> Double) -> [Double] {
        func all(_ level: Double) -> [Double] {
            zip(samples, samples.dropFirst()).enumerated().compactMap { index, pair in
                let (a, b) = (Double(pair.0), Double(pair.1))
                guard (a < level) != (b < level) else { return nil }
                return place(index) + (level - a) / (b - a) * (place(index + 1) - place(index))
            }
        }
        let half = (ends[plane].0 + ends[plane].1) / 2
        return all(half - 0.5).map { rough in
            let near = stride(from: half - 39.5, through: half + 39.5, by: 1).compactMap { level in
                all(level).min { abs($0 - rough) < abs($1 - rough) }
            }
            return near.reduce(0, +) / Double(near.count)
        }
    }

    private static func crossings(_ frame: FrameMemory, _ plane: Int, _ location: UInt32) -> [Double] {
        let (columns, row) =
            plane == 0
            ? (frame.frame.width, frame.frame.height / 2) : ((frame.frame.width + 1) / 2, frame.frame.height / 4)
        return crossings((0..<columns).map { frame[plane, $0, row] }, plane) { middle(plane, $0, location) }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var edge: Double
        var values: [String: ParameterInput] = [:]
        /// For a transition, its progress.
        var time = 0.0
        /// How many edges count; beyond them is what lies behind.
        var count = 1
        var width = 320
        var testDescription: String { "\(name) \(edge) \(time) \(width) \(values)" }
    }

    private static let cases: [Case] = [
        Case(name: "transform", edge: 160.05, values: ["zoom": .numbers([8])]),
        Case(name: "transform", edge: 160.05, values: ["angle": .numbers([180])]),
        Case(name: "transform", edge: 40, values: ["dx": .numbers([0.3])], count: 2),
        Case(name: "transform", edge: 270, values: ["dx": .numbers([-0.3])], count: 2, width: 319),
        Case(name: "mirror", edge: 230, values: ["side": .text("right")], count: 2),
        Case(name: "mirror", edge: 90, values: ["side": .text("left")], count: 2),
        Case(name: "mirror", edge: 90, values: ["side": .text("left")], count: 2, width: 319),
        Case(name: "kaleidoscope", edge: 200, values: ["segments": .numbers([2])], count: 2),
        Case(name: "kaleidoscope", edge: 170, values: ["segments": .numbers([2]), "zoom": .numbers([5])], count: 2),
        Case(name: "soul-out", edge: 200, values: ["opacity": .numbers([1]), "scale": .numbers([8])], time: 0.05),
        Case(name: "shake", edge: 160, values: ["amplitude": .numbers([40]), "rotation": .numbers([20])], time: 0.3),
        Case(name: "zoom", edge: 170, values: ["motion_blur": .numbers([0])], time: 0.3),
        Case(name: "zoom", edge: 170, values: ["motion_blur": .numbers([0])], time: 0.7),
        Case(name: "cube", edge: 160, time: 0.3),
        Case(name: "cube", edge: 160, time: 0.7),
        Case(name: "whip-pan", edge: 160, values: ["motion_blur": .numbers([0])], time: 0.2),
        // The first tile that is mirrored.
        Case(name: "whip-pan", edge: 160, values: ["motion_blur": .numbers([0])], time: 0.35),
    ]

    /// The other effects, times and turns.
    @Suite struct Sweep {
        @Test(arguments: cases) func chromaStaysOnLuma(of one: Case) throws {
            try EffectSitingTests().chromaStaysOnLuma(of: one)
        }

        @Test(.enabled(if: FFmpeg.isPresent, FFmpeg.absence), arguments: [0, 90, 180, 270])
        func clipsKeepTheirChroma(degrees: Int) throws {
            try EffectSitingTests().clipsKeepTheirChroma(degrees: degrees)
        }
    }

    @Test(arguments: cases.every(3)) func chromaStaysOnLuma(of one: Case) throws {
        for location in [Self.left, Self.center] {
            let input = Self.ramp(one.width, 64, edge: one.edge, location)
            let isTransition = EffectLab.transitions.contains(one.name)
            let output = try EffectLab.run(
                one.name, input, to: isTransition ? input : nil, one.values,
                at: Time(flicks: Int64(one.time * Double(Time.flicksPerSecond))), chromaLocation: location)
            let luma = Self.crossings(output, 0, location).prefix(one.count)
            try #require(luma.count == one.count, "\(luma)")
            // The mirror image of a picture whose chroma lies midway is exact in even widths alone.
            if location == Self.center, one.width % 2 == 1 { continue }
            for plane in 1...2 {
                let chroma = Self.crossings(output, plane, location)
                for edge in luma {
                    #expect(
                        chroma.contains { abs($0 - edge) < 0.3 },
                        "luma \(luma), plane \(plane) \(chroma), at \(location)")
                }
            }
        }
    }

    /// How opaque luma is follows from the chroma at its place: on even columns from one sample, on
    /// odd ones from two.
    @Test func theKeyLiesWhereChromaLies() throws {
        let input = EffectLab.flat(.yuv420p8, 64, 32, [173, 42, 26])
        for y in 0..<16 { for x in 16..<32 { (input[1, x, y], input[2, x, y]) = (128, 128) } }
        func row(_ location: UInt32) throws -> [UInt8] {
            let output = try EffectLab.run(
                "chroma-key", input, ["background": .text("#000000")], chromaLocation: location)
            return (29..<35).map { output[0, $0, 16] }
        }
        #expect(try row(Self.left) == [16, 16, 95, 173, 173, 173])
        #expect(try row(Self.center) == [16, 16, 55, 134, 173, 173])
    }

    /// The clip behind the key: enlarged, on its side, upside down and mirrored.
    @Test(.enabled(if: FFmpeg.isPresent, FFmpeg.absence), arguments: [0, 90])
    func clipsKeepTheirChroma(degrees: Int) throws {
        try TemporaryFolder.with { folder in
            let flat = folder.file("flat.mp4")
            // Whole numbers at each sample.
            let share = { (place: String) in "clip((\(place)-20)/16+0.5,0,1)" }
            try FFmpeg.run([
                "-f", "lavfi", "-i", "color=black:s=40x32:r=25:d=0.2,format=yuv420p", "-vf",
                "geq=lum='40+160*\(share("X+0.5"))':cb='40+160*\(share("2*X+0.5"))':cr='200-160*\(share("2*X+0.5"))'",
                "-c:v", "libx264", "-qp", "0", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
                "bt709", "-color_range", "tv", "-chroma_sample_location", "left", "-pix_fmt", "yuv420p", flat,
            ])
            var path = flat
            if degrees != 0 {
                path = folder.file("turned.mp4")
                try FFmpeg.run(["-i", flat, "-c", "copy", "-metadata:s:v:0", "rotate=\(degrees)", path])
            }
            for scale in [1, 8] {
                let isOnSide = degrees % 180 != 0
                let (width, height) = isOnSide ? (32 * scale, 40 * scale) : (40 * scale, 32 * scale)
                let key = EffectLab.flat(.yuv420p8, width, height, [173, 42, 26])
                let output = try EffectLab.run("chroma-key", key, ["image": .text(path)])
                let edges = (0..<3).map { plane in
                    let shift = plane == 0 ? 0 : 1
                    return isOnSide
                        ? Self.crossings((0..<height >> shift).map { output[plane, (width >> shift) / 2, $0] }, plane) {
                            plane == 0 ? Double($0) + 0.5 : 2 * Double($0) + 1
                        }
                        : Self.crossings((0..<width >> shift).map { output[plane, $0, (height >> shift) / 2] }, plane) {
                            Self.middle(plane, $0, Self.left)
                        }
                }
                #expect(edges.allSatisfy { $0.count == 1 }, "\(edges)")
                let luma = try #require(edges[0].first)
                #expect(abs(luma - Double(20 * scale)) < 0.1 * Double(scale) + 0.1)
                // Eight times as large, half a code that was rounded away is 0.4 pixels.
                for plane in 1...2 { #expect(abs((edges[plane].first ?? -9) - luma) < 0.4, "×\(scale): \(edges)") }
            }
        }
    }

    /// An image behind the key: its chroma is what lies around each even column.
    @Test func imagesKeepTheirChroma() throws {
        try TemporaryFolder.with { folder in
            // From red to blue, of the same luma: over 24 pixels of 64.
            var data = Data("P6 64 32 255\n".utf8)
            for _ in 0..<32 {
                for x in 0..<64 {
                    let share = min(max((Double(x) + 0.5 - 32) / 24 + 0.5, 0), 1)
                    data += [UInt8((255 * (1 - share)).rounded()), 80, UInt8((255 * share).rounded())]
                }
            }
            let (source, path) = (try folder.write(data, to: "ramp.ppm"), folder.file("ramp.png"))
            try FFmpeg.run(["-i", source, "-pix_fmt", "rgb24", path])
            let output = try EffectLab.run(
                "chroma-key", EffectLab.flat(.yuv420p8, 64, 32, [173, 42, 26]), ["image": .text(path)])
            let row = (0..<32).map { Double(output[1, $0, 8]) }
            let half = (row[2] + row[29]) / 2
            let index = try #require((0..<31).first { row[$0] < half && row[$0 + 1] >= half })
            let edge = 2 * Double(index) + 0.5 + 2 * (half - row[index]) / (row[index + 1] - row[index])
            #expect(abs(edge - 32) < 0.2, "\(edge)")
        }
    }
}
