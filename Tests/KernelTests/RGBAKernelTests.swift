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
            for filter in [CK_CHROMA_MEAN, CK_CHROMA_INVERSE] {
                ck_yuv_from_rgba(a.ck, fast, stride, filter)
                ck_yuv_from_rgba_ref(b.ck, fast, stride, filter)
                #expect(a.distance(to: b) <= 1 && a.isFramed, "from RGBA \(width)×\(height), \(filter)")
            }
        }
    }

    /// What plugins that work in RGBA cost a picture: nothing to speak of, however many there are.
    @Test(arguments: KernelVersion.allCases) func roundTripsDoNotDrift(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 32)
        let (width, height) = (66, 34)
        let picture = TestPicture(width: width, height: height, padding: 0)
        // Colours inside the RGB cube, as are those between two of them: with luma that varies a
        // little.
        for y in 0..<(height / 2) {
            for x in 0..<(width / 2) {
                picture[1, x, y] = .random(in: 108...148, using: &random)
                picture[2, x, y] = .random(in: 108...148, using: &random)
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    picture[0, 2 * x + dx, 2 * y + dy] = .random(in: 110...150, using: &random)
                }
            }
        }
        let current = TestPicture(copy: picture)
        var rgba = [UInt8](repeating: 0, count: 4 * width * height)
        for _ in 0..<10 {
            ck_rgba_from_yuv(&rgba, 4 * width, current.ck)
            ck_yuv_from_rgba(current.ck, rgba, 4 * width, CK_CHROMA_INVERSE)
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
            for filter in [CK_CHROMA_MEAN, CK_CHROMA_INVERSE] {
                ck_yuv_from_rgba(picture.ck, [[UInt8]](repeating: rgb + [255], count: 4).flatMap { $0 }, 8, filter)
                #expect([picture[0, 1, 1], picture[1, 0, 0], picture[2, 0, 0]] == yuv)
            }
        }
    }

    /// A sample of chroma lies on its left column: an edge is where luma's is, on an even column
    /// and on an odd one.
    @Test(arguments: [20, 21], [CK_CHROMA_MEAN, CK_CHROMA_INVERSE])
    func `chroma lies beside luma on the way from RGBA`(left: Int, filter: ck_chroma_filter) {
        let (width, right) = (64, left + 17)
        var rgba = [UInt8](repeating: 255, count: 4 * width * 2)
        for y in 0..<2 {
            for x in 0..<width where !(left..<right).contains(x) {
                for c in 0..<3 { rgba[4 * (y * width + x) + c] = 32 }
            }
            for x in left..<right { (rgba[4 * (y * width + x) + 1], rgba[4 * (y * width + x) + 2]) = (32, 32) }
        }
        let picture = TestPicture(width: width, height: 2, padding: 0)
        ck_yuv_from_rgba(picture.ck, rgba, 4 * width, filter)
        var (sum, moment) = (0.0, 0.0)
        for x in 0..<width / 2 {
            let share = Double(picture[2, x, 0]) - 128
            (sum, moment) = (sum + share, moment + share * 2 * Double(x))
        }
        #expect(abs(moment / sum - Double(left + right - 1) / 2) < 0.05)
    }

    @Test(arguments: KernelVersion.allCases) func `chroma lies beside luma on the way to RGBA`(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        let picture = TestPicture(width: 8, height: 2, padding: 0)
        picture.fill { plane, x, _ in plane == 0 ? 100 : plane == 1 ? 128 : UInt8(120 + 8 * x) }
        var rgba = [UInt8](repeating: 0, count: 64)
        ck_rgba_from_yuv(&rgba, 32, picture.ck)
        let reds = (0..<8).map { Int(rgba[4 * $0]) }
        // Steps of four codes of chroma from pixel to pixel; the last pixel has no sample behind
        // it.
        let steps = zip(reds.dropFirst(), reds).map { $0 - $1 }
        #expect(steps.dropLast().allSatisfy { (6...8).contains($0) } && steps.last == 0, "\(reds)")
    }

    /// A red square on a green screen: no column has a colour between the two, wherever the edges
    /// lie.
    @Test(arguments: KernelVersion.allCases, [20, 21]) func `an edge of colour is where luma has it`(
        version: KernelVersion, left: Int
    ) {
        version.choose()
        defer { KernelVersion.leave() }
        let width = 64
        let picture = TestPicture(width: width, height: 2, padding: 0)
        let (green, red): ([UInt8], [UInt8]) = ([173, 42, 26], [82, 112, 202])
        // Chroma as an encoder takes it: the sample of an even column has a quarter of each
        // neighbour's.
        picture.fill { plane, x, _ in
            if plane == 0 { return (x < left ? green : red)[0] }
            let shares = (-1...1).map { 2 * x + $0 < left ? green[plane] : red[plane] }.map(Int.init)
            return UInt8((shares[0] + 2 * shares[1] + shares[2] + 2) / 4)
        }
        var rgba = [UInt8](repeating: 0, count: 4 * width * 2)
        ck_rgba_from_yuv(&rgba, 4 * width, picture.ck)
        let reds = (0..<width).map { Int(rgba[4 * $0]) }
        // A quarter is the most that any pixel has from across the edge.
        #expect(reds[..<left].allSatisfy { $0 < 90 } && reds[left...].allSatisfy { $0 > 120 }, "\(reds)")
    }

    // MARK: Pixels that come back

    @Test(arguments: KernelVersion.allCases) func `what comes back as it went is kept`(version: KernelVersion) {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 33)
        for (width, height) in awkwardSizes + [(64, 8)] {
            for changed in [0, 1, 20, 100] {
                let original = TestPicture(width: width, height: height, padding: 1)
                original.randomize(&random)
                let stride = 4 * width + 12
                var given = [UInt8](repeating: 0, count: stride * height)
                ck_rgba_from_yuv(&given, stride, original.ck)
                var returned = given
                for y in 0..<height {
                    for x in 0..<width where Int.random(in: 0..<100, using: &random) < changed {
                        returned[y * stride + 4 * x + Int.random(in: 0..<4, using: &random)] ^= 1
                    }
                }
                let start = TestPicture(width: width, height: height, padding: 4)
                start.randomize(&random)
                let (fast, plain) = (TestPicture(copy: start), TestPicture(copy: start))
                ck_keep_yuv(fast.ck, original.ck, returned, stride, given, stride)
                ck_keep_yuv_ref(plain.ck, original.ck, returned, stride, given, stride)
                #expect(fast.samples == plain.samples && fast.isFramed, "\(width)×\(height), \(changed) %")
                if changed == 0 { #expect(fast.samples == original.samples) }
            }
        }
    }
}
