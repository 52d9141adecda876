import Draft
import Foundation
import Media
import TestSupport
import Testing

/// Patches of known code values against the formulas of the recommendations in double precision.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ColorTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    typealias Formulas = ColorFormulas
    static let side = 16

    /// A lossless film of one frame: patches of `side` pixels in a row, stored as they are given.
    /// - Parameter codes: Y′CbCr for each patch, in the format's own depth.
    func patches(_ name: String, _ codes: [[Int]], bits: Int, _ tags: [String], isFullRange: Bool = false) throws
        -> String
    {
        let (width, side) = (codes.count * Self.side, Self.side)
        var samples: [Int] = []
        for plane in 0..<3 {
            let (columns, rows) = plane == 0 ? (width, side) : (width / 2, side / 2)
            let perPatch = columns / codes.count
            for _ in 0..<rows { for x in 0..<columns { samples.append(codes[x / perPatch][plane]) } }
        }
        let bytes = bits == 8 ? samples.map { UInt8($0) } : samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let raw = try lab.write("\(name).raw", bytes)
        let format = bits == 8 ? "yuv420p" : "yuv420p\(bits)le"
        return try make(
            "\(name).mkv",
            ["-f", "rawvideo", "-pix_fmt", format, "-s", "\(width)x\(side)", "-r", "25", "-i", raw, "-c:v", "ffv1"]
                + zip(["-colorspace", "-color_primaries", "-color_trc"], tags).flatMap { [$0, $1] }
                + ["-color_range", isFullRange ? "pc" : "tv"])
    }

    func make(_ name: String, _ arguments: [String]) throws -> String {
        try FFmpeg.make(arguments, at: lab.path(name))
        return lab.path(name)
    }

    func convert(_ path: String, size: (Int, Int)? = nil, peak: Int? = nil) throws -> Picture {
        let info = try Probe.probe(path: path)
        var video = try #require(info.video)
        if let peak { video.peak = peak }
        let (width, height) = size ?? (video.width, video.height)
        return try CanvasConverter(width: width, height: height, mode: .stretch)
            .convert(try VideoReader(path: path, info: info).picture(at: .zero), info: video)
    }

    /// Y′CbCr in the middle of patch `index`.
    func code(_ picture: Picture, _ index: Int) -> [Int] {
        let (x, y) = (index * Self.side + Self.side / 2, Self.side / 2)
        return (0..<3).map { plane in
            let shift = plane == 0 ? 0 : 1
            return Int(picture.plane(plane)[(y >> shift) * picture.stride(plane) + (x >> shift)])
        }
    }

    func expectNear(_ found: [Int], _ wanted: [Double], _ comment: Comment) {
        for (a, b) in zip(found, wanted) {
            #expect(abs(Double(a) - b) <= 2, "\(comment): \(found), not \(wanted)")
        }
    }

    static let codings: [Formulas.Coding] = [
        Formulas.bt709, Formulas.lines525, Formulas.lines625, Formulas.displayP3, Formulas.sdr2020, Formulas.hlg,
        Formulas.pq(),
        Formulas.pq(peak: 4000),
    ]

    @Test(arguments: codings.indices, [8, 10]) func chartComesOutAsComputed(_ index: Int, bits: Int) throws {
        let coding = Self.codings[index]
        // 8 bits of an HDR curve are too few for the comparison to mean anything.
        if bits == 8, case .sdr = coding.curve {} else if bits == 8 { return }
        let scale = Double(1 << (bits - 8))
        var peak: Int?
        if case .pq(let value) = coding.curve { peak = Int(value) }
        let codes = Formulas.chart.map { Formulas.encode($0, coding).map { Int(($0 * scale).rounded()) } }
        let path = try patches("chart\(index)-\(bits)", codes, bits: bits, coding.tags)
        let picture = try convert(path, peak: peak)
        for (patch, stored) in codes.enumerated() {
            // What was stored, rounded as it is.
            let rgb = Formulas.decode(stored.map { Double($0) / scale }, coding)
            let wanted = Formulas.encode(Formulas.sdr(rgb, from: coding), Formulas.bt709)
            expectNear(code(picture, patch), wanted, "\(coding), \(bits) bits, \(Formulas.chart[patch])")
        }
        // Half as wide: the scaler's own way, with the same colours.
        let small = try convert(path, size: (picture.width, Self.side * 2), peak: peak)
        for patch in codes.indices {
            let rgb = Formulas.decode(codes[patch].map { Double($0) / scale }, coding)
            let wanted = Formulas.encode(Formulas.sdr(rgb, from: coding), Formulas.bt709)
            let (x, y) = (patch * Self.side + Self.side / 2, Self.side)
            expectNear([Int(small.plane(0)[y * small.stride(0) + x])], [wanted[0]], "\(coding), scaled")
        }
    }

    /// Full range: 0 … 255 (or 1023) for luma, chroma around the middle with as many steps.
    @Test(arguments: [8, 10]) func fullRangeComesOutAsComputed(bits: Int) throws {
        let most = Double((1 << bits) - 1), middle = Double(1 << (bits - 1))
        for (number, coding) in [Formulas.bt709, Formulas.lines525, Formulas.sdr2020].enumerated() {
            let codes = Formulas.chart.map { rgb in
                let limited = Formulas.encode(rgb, coding)
                return [
                    Int(((limited[0] - 16) / 219 * most).rounded()),
                    Int((middle + (limited[1] - 128) / 224 * most).rounded()),
                    Int((middle + (limited[2] - 128) / 224 * most).rounded()),
                ]
            }
            let path = try patches("full\(number)-\(bits)", codes, bits: bits, coding.tags, isFullRange: true)
            let picture = try convert(path)
            for (patch, stored) in codes.enumerated() {
                let limited = [
                    16 + 219 * Double(stored[0]) / most, 128 + 224 * (Double(stored[1]) - middle) / most,
                    128 + 224 * (Double(stored[2]) - middle) / most,
                ]
                let rgb = Formulas.decode(limited, coding)
                let wanted = Formulas.encode(Formulas.sdr(rgb, from: coding), Formulas.bt709)
                expectNear(code(picture, patch), wanted, "\(coding), full range, \(bits) bits, \(rgb)")
            }
        }
    }

    @Test func greyStaysGreyAndRampsRise() throws {
        let ramp: [[Int]] = (0..<256).map { (step: Int) in [64 + (step * 876 + 127) / 255, 512, 512] }
        for (number, coding) in Self.codings.enumerated() {
            let path = try patches("ramp\(number)", ramp, bits: 10, coding.tags)
            let picture = try convert(path)
            var last = 0
            for patch in ramp.indices {
                let found = code(picture, patch)
                #expect(found[1] == 128 && found[2] == 128, "\(coding): grey \(patch) became \(found)")
                #expect(found[0] >= last, "\(coding): \(patch) falls from \(last) to \(found[0])")
                last = found[0]
            }
            let ends = [code(picture, 0)[0], last]
            if case .pq = coding.curve {
            } else {
                #expect(ends == [16, 235], "\(coding): black and white became \(ends)")
            }
            #expect(ends[0] == 16)
        }
    }

    @Test func hdrWithoutFurtherTagsIsBT2020() throws {
        let codes = Formulas.chart.map { Formulas.encode($0, Formulas.hlg).map { Int(($0 * 4).rounded()) } }
        let tagged = try convert(try patches("tagged", codes, bits: 10, Formulas.hlg.tags))
        let short = try convert(try patches("short", codes, bits: 10, ["unknown", "unknown", "arib-std-b67"]))
        #expect(short.packed == tagged.packed)
    }

    /// A picture that needs nothing but scaling is scaled and nothing else; BT.601 is one linear
    /// step more.
    @Test func bt709IsOnlyScaled() throws {
        let path = try lab.make(
            "plain.mkv", "-f", "lavfi", "-i", "testsrc2=s=320x180:d=0.04", "-vf",
            "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v", "ffv1", "-colorspace", "bt709",
            "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv")
        let reference = try Lab.rawFrame(
            path, filter: "scale=160:90:flags=bicubic+accurate_rnd:in_h_chr_pos=0:out_h_chr_pos=0")
        #expect(peakSignalToNoise(try convert(path, size: (160, 90)).packed, reference) > 45)
        #expect(try convert(path).packed == Lab.rawFrame(path, filter: "null"))
    }

    @Test func brightestContentIsFound() throws {
        let codes = [[600, 512, 512]]
        let plain = try patches("plain", codes, bits: 10, Formulas.pq().tags)
        #expect(try Probe.probe(path: plain).video?.peak == nil)
        #expect(try Probe.probe(path: patches("hlg", codes, bits: 10, Formulas.hlg.tags)).video?.peak == nil)
        let display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)"
        for (name, parameters, wanted) in [
            ("cll", "master-display=\(display)L(40000000,50):max-cll=1600,400", 1600),
            ("mastering", "master-display=\(display)L(40000000,50)", 4000),
            ("dim", "max-cll=100,50", 203),
        ] {
            // In the stream alone: the raw stream has no container.
            let stream = try make(
                "\(name).hevc",
                [
                    "-i", plain, "-c:v", "libx265", "-x265-params", "log-level=error:hdr10=1:\(parameters)",
                    "-color_trc", "smpte2084",
                ])
            #expect(try Probe.probe(path: stream).video?.peak == wanted, "\(name) in a raw stream")
        }
    }

    @Test(.enabled(if: MediaFolder.has("hdr.mov"), MediaFolder.absence)) func phoneVideoLooksNatural() throws {
        let path = try #require(MediaFolder.file("hdr.mov"))
        let picture = try convert(path, size: (270, 480))
        func mean(_ plane: Int, _ rows: Range<Int>) -> Double {
            let size = picture.size(ofPlane: plane)
            let shift = plane == 0 ? 0 : 1
            let rows = (rows.lowerBound >> shift)..<(rows.upperBound >> shift)
            var sum = 0
            for y in rows {
                for x in 0..<size.width { sum += Int(picture.plane(plane)[y * picture.stride(plane) + x]) }
            }
            return Double(sum) / Double(rows.count * size.width)
        }
        // A hazy blue sky above, a meadow below: bright but not blown out, blue and green.
        #expect((165...220).contains(mean(0, 0..<120)) && mean(1, 0..<120) > 132 && mean(2, 0..<120) < 126)
        #expect((80...150).contains(mean(0, 360..<480)) && mean(1, 360..<480) < 124)
        let clipped = picture.bytes(ofPlane: 0).filter { $0 >= 234 }.count
        #expect(clipped < picture.width * picture.height / 100)
    }
}
