import Draft
import Foundation
import Media
import TestSupport
import Testing

/// The kernels' scaling beside ffmpeg's, on pictures with detail.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct PlanarScalerTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// Peak signal-to-noise ratio in dB of 8-bit samples.
    private func psnr(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Double {
        var (sum, count) = (0.0, 0.0)
        for (x, y) in zip(a, b) {
            sum += pow(Double(x) - Double(y), 2)
            count += 1
        }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 * count / sum)
    }

    private func planes(_ picture: Picture) -> [[UInt8]] {
        (0..<3).map { plane in
            let size = picture.size(ofPlane: plane)
            return (0..<size.height).flatMap { y in
                UnsafeBufferPointer(start: picture.plane(plane) + y * picture.stride(plane), count: size.width)
            }
        }
    }

    private static let scalings: [(String, Int, Int)] = [
        ("yuv420p", 192, 108), ("yuv420p", 426, 240), ("yuv420p", 640, 360), ("yuv422p", 200, 120),
        ("yuv444p", 200, 120), ("yuv444p", 320, 180),
    ]

    /// Each format once: larger, smaller, and as large as it is.
    private static let usualScalings = [1, 3, 5].map { scalings[$0] }

    /// More formats and sizes.
    @Suite struct Sweep {
        @Test("scaling is ffmpeg's bicubic", arguments: scalings)
        func likeFFmpeg(format: String, width: Int, height: Int) throws {
            try PlanarScalerTests().likeFFmpeg(format: format, width: width, height: height)
        }
    }

    @Test("scaling is ffmpeg's bicubic", arguments: usualScalings)
    func likeFFmpeg(format: String, width: Int, height: Int) throws {
        let path = try lab.make(
            "source.mkv", "-f", "lavfi", "-i", "testsrc2=s=320x180:d=0.1,gblur=0.7", "-pix_fmt", format, "-colorspace",
            "bt709", "-c:v",
            "ffv1")
        let info = try Probe.probe(path: path)
        let picture = try VideoReader(path: path, info: info).picture(at: .zero)
        let scaled = planes(
            try CanvasConverter(width: width, height: height, mode: .stretch).convert(
                picture, info: try #require(info.video)))
        let reference = try Lab.rawFrame(
            path,
            filter: "scale=\(width):\(height):flags=bicubic+accurate_rnd+full_chroma_inp:in_h_chr_pos=0:out_h_chr_pos=0"
        )
        let luma = width * height
        #expect(psnr(scaled[0], reference[..<luma]) > 50, "luma: \(psnr(scaled[0], reference[..<luma])) dB")
        // swscale sees the chroma of subsampled and full planes at slightly other places.
        let chroma = psnr(scaled[1] + scaled[2], reference[luma...])
        #expect(chroma > 35, "chroma: \(chroma) dB")
    }

    /// A vertical edge of colour between black and white luma stays where the luma's edge is: 4:2:0
    /// chroma lies beside the left of its two columns, also after a turn.
    @Test("chroma stays with its luma", arguments: [0, 90, 180, 270])
    func siting(rotation: Int) throws {
        // Luma and both chroma planes rise in the same way along x and y.
        let ramp = "format=yuv444p,geq=lum='40+X+Y':cb='40+X+Y':cr='40+X+Y',format=yuv420p"
        let filter = ["-f", "lavfi", "-i", "color=gray:s=64x48:d=0.1", "-sws_flags", "accurate_rnd+full_chroma_inp"]
        let flat = lab.path("flat.mp4")
        try FFmpeg.make(
            filter + ["-vf", ramp, "-colorspace", "bt709", "-c:v", "libx264", "-qp", "1", "-g", "1"], at: flat)
        let path = lab.path("turned.mp4")
        try FFmpeg.run(["-i", flat, "-c", "copy", "-metadata:s:v", "rotate=\(rotation)", path])
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        let picture = try VideoReader(path: path, info: info).picture(at: .zero)
        let (width, height) = (video.width * 3 / 4, video.height * 3 / 4)
        let scaled = try CanvasConverter(width: width, height: height, mode: .stretch).convert(picture, info: video)
        var total = 0.0
        var count = 0.0
        for y in 4..<height / 2 - 4 {
            for x in 4..<width / 2 - 4 {
                // Luma at the chroma sample's place: the left column, between the rows.
                let rows = [2 * y, 2 * y + 1].map { Double(scaled.plane(0)[$0 * scaled.stride(0) + 2 * x]) }
                total += Double(scaled.plane(1)[y * scaled.stride(1) + x]) - (rows[0] + rows[1]) / 2
                count += 1
            }
        }
        // ffmpeg's own 4:4:4 to 4:2:0 is off by a constant of its own; scaling and turning must not
        // add to it.
        #expect(abs(total / count) < 0.7, "\(rotation)°: chroma is \(total / count) codes off")
    }
}
