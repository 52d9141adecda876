import CKernels
import Foundation
import TestSupport
import Testing

@Suite struct LUTKernelTests {
    @Test(arguments: KernelVersion.allCases) func identityChangesNoCode(version: KernelVersion) throws {
        version.choose()
        defer { KernelVersion.leave() }
        let lut = try #require(ck_lut_bake(table(17) { $0 }, 17, 1))
        defer { ck_lut_free(lut) }
        // Every luma with every seventh U and every third V: 256 columns of luma, a row of blocks
        // for each V.
        let (picture, out) = (
            TestPicture(width: 256, height: 172, padding: 0), TestPicture(width: 256, height: 172, padding: 0)
        )
        picture.fill { plane, x, y in plane == 0 ? UInt8(x) : UInt8(min(3 * y, 255)) }
        for u in stride(from: 0, through: 255, by: 7) {
            for y in 0..<86 { for x in 0..<128 { picture[1, x, y] = UInt8(u) } }
            ck_lut_apply(out.ck, picture.ck, lut)
            #expect(out.samples == picture.samples, "u = \(u)")
        }
    }

    @Test(arguments: KernelVersion.allCases) func fastEqualsReference(version: KernelVersion) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 21)
        let wild = (0..<(9 * 9 * 9 * 3)).map { _ in Float.random(in: -0.5...1.5, using: &random) }
        let lut = try #require(ck_lut_bake(wild, 9, 0.8))
        defer { ck_lut_free(lut) }
        for (width, height) in awkwardSizes {
            let picture = TestPicture(width: width, height: height, padding: 4)
            picture.randomize(&random)
            let (a, b) = (
                TestPicture(width: width, height: height, padding: 1),
                TestPicture(width: width, height: height, padding: 6)
            )
            ck_lut_apply(a.ck, picture.ck, lut)
            ck_lut_apply_ref(b.ck, picture.ck, lut)
            #expect(a.samples == b.samples && a.isFramed, "\(width)×\(height)")
            ck_lut_apply(picture.ck, picture.ck, lut)
            #expect(picture.samples == b.samples && picture.isFramed, "\(width)×\(height) in place")
        }
    }

    private static let looks: [(Int, Double)] = [0, 0.5, 1].flatMap { intensity in
        [2, 5, 17, 33, 64].map { ($0, intensity) }
    }

    /// Each size and each intensity together.
    @Suite struct Sweep {
        @Test(arguments: looks) func smoothLookIsNearTheExactResult(size: Int, intensity: Double) throws {
            try LUTKernelTests().smoothLookIsNearTheExactResult(size: size, intensity: intensity)
        }
    }

    /// A smooth look over all RGB colours, against the floating-point way round. Each size is among
    /// the usual ones, and each intensity.
    @Test(arguments: looks.every(3)) func smoothLookIsNearTheExactResult(size: Int, intensity: Double) throws {
        let look = table(size) { rgb in
            let luma = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
            return [luma + (rgb[0] - luma) * 1.2 + 0.03, powf(max(rgb[1], 0), 0.9), rgb[2] * 0.8 + 0.1 * luma]
        }
        let worst = try compare(look, size: size, intensity: intensity, seed: 22)
        // Half a code is rounding; the rest is the table's creases, which the grid rounds off.
        #expect(worst.luma <= 1.5 && worst.chroma <= 1.5, "luma \(worst.luma), chroma \(worst.chroma)")
    }

    @Test func greyscaleLookLeavesNoColour() throws {
        let look = table(33) { rgb in
            let luma = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
            return [luma, luma, luma]
        }
        let lut = try #require(ck_lut_bake(look, 33, 1))
        defer { ck_lut_free(lut) }
        var random = SplitMix64(seed: 23)
        let picture = TestPicture(width: 200, height: 200, padding: 0)
        picture.randomize(&random)
        let lumas = picture.samples.prefix(40_000)
        ck_lut_apply(picture.ck, picture.ck, lut)
        #expect(picture.samples.dropFirst(40_000).allSatisfy { (127...129).contains($0) })
        // Luma stays, as BT.709's own weights were used.
        #expect(zip(lumas, picture.samples).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func zeroIntensityIsTheIdentity() throws {
        let lut = try #require(ck_lut_bake(table(8) { _ in [0, 1, 0] }, 8, 0))
        defer { ck_lut_free(lut) }
        var random = SplitMix64(seed: 24)
        let picture = TestPicture(width: 99, height: 99, padding: 0)
        picture.randomize(&random)
        let out = TestPicture(width: 99, height: 99, padding: 0)
        ck_lut_apply(out.ck, picture.ck, lut)
        #expect(out.samples == picture.samples)
    }

    @Test func nonsenseIsRefused() {
        let rgb = table(2) { $0 }
        #expect(ck_lut_bake(rgb, 1, 1) == nil)
        #expect(ck_lut_bake(rgb, 257, 1) == nil)
        #expect(ck_lut_bake(rgb, 2, 1.5) == nil)
        #expect(ck_lut_bake(rgb, 2, .nan) == nil)
        #expect(ck_lut_bake(nil, 2, 1) == nil)
    }

    // MARK: helpers

    /// - Parameter look: from red, green, blue in 0…1.
    private func table(_ size: Int, _ look: ([Float]) -> [Float]) -> [Float] {
        (0..<(size * size * size)).flatMap { index in
            look([index % size, index / size % size, index / size / size].map { Float($0) / Float(size - 1) })
        }
    }

    /// The largest deviations over random RGB colours, each as a 2×2 block of its own.
    private func compare(
        _ look: [Float], size: Int, intensity: Double, seed: UInt64
    ) throws -> (luma: Double, chroma: Double) {
        let lut = try #require(ck_lut_bake(look, Int32(size), intensity))
        defer { ck_lut_free(lut) }
        var random = SplitMix64(seed: seed)
        let side = 200
        let picture = TestPicture(width: side, height: side, padding: 0)
        for y in 0..<(side / 2) {
            for x in 0..<(side / 2) {
                var yuv: [UInt8] = [0, 0, 0]
                ck_color(
                    .random(in: 0...255, using: &random), .random(in: 0...255, using: &random),
                    .random(in: 0...255, using: &random), &yuv)
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] { picture[0, 2 * x + dx, 2 * y + dy] = yuv[0] }
                (picture[1, x, y], picture[2, x, y]) = (yuv[1], yuv[2])
            }
        }
        let out = TestPicture(width: side, height: side, padding: 0)
        ck_lut_apply(out.ck, picture.ck, lut)
        var worst = (luma: 0.0, chroma: 0.0)
        for y in 0..<(side / 2) {
            for x in 0..<(side / 2) {
                let input = [picture[0, 2 * x, 2 * y], picture[1, x, y], picture[2, x, y]].map(Double.init)
                var exact = [0.0, 0, 0]
                ck_lut_exact(look, Int32(size), intensity, input, &exact)
                worst.luma = max(worst.luma, abs(min(max(exact[0], 0), 255) - Double(out[0, 2 * x, 2 * y])))
                for (plane, value) in exact.enumerated().dropFirst() {
                    worst.chroma = max(worst.chroma, abs(min(max(value, 0), 255) - Double(out[plane, x, y])))
                }
            }
        }
        return worst
    }
}
