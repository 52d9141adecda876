import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

/// Pictures with alpha on a coloured background: what is transparent shows it, and what hides there
/// does not come through.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct AlphaTests {
    let lab: Lab
    let blue = Color(red: 32, green: 96, blue: 160)

    init() throws { lab = try Lab() }

    /// Red everywhere; transparent on the left half, opaque on the right one. 128×64, five frames.
    static let red = "color=red:s=128x64:r=10:d=0.5"
    static let straight = red + ",format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*gte(X,64)'"

    struct Format: CustomTestStringConvertible, Sendable {
        var name: String
        var arguments: [String]
        var testDescription: String { name }
    }

    static let formats = [
        Format(
            name: "vp8.webm", arguments: ["-pix_fmt", "yuva420p", "-c:v", "libvpx", "-auto-alt-ref", "0", "-b:v", "2M"]),
        Format(
            name: "vp9.webm", arguments: ["-pix_fmt", "yuva420p", "-c:v", "libvpx-vp9", "-b:v", "2M", "-cpu-used", "8"]),
        Format(name: "prores.mov", arguments: ["-pix_fmt", "yuva444p10le", "-c:v", "prores_ks", "-profile:v", "4444"]),
        Format(name: "animation.mov", arguments: ["-c:v", "qtrle"]),
        Format(name: "still.png", arguments: ["-frames:v", "1"]),
        Format(name: "deep.png", arguments: ["-frames:v", "1", "-pix_fmt", "rgba64be"]),
        Format(name: "palette.gif", arguments: ["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"]),
        Format(name: "moving.apng", arguments: ["-f", "apng"]),
        Format(name: "moving.webp", arguments: ["-c:v", "libwebp_anim", "-lossless", "1"]),
        Format(name: "still.webp", arguments: ["-frames:v", "1", "-c:v", "libwebp", "-lossless", "1"]),
        Format(name: "still.tiff", arguments: ["-frames:v", "1", "-pix_fmt", "rgba"]),
    ]

    /// In the form that ``CanvasConverter`` takes.
    func picture(_ path: String, _ info: MediaInfo) throws -> Picture {
        info.kind == .image
            ? try ImageFile.load(path: path) : try VideoReader(path: path, info: info).picture(at: .zero)
    }

    @Test(arguments: formats) func whatIsTransparentShowsTheBackground(_ format: Format) throws {
        let path = try lab.make(format.name, ["-f", "lavfi", "-i", Self.straight] + format.arguments)
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        #expect(video.hasAlpha && (video.width, video.height) == (128, 64))
        // Half as large and twice, so that the edge is scaled.
        for (width, height) in [(64, 32), (256, 128)] {
            let canvas = try CanvasConverter(width: width, height: height, mode: .stretch, background: blue)
                .convert(try picture(path, info), info: video)
            let colors = (0..<width).map { canvas.rgb(x: $0, y: height / 2) }
            #expect(colors[width / 8].isNear(blue), "\(colors[width / 8])")
            #expect(colors[width * 7 / 8].isNear(Color(red: 254, green: 0, blue: 0)), "\(colors[width * 7 / 8])")
            // On the way from one to the other nothing is darker, brighter or of another hue than a
            // mixture of the two; the chroma of video is half as fine.
            for color in colors {
                let share = Double(Int(color.red) - 32) / 222
                #expect(abs(Double(color.blue) - 160 * (1 - share)) < 40, "\(width): \(color) is no mixture")
            }
        }
    }

    @Test func aMatteIsTakenOff() throws {
        // Half transparent red over black, 127 of red: premultiplied it is full red at half,
        // straight it is dark.
        let plain = try lab.make(
            "half.mov", ["-f", "lavfi", "-i", "color=0x7f0000@0.5:s=64x64:d=0.2,format=argb", "-c:v", "qtrle"])
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
        let header = try #require(Data(bytes).range(of: Data("vmhd".utf8))).lowerBound + 8
        for (mode, matte, expected) in [
            (0x100, nil, Color(red: 64, green: 0, blue: 127)),
            (0x102, Color.black, Color(red: 127, green: 0, blue: 127)),
        ] as [(Int, Color?, Color)] {
            (bytes[header], bytes[header + 1]) = (UInt8(mode >> 8), UInt8(mode & 255))
            let path = try lab.write("mode\(mode).mov", bytes)
            let info = try Probe.probe(path: path)
            let video = try #require(info.video)
            #expect(video.matte == matte)
            let background = Color(red: 0, green: 0, blue: 255)
            let canvas = try CanvasConverter(width: 64, height: 64, mode: .fit, background: background)
                .convert(try picture(path, info), info: video)
            #expect(canvas.rgb(x: 32, y: 32).isNear(expected), "\(canvas.rgb(x: 32, y: 32))")
            // A sticker is straight, whatever its file is.
            let rgba = try StoredPicture(picture(path, info), video).rgba(width: 32, height: 32)
            #expect(rgba.plane(0)[3] == 128 || rgba.plane(0)[3] == 127)
            #expect(abs(Int(rgba.plane(0)[0]) - (matte == nil ? 127 : 254)) <= 2)
        }
    }

    /// RGBA, too.
    @Suite struct Sweep {
        @Test(arguments: ["rgba", "rgba64be", "yuva420p"]) func bandsLeaveNoSeam(_ format: String) throws {
            try AlphaTests().bandsLeaveNoSeam(format)
        }
    }

    /// The bands that a picture is laid over its background by must not show.
    @Test(arguments: ["yuva420p"]) func bandsLeaveNoSeam(_ format: String) throws {
        let path = try lab.make(
            "tall-\(format).nut",
            [
                "-f", "lavfi", "-i", "testsrc2=s=190x470:d=0.1,format=yuva444p,colorchannelmixer=aa=1", "-frames:v",
                "1", "-c:v", "rawvideo", "-pix_fmt", format,
            ])
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        #expect(video.hasAlpha)
        for (width, height) in [(190, 470), (96, 128), (300, 600)] {
            let canvas = try CanvasConverter(width: width, height: height, mode: .stretch, background: blue)
                .convert(try picture(path, info), info: video)
            // Colours that are not subsampled yet are scaled first, and their chroma is a mean over
            // three columns.
            let filter =
                format == "yuva420p"
                ? "scale=\(width):\(height):in_h_chr_pos=0:in_v_chr_pos=128:out_h_chr_pos=0:out_v_chr_pos=128"
                    + ":flags=bicubic+accurate_rnd+full_chroma_int:out_color_matrix=bt601,format=yuv420p"
                    + ",colormatrix=src=bt601:dst=bt709"
                : "scale=\(width):\(height):flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=gbrp"
                    + ",scale=out_h_chr_pos=0:out_v_chr_pos=128:flags=area+accurate_rnd+full_chroma_inp"
                    + ":out_color_matrix=bt709:out_range=tv,format=yuv420p"
            let reference = try Lab.rawFrame(path, filter: filter)
            // The mean over an area is nearly, not quite, that of three columns weighted 1 : 2 : 1.
            let bound = format == "yuva420p" ? 42.0 : 40
            #expect(peakSignalToNoise(canvas.packed, reference) > bound, "\(width)×\(height)")
        }
    }
}

extension Picture {
    /// The colour of a canvas picture's pixel, through BT.709.
    func rgb(x: Int, y: Int) -> Color {
        let luma = (Double(plane(0)[y * stride(0) + x]) - 16) / 219
        let cb = (Double(plane(1)[y / 2 * stride(1) + x / 2]) - 128) / 224
        let cr = (Double(plane(2)[y / 2 * stride(2) + x / 2]) - 128) / 224
        let (red, blue) = (luma + 1.5748 * cr, luma + 1.8556 * cb)
        let green = (luma - 0.2126 * red - 0.0722 * blue) / 0.7152
        func byte(_ value: Double) -> UInt8 { UInt8(min(max((value * 255).rounded(), 0), 255)) }
        return Color(red: byte(red), green: byte(green), blue: byte(blue))
    }
}

extension Color {
    /// Within four steps in each component: 8-bit Y′CbCr has that many RGB values between two of
    /// its own.
    func isNear(_ other: Color) -> Bool {
        [(red, other.red), (green, other.green), (blue, other.blue)].allSatisfy { abs(Int($0.0) - Int($0.1)) <= 4 }
    }
}
