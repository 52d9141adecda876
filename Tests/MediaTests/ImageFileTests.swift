import Draft
import Foundation
import Media
import TestSupport
import Testing

@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ImageFileTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    @Test(arguments: ["rgb24", "rgba", "rgb48be", "rgba64be", "gray", "pal8"])
    func storedValuesComeThroughUnchanged(_ format: String) throws {
        let path = try lab.make(
            "exact-\(format).png", "-f", "lavfi", "-i", "testsrc2=s=96x64", "-vf", "format=rgba,format=\(format)",
            "-frames:v",
            "1")
        let picture = try ImageFile.rgba(path: path)
        let wide = format.hasPrefix("rgb") && format.hasSuffix("be")
        let name = wide ? "rgba64le" : "rgba"
        let reference = try Lab.rawFrame(path, filter: "format=\(name)", format: name)
        var expected = reference
        if wide {
            expected = stride(from: 0, to: reference.count, by: 2).map { (index: Int) -> UInt8 in
                let value = Int(reference[index]) + Int(reference[index + 1]) << 8
                return UInt8(value * 255 / 65535)
            }
        }
        #expect(
            zip(picture.packed, expected).allSatisfy { abs(Int($0) - Int($1)) <= (wide || format == "gray" ? 1 : 0) })
        #expect(picture.packed.count == expected.count)
    }

    @Test func stretchingKeepsAlphaStraightWithoutAFringe() throws {
        // A red disc on transparent black: every pixel that shows must stay purely red.
        let path = try lab.make(
            "disc.png", "-f", "lavfi", "-i",
            "color=black@0:s=200x200,format=rgba,geq=r='255*lt(hypot(X-100,Y-100),80)':g=0:b=0:a='255*lt(hypot(X-100,Y-100),80)'",
            "-frames:v", "1")
        let picture = try ImageFile.rgba(path: path, width: 61, height: 47)
        #expect((picture.width, picture.height) == (61, 47))
        let bytes = picture.packed
        for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 16 {
            #expect(
                bytes[pixel] >= 240 && bytes[pixel + 1] <= 12 && bytes[pixel + 2] <= 12, "\(bytes[pixel..<pixel + 4])")
        }
        #expect(bytes[3] == 0 && bytes[(23 * 61 + 30) * 4 + 3] == 255)
    }

    @Test func notAPicture() throws {
        let sound = try lab.make("sound.wav", "-f", "lavfi", "-i", "sine=d=0.1")
        #expect(thrown { () throws(MediaError) in _ = try ImageFile.load(path: sound) }?.code == .noVideo)
        let whole = try Data(
            contentsOf: URL(
                fileURLWithPath: try lab.make("whole.png", "-f", "lavfi", "-i", "testsrc=s=200x200", "-frames:v", "1")))
        let cut = try lab.write("cut.png", whole[..<40])
        let error = thrown { () throws(MediaError) in _ = try ImageFile.load(path: cut) }
        #expect(error?.code == .truncated)
        #expect(error?.description.contains(cut) == true)
    }
}
