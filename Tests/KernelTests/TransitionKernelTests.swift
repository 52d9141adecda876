import CKernels
import TestSupport
import Testing

private typealias Kernel = @Sendable (ck_picture, ck_picture, ck_picture, Int32) -> Void

@Suite struct TransitionKernelTests {
    /// Name, fast, reference, may work in place.
    private static let kernels: [(String, Kernel, Kernel, Bool)] =
        [
            ("dissolve", ck_dissolve, ck_dissolve_ref, true),
            ("fade", ck_fade_black, ck_fade_black_ref, true),
        ]
        + [CK_LEFT, CK_RIGHT, CK_UP, CK_DOWN].flatMap { direction -> [(String, Kernel, Kernel, Bool)] in
            [
                (
                    "wipe \(direction)", { ck_wipe($0, $1, $2, $3, direction) },
                    { ck_wipe_ref($0, $1, $2, $3, direction) },
                    true
                ),
                (
                    "slide \(direction)", { ck_slide($0, $1, $2, $3, direction) },
                    { ck_slide_ref($0, $1, $2, $3, direction) }, false
                ),
            ]
        }

    private static let positions: [Int32] = [
        -5, 0, 1, 127, 128, 255, 20_000, 32_767, 32_768, 32_769, 65_409, 65_535, 65_536, 70_000,
    ]

    @Test(arguments: KernelVersion.allCases) func fastEqualsReference(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 1)
        for (width, height) in awkwardSizes {
            let (a, b) = pair(width, height, &random)
            for (name, fast, reference, _) in Self.kernels {
                for p in Self.positions {
                    let (x, y) = (
                        TestPicture(width: width, height: height, padding: 5),
                        TestPicture(width: width, height: height, padding: 0)
                    )
                    fast(x.ck, a.ck, b.ck, p)
                    reference(y.ck, a.ck, b.ck, p)
                    #expect(x.samples == y.samples, "\(name) \(width)×\(height) at \(p)")
                    #expect(x.isFramed, "\(name) \(width)×\(height) at \(p) writes outside")
                }
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func endsAreExact(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 2)
        for (width, height) in awkwardSizes {
            let (a, b) = pair(width, height, &random)
            for (name, fast, _, _) in Self.kernels {
                let out = TestPicture(width: width, height: height, padding: 3)
                fast(out.ck, a.ck, b.ck, 0)
                #expect(out.samples == a.samples, "\(name) \(width)×\(height)")
                fast(out.ck, a.ck, b.ck, 65_536)
                #expect(out.samples == b.samples, "\(name) \(width)×\(height)")
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func worksInPlaceWhereItSaysSo(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 3)
        let (a, b) = pair(67, 13, &random)
        for (name, fast, reference, inPlace) in Self.kernels where inPlace {
            for p in Self.positions {
                let expected = TestPicture(width: 67, height: 13, padding: 0)
                reference(expected.ck, a.ck, b.ck, p)
                let (first, second) = (TestPicture(copy: a), TestPicture(copy: b))
                fast(first.ck, first.ck, b.ck, p)
                fast(second.ck, a.ck, second.ck, p)
                #expect(first.samples == expected.samples && second.samples == expected.samples, "\(name) at \(p)")
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func dissolveIsNearTheExactMean(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 4)
        let (a, b) = pair(50, 50, &random)
        for p in stride(from: Int32(0), through: 65_536, by: 4_001) {
            let out = TestPicture(width: 50, height: 50, padding: 0)
            ck_dissolve(out.ck, a.ck, b.ck, p)
            let t = Double(p) / 65_536
            for (value, (x, y)) in zip(out.samples, zip(a.samples, b.samples)) {
                #expect(abs(Double(value) - (Double(x) * (1 - t) + Double(y) * t)) <= 1)
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func fadeIsBlackInTheMiddle(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 5)
        let (a, b) = pair(9, 6, &random)
        let out = TestPicture(width: 9, height: 6, padding: 0)
        ck_fade_black(out.ck, a.ck, b.ck, 32_768)
        let black = TestPicture(width: 9, height: 6, padding: 0)
        black.fill { plane, _, _ in plane == 0 ? 16 : 128 }
        #expect(out.samples == black.samples)
    }

    /// The new picture is where the name says, in luma and chroma.
    @Test(arguments: [CK_LEFT, CK_RIGHT, CK_UP, CK_DOWN]) func wipesAndSlidesGoTheRightWay(direction: ck_direction) {
        let (old, new) = (
            TestPicture(width: 40, height: 40, padding: 0), TestPicture(width: 40, height: 40, padding: 0)
        )
        old.fill { _, x, y in UInt8(x) }
        new.fill { _, x, y in UInt8(100 + (direction == CK_LEFT || direction == CK_RIGHT ? x : y)) }
        let out = TestPicture(width: 40, height: 40, padding: 0)
        for kernel in [ck_wipe, ck_slide] {
            kernel(out.ck, old.ck, new.ck, 16_384, direction)
            for plane in 0..<3 {
                let end = out.columns(plane) - 1
                let corners: [ck_direction: (new: (Int, Int), old: (Int, Int))] = [
                    CK_LEFT: ((end, 0), (0, 0)), CK_RIGHT: ((0, 0), (end, 0)),
                    CK_UP: ((0, end), (0, 0)), CK_DOWN: ((0, 0), (0, end)),
                ]
                guard let corner = corners[direction] else { return #expect(Bool(false)) }
                #expect(out[plane, corner.new.0, corner.new.1] >= 100)
                #expect(out[plane, corner.old.0, corner.old.1] < 100)
            }
            // A quarter of the way: 10 of 40 rows or columns.
            let count = out.samples.prefix(1600).count { $0 >= 100 }
            #expect(count == 400)
        }
        // A slide brings the new picture's near edge first: the seam shows it.
        let seam: [ck_direction: (Int, Int, UInt8)] = [
            CK_LEFT: (30, 0, 100), CK_RIGHT: (9, 0, 139), CK_UP: (0, 30, 100), CK_DOWN: (0, 9, 139),
        ]
        if let (x, y, value) = seam[direction] { #expect(out[0, x, y] == value) }
    }

    private func pair(_ width: Int, _ height: Int, _ random: inout SplitMix64) -> (TestPicture, TestPicture) {
        let (a, b) = (
            TestPicture(width: width, height: height, padding: 9), TestPicture(width: width, height: height, padding: 2)
        )
        a.randomize(&random)
        b.randomize(&random)
        return (a, b)
    }
}
