import CKernels
import TestSupport
import Testing

@Suite struct OverlayKernelTests {
    @Test(arguments: KernelVersion.allCases) func fastEqualsReferenceEverywhere(version: KernelVersion) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 11)
        for (width, height) in [(1, 1), (2, 3), (5, 4), (33, 17), (64, 64)] {
            let rgba = (0..<(width * height * 4)).map { _ in UInt8.random(in: 0...255, using: &random) }
            for (x, y) in [
                (0, 0), (1, 0), (0, 1), (3, 5), (-1, -1), (-2, 3), (20, -7), (39, 29), (-70, 0), (500, 2), (7, -500),
            ] {
                for opacity: Int32 in [0, 200, 30_000, 65_536] {
                    let overlay = try prepare(rgba, width, height, x: x, y: y)
                    defer { ck_overlay_free(overlay) }
                    let canvas = TestPicture(width: 41, height: 31, padding: 7)
                    canvas.randomize(&random)
                    let other = TestPicture(copy: canvas)
                    #expect(ck_overlay_blend(canvas.ck, overlay, Int32(x), Int32(y), opacity) == 0)
                    #expect(ck_overlay_blend_ref(other.ck, overlay, Int32(x), Int32(y), opacity) == 0)
                    #expect(canvas.samples == other.samples, "\(width)×\(height) at \(x), \(y), opacity \(opacity)")
                    #expect(canvas.isFramed)
                }
            }
        }
    }

    @Test func wrongParityDrawsNothing() throws {
        let overlay = try prepare([255, 0, 0, 255], 1, 1, x: 0, y: 1)
        defer { ck_overlay_free(overlay) }
        let canvas = TestPicture(width: 4, height: 4, padding: 0)
        let before = canvas.samples
        #expect(ck_overlay_blend(canvas.ck, overlay, 0, 0, 65_536) == -1)
        #expect(ck_overlay_blend(canvas.ck, overlay, 1, 1, 65_536) == -1)
        #expect(canvas.samples == before)
    }

    @Test func opaqueColourReplacesWholeBlocks() throws {
        var yuv: [UInt8] = [0, 0, 0]
        ck_color(255, 0, 0, &yuv)
        // BT.709 red in 8-bit limited range, as in every table: 63, 102, 240.
        #expect(yuv == [63, 102, 240])
        let red = [[UInt8]](repeating: [255, 0, 0, 255], count: 16).flatMap { $0 }
        let overlay = try prepare(red, 4, 4, x: 2, y: 4)
        defer { ck_overlay_free(overlay) }
        let canvas = grey(12, 12)
        _ = ck_overlay_blend(canvas.ck, overlay, 2, 4, 65_536)
        for (plane, range) in [(0, (2..<6, 4..<8)), (1, (1..<3, 2..<4)), (2, (1..<3, 2..<4))] {
            for y in 0..<canvas.rows(plane) {
                for x in 0..<canvas.columns(plane) {
                    let inside = range.0.contains(x) && range.1.contains(y)
                    #expect(canvas[plane, x, y] == (inside ? yuv[plane] : plane == 0 ? 100 : 128))
                }
            }
        }
    }

    /// One opaque pixel of a block gives its chroma a quarter of the weight, wherever it lies.
    @Test(arguments: [(2, 2), (3, 2), (2, 3), (3, 3)]) func chromaFollowsCoverage(x: Int, y: Int) throws {
        let overlay = try prepare([0, 0, 255, 255], 1, 1, x: x, y: y)
        defer { ck_overlay_free(overlay) }
        var blue: [UInt8] = [0, 0, 0]
        ck_color(0, 0, 255, &blue)
        let canvas = grey(8, 8)
        _ = ck_overlay_blend(canvas.ck, overlay, Int32(x), Int32(y), 65_536)
        #expect(canvas[0, x, y] == blue[0])
        let chroma: Double = 128 + (Double(blue[1]) - 128) / 4
        #expect(abs(Double(canvas[1, 1, 1]) - chroma) <= 1)
        #expect(canvas.samples.count { $0 != 100 && $0 != 128 } == 3)
    }

    @Test func transparentPixelsHaveNoSayInChroma() throws {
        // Green under alpha 0 must not tint the red beside it.
        let overlay = try prepare([255, 0, 0, 255, 0, 255, 0, 0, 255, 0, 0, 255, 0, 255, 0, 0], 2, 2, x: 0, y: 0)
        defer { ck_overlay_free(overlay) }
        let canvas = grey(2, 2)
        _ = ck_overlay_blend(canvas.ck, overlay, 0, 0, 65_536)
        #expect(abs(Int(canvas[1, 0, 0]) - 115) <= 1)  // half way from 128 to 102
        #expect(abs(Int(canvas[2, 0, 0]) - 184) <= 1)  // half way from 128 to 240
    }

    @Test func opacityScalesAlpha() throws {
        let overlay = try prepare([255, 255, 255, 255], 1, 1, x: 0, y: 0)
        defer { ck_overlay_free(overlay) }
        let canvas = grey(1, 1)
        _ = ck_overlay_blend(canvas.ck, overlay, 0, 0, 32_768)
        let mean: Double = (100 + 235) / 2
        #expect(abs(Double(canvas[0, 0, 0]) - mean) <= 1)
    }

    @Test func impossibleSizesAreRefused() {
        let pixel: [UInt8] = [0, 0, 0, 0]
        #expect(ck_overlay_prepare(pixel, 4, 0, 1, 0, 0) == nil)
        #expect(ck_overlay_prepare(pixel, 4, 1, 40_000, 0, 0) == nil)
        #expect(ck_overlay_prepare(pixel, 4, 1, 1, 2, 0) == nil)
    }

    @Test func fillClipsToThePicture() {
        let canvas = grey(7, 5)
        ck_fill(canvas.ck, -3, -3, 6, 5, 50, 60, 70)
        ck_fill(canvas.ck, 6, 4, .max, .max, 51, 61, 71)
        ck_fill(canvas.ck, 100, 100, 5, 5, 1, 1, 1)
        ck_fill(canvas.ck, 0, 0, -5, 5, 1, 1, 1)
        #expect(canvas.isFramed)
        #expect(canvas[0, 2, 1] == 50 && canvas[0, 3, 1] == 100 && canvas[0, 2, 2] == 100)
        #expect(canvas[1, 1, 0] == 60 && canvas[1, 2, 0] == 128)
        #expect(canvas[0, 6, 4] == 51 && canvas[2, 3, 2] == 71)
    }

    private func grey(_ width: Int, _ height: Int) -> TestPicture {
        let canvas = TestPicture(width: width, height: height, padding: 3)
        canvas.fill { plane, _, _ in plane == 0 ? 100 : 128 }
        return canvas
    }

    private func prepare(_ rgba: [UInt8], _ width: Int, _ height: Int, x: Int, y: Int) throws -> OpaquePointer {
        try #require(ck_overlay_prepare(rgba, 4 * width, Int32(width), Int32(height), Int32(x & 1), Int32(y & 1)))
    }
}
