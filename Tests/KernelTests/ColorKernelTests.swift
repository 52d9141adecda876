import CKernels
import TestSupport
import Testing

@Suite struct ColorKernelTests {
    typealias Formulas = ColorFormulas

    static let d65 = (0.3127, 0.3290)

    func coding(_ kr: Double, _ kb: Double, _ xy: [Double], _ transfer: ck_transfer = CK_SDR, peak: Double = 0)
        -> ck_coding
    {
        ck_coding(
            kr: kr, kb: kb, xy: (xy[0], xy[1], xy[2], xy[3], xy[4], xy[5], Self.d65.0, Self.d65.1), transfer: transfer,
            peak: peak)
    }

    func bt2020(_ transfer: ck_transfer = CK_SDR, peak: Double = 0) -> ck_coding {
        coding(0.2627, 0.0593, [0.708, 0.292, 0.170, 0.797, 0.131, 0.046], transfer, peak: peak)
    }

    var bt709: ck_coding { coding(0.2126, 0.0722, [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]) }
    var displayP3: ck_coding { coding(0.2126, 0.0722, [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]) }
    var lines525: ck_coding { coding(0.299, 0.114, [0.630, 0.340, 0.310, 0.595, 0.155, 0.070]) }
    var lines625: ck_coding { coding(0.299, 0.114, [0.64, 0.33, 0.29, 0.60, 0.15, 0.06]) }

    /// Random colours of the whole cube as 2×2 blocks of 10 bits, and what the formula makes of
    /// each.
    func colors(_ formula: Formulas.Coding, bits: Int, seed: UInt64) -> (picture: WidePicture, wanted: [[Double]]) {
        var random = SplitMix64(seed: seed)
        let (columns, rows, scale) = (64, 32, Double(1 << (bits - 8)))
        let picture = WidePicture(width: 2 * columns, height: 2 * rows)
        var wanted: [[Double]] = []
        for y in 0..<rows {
            for x in 0..<columns {
                let rgb = (0..<3).map { _ in Double.random(in: 0...1, using: &random) }
                let codes = Formulas.encode(rgb, formula).map { ($0 * scale).rounded() }
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    picture[0, 2 * x + dx, 2 * y + dy] = UInt16(codes[0])
                }
                (picture[1, x, y], picture[2, x, y]) = (UInt16(codes[1]), UInt16(codes[2]))
                let stored = Formulas.decode(codes.map { $0 / scale }, formula)
                wanted.append(Formulas.encode(Formulas.sdr(stored, from: formula), Formulas.bt709))
            }
        }
        return (picture, wanted)
    }

    /// The largest difference.
    func worst(_ out: TestPicture, _ wanted: [[Double]]) -> Double {
        var worst = 0.0
        for (index, codes) in wanted.enumerated() {
            let (x, y) = (index % (out.width / 2), index / (out.width / 2))
            let found = [out[0, 2 * x, 2 * y], out[1, x, y], out[2, x, y]]
            for (a, b) in zip(found, codes) { worst = max(worst, abs(Double(a) - b)) }
        }
        return worst
    }

    @Test func primariesChangeAsComputed() throws {
        for (source, formula) in [
            (bt2020(), Formulas.sdr2020), (displayP3, Formulas.displayP3), (lines625, Formulas.lines625),
        ] {
            var (from, to) = (source, bt709)
            let gamut = try #require(ck_gamut_make(&from, &to))
            defer { ck_gamut_free(gamut) }
            let (fine, wanted) = colors(formula, bits: 10, seed: 41)
            let out = TestPicture(width: fine.width, height: fine.height, padding: 0)
            ck_gamut_apply_10_8(out.ck, fine.ck, gamut)
            #expect(worst(out, wanted) <= 1.5, "\(formula), 10 bits: off by \(worst(out, wanted))")
            let (plain, wantedToo) = colors(formula, bits: 8, seed: 42)
            let narrow = TestPicture(narrowing: plain)
            ck_gamut_apply(narrow.ck, narrow.ck, gamut)
            #expect(worst(narrow, wantedToo) <= 1.5, "\(formula), 8 bits: off by \(worst(narrow, wantedToo))")
        }
    }

    @Test func nearPrimariesChangeAsComputedByTable() throws {
        for (source, formula) in [(lines525, Formulas.lines525), (lines625, Formulas.lines625)] {
            var (from, to) = (source, bt709)
            let lut = try #require(ck_lut_bake_primaries(&from, &to))
            defer { ck_lut_free(lut) }
            let (plain, wanted) = colors(formula, bits: 8, seed: 43)
            let narrow = TestPicture(narrowing: plain)
            ck_lut_apply(narrow.ck, narrow.ck, lut)
            // Only at the cube's border more than 2.
            #expect(worst(narrow, wanted) <= 3, "\(formula): off by \(worst(narrow, wanted))")
        }
    }

    /// The whole cube holds much that no film does; where black begins in one component, a table
    /// rounds a corner off. Colours as charts have them are tested with `Media`.
    @Test func tonesAreMappedAsComputed() throws {
        for (source, formula) in [
            (bt2020(CK_HLG), Formulas.hlg), (bt2020(CK_PQ, peak: 1000), Formulas.pq()),
            (bt2020(CK_PQ, peak: 4000), Formulas.pq(peak: 4000)),
        ] {
            var (hdr, mapped, to) = (source, bt2020(CK_MAPPED), bt709)
            let lut = try #require(ck_lut_bake_tones(&hdr))
            defer { ck_lut_free(lut) }
            let gamut = try #require(ck_gamut_make(&mapped, &to))
            defer { ck_gamut_free(gamut) }
            let (fine, wanted) = colors(formula, bits: 10, seed: 44)
            let out = TestPicture(width: fine.width, height: fine.height, padding: 0)
            ck_lut_apply_10(fine.ck, fine.ck, lut)
            ck_gamut_apply_10_8(out.ck, fine.ck, gamut)
            let near = wanted.indices.filter { index in
                let (x, y) = (index % 64, index / 64)
                let found = [out[0, 2 * x, 2 * y], out[1, x, y], out[2, x, y]]
                return zip(found, wanted[index]).allSatisfy { abs(Double($0) - $1) <= 2 }
            }
            #expect(near.count > wanted.count * 90 / 100, "\(formula): only \(near.count) of \(wanted.count) are near")
        }
    }

    @Test func otherWhitesBecomeWhite() throws {
        var (cinema, to) = (displayP3, bt709)
        (cinema.xy.6, cinema.xy.7) = (0.314, 0.351)
        let gamut = try #require(ck_gamut_make(&cinema, &to))
        defer { ck_gamut_free(gamut) }
        let picture = TestPicture(width: 256, height: 2, padding: 0)
        picture.fill { plane, x, _ in plane == 0 ? UInt8(x) : 128 }
        ck_gamut_apply(picture.ck, picture.ck, gamut)
        for x in 16..<255 { #expect(abs(Int(picture[0, x, 0]) - min(x, 235)) <= 1) }
        #expect((0..<128).allSatisfy { picture[1, $0, 0] == 128 && picture[2, $0, 0] == 128 })
    }

    @Test(arguments: KernelVersion.allCases) func fastKernelsEqualTheirReferences(version: KernelVersion) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 45)
        var (hdr, to) = (bt2020(CK_HLG), bt709)
        let lut = try #require(ck_lut_bake_tones(&hdr))
        defer { ck_lut_free(lut) }
        let gamut = try #require(ck_gamut_make(&hdr, &to))
        defer { ck_gamut_free(gamut) }
        for (width, height) in awkwardSizes + [(513, 3)] {
            let picture = WidePicture(width: width, height: height)
            // Also what no 10-bit picture has: the kernels must not read beyond their tables.
            picture.fill { .random(in: 0...1100, using: &random) }
            func narrow() -> TestPicture {
                TestPicture(width: width, height: height, padding: .random(in: 0...5, using: &random))
            }
            let (a, b) = (WidePicture(width: width, height: height), WidePicture(width: width, height: height))
            ck_lut_apply_10(a.ck, picture.ck, lut)
            ck_lut_apply_10_ref(b.ck, picture.ck, lut)
            #expect(a.samples == b.samples && a.isFramed, "\(width)×\(height)")
            let (c, d) = (narrow(), narrow())
            ck_gamut_apply_10_8(c.ck, picture.ck, gamut)
            ck_gamut_apply_10_8_ref(d.ck, picture.ck, gamut)
            #expect(c.samples == d.samples && c.isFramed, "\(width)×\(height)")
            let (e, f) = (narrow(), narrow())
            e.randomize(&random)
            ck_gamut_apply_ref(f.ck, e.ck, gamut)
            ck_gamut_apply(e.ck, e.ck, gamut)
            #expect(e.samples == f.samples && e.isFramed, "\(width)×\(height)")
            ck_lut_apply_10(picture.ck, picture.ck, lut)
            #expect(picture.samples == b.samples && picture.isFramed, "\(width)×\(height) in place")
        }
    }

    @Test(arguments: KernelVersion.allCases) func matrixChangeEqualsItsReference(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 46)
        // BT.601 to BT.709.
        let change = ck_matrix_change(
            luma_from_u: -1901, luma_from_v: -3406, u_from_u: 16_698, u_from_v: 1879, v_from_u: 1229, v_from_v: 16_800)
        for (width, height) in awkwardSizes + [(513, 3), (1030, 2)] {
            let picture = TestPicture(width: width, height: height, padding: 3)
            picture.randomize(&random)
            let other = TestPicture(copy: picture)
            ck_change_matrix(picture.ck, change)
            ck_change_matrix_ref(other.ck, change)
            #expect(picture.samples == other.samples && picture.isFramed, "\(width)×\(height)")
        }
    }
}

extension TestPicture {
    /// The same samples in bytes.
    convenience init(narrowing wide: WidePicture) {
        self.init(width: wide.width, height: wide.height, padding: 0)
        fill { plane, x, y in UInt8(wide[plane, x, y]) }
    }
}
