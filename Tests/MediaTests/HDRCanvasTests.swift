import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

/// Sources on a canvas of HLG and PQ, against the formulas of ITU-R BT.2100 and BT.2408 in double
/// precision.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct HDRCanvasTests {
    typealias Formulas = ColorFormulas
    let colors: ColorTests
    var lab: Lab { colors.lab }

    init() throws { colors = try ColorTests() }

    func convert(
        _ path: String, to color: ColorSystem, size: (Int, Int)? = nil, mode: ContentMode = .stretch,
        background: Color = .black
    ) throws -> Picture {
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        let (width, height) = size ?? (video.width, video.height)
        let picture =
            info.kind == .image
            ? try ImageFile.load(path: path) : try VideoReader(path: path, info: info).picture(at: .zero)
        return try CanvasConverter(width: width, height: height, mode: mode, background: background, color: color)
            .convert(picture, info: video)
    }

    /// Y′CbCr at a place, in 10 bits.
    func codes(_ picture: Picture, _ x: Int, _ y: Int) -> [Double] {
        (0..<3).map { plane in
            let shift = plane == 0 ? 0 : 1
            let row = UnsafeRawPointer(picture.plane(plane) + (y >> shift) * picture.stride(plane))
            return Double(row.load(fromByteOffset: 2 * (x >> shift), as: UInt16.self))
        }
    }

    func curve(_ color: ColorSystem) -> Formulas.Curve { color == .hlg ? .hlg : .pq(peak: 1000) }

    static let codings: [Formulas.Coding] = [
        Formulas.bt709, Formulas.sdr2020, Formulas.hlg, Formulas.pq(), Formulas.pq(peak: 4000),
    ]

    @Test(arguments: codings.indices, [ColorSystem.hlg, .pq]) func chartComesOutAsComputed(
        _ index: Int, color: ColorSystem
    ) throws {
        let coding = Self.codings[index]
        let stored = Formulas.chart.map { Formulas.encode($0, coding).map { Int(($0 * 4).rounded()) } }
        let path = try colors.patches("hdr\(index)", stored, bits: 10, coding.tags)
        let picture = try convert(path, to: color)
        #expect(picture.format == .yuv420p10)
        let small = try convert(path, to: color, size: (picture.width / 2, ColorTests.side / 2))
        let isSame = coding.description.contains(color == .hlg ? "HLG" : "PQ")
        for (patch, numbers) in stored.enumerated() {
            let rgb = Formulas.decode(numbers.map { Double($0) / 4 }, coding).map { min(max($0, 0), 1) }
            let wanted =
                isSame
                ? numbers.map(Double.init)
                : Formulas.encode(Formulas.hdr(rgb, from: coding, to: curve(color)), Formulas.hlg).map { $0 * 4 }
            let middle = patch * ColorTests.side + ColorTests.side / 2
            // The scaler's rounding, and what it takes from neighbours, come on top.
            for (found, at, tolerance) in [
                (codes(picture, middle, 8), "as it is", isSame ? 0.0 : 2),
                (codes(small, middle / 2, 4), "half as large", 4),
            ] {
                for (a, b) in zip(found, wanted) {
                    #expect(
                        abs(a - b) <= tolerance,
                        "\(coding) to \(color), \(at), \(Formulas.chart[patch]): \(found), not \(wanted)")
                }
            }
        }
    }

    /// The decoder's picture itself is shown where it already is what the canvas needs.
    @Test func sameCodingIsNotTouched() throws {
        let path = try lab.make(
            "hlg.mkv", "-f", "lavfi", "-i", "testsrc2=s=320x180:d=0.04", "-vf", "format=yuv420p10le", "-c:v", "ffv1",
            "-colorspace",
            "bt2020nc", "-color_primaries", "bt2020", "-color_trc", "arib-std-b67", "-color_range", "tv")
        let info = try Probe.probe(path: path)
        #expect(info.video?.hdr == .hlg)
        let decoded = try VideoReader(path: path, info: info).picture(at: .zero)
        let shown = try CanvasConverter(width: 320, height: 180, mode: .fit, color: .hlg).convert(
            decoded, info: try #require(info.video))
        #expect(shown === decoded)
    }

    /// ITU-R BT.2408: SDR's white is at 75 % of HLG and 58 % of PQ, whatever kind of file it is in.
    @Test(arguments: [(ColorSystem.hlg, 721.0), (.pq, 572.0)]) func imagesAndBackgroundAreSDR(
        color: ColorSystem, white: Double
    ) throws {
        let image = try lab.make(
            "white.png", "-f", "lavfi", "-i", "color=white:s=64x64", "-frames:v", "1", "-pix_fmt", "rgb24")
        let picture = try convert(
            image, to: color, size: (128, 64), mode: .fit, background: Color(red: 255, green: 255, blue: 255))
        for x in [2, 64, 126] {
            #expect(
                codes(picture, x, 32).elementsEqual([white, 512, 512]) { abs($0 - $1) <= 1 }, "\(codes(picture, x, 32))"
            )
        }
        // Half transparent over blue is laid over it before either becomes light.
        let clear = try lab.make(
            "clear.png", "-f", "lavfi", "-i", "color=red@0.0:s=64x64,format=rgba", "-frames:v", "1")
        let blue = try convert(
            clear, to: color, size: (128, 64), mode: .fit, background: Color(red: 0, green: 0, blue: 255))
        #expect(
            codes(blue, 64, 32).elementsEqual(codes(blue, 2, 32)) { abs($0 - $1) <= 3 },
            "\(codes(blue, 64, 32)) in \(codes(blue, 2, 32))")
    }

    /// Any width: the scaler writes groups of eight samples.
    @Test(arguments: [(70, 34), (64, 34), (80, 34), (640, 358), (66, 130)], [ColorSystem.hlg, .sdr])
    func besideAFittedPictureIsTheBackground(size: (Int, Int), color: ColorSystem) throws {
        let grey = Color(red: 32, green: 32, blue: 32)
        // Ten bits go through the same scaler on either canvas.
        let path = try lab.make(
            "white10.mkv", "-f", "lavfi", "-i", "color=white:s=160x90:d=0.04", "-vf", "format=yuv420p10le", "-c:v",
            "ffv1")
        let shown = try convert(path, to: color, size: size, mode: .fit, background: grey)
        let plain = try convert(path, to: color, size: (16, 90), mode: .fit, background: grey)
        func all(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
            (0..<3).map { plane in
                let shift = plane == 0 ? 0 : 1
                let row = picture.plane(plane) + (y >> shift) * picture.stride(plane)
                return picture.format == .yuv420p10
                    ? Int(UnsafeRawPointer(row).load(fromByteOffset: 2 * (x >> shift), as: UInt16.self))
                    : Int(row[x >> shift])
            }
        }
        let background = all(plain, 0, 0)
        let scale = min(Double(size.0) / 160, Double(size.1) / 90)
        let (left, top) = ((Double(size.0) - 160 * scale) / 2, (Double(size.1) - 90 * scale) / 2)
        for y in 0..<size.1 {
            for x in 0..<size.0 {
                // Two samples beyond the edge lies nothing of it, even of its chroma.
                let isOutside =
                    Double(x) < left - 3 || Double(x) >= Double(size.0) - left + 3 || Double(y) < top - 3
                    || Double(y) >= Double(size.1) - top + 3
                guard isOutside, all(shown, x, y) != background else { continue }
                Issue.record("\(all(shown, x, y)) at (\(x), \(y))")
                return
            }
        }
    }

    /// 10-bit planes are turned as whole samples.
    @Test func turnedPicturesStandUpright() throws {
        let plain = try lab.make(
            "upright.mp4", "-f", "lavfi", "-i", "testsrc2=s=128x64:d=0.2:r=10", "-vf", "format=yuv420p10le", "-c:v",
            "libx265",
            "-x265-params", "log-level=none:lossless=1", "-colorspace", "bt2020nc", "-color_primaries", "bt2020",
            "-color_trc",
            "smpte2084", "-color_range", "tv")
        let upright = try convert(plain, to: .pq)
        let turned = try lab.make("turned.mp4", "-i", plain, "-c", "copy", "-metadata:s:v", "rotate=90")
        let info = try #require(try Probe.probe(path: turned).video)
        #expect(info.rotation % 180 == 90)
        let picture = try convert(turned, to: .pq)
        #expect((picture.width, picture.height) == (64, 128))
        for y in Swift.stride(from: 0, to: 64, by: 6) {
            for x in Swift.stride(from: 0, to: 128, by: 6) {
                let (tx, ty) = info.rotation == 90 ? (63 - y, x) : (y, 127 - x)
                #expect(codes(picture, tx, ty)[0] == codes(upright, x, y)[0], "at \(x), \(y)")
            }
        }
    }

    /// An HDR canvas shown as SDR is what an SDR canvas makes of the same source.
    @Test(arguments: [ColorSystem.hlg, .pq]) func toneMappingIsThatOfSources(color: ColorSystem) throws {
        let coding = color == .hlg ? Formulas.hlg : Formulas.pq()
        let stored = Formulas.chart.map { Formulas.encode($0, coding).map { Int(($0 * 4).rounded()) } }
        let path = try colors.patches("tones", stored, bits: 10, coding.tags)
        let fine = try convert(path, to: color)
        let before = codes(fine, 40, 8)
        let mapped = try fine.toneMapped(from: color, peak: 1000)
        #expect(mapped.packed == (try colors.convert(path)).packed)
        #expect(codes(fine, 40, 8) == before, "the canvas itself stays as it was")
    }
}
