import CKernels
import Foundation
import TestSupport
import Testing

/// Kernels of premultiplied floats, beside references in double precision.
@Suite struct LayerKernelTests {
    /// Floats are summed in another order than the reference's doubles.
    private static let tolerance: Float = 2e-6

    private static let sizes: [Int32] = [1, 2, 3, 5, 8, 17, 33, 60]

    /// A picture with a canary behind every row.
    private struct Floats {
        static let canary: Float = 77
        let width, height, stride: Int
        var values: [Float]

        init(_ width: Int32, _ height: Int32, _ value: () -> [Float] = { [0, 0, 0, 0] }) {
            (self.width, self.height) = (Int(width), Int(height))
            stride = 4 * self.width + 3
            values = Array(repeating: Self.canary, count: stride * self.height)
            for y in 0..<self.height {
                for x in 0..<self.width {
                    values.replaceSubrange(y * stride + 4 * x..<y * stride + 4 * x + 4, with: value())
                }
            }
        }

        var isFramed: Bool { values.indices.allSatisfy { $0 % stride < 4 * width || values[$0] == Self.canary } }
        var isPremultiplied: Bool {
            (0..<height).allSatisfy { y in
                (0..<width).allSatisfy { x in
                    let pixel = values[y * stride + 4 * x..<y * stride + 4 * x + 4]
                    let alpha = pixel.last ?? -1
                    return (0...1).contains(alpha) && pixel.dropLast().allSatisfy { (0...alpha).contains($0) }
                }
            }
        }

        func difference(_ other: Floats) -> Float { zip(values, other.values).map { abs($0 - $1) }.max() ?? 0 }
    }

    private static func pixel(_ random: inout SplitMix64) -> [Float] {
        let alpha = [0, 1, Float.random(in: 0...1, using: &random)].randomElement(using: &random) ?? 1
        return (0..<3).map { _ in
            alpha * ([0, 1, Float.random(in: 0...1, using: &random)].randomElement(using: &random) ?? 0)
        } + [alpha]
    }

    /// Both versions of a kernel give the same; and it is what the reference gives.
    /// - Parameter isCutOff: the result is a premultiplied picture.
    private func check(
        _ name: String, onto start: Floats, isCutOff: Bool = true, _ kernel: (UnsafeMutablePointer<Float>, Int) -> Void,
        _ reference: (UnsafeMutablePointer<Float>, Int) -> Void
    ) {
        func result(_ body: (UnsafeMutablePointer<Float>, Int) -> Void) -> Floats {
            var picture = start
            let stride = 4 * picture.stride
            picture.values.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { body(base, stride) } }
            return picture
        }
        let versions = KernelVersion.results { result(kernel) }
        #expect(
            versions[0].values.map(\.bitPattern) == versions[1].values.map(\.bitPattern), "\(name): versions differ")
        #expect(versions[0].isFramed && (versions[0].isPremultiplied || !isCutOff), "\(name)")
        #expect(versions[0].difference(result(reference)) <= Self.tolerance, "\(name)")
    }

    /// More sizes and shifts.
    @Suite struct Sweep {
        @Test func `resampling is Lanczos' filter, from samples of all kinds, at sizes and shifts of all kinds`() throws
        {
            try LayerKernelTests().resample(300)
        }

        @Test func `an opaque picture is resampled as it is stored, in 8 and in 10 bits`() throws {
            try LayerKernelTests().resamplePlanes(200)
        }
    }

    @Test func `resampling is Lanczos' filter, from samples of all kinds, at sizes and shifts of all kinds`() throws {
        try resample(150)
    }

    private func resample(_ cases: Int) throws {
        var random = SplitMix64(seed: Seed.announced(for: "resampling", cases: cases))
        for number in 0..<cases {
            func size() -> Int32 { Self.sizes.randomElement(using: &random) ?? 1 }
            let samples = ck_samples(number % 4)
            let (inWidth, inHeight, outWidth, outHeight) = (size(), size(), size(), size())
            let bytes = [4, 8, 16, 16][Int(samples)]
            let count = Int(inWidth) * Int(inHeight) * 4
            var input = [UInt8](repeating: 0, count: count * bytes / 4)
            input.withUnsafeMutableBytes { raw in
                for index in 0..<count {
                    switch samples {
                    case CK_RGBA8: raw[index] = .random(in: 0...255, using: &random)
                    case CK_RGBA16:
                        raw.storeBytes(
                            of: .random(in: 0...65535, using: &random), toByteOffset: 2 * index, as: UInt16.self)
                    default:
                        let value =
                            number % 20 == 2 && index % 9 == 0 ? Float.nan : .random(in: -0.1...1.1, using: &random)
                        raw.storeBytes(of: value, toByteOffset: 4 * index, as: Float.self)
                    }
                }
            }
            var map = ck_resampling(
                in_width: inWidth, in_height: inHeight, out_width: outWidth, out_height: outHeight,
                scale_x: Double(inWidth) / Double(outWidth) * .random(in: 0.5...1.5, using: &random),
                scale_y: Double(inHeight) / Double(outHeight) * .random(in: 0.5...1.5, using: &random),
                first_x: .random(in: -2...2, using: &random), first_y: .random(in: -2...2, using: &random))
            // Far outside there is the edge.
            if number % 10 == 0 { map.first_x = -5000 }
            if number % 11 == 0 { map.first_y = 5000 }
            input.withUnsafeBytes { raw in
                let (from, stride) = (raw.baseAddress, Int(inWidth) * bytes)
                check("\(number): \(map)", onto: Floats(outWidth, outHeight)) {
                    #expect(ck_resample_rgba($0, $1, from, stride, samples, map) == 0)
                } _: {
                    #expect(ck_resample_rgba_ref($0, $1, from, stride, samples, map) == 0)
                }
            }
        }
    }

    @Test func `an opaque picture is resampled as it is stored, in 8 and in 10 bits`() throws {
        try resamplePlanes(100)
    }

    private func resamplePlanes(_ cases: Int) throws {
        var random = SplitMix64(seed: Seed.announced(for: "resampling of planes", cases: cases))
        for number in 0..<cases {
            func size() -> Int32 { Self.sizes.randomElement(using: &random) ?? 1 }
            let (inWidth, inHeight, outWidth, outHeight) = (size(), size(), size(), size())
            var map = ck_resampling(
                in_width: inWidth, in_height: inHeight, out_width: outWidth, out_height: outHeight,
                scale_x: Double(inWidth) / Double(outWidth) * .random(in: 0.5...1.5, using: &random),
                scale_y: Double(inHeight) / Double(outHeight) * .random(in: 0.5...1.5, using: &random),
                first_x: .random(in: -2...2, using: &random), first_y: .random(in: -2...2, using: &random))
            if number % 10 == 0 { map.first_x = -5000 }
            if number % 11 == 0 { map.first_y = 5000 }
            // A place of its own size, at whole pixels.
            if number % 7 == 0 {
                (map.scale_x, map.scale_y, map.first_x, map.first_y) = (1, 1, Double(number / 7 % 4 - 2), 2)
            }
            let narrow = TestPicture(width: Int(inWidth), height: Int(inHeight), padding: number % 3)
            let wide = WidePicture(width: Int(inWidth), height: Int(inHeight))
            narrow.randomize(&random)
            wide.fill { .random(in: 0...1023, using: &random) }
            for (picture, bits, kr, kb) in [(narrow.ck, Int32(8), 0.2126, 0.0722), (wide.ck, 10, 0.2627, 0.0593)] {
                check("\(number), \(bits) bits: \(map)", onto: Floats(outWidth, outHeight), isCutOff: number % 7 != 0) {
                    #expect(ck_resample_yuv($0, $1, picture, bits, kr, kb, map) == 0)
                } _: {
                    #expect(ck_resample_yuv_ref($0, $1, picture, bits, kr, kb, map) == 0)
                }
            }
        }
    }

    /// A resampler gives the same bytes each time, for pictures of 8 and 10 bits in turn.
    @Test func `a resampler is used again`() throws {
        var random = SplitMix64(seed: 12)
        let map = ck_resampling(
            in_width: 61, in_height: 38, out_width: 23, out_height: 17, scale_x: 2.6, scale_y: 2.1, first_x: 0.8,
            first_y: 0.5)
        let resampler = try #require(ck_yuv_resampler_make(map))
        defer { ck_yuv_resampler_free(resampler) }
        #expect(ck_yuv_resampler_bytes(resampler) > 0)
        for round in 0..<3 {
            let narrow = TestPicture(width: 61, height: 38, padding: round)
            let wide = WidePicture(width: 61, height: 38)
            narrow.randomize(&random)
            wide.fill { .random(in: 0...1023, using: &random) }
            for (picture, bits, kr, kb) in [(narrow.ck, Int32(8), 0.2126, 0.0722), (wide.ck, 10, 0.2627, 0.0593)] {
                var again = [Float](repeating: 1, count: 23 * 17 * 4)
                var once = [Float](repeating: 2, count: 23 * 17 * 4)
                #expect(ck_yuv_resampler_run(resampler, &again, 23 * 16, picture, bits, kr, kb) == 0)
                #expect(ck_resample_yuv(&once, 23 * 16, picture, bits, kr, kb, map) == 0)
                #expect(again == once, "round \(round), \(bits) bits")
            }
        }
        var out = [Float](repeating: 0, count: 23 * 17 * 4)
        let other = TestPicture(width: 60, height: 38, padding: 0)
        #expect(ck_yuv_resampler_run(resampler, &out, 23 * 16, other.ck, 8, 0.2126, 0.0722) == -1)
        let empty = ck_resampling(
            in_width: 0, in_height: 1, out_width: 1, out_height: 1, scale_x: 1, scale_y: 1, first_x: 0, first_y: 0)
        #expect(ck_yuv_resampler_make(empty) == nil)
    }

    @Test func `a reduction of thousands to one is a mean, and takes no more memory`() throws {
        let side: Int32 = 3000
        let input = [UInt8](repeating: 255, count: Int(side) * Int(side) * 4)
        var out = [Float](repeating: 0, count: 16)
        let map = ck_resampling(
            in_width: side, in_height: side, out_width: 2, out_height: 2, scale_x: 1500, scale_y: 1500, first_x: 749.5,
            first_y: 749.5)
        #expect(ck_resample_rgba(&out, 32, input, Int(side) * 4, CK_RGBA8, map) == 0)
        #expect(out.allSatisfy { abs($0 - 1) < 1e-4 }, "\(out)")
    }

    @Test func `what cannot be resampled is refused`() {
        let fine = ck_resampling(
            in_width: 1, in_height: 1, out_width: 1, out_height: 1, scale_x: 1, scale_y: 1, first_x: 0, first_y: 0)
        var out = [Float](repeating: 0, count: 4)
        let input = [UInt8](repeating: 0, count: 16)
        func result(_ samples: ck_samples = CK_RGBA8, _ change: (inout ck_resampling) -> Void) -> Int32 {
            var map = fine
            change(&map)
            return ck_resample_rgba(&out, 16, input, 4, samples, map)
        }
        #expect(result(CK_RGBA8) { _ in } == 0)
        let changes: [(inout ck_resampling) -> Void] = [
            { $0.in_width = 0 }, { $0.in_height = 32769 }, { $0.out_width = -1 }, { $0.out_height = 0 },
            { $0.scale_x = 0 }, { $0.scale_y = 4097 }, { $0.scale_x = .nan }, { $0.first_x = .infinity },
            { $0.first_y = -2e6 },
        ]
        for change in changes { #expect(result(CK_RGBA8, change) == -1) }
        #expect(result(4) { _ in } == -1)
        let stored = TestPicture(width: 1, height: 1, padding: 0)
        stored.fill { _, _, _ in 128 }
        #expect(ck_resample_yuv(&out, 16, stored.ck, 8, 0.2126, 0.0722, fine) == 0)
        #expect(ck_resample_yuv(&out, 16, stored.ck, 9, 0.2126, 0.0722, fine) == -1)
        var wider = fine
        wider.in_width = 2
        #expect(ck_resample_yuv(&out, 16, stored.ck, 8, 0.2126, 0.0722, wider) == -1)
        #expect(result(-1) { _ in } == -1)
    }

    @Test func `turns are Catmull and Rom's cubic, with nothing around the picture`() {
        var random = SplitMix64(seed: Seed.announced(for: "turns", cases: 150))
        for number in 0..<150 {
            let (width, height) = (Int32.random(in: 1...30, using: &random), Int32.random(in: 1...30, using: &random))
            let picture = Floats(width, height) { Self.pixel(&random) }
            let turn = Double.random(in: 0...7, using: &random)
            var map = ck_affine(
                a: cos(turn), b: -sin(turn), c: .random(in: -5...25, using: &random), d: sin(turn), e: cos(turn),
                f: .random(in: -5...25, using: &random))
            if number % 25 == 0 { map.c = [.nan, .infinity, 1e300].randomElement(using: &random) ?? 0 }
            let stride = 4 * picture.stride
            let (across, down) = (Int32.random(in: 1...40, using: &random), Int32.random(in: 1...40, using: &random))
            check("\(number): \(map)", onto: Floats(across, down)) {
                ck_turn_rgba($0, $1, across, down, picture.values, stride, width, height, map)
            } _: {
                ck_turn_rgba_ref($0, $1, across, down, picture.values, stride, width, height, map)
            }
        }
    }

    /// A filter that overshoots alpha overshoots colour alike: one colour stays one colour, however
    /// faint.
    @Test func `one colour stays one colour under every filter`() {
        var random = SplitMix64(seed: Seed.announced(for: "one colour", cases: 100))
        for number in 0..<100 {
            let (width, height) = (Int32.random(in: 1...30, using: &random), Int32.random(in: 1...30, using: &random))
            let color = (0..<3).map { _ in Float.random(in: 0...1, using: &random) }
            let picture = Floats(width, height) {
                let alpha: Float = random.pick([0, 1, .random(in: 0...1, using: &random)])
                return color.map { $0 * alpha } + [alpha]
            }
            var out = Floats(40, 40)
            let turn = Double.random(in: 0...7, using: &random)
            let (x, y) = (Double.random(in: -5...9, using: &random), Double.random(in: -5...9, using: &random))
            if number % 2 == 0 {
                ck_turn_rgba(
                    &out.values, 4 * out.stride, 40, 40, picture.values, 4 * picture.stride, width, height,
                    ck_affine(a: cos(turn), b: -sin(turn), c: x, d: sin(turn), e: cos(turn), f: y))
            } else {
                let map = ck_resampling(
                    in_width: width, in_height: height, out_width: 40, out_height: 40,
                    scale_x: .random(in: 0.1...2, using: &random), scale_y: .random(in: 0.1...2, using: &random),
                    first_x: x, first_y: y)
                #expect(
                    ck_resample_rgba(
                        &out.values, 4 * out.stride, picture.values, 4 * picture.stride, CK_RGBAF_PRE, map) == 0)
            }
            for y in 0..<40 {
                for x in 0..<40 {
                    let pixel = Array(out.values[y * out.stride + 4 * x..<y * out.stride + 4 * x + 4])
                    let isOne = zip(pixel, color).allSatisfy { abs($0 - $1 * pixel[3]) < 1e-5 }
                    #expect(isOne, "\(number), (\(x), \(y)): \(pixel) of \(color)")
                }
            }
        }
    }

    @Test func `a picture that is not turned is not changed`() {
        var random = SplitMix64(seed: 9)
        let picture = Floats(19, 7) { Self.pixel(&random) }
        var out = Floats(19, 7)
        let stride = 4 * picture.stride
        ck_turn_rgba(
            &out.values, stride, 19, 7, picture.values, stride, 19, 7, ck_affine(a: 1, b: 0, c: 0, d: 0, e: 1, f: 0))
        #expect(out.values == picture.values)
    }

    @Test(arguments: 0..<ck_blend_mode(CK_BLEND_MODES))
    func `a mode is the specification's, with alpha over and under`(mode: ck_blend_mode) {
        var random = SplitMix64(seed: Seed.announced(for: "blend mode \(mode)", cases: 100))
        for number in 0..<100 {
            let (width, height) = (Int32.random(in: 1...40, using: &random), Int32.random(in: 1...3, using: &random))
            let (under, over) = (
                Floats(width, height) { Self.pixel(&random) }, Floats(width, height) { Self.pixel(&random) }
            )
            let opacity: Float = number % 3 == 0 ? 1 : .random(in: 0.01...1, using: &random)
            let stride = 4 * over.stride
            check("\(number)", onto: under) {
                ck_blend_rgba($0, $1, over.values, stride, width, height, opacity, mode)
            } _: { to, _ in
                for y in 0..<Int(height) {
                    for x in 0..<Int(width) {
                        let at = y * under.stride + 4 * x
                        var result = [0.0, 0, 0, 0]
                        ck_blend_exact(
                            (0..<4).map { Double(under.values[at + $0]) }, (0..<4).map { Double(over.values[at + $0]) },
                            Double(opacity), mode, &result)
                        for c in 0..<4 { to[at + c] = Float(result[c]) }
                    }
                }
            }
        }
    }

    @Test func `a shape covers what lies in it, and edges by their share`() {
        func coverage(_ shape: ck_round_rect, _ width: Int32 = 20, _ height: Int32 = 10) -> [[Float]] {
            var picture = Floats(width, height) { [0.5, 0.25, 0, 1] }
            ck_crop_rgba(&picture.values, 4 * picture.stride, width, height, shape)
            return (0..<Int(height)).map { y in (0..<Int(width)).map { picture.values[y * picture.stride + 4 * $0 + 3] }
            }
        }
        let rect = coverage(ck_round_rect(left: 2.25, top: 1.5, right: 10, bottom: 8, radius: 0))
        #expect(rect[4][2] == 0.75 && rect[1][5] == 0.5 && rect[1][2] == 0.375)
        #expect(
            rect[4][1] == 0 && rect[4][3] == 1 && rect[4][9] == 1 && rect[4][10] == 0 && rect[8][5] == 0
                && rect[7][5] == 1)
        // A circle's area.
        let circle = coverage(ck_round_rect(left: 3.3, top: 2.1, right: 63.3, bottom: 62.1, radius: 100), 70, 70)
        let area = circle.joined().reduce(0, +)
        #expect(abs(area - .pi * 900) < 3, "\(area)")
        #expect(
            coverage(ck_round_rect(left: 5, top: 5, right: 5, bottom: 9, radius: 3)).joined().allSatisfy { $0 == 0 })
        #expect(
            coverage(ck_round_rect(left: .nan, top: 0, right: 9, bottom: 9, radius: 3)).joined().allSatisfy {
                (0...1).contains($0)
            })
    }

    @Test func `masks let through their alpha or luma, or the rest`() {
        let mask = Floats(1, 1) { [0.5, 0.25, 0, 0.5] }
        func through(_ kind: ck_mask_kind, _ inverted: Int32) -> [Float] {
            KernelVersion.results {
                var picture = Floats(1, 1) { [1, 0.5, 0, 1] }
                ck_mask_rgba(&picture.values, 4 * picture.stride, mask.values, 4 * mask.stride, 1, 1, kind, inverted)
                return picture.values[3]
            }
        }
        #expect(through(CK_MASK_ALPHA, 0) == [0.5, 0.5] && through(CK_MASK_ALPHA, 1) == [0.5, 0.5])
        let luma = Float(0.2126) * 0.5 + Float(0.7152) * 0.25
        #expect(through(CK_MASK_LUMA, 0).allSatisfy { abs($0 - luma) < 1e-6 })
        #expect(through(CK_MASK_LUMA, 1).allSatisfy { abs($0 - (1 - luma)) < 1e-6 })
    }
}
