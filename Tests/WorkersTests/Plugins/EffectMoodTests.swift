import TestSupport
import Testing
import Values

@testable import PluginHosting

/// Flash, strobe, glitch and old film.
@Suite struct EffectMoodTests {
    private static func time(_ frame: Int) -> Time { Time(frame: frame, rate: Rational(30)) }

    @Test func aFlashComesBack() throws {
        for (format, white) in [(PluginFormat.yuv420p8, 235), (.rgba8, 255)] {
            let input = EffectLab.flat(format, 8, 6, [60, 90, 140])
            let levels = try (0..<12).map { Int(try EffectLab.run("flash", input, at: Self.time($0))[0, 0, 0]) }
            #expect(levels[0] == white && levels[11] == 60)
            #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 >= $1 })
            let again = try EffectLab.run("flash", input, ["period": .numbers([0.5])], at: Self.time(15))
            #expect(Int(again[0, 0, 0]) == white)
        }
    }

    /// Three in a second, each a third of the time, on frames that lie exactly on the border.
    @Test func aStrobeKeepsItsRate() throws {
        let input = EffectLab.flat(.yuv420p8, 4, 4, [60, 128, 128])
        let values: [String: ParameterInput] = [
            "rate": .numbers([3]), "duty": .numbers([0.3]), "strength": .numbers([1]), "color": .text("#ff0000"),
        ]
        let frames = try (0..<30).map { try EffectLab.run("strobe", input, values, at: Self.time($0)) }
        #expect(frames.indices.filter { frames[$0][0, 0, 0] == 63 } == [0, 1, 2, 10, 11, 12, 20, 21, 22])
        // BT.709 red.
        #expect([frames[0][1, 0, 0], frames[0][2, 0, 0]] == [102, 240])
    }

    @Test(arguments: [PluginFormat.yuv420p8, .rgba8]) func aGlitchIsItsMoments(format: PluginFormat) throws {
        let input = EffectLab.picture(format, 96, 64)
        let nothing: [String: ParameterInput] = ["amount": .numbers([0]), "lines": .numbers([0])]
        let calm = try EffectLab.run("glitch", input, nothing, at: Self.time(4))
        #expect(calm.samples == input.samples)
        let values: [String: ParameterInput] = [
            "rate": .numbers([10]), "bursts": .numbers([1]), "amount": .numbers([1]),
        ]
        let frames = try (0..<30).map { try EffectLab.run("glitch", input, values, at: Self.time($0)).samples }
        for frame in 0..<30 { #expect(frames[frame] == frames[frame / 3 * 3], "frame \(frame)") }
        #expect(Set(frames).count == 10)
        #expect(!frames.contains(input.samples))
    }

    /// Red and blue move apart, and grey stays grey where everything is equal.
    @Test func aGlitchSplitsColoursExactly() throws {
        let grey = EffectLab.flat(.yuv420p8, 64, 32, [120, 128, 128])
        let values: [String: ParameterInput] = [
            "lines": .numbers([0]), "bursts": .numbers([1]), "shift": .numbers([0]),
        ]
        #expect(try EffectLab.run("glitch", grey, values).samples == grey.samples)
        // An upright edge gets a coloured seam as wide as the split, and no other column changes.
        let edge = EffectLab.flat(.yuv420p8, 64, 32, [60, 128, 128])
        for y in 0..<32 { for x in 32..<64 { edge[0, x, y] = 180 } }
        let output = try EffectLab.run("glitch", edge, values)
        let changed = (0..<64).filter { output[0, $0, 16] != edge[0, $0, 16] }
        #expect(!changed.isEmpty && changed.allSatisfy { (8..<56).contains($0) })
        let colored = (0..<32).filter { output[1, $0, 8] != 128 || output[2, $0, 8] != 128 }
        #expect(!colored.isEmpty && colored.allSatisfy { (3...28).contains($0) })
    }

    /// In RGBA, too.
    @Suite struct Sweep {
        @Test(arguments: [PluginFormat.yuv420p8, .rgba8]) func filmIsWornAsItIsTold(format: PluginFormat) throws {
            try EffectMoodTests().filmIsWornAsItIsTold(format: format)
        }
    }

    @Test(arguments: [PluginFormat.yuv420p8]) func filmIsWornAsItIsTold(format: PluginFormat) throws {
        let input = EffectLab.picture(format, 128, 96)
        let none = Dictionary(
            uniqueKeysWithValues: ["sepia", "grain", "scratches", "dust", "flicker"].map {
                ($0, ParameterInput.numbers([0]))
            })
        #expect(try EffectLab.run("old-film", input, none).samples == input.samples)
        // Each by itself changes something, and changes with the film's frames, not with the
        // video's.
        for name in ["grain", "scratches", "dust", "flicker"] {
            var values = none
            values[name] = .numbers([1])
            values["rate"] = .numbers([15])
            let frames = try (0..<30).map { try EffectLab.run("old-film", input, values, at: Self.time($0)).samples }
            for frame in 0..<30 { #expect(frames[frame] == frames[frame / 2 * 2], "\(name) \(frame)") }
            #expect(Set(frames).count >= 4, "\(name)")
        }
        // Sepia is one colour at every luma.
        var values = none
        values["sepia"] = .numbers([1])
        let brown = try EffectLab.run("old-film", input, values)
        if format == .yuv420p8 {
            #expect(Set(brown.samples[(128 * 96)...]).count == 2)
            #expect(brown[1, 3, 3] < 120 && brown[2, 3, 3] > 132)
        } else {
            #expect((0..<96).allSatisfy { brown[0, 0, $0] >= brown[0, 1, $0] && brown[0, 1, $0] >= brown[0, 2, $0] })
        }
    }

    /// The mean of the grain is nothing: the picture does not become brighter.
    @Test func grainIsBalanced() throws {
        let input = EffectLab.flat(.yuv420p8, 400, 300, [126, 128, 128])
        let values: [String: ParameterInput] = [
            "grain": .numbers([1]), "scratches": .numbers([0]), "dust": .numbers([0]), "flicker": .numbers([0]),
        ]
        let luma = try EffectLab.run("old-film", input, values).samples.prefix(400 * 300).map(Double.init)
        let mean = luma.reduce(0, +) / Double(luma.count)
        let squares: [Double] = luma.map { ($0 - mean) * ($0 - mean) }
        let deviation = (squares.reduce(0, +) / Double(luma.count)).squareRoot()
        #expect(abs(mean - 126) < 0.6)
        #expect((6...14).contains(deviation), "\(deviation)")
    }
}
