import CKernels
import TestSupport
import Testing

/// Pictures in the canvas' own terms, before they are painted: see ``CanvasKernelTests``.
@Suite struct OverlayKernelTests {
    @Test func impossibleSizesAreRefused() throws {
        var (from, to) = (HDRKernelTests.sdr, HDRKernelTests.hlg)
        let light = try #require(ck_light_make(&from, &to))
        defer { ck_light_free(light) }
        let pixel: [UInt8] = [0, 0, 0, 0]
        for (width, height) in [(0, 1), (1, 0), (1, 40_000), (40_000, 1)] as [(Int32, Int32)] {
            #expect(ck_overlay_prepare(pixel, 4, width, height) == nil)
            #expect(ck_overlay_10_prepare(pixel, 4, width, height, light) == nil)
        }
    }

    @Test func fillClipsToThePicture() {
        let canvas = TestPicture(width: 7, height: 5, padding: 3)
        canvas.fill { plane, _, _ in plane == 0 ? 100 : 128 }
        ck_fill(canvas.ck, -3, -3, 6, 5, 50, 60, 70)
        ck_fill(canvas.ck, 6, 4, .max, .max, 51, 61, 71)
        ck_fill(canvas.ck, 100, 100, 5, 5, 1, 1, 1)
        ck_fill(canvas.ck, 0, 0, -5, 5, 1, 1, 1)
        #expect(canvas.isFramed)
        #expect(canvas[0, 2, 1] == 50 && canvas[0, 3, 1] == 100 && canvas[0, 2, 2] == 100)
        #expect(canvas[1, 1, 0] == 60 && canvas[1, 2, 0] == 128)
        #expect(canvas[0, 6, 4] == 51 && canvas[2, 3, 2] == 71)
    }
}
