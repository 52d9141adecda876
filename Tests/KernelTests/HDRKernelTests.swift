import CKernels
import Foundation
import TestSupport
import Testing

/// The kernels for canvases of 10 bits against their references in double precision.
@Suite struct HDRKernelTests {
    private typealias Kernel = @Sendable (ck_picture, ck_picture, ck_picture, Int32) -> Void

    private static let transitions: [(String, Kernel, Kernel, Bool)] =
        [
            ("dissolve", ck_dissolve_10, ck_dissolve_10_ref, true),
            ("fade", ck_fade_black_10, ck_fade_black_10_ref, true),
        ]
        + [CK_LEFT, CK_RIGHT, CK_UP, CK_DOWN].flatMap { way -> [(String, Kernel, Kernel, Bool)] in
            [
                ("wipe \(way)", { ck_wipe_10($0, $1, $2, $3, way) }, { ck_wipe_10_ref($0, $1, $2, $3, way) }, true),
                ("slide \(way)", { ck_slide_10($0, $1, $2, $3, way) }, { ck_slide_10_ref($0, $1, $2, $3, way) }, false),
            ]
        }

    private static let positions: [Int32] = [
        -5, 0, 1, 127, 20_000, 32_767, 32_768, 32_769, 65_409, 65_535, 65_536, 70_000,
    ]

    @Test(arguments: KernelVersion.allCases) func transitionsEqualTheirReferences(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 11)
        for (width, height) in awkwardSizes {
            let (a, b) = (WidePicture(width, height, &random), WidePicture(width, height, &random))
            for (name, fast, reference, inPlace) in Self.transitions {
                for p in Self.positions {
                    let (x, y) = (WidePicture(width, height), WidePicture(width, height))
                    fast(x.ck, a.ck, b.ck, p)
                    reference(y.ck, a.ck, b.ck, p)
                    #expect(
                        x.distance(to: y) <= (name == "dissolve" || name == "fade" ? 1 : 0),
                        "\(name) \(width)×\(height) at \(p)")
                    #expect(x.isFramed, "\(name) \(width)×\(height) at \(p) writes outside")
                    if p <= 0 { #expect(x.samples == a.samples, "\(name) begins with the first picture") }
                    if p >= 65_536 { #expect(x.samples == b.samples, "\(name) ends with the second") }
                    guard inPlace else { continue }
                    let (first, second) = (WidePicture(copy: a), WidePicture(copy: b))
                    fast(first.ck, first.ck, b.ck, p)
                    fast(second.ck, a.ck, second.ck, p)
                    #expect(first.samples == x.samples && second.samples == x.samples, "\(name) at \(p) in place")
                }
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func fadeIsBlackInTheMiddle(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 12)
        let (a, b, out) = (WidePicture(9, 6, &random), WidePicture(9, 6, &random), WidePicture(9, 6))
        ck_fade_black_10(out.ck, a.ck, b.ck, 32_768)
        #expect(out.samples == Array(repeating: 64, count: 54) + Array(repeating: 512, count: 30))
    }

    // MARK: Light

    private static let bt2020: (Double, Double, Double, Double, Double, Double, Double, Double) =
        (0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290)
    static let sdr = ck_coding(
        kr: 0.2126, kb: 0.0722, xy: (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290), transfer: CK_SDR, peak: 0)
    static let hlg = ck_coding(kr: 0.2627, kb: 0.0593, xy: bt2020, transfer: CK_HLG, peak: 0)
    static let pq = ck_coding(kr: 0.2627, kb: 0.0593, xy: bt2020, transfer: CK_PQ, peak: 1000)
    private static let sdr601 = ck_coding(
        kr: 0.299, kb: 0.114, xy: (0.63, 0.34, 0.31, 0.595, 0.155, 0.07, 0.3127, 0.3290), transfer: CK_SDR, peak: 0)
    private static let changes = [(sdr, hlg), (sdr, pq), (sdr601, pq), (hlg, pq), (pq, hlg)]

    @Test(arguments: changes.indices, KernelVersion.allCases) func lightIsWithinOneCodeOfItsFormulas(
        index: Int, version: KernelVersion
    ) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var (from, to) = Self.changes[index]
        let light = try #require(ck_light_make(&from, &to))
        defer { ck_light_free(light) }
        var random = SplitMix64(seed: 13)
        for (width, height) in awkwardSizes + [(640, 128)] {
            let input = WidePicture(width, height, &random)
            // Natural pictures: chroma near the middle, and all the luma there is.
            if width == 640 {
                input.fill { plane, x, y in
                    plane == 0 ? UInt16((x * 1023 / 639 + y) & 1023) : UInt16(512 - 64 + (x + 3 * y) % 128)
                }
            }
            let (fast, exact) = (WidePicture(width, height), WidePicture(width, height))
            ck_light_apply(fast.ck, input.ck, light)
            ck_light_apply_ref(exact.ck, input.ck, light)
            #expect(fast.distance(to: exact) <= 1, "\(width)×\(height)")
            #expect(fast.isFramed)
            let inPlace = WidePicture(copy: input)
            ck_light_apply(inPlace.ck, inPlace.ck, light)
            #expect(inPlace.samples == fast.samples, "\(width)×\(height) in place")
        }
    }

    /// ITU-R BT.2408, table 1 and 5.1: SDR's white is at 75 % of HLG and 58 % of PQ.
    @Test func whiteIsAtTheReferenceLevel() throws {
        for (target, level) in [(Self.hlg, 0.75), (Self.pq, 0.58)] {
            var (from, to) = (Self.sdr, target)
            let light = try #require(ck_light_make(&from, &to))
            defer { ck_light_free(light) }
            var codes: [UInt16] = [0, 0, 0]
            ck_light_color(light, [255, 255, 255], &codes)
            #expect(abs((Double(codes[0]) - 64) / 876 - level) < 0.002, "\(codes)")
            #expect(codes[1] == 512 && codes[2] == 512)
            ck_light_color(light, [0, 0, 0], &codes)
            #expect(codes == [64, 512, 512])
        }
    }

    // MARK: Looks

    /// A look is of R'G'B' as it is encoded: a table that swaps red and blue does so through
    /// BT.2020's matrix.
    @Test func lookGoesThroughTheCanvasMatrix() throws {
        var table: [Float] = []
        for blue in 0..<2 {
            for green in 0..<2 { for red in 0..<2 { table += [Float(blue), Float(green), Float(red)] } }
        }
        let lut = try #require(ck_lut_bake_2020(table, 2, 1))
        defer { ck_lut_free(lut) }
        let formula = ColorFormulas.hlg
        for color in ColorFormulas.chart {
            let stored = ColorFormulas.encode(color, formula).map { UInt16(($0 * 4).rounded()) }
            let picture = WidePicture(16, 2)
            picture.fill { plane, _, _ in stored[plane] }
            ck_lut_apply_10(picture.ck, picture.ck, lut)
            let wanted = ColorFormulas.encode([color[2], color[1], color[0]], formula).map { $0 * 4 }
            for plane in 0..<3 { #expect(abs(Double(picture[plane, 0, 0]) - wanted[plane]) <= 2, "\(color)") }
        }
        let identity = try #require(
            ck_lut_bake_2020([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1], 2, 1))
        defer { ck_lut_free(identity) }
        var random = SplitMix64(seed: 15)
        let (picture, same) = (WidePicture(33, 8, &random), WidePicture(33, 8))
        ck_lut_apply_10(same.ck, picture.ck, identity)
        #expect(same.distance(to: picture) <= 1)
    }

    // MARK: Floats

    @Test(arguments: [8, 10], KernelVersion.allCases) func floatsEqualTheirReferenceAndComeBack(
        bits: Int, version: KernelVersion
    ) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 16)
        let (kr, kb) = (0.2627, 0.0593)
        for (width, height) in awkwardSizes {
            // The same memory holds bytes where the kernels are told 8 bits.
            let picture = WidePicture(width, height, &random, bits: bits)
            let input = picture.ck
            var (fast, exact) = (
                [Float](repeating: .nan, count: width * height * 4), [Float](repeating: .nan, count: width * height * 4)
            )
            ck_rgbaf_from_yuv(&fast, 16 * width, input, Int32(bits), kr, kb)
            ck_rgbaf_from_yuv_ref(&exact, 16 * width, input, Int32(bits), kr, kb)
            #expect(zip(fast, exact).allSatisfy { abs($0 - $1) < 1e-5 }, "\(width)×\(height)")
            let (back, reference) = (WidePicture(width, height), WidePicture(width, height))
            ck_yuv_from_rgbaf(back.ck, fast, 16 * width, Int32(bits), kr, kb, CK_CHROMA_INVERSE)
            #expect(back.samples(bits: bits) == picture.samples(bits: bits), "\(width)×\(height) does not come back")
            #expect(back.isFramed)
            let noise = fast.map { $0 + Float.random(in: -0.5...0.5, using: &random) }
            for filter in [CK_CHROMA_MEAN, CK_CHROMA_INVERSE] {
                ck_yuv_from_rgbaf(back.ck, noise, 16 * width, Int32(bits), kr, kb, filter)
                ck_yuv_from_rgbaf_ref(reference.ck, noise, 16 * width, Int32(bits), kr, kb, filter)
                let pairs = zip(back.samples(bits: bits), reference.samples(bits: bits))
                #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
            }
        }
    }

    @Test func whatIsNoNumberIsBlack() {
        let picture = WidePicture(2, 2)
        let strange: [Float] = [
            .nan, .nan, .nan, 1, .infinity, .infinity, .infinity, 1, -.infinity, 0, 0, 1, 1e30, 1e30, 1e30, .nan,
        ]
        ck_yuv_from_rgbaf(picture.ck, strange, 32, 10, 0.2627, 0.0593, CK_CHROMA_MEAN)
        #expect(picture[0, 0, 0] == 64 && picture[0, 1, 0] == 1023 && picture[0, 0, 1] == 0 && picture[0, 1, 1] == 1023)
    }
}
