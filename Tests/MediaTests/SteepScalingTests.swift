import Foundation
import Media
import TestSupport
import Testing
import Values

/// Reductions for which swscale would take a way of its own.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct SteepScalingTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// Of one colour, which it keeps whatever becomes of its size; of each kind of source that is
    /// converted in another way.
    static let formats: [(name: String, arguments: [String])] = [
        ("alpha.png", ["-pix_fmt", "rgba"]), ("deep.png", ["-pix_fmt", "rgba64be"]),
        ("opaque.png", ["-pix_fmt", "rgb24"]), ("deep-opaque.png", ["-pix_fmt", "rgb48be"]),
        ("palette.png", ["-vf", "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse"]),
        ("grey.png", ["-vf", "format=gray"]), ("photo.jpg", ["-q:v", "1"]),
        (
            "alpha.mov",
            [
                "-vf", "scale=out_color_matrix=bt709", "-pix_fmt", "yuva444p10le", "-c:v", "prores_ks", "-profile:v",
                "4444",
            ]
        ),
    ]

    /// The other kinds.
    @Suite struct Sweep {
        @Test(arguments: formats.indices) func aColourStays(_ index: Int) throws {
            try SteepScalingTests().aColourStays(index)
        }
    }

    /// From a ratio that swscale stands to one of three steps, in both directions, one, and the
    /// other.
    @Test(arguments: Array(formats.indices).every(2)) func aColourStays(_ index: Int) throws {
        let (name, arguments) = Self.formats[index]
        let color = Color(red: 200, green: 120, blue: 40)
        let path = try lab.make(
            name, ["-f", "lavfi", "-i", "color=0xc87828:s=1030x1024:r=25:d=0.04", "-frames:v", "1"] + arguments)
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        let picture =
            info.kind == .image
            ? try ImageFile.load(path: path) : try VideoReader(path: path, info: info).picture(at: .zero)
        let wanted = name == "grey.png" ? Color(red: 136, green: 136, blue: 136) : color
        for (width, height) in [(48, 46), (16, 400), (400, 16)] {
            for system in [ColorSystem.sdr, .hlg] {
                let canvas = try CanvasConverter(width: width, height: height, mode: .stretch, color: system)
                    .convert(picture, info: video)
                guard system == .sdr else { continue }
                for (x, y) in [(0, 0), (width / 2, height / 2), (width - 1, height - 1)] {
                    let found = canvas.rgb(x: x, y: y)
                    #expect(found.isNear(wanted), "\(width)×\(height): \(found) at (\(x), \(y))")
                }
            }
        }
        for (width, height) in [(12, 12), (1, 1), (12, 400), (400, 12)] {
            let sticker = try StoredPicture(picture, video).rgba(width: width, height: height)
            for (x, y) in [(0, 0), (width / 2, height / 2), (width - 1, height - 1)] {
                let at = sticker.plane(0) + y * sticker.stride(0) + 4 * x
                let found = Color(red: at[0], green: at[1], blue: at[2])
                #expect(found.isNear(wanted) && at[3] == 255, "\(width)×\(height): \(found), \(at[3])")
            }
        }
    }
}
