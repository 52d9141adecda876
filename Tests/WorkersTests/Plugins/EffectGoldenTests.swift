import Draft
import Foundation
import TestSupport
import Testing

@testable import Workers

/// The effects promise the same bytes on every machine, so their frames have known hashes, in `Fixtures/effects.golden`.
/// `CUTROOM_RENEW_GOLDEN=1 swift test --filter EffectGoldenTests` writes it anew; look at the pictures before you commit that.
@Suite struct EffectGoldenTests {
    private static let path = Project.root + "/Tests/WorkersTests/Plugins/Fixtures/effects.golden"
    private static let sizes = [(96, 64), (53, 37)]
    /// The defaults, and what else takes another way through the code: an effect and its values.
    private static let cases: [String] =
        EffectLab.names + [
            "chroma-key", "blur radius=0.4", "blur radius=31.7", "sharpen amount=3 radius=6 threshold=0",
            "pixelate tile=5.5 position=11,7 size=30,21", "mirror side=bottom",
            "kaleidoscope segments=5 turn=77 angle=13",
            "shake motion_blur=0.5 rotation=12", "glitch seed=5 bursts=1", "strobe duty=1 color=#ff8000",
            "transform dx=0.07 dy=-0.2 angle=11 zoom=1.2", "transform angle=-33 zoom=0.7 edges=black",
            "old-film scratches=1 dust=1",
            "beauty smooth=1 whiten=1 radius=30", "chroma-key color=#a03070 similarity=0.05 background=#1040c0",
        ] + EffectLab.transitions + [
            "burn glow=0 size=31 seed=7", "circle-open softness=0 center=0.2,0.9",
            "cube direction=up distance=0.7 background=#208040",
            "luma-matte invert=1 softness=0.4", "whip-pan direction=down distance=2 motion_blur=0",
            "whip-pan direction=right distance=5",
            "zoom zoom=7 motion_blur=0 center=1,0.3",
        ]

    @Test func framesHaveTheirKnownHashes() throws {
        var found: [String] = []
        for line in Self.cases {
            let words = line.split(separator: " ").map(String.init)
            let values = Dictionary(uniqueKeysWithValues: words.dropFirst().map(Self.setting))
            let isTransition = EffectLab.transitions.contains(words[0])
            for format in [PluginFormat.yuv420p8, .rgba8] + (isTransition ? [.rgbaFloat] : []) {
                for (width, height) in Self.sizes {
                    let input = EffectLab.picture(format, width, height)
                    let next = isTransition ? EffectLab.negative(input) : nil
                    let hashes = try [0, 5, 18].map { frame in
                        let time = Time(frame: frame, rate: Rational(25))
                        return Self.hash(try EffectLab.run(words[0], input, to: next, values, at: time).samples)
                    }
                    found.append("\(line): \(format.name) \(width)x\(height) " + hashes.joined(separator: " "))
                }
            }
        }
        let text = found.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["CUTROOM_RENEW_GOLDEN"] != nil {
            try text.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        let known = try String(contentsOfFile: Self.path, encoding: .utf8)
        for (line, golden) in zip(found, known.split(separator: "\n")) { #expect(line == golden) }
        #expect(known == text)
    }

    /// FNV-1a.
    private static func hash(_ bytes: [UInt8]) -> String {
        String(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    /// `name=1,2` or `name=text`.
    private static func setting(_ word: String) -> (String, ParameterInput) {
        let parts = word.split(separator: "=").map(String.init)
        let numbers = parts[1].split(separator: ",").compactMap { Double($0) }
        return (parts[0], numbers.isEmpty ? .text(parts[1]) : .numbers(numbers))
    }
}
