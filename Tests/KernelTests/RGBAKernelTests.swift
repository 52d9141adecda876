import CKernels
import TestSupport
import Testing

@Suite struct RGBAKernelTests {
    @Test(arguments: KernelVersion.allCases) func layingOverAColourEqualsItsReference(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 5)
        for (width, height) in [(1, 1), (7, 3), (64, 5), (129, 2)] {
            for color: [UInt8] in [[0, 0, 0], [255, 255, 255], [12, 200, 77]] {
                var fast = (0..<(4 * width * height)).map { _ in UInt8.random(in: 0...255, using: &random) }
                var slow = fast
                let (before, stride) = (fast, 4 * width)
                ck_rgba_over_color(&fast, stride, Int32(width), Int32(height), color)
                ck_rgba_over_color_ref(&slow, stride, Int32(width), Int32(height), color)
                #expect(fast == slow)
                for pixel in Swift.stride(from: 0, to: fast.count, by: 4) {
                    #expect(fast[pixel + 3] == 255)
                    if before[pixel + 3] == 255 { #expect(fast[pixel..<pixel + 3] == before[pixel..<pixel + 3]) }
                    if before[pixel + 3] == 0 { #expect(Array(fast[pixel..<pixel + 3]) == color) }
                }
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func layingFloatsOverFloatsEqualsItsReference(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 6)
        let odd: [Float] = [.nan, .infinity, -.infinity, 0, 1, -1, 1e30, 2]
        for (width, height) in [(1, 1), (5, 3), (67, 2)] {
            for opacity: Float in [0, 0.3, 1] {
                var fast = (0..<(4 * width * height)).map { _ in Float.random(in: -0.2...1.2, using: &random) }
                var slow = fast
                let (under, stride) = (fast, 16 * width)
                let over = (0..<(4 * width * height)).map { _ in
                    random.chance(1, in: 4) ? random.pick(odd) : Float.random(in: -0.2...1.2, using: &random)
                }
                ck_rgbaf_over(&fast, stride, over, stride, Int32(width), Int32(height), opacity)
                ck_rgbaf_over_ref(&slow, stride, over, stride, Int32(width), Int32(height), opacity)
                for (index, (a, b)) in zip(fast, slow).enumerated() {
                    #expect(abs(a - b) < 1e-6, "\(index): \(a) and \(b)")
                    let alpha = over[index / 4 * 4 + 3]
                    if index % 4 < 3, alpha >= 1, opacity == 1, over[index].magnitude < 100 {
                        #expect(a == over[index])
                    }
                    if index % 4 < 3, !(alpha > 0) || opacity == 0 { #expect(a == under[index]) }
                }
            }
        }
    }

    @Test(arguments: KernelVersion.allCases) func fastIsWithinOneOfTheReference(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 31)
        for (width, height) in awkwardSizes {
            let picture = TestPicture(width: width, height: height, padding: 3)
            picture.randomize(&random)
            let stride = 4 * width + 8
            var (fast, reference) = (
                [UInt8](repeating: 7, count: stride * height), [UInt8](repeating: 7, count: stride * height)
            )
            ck_rgba_from_yuv(&fast, stride, picture.ck)
            ck_rgba_from_yuv_ref(&reference, stride, picture.ck)
            #expect(zip(fast, reference).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "to RGBA \(width)×\(height)")
            for y in 0..<height {
                #expect(fast[(y * stride + 4 * width)..<((y + 1) * stride)].allSatisfy { $0 == 7 }, "padding written")
                for x in 0..<width { #expect(fast[y * stride + 4 * x + 3] == 255) }
            }

            for index in fast.indices { fast[index] = .random(in: 0...255, using: &random) }
            let (a, b) = (
                TestPicture(width: width, height: height, padding: 2),
                TestPicture(width: width, height: height, padding: 0)
            )
            ck_yuv_from_rgba(a.ck, fast, stride)
            ck_yuv_from_rgba_ref(b.ck, fast, stride)
            #expect(a.distance(to: b) <= 1 && a.isFramed, "from RGBA \(width)×\(height)")
        }
    }

    /// What plugins that work in RGBA cost a picture: nothing to speak of, however many there are.
    @Test(arguments: KernelVersion.allCases) func roundTripsDoNotDrift(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 32)
        let (width, height) = (66, 34)
        let picture = TestPicture(width: width, height: height, padding: 0)
        // Colours inside the RGB cube, one for each block, with luma that varies a little within it.
        for y in 0..<(height / 2) {
            for x in 0..<(width / 2) {
                var yuv: [UInt8] = [0, 0, 0]
                ck_color(
                    .random(in: 60...190, using: &random), .random(in: 60...190, using: &random),
                    .random(in: 60...190, using: &random), &yuv)
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    picture[0, 2 * x + dx, 2 * y + dy] = yuv[0] &+ UInt8(dx + 2 * dy)
                }
                (picture[1, x, y], picture[2, x, y]) = (yuv[1], yuv[2])
            }
        }
        let current = TestPicture(copy: picture)
        var rgba = [UInt8](repeating: 0, count: 4 * width * height)
        for _ in 0..<10 {
            ck_rgba_from_yuv(&rgba, 4 * width, current.ck)
            ck_yuv_from_rgba(current.ck, rgba, 4 * width)
        }
        #expect(current.distance(to: picture) <= 1)
    }

    @Test func knownColours() {
        let known: [([UInt8], [UInt8])] = [
            ([0, 0, 0], [16, 128, 128]), ([255, 255, 255], [235, 128, 128]), ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]), ([0, 0, 255], [32, 240, 118]),
        ]
        for (rgb, yuv) in known {
            let picture = TestPicture(width: 2, height: 2, padding: 0)
            ck_yuv_from_rgba(picture.ck, [[UInt8]](repeating: rgb + [255], count: 4).flatMap { $0 }, 8)
            #expect([picture[0, 1, 1], picture[1, 0, 0], picture[2, 0, 0]] == yuv)
        }
    }
}
