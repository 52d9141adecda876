import Foundation
import TestSupport
import Testing

@testable import PluginHosting

/// The chroma key: what goes, what stays, what comes behind.
@Suite(.waits) struct ChromaKeyTests {
    /// BT.709 limited range of #00ff00, #d7a082 and #ffffff.
    private static let green: [UInt8] = [173, 42, 26], skin: [UInt8] = [159, 107, 152],
        white: [UInt8] = [235, 128, 128]

    private static func halves(_ left: [UInt8], _ right: [UInt8]) -> FrameMemory {
        let frame = EffectLab.flat(.yuv420p8, 64, 32, left)
        frame.fill { plane, x, _ in (plane == 0 ? x < 32 : x < 16) ? left[plane] : right[plane] }
        return frame
    }

    @Test func theScreenGoesAndSkinStays() throws {
        let input = Self.halves(Self.green, Self.skin)
        let output = try EffectLab.run("chroma-key", input, ["background": .text("#0000ff")])
        // BT.709 blue.
        #expect([output[0, 5, 5], output[1, 5, 5], output[2, 5, 5]] == [32, 240, 118])
        #expect([output[0, 60, 5], output[1, 28, 5], output[2, 28, 5]] == Self.skin)
        // Shade on the screen is still the screen.
        let dark = Self.halves([90, 74, 66], Self.white)
        let keyed = try EffectLab.run(
            "chroma-key", dark, ["color": .text("#00ff00"), "similarity": .numbers([0.25])])
        #expect(keyed[0, 5, 5] == 16 && keyed[0, 60, 5] == 235)
    }

    // MARK: Screens

    /// BT.709, limited range.
    private static func codes(_ color: [Double]) -> [UInt8] {
        let y = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
        let codes = [
            16 + 219 * y / 255, 128 + 224 * (color[2] - y) / 1.8556 / 255, 128 + 224 * (color[0] - y) / 1.5748 / 255,
        ]
        return codes.map { UInt8(min(max($0.rounded(), 0), 255)) }
    }

    private static let people: [[Double]] = [
        [224, 172, 105], [141, 85, 36], [245, 214, 190], [250, 250, 250], [128, 128, 128], [12, 10, 9], [190, 30, 40],
        [230, 180, 40], [90, 90, 110],
    ]
    private static let screens: [[Double]] = [
        [0x20, 0xb0, 0x40], [0, 255, 0], [0x1c, 0x58, 0x30], [0x60, 0xc0, 0x78], [0x20, 0x50, 0xc0],
        [0x30, 0x70, 0xe0],
    ]

    /// Somebody in the middle, down to the lower edge, before a screen that is lit from one side
    /// and full of noise.
    private static func scene(_ screen: [Double], _ person: [Double]) -> (
        frame: FrameMemory, isPerson: (Int, Int) -> Bool
    ) {
        var random = SplitMix64(seed: 11)
        let noise = (0..<128 * 64).map { _ in Int.random(in: -3...3, using: &random) }
        let isPerson = { (x: Int, y: Int) in (44..<84).contains(x) && y >= 16 }
        let frame = EffectLab.flat(.yuv420p8, 128, 64, [0, 0, 0])
        frame.fill { plane, x, y in
            let (column, row) = plane == 0 ? (x, y) : (2 * x, 2 * y)
            let light = 1.15 - 0.5 * Double(column) / 128
            let code = Self.codes(isPerson(column, row) ? person : screen.map { min($0 * light, 255) })[plane]
            return UInt8(min(max(Int(code) + (isPerson(column, row) ? 0 : noise[row * 128 + column]), 0), 255))
        }
        return (frame, isPerson)
    }

    private static let keys: [([Double], Bool)] = screens.flatMap { [($0, false), ($0, true)] }

    /// Every screen, both ways.
    @Suite struct Sweep {
        @Test(arguments: keys) func aScreenGoesAndWhoeverStandsThereStays(screen: [Double], isNamed: Bool) throws {
            try ChromaKeyTests().aScreenGoesAndWhoeverStandsThereStays(screen: screen, isNamed: isNamed)
        }
    }

    /// Without any value, and with nothing but the screen's colour.
    @Test(arguments: keys.every(3)) func aScreenGoesAndWhoeverStandsThereStays(
        screen: [Double], isNamed: Bool
    ) throws {
        let name = "#" + screen.map { String(format: "%02x", Int($0)) }.joined()
        for person in Self.people {
            let (input, isPerson) = Self.scene(screen, person)
            let output = try EffectLab.run(
                "chroma-key", input,
                isNamed ? ["color": .text(name), "despill": .numbers([0])] : ["despill": .numbers([0])])
            for (y, x) in [(4, 4), (4, 124), (60, 20), (60, 112), (32, 8), (8, 64)] {
                #expect(
                    !isPerson(x, y) && output[0, x, y] < 28,
                    "\(name) before \(person): \(output[0, x, y]) at \(x), \(y)")
            }
            for (y, x) in [(24, 52), (40, 64), (60, 76)] {
                let got = [output[0, x, y], output[1, x / 2, y / 2], output[2, x / 2, y / 2]]
                #expect(isPerson(x, y) && got == Self.codes(person), "\(name) before \(person): \(got)")
            }
        }
    }

    /// A street, a wall of wood, a grey studio.
    @Test(arguments: [[150, 110, 70], [128, 128, 128], [120, 130, 122], [200, 60, 50]] as [[Double]])
    func aPictureWithoutAScreenStays(color: [Double]) throws {
        let input = EffectLab.flat(.yuv420p8, 64, 32, Self.codes(color))
        #expect(try EffectLab.run("chroma-key", input).samples == input.samples)
        let rgba = FrameMemory(.rgba8, 16, 8)
        rgba.fill { _, byte, _ in byte % 4 == 3 ? 255 : UInt8(color[byte % 4]) }
        #expect(try EffectLab.run("chroma-key", rgba).samples == rgba.samples)
    }

    @Test func theEdgeIsSoft() throws {
        let output = try EffectLab.run("chroma-key", Self.halves(Self.green, Self.white))
        let row = (24..<40).map { output[0, $0, 16] }
        #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(row.contains { (40...210).contains($0) })
        let hard = try EffectLab.run("chroma-key", Self.halves(Self.green, Self.white), ["smoothness": .numbers([0])])
        #expect(hard[1, 15, 8] == 128 && hard[0, 29, 8] == 16 && hard[0, 34, 8] == 235)
    }

    @Test func reflectionsAreTakenOff() throws {
        // White with a little green on it.
        let input = EffectLab.flat(.yuv420p8, 8, 8, [200, 112, 112])
        let kept = try EffectLab.run(
            "chroma-key", input,
            [
                "color": .text("#00ff00"), "similarity": .numbers([0.1]), "smoothness": .numbers([0.01]),
                "despill": .numbers([0]),
            ])
        #expect([kept[1, 0, 0], kept[2, 0, 0]] == [112, 112])
        let clean = try EffectLab.run(
            "chroma-key", input,
            [
                "color": .text("#00ff00"), "similarity": .numbers([0.1]), "smoothness": .numbers([0.01]),
                "despill": .numbers([1]),
            ])
        #expect(abs(Int(clean[1, 0, 0]) - 128) <= 3 && abs(Int(clean[2, 0, 0]) - 128) <= 3)
        #expect(clean[0, 0, 0] == 200)
    }

    /// Pixels in RGBA are judged as those in 4:2:0, and a host whose frames have alpha gets it.
    @Test func rgbaIsTheSame() throws {
        let input = FrameMemory(.rgba8, 8, 4)
        input.fill { _, byte, _ in (byte < 16 ? [0, 255, 0, 255] : [215, 160, 130, 255])[byte % 4] }
        let solid = try EffectLab.run("chroma-key", input, ["background": .text("#204060")])
        #expect(
            Array(solid.samples[0..<4]) == [32, 64, 96, 255]
                && Array(solid.samples[16..<20]) == [215, 160, 130, 255])
        let clear = try EffectLab.run("chroma-key", input, [:], alpha: .straight)
        // The edge between columns 3 and 4 is as soft as that of 4:2:0.
        let alphas: [UInt8] = stride(from: 3, to: 32, by: 4).map { clear.samples[$0] }
        let soft: [UInt8] = [0, 0, 0, 64, 191, 255, 255, 255]
        #expect(alphas == soft)
        #expect(Array(clear.samples[28..<32]) == [215, 160, 130, 255])
        let multiplied = try EffectLab.run(
            "chroma-key", input, ["background": .text("#00000000")], alpha: .premultiplied)
        #expect(Array(multiplied.samples[0..<4]) == [0, 0, 0, 0])
    }

    @Test(arguments: ["png", "jpg"]) func anImageComesBehind(suffix: String) throws {
        try TemporaryFolder.with { folder in
            // Wider than the picture: red, blue in the middle half, red.
            let path = folder.file("behind." + suffix)
            let made = try Command.run([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                "color=red:s=256x64:d=1,drawbox=x=64:w=128:h=64:c=blue:t=fill,format=rgb24",
                "-frames:v", "1", "-q:v", "1", path,
            ])
            try #require(made.succeeded, "\(made)")
            for format in [PluginFormat.yuv420p8, .rgba8] {
                let key: [UInt8] = format == .rgba8 ? [0, 255, 0] : Self.green
                let input = EffectLab.flat(format, 64, 32, key)
                let output = try EffectLab.run("chroma-key", input, ["image": .text(path)])
                // It fills the frame, so only its middle half is seen.
                let expected: [Int] = format == .rgba8 ? [0, 0, 254] : [32, 240, 118]
                let got =
                    format == .rgba8
                    ? (0..<3).map { Int(output[0, 128 + $0, 16]) } : (0..<3).map { Int(output[$0, 16, 8]) }
                #expect(zip(got, expected).allSatisfy { abs($0 - $1) <= 6 }, "\(got)")
                #expect(output[0, 0, 0] == output[0, format == .rgba8 ? 4 * 32 : 32, 0] || suffix == "jpg")
            }
        }
    }

    /// Bytes between the pixels and the end of the file have no meaning; the picture is whole.
    @Test func aJPEGMayHaveBytesOfNoUse() throws {
        try TemporaryFolder.with { folder in
            let path = folder.file("whole.jpg")
            try FFmpeg.run(["-f", "lavfi", "-i", "color=0x204080:s=64x32:d=1", "-frames:v", "1", "-q:v", "2", path])
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            let more = try folder.write(whole.dropLast(2) + [0x11, 0x22, 0x33] + whole.suffix(2), to: "more.jpg")
            let input = EffectLab.flat(.yuv420p8, 64, 32, Self.green)
            let frames = try [path, more].map { try EffectLab.run("chroma-key", input, ["image": .text($0)]).samples }
            #expect(frames[0] == frames[1] && frames[0] != input.samples)
        }
    }

    @Test func imagesThatCannotBeUsedAreNamed() throws {
        try TemporaryFolder.with { folder in
            let png = folder.file("whole.png")
            try #require(
                try Command.run([
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-frames:v", "1", png,
                ]).succeeded)
            let jpeg = folder.file("whole.jpg")
            try #require(
                try Command.run([
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-frames:v", "1", jpeg,
                ]).succeeded)
            let cut = folder.file("cut.png")
            try Data(contentsOf: URL(fileURLWithPath: png)).prefix(300).write(to: URL(fileURLWithPath: cut))
            let broken = folder.file("broken.jpg")
            try Data(contentsOf: URL(fileURLWithPath: jpeg)).prefix(40).write(to: URL(fileURLWithPath: broken))
            let half = folder.file("half.jpg")
            let data = try Data(contentsOf: URL(fileURLWithPath: jpeg))
            try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: half))
            let text = try folder.write("no picture at all", to: "notes.png")
            for (path, words) in [
                (half, "remature end"),
                (folder.file("absent.png"), "does not exist"), (text, "no video of a known format"), (cut, "‘"),
                (broken, "‘"),
                (folder.path, "is no file"),
            ] {
                let error = #expect(throws: PluginError.self) {
                    try EffectLab.run("chroma-key", EffectLab.flat(.yuv420p8, 8, 8, Self.green), ["image": .text(path)])
                }
                #expect(
                    error?.reason.contains(path) == true && error?.reason.contains(words) == true,
                    "\(path): \(String(describing: error))")
            }
        }
    }
}
