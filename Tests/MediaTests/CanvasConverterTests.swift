import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct CanvasConverterTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    func convert(
        _ path: String, width: Int, height: Int, mode: ContentMode = .stretch, background: Color = .black
    ) throws -> Picture {
        let info = try Probe.probe(path: path)
        let picture =
            info.kind == .image
            ? try ImageFile.load(path: path) : try VideoReader(path: path, info: info).picture(at: .zero)
        return try CanvasConverter(width: width, height: height, mode: mode, background: background)
            .convert(picture, info: try #require(info.video))
    }

    /// Y, Cb and Cr at a luma position.
    func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
        [
            Int(picture.plane(0)[y * picture.stride(0) + x]), Int(picture.plane(1)[y / 2 * picture.stride(1) + x / 2]),
            Int(picture.plane(2)[y / 2 * picture.stride(2) + x / 2]),
        ]
    }

    func isNear(_ a: [Int], _ b: [Int], _ limit: Int = 3) -> Bool { zip(a, b).allSatisfy { abs($0 - $1) <= limit } }

    // BT.709, limited range: round(16 + 219 Y), round(128 + 224 C).
    let red = [63, 102, 240], green = [173, 42, 26], blue = [32, 240, 118], white = [235, 128, 128],
        black = [16, 128, 128]

    /// Four quarters of one colour each, in the order of reading: red, green, blue, white.
    func quarters(_ name: String, size: (Int, Int) = (128, 96), _ arguments: [String]) throws -> String {
        let sources = zip(["red", "lime", "blue", "white"], ["a", "b", "c", "d"]).map { color, label in
            "color=\(color):s=\(size.0 / 2)x\(size.1 / 2):d=0.2[\(label)]"
        }
        let graph = sources.joined(separator: ";") + ";[a][b]hstack[t];[c][d]hstack[u];[t][u]vstack,format=rgb24"
        try FFmpeg.make(["-f", "lavfi", "-i", graph] + arguments, at: lab.path(name))
        return lab.path(name)
    }

    func corners(_ picture: Picture) -> [[Int]] {
        let (w, h) = (picture.width, picture.height)
        return [(w / 4, h / 4), (w * 3 / 4, h / 4), (w / 4, h * 3 / 4), (w * 3 / 4, h * 3 / 4)].map {
            pixel(picture, $0, $1)
        }
    }

    func expectCorners(_ picture: Picture, _ expected: [[Int]], _ comment: Comment) {
        for (found, wanted) in zip(corners(picture), expected) { #expect(isNear(found, wanted), comment) }
    }

    static let encodings: [[String]] = [
        ["-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv420p", "-c:v", "libx264", "-qp", "1"],
        [
            "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709", "-c:v",
            "libx264", "-qp",
            "1",
        ],
        ["-vf", "scale=out_color_matrix=bt601:out_range=tv,format=yuv444p", "-c:v", "libx264", "-qp", "1"],
        [
            "-vf", "scale=out_color_matrix=bt709:out_range=pc,format=yuvj420p", "-colorspace", "bt709", "-color_range",
            "pc",
            "-c:v", "libx264", "-qp", "1",
        ],
        [
            "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p10", "-colorspace", "bt709", "-c:v",
            "libx264",
            "-qp", "1",
        ],
        ["-c:v", "libx264rgb", "-qp", "0"],
        [
            "-vf", "scale=out_color_matrix=bt2020:out_range=tv,format=yuv422p", "-colorspace", "bt2020nc", "-c:v",
            "libx264",
            "-qp", "1",
        ],
    ]

    @Test(arguments: encodings.indices) func colorsArriveInTheCanvasMatrixAndRange(_ index: Int) throws {
        let path = try quarters("colors\(index).mkv", Self.encodings[index])
        expectCorners(
            try convert(path, width: 128, height: 96), [red, green, blue, white], "same size: \(Self.encodings[index])")
        expectCorners(
            try convert(path, width: 64, height: 64), [red, green, blue, white], "scaled: \(Self.encodings[index])")
    }

    @Test(arguments: ["png", "jpg", "bmp", "gif", "webp"]) func imagesToo(_ suffix: String) throws {
        let path = try quarters("image.\(suffix)", ["-frames:v", "1"])
        expectCorners(try convert(path, width: 64, height: 48), [red, green, blue, white], "\(suffix)")
    }

    @Test func untaggedLinesDecideTheMatrix() throws {
        let large = try quarters(
            "large.mp4", size: (1280, 720),
            [
                "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v", "libx264", "-qp", "1",
                "-preset",
                "ultrafast", "-bsf:v",
                "h264_metadata=matrix_coefficients=2:colour_primaries=2:transfer_characteristics=2",
            ])
        expectCorners(try convert(large, width: 320, height: 180), [red, green, blue, white], "720 lines are BT.709")
    }

    @Test func agreesWithFFmpegsScaler() throws {
        let path = try lab.make(
            "detail.mp4", "-f", "lavfi", "-i", "testsrc2=s=640x360:d=0.2", "-vf", "format=yuv420p", "-colorspace",
            "bt709",
            "-color_range", "tv", "-c:v", "libx264", "-qp", "1")
        let reference = try Lab.rawFrame(
            path, filter: "scale=320:180:flags=bicubic+accurate_rnd:in_h_chr_pos=0:out_h_chr_pos=0")
        #expect(peakSignalToNoise(try convert(path, width: 320, height: 180).packed, reference) > 45)
        let full = try lab.make(
            "full.mp4", "-i", path, "-vf", "scale=out_range=pc,format=yuvj420p", "-color_range", "pc", "-c:v",
            "libx264", "-qp",
            "1")
        #expect(peakSignalToNoise(try convert(full, width: 320, height: 180).packed, reference) > 40)
        let unlike = try lab.make(
            "601.mp4", "-i", path, "-vf", "scale=in_color_matrix=bt709:out_color_matrix=bt601,format=yuv444p",
            "-colorspace",
            "smpte170m", "-c:v", "libx264", "-qp", "1")
        #expect(peakSignalToNoise(try convert(unlike, width: 320, height: 180).packed, reference) > 34)
    }

    @Test func rotationTurnsTheContent() throws {
        let plain = try quarters(
            "plain.mp4",
            [
                "-vf", "scale=out_color_matrix=bt709,format=yuv420p", "-colorspace", "bt709", "-c:v", "libx264", "-qp",
                "1",
            ])
        // Clockwise turns of: red green / blue white.
        let turned = [90: [blue, red, white, green], 180: [white, blue, green, red], 270: [green, white, red, blue]]
        for (degrees, expected) in turned {
            let path = try lab.make(
                "turned\(degrees).mp4", "-i", plain, "-c", "copy", "-metadata:s:v:0", "rotate=\(degrees)")
            let info = try #require(try Probe.probe(path: path).video)
            let (w, h) = info.rotation % 180 == 0 ? (128, 96) : (96, 128)
            #expect((info.width, info.height) == (w, h))
            let expected = info.rotation == degrees ? expected : try #require(turned[360 - degrees])
            expectCorners(try convert(path, width: w, height: h), expected, "rotation \(info.rotation)")
            expectCorners(try convert(path, width: 64, height: 64), expected, "rotation \(info.rotation), scaled")
            // What ffmpeg's own player shows; its turned chroma lies a sample beside its luma.
            let reference = try Lab.rawFrame(path, filter: "scale=\(w):\(h):flags=bicubic")
            let shown = try convert(path, width: w, height: h).packed
            #expect(peakSignalToNoise(Array(shown[..<(w * h)]), Array(reference[..<(w * h)])) > 45)
        }
    }

    @Test func photosStandUpright() throws {
        // EXIF orientation 6: the camera was turned; show it 90° clockwise.
        let plain = [UInt8](
            try Data(contentsOf: URL(fileURLWithPath: try quarters("exif-plain.jpg", ["-frames:v", "1", "-q:v", "2"]))))
        let exif: [UInt8] = [
            0xFF, 0xE1, 0x00, 0x22, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0,
            3, 0, 0,
            0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        let path = try lab.write("exif.jpg", plain[..<2] + exif + plain[2...])
        let video = try #require(try Probe.probe(path: path).video)
        #expect((video.width, video.height, video.rotation) == (96, 128, 90))
        expectCorners(try convert(path, width: 96, height: 128), [blue, red, white, green], "orientation 6")
        let rgba = try ImageFile.rgba(path: path)
        #expect((rgba.width, rgba.height) == (96, 128))
        let first = rgba.plane(0) + 32 * rgba.stride(0) + 24 * 4
        #expect(first[2] > 230 && first[0] < 25, "blue is at the top left")
    }

    @Test func contentModes() throws {
        let path = try quarters(
            "modes.mp4",
            [
                "-vf", "scale=out_color_matrix=bt709,format=yuv420p", "-colorspace", "bt709", "-c:v", "libx264", "-qp",
                "1",
            ])
        // 4:3 onto 2:1. Fit leaves bars of 200 − 133 = 67 columns, rounded to even places.
        let fit = try convert(path, width: 200, height: 100, mode: .fit, background: Color(red: 255, green: 0, blue: 0))
        #expect(isNear(pixel(fit, 10, 50), red) && isNear(pixel(fit, 190, 50), red) && isNear(pixel(fit, 31, 50), red))
        #expect(isNear(pixel(fit, 120, 20), green) && isNear(pixel(fit, 80, 90), blue))
        let fill = try convert(path, width: 200, height: 100, mode: .fill)
        expectCorners(fill, [red, green, blue, white], "fill")
        #expect(isNear(pixel(fill, 0, 0), red, 6) && isNear(pixel(fill, 199, 99), white, 6))
        // Upright canvas: fill cuts the sides.
        let tall = try convert(path, width: 50, height: 100, mode: .fill)
        #expect(isNear(pixel(tall, 10, 20), red) && isNear(pixel(tall, 40, 80), white))
        expectCorners(try convert(path, width: 300, height: 50, mode: .stretch), [red, green, blue, white], "stretch")
    }

    @Test func oddSizes() throws {
        let path = try quarters("odd.mkv", size: (126, 94), ["-vf", "crop=125:93,format=yuv444p", "-c:v", "ffv1"])
        for mode in ContentMode.allCases {
            for (w, h) in [(64, 64), (125, 93), (127, 95), (33, 31)] {
                let picture = try convert(path, width: w, height: h, mode: mode)
                #expect((picture.width, picture.height) == (w, h))
                #expect(isNear(pixel(picture, w / 2 - 6, h / 2 - 6), red, 8), "\(mode) \(w)×\(h)")
                #expect(isNear(pixel(picture, w / 2 + 6, h / 2 + 6), white, 8), "\(mode) \(w)×\(h)")
            }
        }
    }

    @Test func anamorphicPicturesAreWidened() throws {
        let path = try quarters(
            "sar.mp4", size: (64, 64),
            [
                "-vf", "scale=out_color_matrix=bt709,format=yuv420p,setsar=2/1", "-colorspace", "bt709", "-c:v",
                "libx264",
                "-qp", "1",
            ])
        let picture = try convert(path, width: 128, height: 128, mode: .fit)
        #expect(
            isNear(pixel(picture, 64, 8), black) && isNear(pixel(picture, 4, 60), red)
                && isNear(pixel(picture, 124, 68), white)
        )
    }

    @Test func transparencyShowsTheBackground() throws {
        let path = try lab.make(
            "half.png", "-f", "lavfi", "-i", "color=white@0.5:s=64x64,format=rgba", "-frames:v", "1")
        let grey = try convert(path, width: 64, height: 64, background: .black)
        #expect(abs(pixel(grey, 32, 32)[0] - 126) <= 2)
        let tinted = try convert(
            path, width: 128, height: 64, mode: .fit, background: Color(red: 0, green: 0, blue: 255))
        #expect(isNear(pixel(tinted, 5, 32), blue) && abs(pixel(tinted, 64, 32)[0] - (32 + 235) / 2) <= 2)
    }

    @Test func whatFitsIsNotCopied() throws {
        let path = try lab.make(
            "canvas.mp4", "-f", "lavfi", "-i", "testsrc2=s=128x96:d=0.2:r=10", "-vf", "format=yuv420p", "-colorspace",
            "bt709",
            "-color_range", "tv", "-c:v", "libx264")
        let info = try Probe.probe(path: path)
        let picture = try VideoReader(path: path, info: info).picture(at: .zero)
        let converter = CanvasConverter(width: 128, height: 96, mode: .fit)
        #expect(try converter.convert(picture, info: try #require(info.video)) === picture)
        let other = CanvasConverter(width: 64, height: 48, mode: .fit)
        let first = try other.convert(picture, info: try #require(info.video))
        #expect(try other.convert(picture, info: try #require(info.video)) === first)
        let copy = try first.copy()
        #expect(copy !== first && copy.packed == first.packed)
        copy.plane(0)[0] = first.plane(0)[0] &+ 1
        #expect(copy.packed != first.packed)
    }

    @Test func picturesAreAligned() throws {
        for format in [Picture.Format.yuv420p, .yuva420p, .rgba] {
            let picture = try Picture(width: 101, height: 37, format: format)
            for plane in 0..<picture.planeCount {
                #expect(Int(bitPattern: picture.plane(plane)) % 64 == 0 && picture.stride(plane) % 64 == 0)
            }
        }
        let size = thrown { () throws(MediaError) in _ = try Picture(width: 0, height: 10, format: .rgba) }
        #expect(size?.code == .unsupported)
    }
}
