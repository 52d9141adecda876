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
        let keyed = try EffectLab.run("chroma-key", dark, ["similarity": .numbers([0.25])])
        #expect(keyed[0, 5, 5] == 16 && keyed[0, 60, 5] == 235)
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
            ["similarity": .numbers([0.1]), "smoothness": .numbers([0.01]), "despill": .numbers([0])])
        #expect([kept[1, 0, 0], kept[2, 0, 0]] == [112, 112])
        let clean = try EffectLab.run(
            "chroma-key", input,
            ["similarity": .numbers([0.1]), "smoothness": .numbers([0.01]), "despill": .numbers([1])])
        #expect(abs(Int(clean[1, 0, 0]) - 128) <= 3 && abs(Int(clean[2, 0, 0]) - 128) <= 3)
        #expect(clean[0, 0, 0] == 200)
    }

    /// Pixels in RGBA are judged as those in 4:2:0, and a host whose frames have alpha gets it.
    @Test func rgbaIsTheSame() throws {
        let input = FrameMemory(.rgba8, 8, 4)
        input.fill { _, byte, _ in (byte < 16 ? [0, 255, 0, 255] : [215, 160, 130, 255])[byte % 4] }
        let solid = try EffectLab.run("chroma-key", input, ["background": .text("#204060")])
        #expect(
            Array(solid.samples[0..<4]) == [32, 64, 96, 255] && Array(solid.samples[16..<20]) == [215, 160, 130, 255])
        let clear = try EffectLab.run("chroma-key", input, ["background": .text("#00000000")], alpha: .straight)
        #expect(clear.samples[3] == 0 && Array(clear.samples[16..<20]) == [215, 160, 130, 255])
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

    /// Bytes between the pixels and the end of the file are nobody's; the picture is whole.
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
