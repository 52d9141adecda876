import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The frames of the shipped effects are known (``GoldenFile``). Pictures to look at are those of
/// RGBA, over grey.
@Suite(.waits) struct EffectGoldenTests {
    private static let sizes = [(96, 64), (53, 37)]
    /// The defaults, and what else takes another way through the code: an effect and its values.
    private static let exact: [String] =
        EffectLab.names + [
            "chroma-key", "blur radius=0.4", "blur radius=31.7", "sharpen amount=3 radius=6 threshold=0",
            "pixelate tile=5.5 position=11,7 size=30,21", "mirror side=bottom",
            "kaleidoscope segments=5 turn=77 angle=13",
            "shake motion_blur=0.5 rotation=12", "glitch seed=5 bursts=1", "strobe duty=1 color=#ff8000",
            "transform dx=0.07 dy=-0.2 angle=11 zoom=1.2", "transform angle=-33 zoom=0.7 edges=black",
            "old-film scratches=1 dust=1",
            "beauty smooth=1 whiten=1 radius=30", "chroma-key color=#a03070 similarity=0.05 background=#1040c0",
            "chroma-key color=#a03070 similarity=0.2 image=@picture",
        ] + EffectLab.transitions + [
            "burn glow=0 size=31 seed=7", "circle-open softness=0 center=0.2,0.9",
            "cube direction=up distance=0.7 background=#208040",
            "luma-matte invert=1 softness=0.4", "whip-pan direction=down distance=2 motion_blur=0",
            "whip-pan direction=right distance=5",
            "zoom zoom=7 motion_blur=0 center=1,0.3",
        ]
    /// Effects whose last digits are the machine's own.
    private static let rounded = [
        "vignette", "vignette strength=1 radius=0.2 softness=0.3 color=#ff8000", "rgb-split",
        "rgb-split amount=20.5 angle=70", "libavfilter graph=hflip,negate", "libavfilter-pure graph=negate,vflip",
        "gradient", "gradient style=radial center=0.2,0.7 size=0.4 color=#ff000000 phase=0.3 speed=0.5",
        "waveform media=@sound window=1.5", "waveform media=@sound style=line window=0.1 color=#40ff40 thickness=2",
        "spectrum media=@sound", "spectrum media=@sound style=spectrogram history=0.5 background=#000040",
    ]

    /// A shipped effect that is missing from the lists would be tested by none of the suites.
    @Test func everyShippedEffectIsListed() throws {
        for (library, names) in [("effects", EffectLab.names), ("transitions", EffectLab.transitions)] {
            let folder = Project.root + "/Plugins/" + library
            let folders = try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)/effect.json") }
            #expect(folders.sorted() == names)
        }
    }

    /// They promise the same bytes on every machine, so what is known are hashes.
    @Test func framesHaveTheirKnownHashes() throws {
        let found = try found(Self.exact, Self.sizes) { Self.hash($0.samples) }
        for (line, golden) in zip(found, try GoldenFile("Plugins/Fixtures/effects").known(found)) {
            #expect(line == golden)
        }
    }

    /// What is known are the means of fields.
    @Test func framesHaveTheirKnownMeans() throws {
        let found = try found(Self.rounded, [Self.sizes[0]]) {
            Self.means($0).map { String(format: "%02x", $0) }.joined()
        }
        for (line, golden) in zip(found, try GoldenFile("Plugins/Fixtures/effects-rounded").known(found)) {
            let (words, wanted) = (line.split(separator: " "), golden.split(separator: " "))
            try #require(words.dropLast(3) == wanted.dropLast(3))
            for (frame, (got, wanted)) in zip(words.suffix(3), wanted.suffix(3)).enumerated() {
                let (got, wanted) = (GoldenFile.bytes(got), GoldenFile.bytes(wanted))
                #expect(
                    got.count == wanted.count && zip(got, wanted).allSatisfy { abs($0 - $1) <= 1 },
                    "frame \(frame) of \(line): \(got), not \(wanted)")
            }
        }
    }

    // MARK: Cases

    /// A line for each case, format and size, with what `measure` makes of three frames.
    private func found(_ cases: [String], _ sizes: [(Int, Int)], _ measure: (FrameMemory) -> String) throws -> [String]
    {
        let folder = try TemporaryFolder()
        let files = ["@picture": try Self.picture(in: folder), "@sound": try Self.sound(in: folder)]
        var found: [String] = []
        for line in cases {
            let words = line.split(separator: " ").map(String.init)
            let values = Dictionary(uniqueKeysWithValues: words.dropFirst().map { Self.setting($0, files) })
            let isTransition = EffectLab.transitions.contains(words[0])
            let isSource = SourceLab.names.contains(words[0])
            let listed = try (isSource ? SourceLab.effect(words[0]) : EffectLab.effect(words[0])).descriptor.formats
            for format in [PluginFormat.yuv420p8, .rgba8] + (isTransition ? [.rgbaFloat] : [])
            where listed.contains(format.name) {
                for (width, height) in sizes {
                    let measures = try [0, 5, 18].map { number in
                        let time = Time(frame: number, rate: Rational(25))
                        let frame: FrameMemory
                        if isSource {
                            frame = try SourceLab.frame(
                                words[0], values, at: Double(number) / 25, width: width, height: height)
                        } else {
                            let input = EffectLab.picture(format, width, height)
                            let next = isTransition ? EffectLab.negative(input) : nil
                            frame = try EffectLab.run(words[0], input, to: next, values, at: time)
                        }
                        if let to = GoldenFile.album, format == .rgba8 {
                            try Self.ppm(frame).write(
                                to: URL(
                                    fileURLWithPath: "\(to)/\(line.replacing("/", with: "_")) \(width) \(number).ppm"))
                        }
                        return measure(frame)
                    }
                    found.append("\(line): \(format.name) \(width)x\(height) " + measures.joined(separator: " "))
                }
            }
        }
        return withExtendedLifetime(folder) { found }
    }

    /// `name=1,2`, `name=text` or `name=@file`.
    private static func setting(_ word: String, _ files: [String: String]) -> (String, ParameterInput) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        let numbers = parts[1].split(separator: ",").compactMap { Double($0) }
        return (parts[0], numbers.isEmpty ? .text(files[parts[1]] ?? parts[1]) : .numbers(numbers))
    }

    // MARK: What effects read

    /// The negative of the picture that effects get, wider and larger.
    private static func picture(in folder: TemporaryFolder) throws -> String {
        let memory = EffectLab.negative(EffectLab.picture(.rgba8, 160, 80))
        let source = try folder.write(ppm(memory), to: "picture.ppm")
        try FFmpeg.run(["-i", source, "-pix_fmt", "rgb24", folder.file("picture.png")])
        return folder.file("picture.png")
    }

    /// Two seconds of a saw that gets higher and louder, in whole numbers: 16 bits, mono, 48 kHz.
    private static func sound(in folder: TemporaryFolder) throws -> String {
        let count = 96_000
        var data = Data("RIFF".utf8)
        func add<T: FixedWidthInteger>(_ number: T) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        add(UInt32(36 + 2 * count))
        data += Data("WAVEfmt ".utf8)
        add(UInt32(16))
        for number in [1, 1] as [UInt16] { add(number) }
        for number in [48_000, 96_000] as [UInt32] { add(number) }
        for number in [2, 16] as [UInt16] { add(number) }
        data += Data("data".utf8)
        add(UInt32(2 * count))
        var phase = 0
        for index in 0..<count {
            phase = (phase + 600 + index / 8) % 65_536
            add(Int16((phase - 32_768) * index / count))
        }
        return try folder.write(data, to: "saw.wav")
    }

    // MARK: Measures

    /// FNV-1a.
    private static func hash(_ bytes: [UInt8]) -> String {
        String(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    /// The means of 6 × 4 fields of each plane or channel.
    private static func means(_ memory: FrameMemory) -> [Int] {
        let (frame, channels) = (memory.frame, memory.frame.format == .rgba8 ? 4 : 1)
        var means: [Int] = []
        for (plane, shape) in frame.format.planes(width: frame.width, height: frame.height).enumerated() {
            for field in 0..<24 * channels {
                let (channel, column, row) = (field % channels, field / channels % 6, field / channels / 6)
                let width = shape.rowBytes / channels
                let xs = width * column / 6..<width * (column + 1) / 6
                let ys = shape.rows * row / 4..<shape.rows * (row + 1) / 4
                let sum = ys.reduce(0) { sum, y in
                    xs.reduce(sum) { $0 + Int(memory[plane, $1 * channels + channel, y]) }
                }
                means.append((sum + xs.count * ys.count / 2) / (xs.count * ys.count))
            }
        }
        return means
    }

    /// A picture of RGBA, over grey.
    private static func ppm(_ memory: FrameMemory) -> Data {
        let (width, height) = (memory.frame.width, memory.frame.height)
        var data = Data("P6 \(width) \(height) 255\n".utf8)
        for y in 0..<height {
            for x in 0..<width {
                let alpha = Int(memory[0, 4 * x + 3, y])
                for channel in 0..<3 {
                    data.append(UInt8((Int(memory[0, 4 * x + channel, y]) * alpha + 128 * (255 - alpha)) / 255))
                }
            }
        }
        return data
    }
}
