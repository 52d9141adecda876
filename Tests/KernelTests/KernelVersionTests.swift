import CKernels
import Foundation
import TestSupport
import Testing

/// That both versions of the kernels are there to be tested. What each does is tested beside its
/// reference.
@Suite(.waits) struct KernelVersionTests {
    @Test func versionsAreChosenForOneThread() throws {
        let used = KernelVersion.results { ck_uses_avx2() }
        #expect(used[1] == 0)
        if let processor = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) {
            #expect((used[0] != 0) == processor.contains(" avx2"))
        }
        KernelVersion.portable.choose()
        defer { KernelVersion.leave() }
        nonisolated(unsafe) var elsewhere: Int32 = -1
        let ended = DispatchSemaphore(value: 0)
        Thread {
            elsewhere = ck_uses_avx2()
            ended.signal()
        }.start()
        ended.wait()
        #expect(elsewhere == used[0])
    }

    /// References allow for one code value where there are floats; from machine to machine there
    /// must be no difference at all.
    @Test func versionsWithFloatsGiveTheSame() throws {
        var random = SplitMix64(seed: 51)
        var (from, to) = (HDRKernelTests.sdr, HDRKernelTests.hlg)
        let light = try #require(ck_light_make(&from, &to))
        defer { ck_light_free(light) }
        for (width, height) in awkwardSizes + [(640, 4)] {
            let picture = WidePicture(width, height, &random)
            func isSame(_ name: String, _ body: (WidePicture) -> [Float]) {
                let all = KernelVersion.results { () -> ([UInt16], [UInt32]) in
                    let out = WidePicture(width, height)
                    let floats = body(out)
                    return (out.samples, floats.map(\.bitPattern))
                }
                #expect(all[0] == all[1], "\(name) \(width)×\(height)")
            }
            isSame("light") {
                ck_light_apply($0.ck, picture.ck, light)
                return []
            }
            var floats = [Float](repeating: 0, count: 4 * width * height)
            isSame("to floats") { _ in
                ck_rgbaf_from_yuv(&floats, 16 * width, picture.ck, 10, 0.2627, 0.0593)
                return floats
            }
            let noise = floats.map { $0 + Float.random(in: -0.5...0.5, using: &random) }
            isSame("from floats") {
                ck_yuv_from_rgbaf($0.ck, noise, 16 * width, 10, 0.2627, 0.0593, CK_CHROMA_MEAN)
                return []
            }
            isSame("from floats, inversely") {
                ck_yuv_from_rgbaf($0.ck, noise, 16 * width, 10, 0.2627, 0.0593, CK_CHROMA_INVERSE)
                return []
            }
        }
    }
}
