import TestSupport
import Testing
import Values

@testable import PluginHosting

/// Mirror, kaleidoscope, shake and soul out: where the picture's points go.
@Suite struct EffectMotionTests {
    @Test(arguments: ["left", "right", "top", "bottom"]) func mirrorKeepsOneHalf(side: String) throws {
        for (format, width, height) in [(PluginFormat.yuv420p8, 40, 24), (.rgba8, 41, 25)] {
            let input = EffectLab.picture(format, width, height)
            let output = try EffectLab.run("mirror", input, ["side": .text(side)])
            for (index, plane) in format.planes(width: width, height: height).enumerated() {
                let bytes = format == .rgba8 ? 4 : 1
                let columns = plane.rowBytes / bytes
                for y in 0..<plane.rows {
                    for x in 0..<columns {
                        let (across, down) = (columns - 1 - x, plane.rows - 1 - y)
                        let from =
                            switch side {
                            case "left": (min(x, across), y)
                            case "right": (max(x, across), y)
                            case "top": (x, min(y, down))
                            default: (x, max(y, down))
                            }
                        for c in 0..<bytes {
                            var wanted = Int(input[index, bytes * from.0 + c, from.1])
                            // The mirror image of an even column is an odd one, whose chroma lies
                            // between two samples.
                            if index > 0, from.0 == across, from.1 == y, side == "left" || side == "right" {
                                let next = Int(input[index, min(from.0 + 1, columns - 1), from.1])
                                wanted = (wanted + next + 1) / 2
                            }
                            #expect(Int(output[index, bytes * x + c, y]) == wanted, "plane \(index) at \(x), \(y)")
                        }
                    }
                }
            }
        }
    }

    /// With an even number of segments a pattern is its own mirror image in both directions, and
    /// with four it is itself after a quarter of a turn.
    @Test func kaleidoscopesAreSymmetric() throws {
        let input = EffectLab.picture(.rgba8, 64, 64)
        for segments in [2.0, 4, 6, 16] {
            let output = try EffectLab.run(
                "kaleidoscope", input, ["segments": .numbers([segments]), "turn": .numbers([31])])
            var worst = 0
            for y in 0..<64 {
                for x in 0..<64 {
                    let value = Int(output[0, 4 * x, y])
                    worst = max(
                        worst, abs(value - Int(output[0, 4 * (63 - x), y])), abs(value - Int(output[0, 4 * x, 63 - y])))
                    if segments == 4 || segments == 16 { worst = max(worst, abs(value - Int(output[0, 4 * y, x]))) }
                }
            }
            #expect(worst <= 3, "\(segments) segments: \(worst)")
        }
    }

    /// The wedge itself is the picture as it is.
    @Test func theFirstWedgeIsThePicture() throws {
        let input = EffectLab.picture(.yuv420p8, 80, 60)
        let output = try EffectLab.run("kaleidoscope", input, ["segments": .numbers([2])])
        for y in 30..<60 {
            for x in 40..<80 { #expect(output[0, x, y] == input[0, x, y], "\(x) \(y)") }
        }
        #expect(output[0, 39, 45] == input[0, 40, 45])
    }

    /// Along a ramp, a border that shows is a run of equal values at an end.
    @Test(arguments: [0.0, 6, 30]) func shakeShowsNoBorder(rotation: Double) throws {
        let (width, height) = (120, 80)
        var seen = Set<[UInt8]>()
        for horizontal in [true, false] {
            let ramp = FrameMemory(.rgba8, width, height)
            ramp.fill { _, byte, y in byte % 4 == 3 ? 255 : UInt8(horizontal ? byte / 4 * 2 : y * 3) }
            for frame in stride(from: 0, to: 60, by: 3) {
                let output = try EffectLab.run(
                    "shake", ramp,
                    ["amplitude": .numbers([14]), "rotation": .numbers([rotation]), "frequency": .numbers([9])],
                    at: Time(frame: frame, rate: Rational(30)))
                let limit: ClosedRange<UInt8> = horizontal ? 1...237 : 1...236
                for (x, y) in [(0, 0), (119, 0), (0, 79), (119, 79), (60, 0), (60, 79), (0, 40), (119, 40)] {
                    #expect(limit.contains(output[0, 4 * x, y]), "frame \(frame) (\(x), \(y)): \(output[0, 4 * x, y])")
                }
                seen.insert(output.samples)
            }
        }
        #expect(seen.count > 30)
    }

    @Test func shakeFollowsTimeAndSeed() throws {
        let input = EffectLab.picture(.yuv420p8, 64, 48)
        let time = Time(frame: 7, rate: Rational(25))
        let first = try EffectLab.run("shake", input, at: time).samples
        #expect(try EffectLab.run("shake", input, at: time).samples == first)
        #expect(try EffectLab.run("shake", input, ["seed": .numbers([2])], at: time).samples != first)
        #expect(
            try EffectLab.run("shake", input, ["amplitude": .numbers([0]), "rotation": .numbers([0])], at: time)
                === input)
    }

    /// A bright spot and its ghost, at the distance that the scale gives, as bright as the time
    /// says.
    @Test func aGhostGrowsAndFades() throws {
        let input = EffectLab.flat(.yuv420p8, 120, 60, [16, 128, 128])
        for y in 26..<34 { for x in 76..<84 { input[0, x, y] = 216 } }
        let values: [String: ParameterInput] = [
            "period": .numbers([1]), "scale": .numbers([2]), "opacity": .numbers([0.5]),
        ]
        #expect(try EffectLab.run("soul-out", input, values) === input)
        let output = try EffectLab.run("soul-out", input, values, at: Time(frame: 10, rate: Rational(20)))
        // Half way: the ghost has 1.5 times the size and a quarter of the light.
        #expect(abs(Int(output[0, 90, 30]) - (16 + 50)) <= 2)
        #expect(abs(Int(output[0, 77, 30]) - (16 + 150)) <= 2)
        #expect(output[0, 70, 30] == 16 && output[0, 98, 30] == 16)
        // The next one is like this one.
        #expect(
            try EffectLab.run("soul-out", input, values, at: Time(frame: 30, rate: Rational(20))).samples
                == output.samples)
    }
}
