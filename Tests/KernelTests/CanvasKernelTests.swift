import CKernels
import TestSupport
import Testing

/// Layers on a canvas: beside references, and what must be true of chroma that pixels share.
@Suite struct CanvasKernelTests {
    /// A canvas of 8 or 10 bits and what it is painted with.
    private final class Canvas {
        let narrow: TestPicture
        let wide: WidePicture
        let bits: Int
        var state = ck_canvas()
        private let memory: UnsafeMutableRawPointer

        init(_ width: Int, _ height: Int, bits: Int) {
            (narrow, wide) = (
                TestPicture(width: width, height: height, padding: 5), WidePicture(width: width, height: height)
            )
            self.bits = bits
            memory = .allocate(byteCount: ck_canvas_bytes(Int32(width), Int32(height)), alignment: 64)
        }

        convenience init(copy other: Canvas) {
            self.init(other.narrow.width, other.narrow.height, bits: other.bits)
            fill { other[$0, $1, $2] }
        }

        deinit { memory.deallocate() }

        var width: Int { narrow.width }
        var height: Int { narrow.height }
        func columns(_ plane: Int) -> Int { narrow.columns(plane) }
        func rows(_ plane: Int) -> Int { narrow.rows(plane) }

        subscript(plane: Int, x: Int, y: Int) -> Int {
            bits == 8 ? Int(narrow[plane, x, y]) : Int(wide[plane, x, y])
        }

        func fill(_ value: (Int, Int, Int) -> Int) {
            for plane in 0..<3 {
                for y in 0..<rows(plane) {
                    for x in 0..<columns(plane) {
                        if bits == 8 {
                            narrow[plane, x, y] = UInt8(value(plane, x, y))
                        } else {
                            wide[plane, x, y] = UInt16(value(plane, x, y))
                        }
                    }
                }
            }
        }

        func paint(_ body: (inout ck_canvas) -> Void) {
            let (kr, kb) = bits == 8 ? (0.2126, 0.0722) : (0.2627, 0.0593)
            ck_canvas_begin(&state, bits == 8 ? narrow.ck : wide.ck, Int32(bits), kr, kb, memory)
            body(&state)
            ck_canvas_end(&state)
        }

        var samples: [Int] { bits == 8 ? narrow.samples.map(Int.init) : wide.samples.map(Int.init) }
        var isFramed: Bool { bits == 8 ? narrow.isFramed : wide.isFramed }
        func distance(to other: Canvas) -> Int { zip(samples, other.samples).map { abs($0 - $1) }.max() ?? 0 }
    }

    private static func noise(_ width: Int, _ height: Int, bits: Int, _ random: inout SplitMix64) -> Canvas {
        let canvas = Canvas(width, height, bits: bits)
        canvas.fill { _, _, _ in .random(in: 0..<1 << bits, using: &random) }
        return canvas
    }

    /// An overlay of either depth.
    private final class Overlay {
        private let narrow, wide: OpaquePointer

        init(_ rgba: [UInt8], _ width: Int, _ height: Int) throws {
            var (from, to) = (HDRKernelTests.sdr, HDRKernelTests.hlg)
            let light = try #require(ck_light_make(&from, &to))
            defer { ck_light_free(light) }
            narrow = try #require(ck_overlay_prepare(rgba, 4 * width, Int32(width), Int32(height)))
            wide = try #require(ck_overlay_10_prepare(rgba, 4 * width, Int32(width), Int32(height), light))
        }

        deinit {
            ck_overlay_free(narrow)
            ck_overlay_10_free(wide)
        }

        func paint(onto canvas: inout ck_canvas, _ x: Int, _ y: Int, _ opacity: Int32 = 65_536, exact: Bool = false) {
            let (x, y) = (Int32(x), Int32(y))
            if canvas.bits == 8 {
                (exact ? ck_canvas_overlay_ref : ck_canvas_overlay)(&canvas, narrow, x, y, opacity)
            } else {
                (exact ? ck_canvas_overlay_10_ref : ck_canvas_overlay_10)(&canvas, wide, x, y, opacity)
            }
        }
    }

    private static let places = [
        (0, 0), (1, 0), (0, 1), (3, 5), (-1, -1), (-2, 3), (20, -7), (39, 29), (-70, 0), (500, 2), (7, -500),
    ]

    private static func floats(_ count: Int, _ samples: ck_samples, _ random: inout SplitMix64) -> [Float] {
        (0..<count).flatMap { _ in
            let alpha: Float = random.pick([0, 1, .random(in: 0...1, using: &random)])
            let color = (0..<3).map { _ in Float.random(in: 0...1, using: &random) }
            return color.map { samples == CK_RGBAF ? $0 : $0 * alpha } + [alpha]
        }
    }

    // MARK: References

    @Test(arguments: [8, 10], KernelVersion.allCases) func `overlays equal their reference`(
        bits: Int, version: KernelVersion
    ) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 11)
        for (width, height) in [(1, 1), (2, 3), (5, 4), (33, 17), (64, 64)] {
            let rgba = (0..<(width * height * 4)).map { _ in
                random.chance(1, in: 5) ? 0 : UInt8.random(in: 0...255, using: &random)
            }
            let overlay = try Overlay(rgba, width, height)
            for (x, y) in Self.places {
                for opacity: Int32 in [0, 1, 200, 30_000, 65_535, 65_536] {
                    let canvas = Self.noise(41, 31, bits: bits, &random)
                    let (other, before) = (Canvas(copy: canvas), canvas.samples)
                    canvas.paint { overlay.paint(onto: &$0, x, y, opacity) }
                    other.paint { overlay.paint(onto: &$0, x, y, opacity, exact: true) }
                    #expect(
                        canvas.distance(to: other) <= (bits == 8 ? 0 : 1),
                        "\(width)×\(height) at \(x), \(y), opacity \(opacity)")
                    #expect(canvas.isFramed)
                    if opacity == 0 { #expect(canvas.samples == before) }
                }
            }
        }
    }

    @Test(arguments: [8, 10], 0..<ck_blend_mode(CK_BLEND_MODES)) func `floats equal their reference`(
        bits: Int, mode: ck_blend_mode
    ) {
        var random = SplitMix64(seed: Seed.announced(for: "floats on a canvas, \(mode)", cases: 40))
        for number in 0..<40 {
            let (width, height) = (Int.random(in: 1...300, using: &random), Int.random(in: 1...6, using: &random))
            let samples = number % 2 == 0 ? CK_RGBAF : CK_RGBAF_PRE
            var over = Self.floats(width * height, samples, &random)
            if samples == CK_RGBAF, number % 8 == 0 { over[Int.random(in: 0..<over.count, using: &random)] = .nan }
            let (x, y) = (Int32.random(in: -9...30, using: &random), Int32.random(in: -3...5, using: &random))
            let opacity: Float = number % 3 == 0 ? 1 : .random(in: 0.01...1, using: &random)
            let start = Self.noise(random.pick([40, 41, 270]), 7, bits: bits, &random)
            let versions = KernelVersion.results {
                let canvas = Canvas(copy: start)
                canvas.paint {
                    ck_canvas_blend(&$0, over, 16 * width, samples, x, y, Int32(width), Int32(height), opacity, mode)
                }
                return canvas
            }
            let exact = Canvas(copy: start)
            exact.paint {
                ck_canvas_blend_ref(&$0, over, 16 * width, samples, x, y, Int32(width), Int32(height), opacity, mode)
            }
            #expect(versions[0].samples == versions[1].samples && versions[0].isFramed)
            #expect(versions[0].distance(to: exact) <= 1, "\(number), mode \(mode)")
        }
    }

    // MARK: Shared chroma

    /// Whatever is painted elsewhere, and however chroma alternates: a sample comes back unless a
    /// layer has a share in it.
    @Test(arguments: [8, 10], KernelVersion.allCases) func `chroma that no layer touches is not changed`(
        bits: Int, version: KernelVersion
    ) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 12)
        for (width, height) in awkwardSizes + [(600, 4)] {
            let canvas = Self.noise(width, height, bits: bits, &random)
            let before = Canvas(copy: canvas)
            let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
            let pixel = try Overlay([255, 0, 0, 255], 1, 1)
            // Columns apart, so that all between them is opened.
            canvas.paint { state in
                for column in [0, x, width - 1] { pixel.paint(onto: &state, column, y) }
            }
            for plane in 1...2 {
                for row in 0..<canvas.rows(plane) {
                    for column in 0..<canvas.columns(plane) {
                        let isTouched = row == y / 2 && [0, x, width - 1].contains { abs($0 - 2 * column) <= 1 }
                        if !isTouched { #expect(canvas[plane, column, row] == before[plane, column, row]) }
                    }
                }
            }
            // Neither does what is transparent.
            let blank = Canvas(copy: before)
            let nothing = [Float](repeating: 0, count: 4 * width * height)
            for mode in 0..<ck_blend_mode(CK_BLEND_MODES) {
                blank.paint {
                    let (w, h) = (Int32(width), Int32(height))
                    ck_canvas_blend(&$0, nothing, 16 * width, CK_RGBAF_PRE, 0, 0, w, h, 1, mode)
                }
            }
            #expect(blank.samples == before.samples)
        }
    }

    /// A pixel in an even column has a quarter of its chroma sample, one in an odd column an eighth
    /// of two.
    @Test(arguments: [8, 10]) func `chroma follows coverage`(bits: Int) throws {
        let unit = 1 << (bits - 8)
        for (x, y) in [(4, 2), (5, 2), (4, 3), (5, 3)] {
            let canvas = Canvas(12, 6, bits: bits)
            canvas.fill { plane, _, _ in (plane == 0 ? 100 : 128) * unit }
            canvas.paint {
                ck_canvas_blend(&$0, [0, 0, 1, 1], 16, CK_RGBAF, Int32(x), Int32(y), 1, 1, 1, CK_BLEND_NORMAL)
            }
            for column in 0..<6 {
                let share = x == 4 ? (column == 2 ? 0.25 : 0) : column == 2 || column == 3 ? 0.125 : 0
                #expect(abs(Double(canvas[1, column, 1]) - Double(unit) * (128 + 112 * share)) <= 0.75)
                #expect(canvas[1, column, 0] == 128 * unit && canvas[1, column, 2] == 128 * unit)
            }
        }
    }

    @Test(arguments: [8, 10]) func `the centre of chroma is that of luma`(bits: Int) throws {
        let unit = 1 << (bits - 8)
        var random = SplitMix64(seed: Seed.announced(for: "centres", cases: 60))
        for _ in 0..<60 {
            let (width, height) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...8, using: &random))
            let (x, y) = (Int.random(in: 4...30, using: &random), Int.random(in: 4...9, using: &random))
            let rgba = Array(repeating: [255, 30, 30, 255] as [UInt8], count: width * height).flatMap { $0 }
            let overlay = try Overlay(rgba, width, height)
            let canvas = Canvas(60, 24, bits: bits)
            canvas.fill { plane, _, _ in (plane == 0 ? 40 : 128) * unit }
            canvas.paint { overlay.paint(onto: &$0, x, y) }
            func centre(_ plane: Int, _ from: Int, _ step: Double, _ offset: Double) -> (x: Double, y: Double) {
                var (sum, across, down) = (0.0, 0.0, 0.0)
                for row in 0..<canvas.rows(plane) {
                    for column in 0..<canvas.columns(plane) {
                        let share = Double(canvas[plane, column, row] - from * unit)
                        sum += share
                        across += share * step * Double(column)
                        down += share * (step * Double(row) + offset)
                    }
                }
                return (across / sum, down / sum)
            }
            let (luma, chroma) = (centre(0, 40, 1, 0), centre(2, 128, 2, 0.5))
            // Two rows share a sample that lies between them: an odd row at an edge counts as its
            // pair does.
            let rounding = 0.5 / Double(height)
            #expect(
                abs(luma.x - chroma.x) < 0.1 && abs(luma.y - chroma.y) < 0.1 + rounding, "\(luma), \(chroma)")
        }
    }

    /// Cut at any columns and rows and put together again, a picture is whole: there is no seam.
    @Test(arguments: [8, 10]) func `layers that meet leave no seam`(bits: Int) throws {
        var random = SplitMix64(seed: Seed.announced(for: "seams", cases: 60))
        for number in 0..<60 {
            let (width, height) = (Int.random(in: 2...40, using: &random), Int.random(in: 2...10, using: &random))
            let (x, y) = (Int.random(in: -3...20, using: &random), Int.random(in: -3...9, using: &random))
            let (column, row) = (Int.random(in: 1..<width, using: &random), Int.random(in: 1..<height, using: &random))
            let start = Self.noise(50, 18, bits: bits, &random)
            let (whole, parts) = (Canvas(copy: start), Canvas(copy: start))
            let rgba = (0..<width * height).flatMap { _ in
                (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) } + [255]
            }
            let over = rgba.map { Float($0) / 255 }
            let isFloats = number % 2 == 0
            func paint(_ canvas: inout ck_canvas, _ columns: Range<Int>, _ rows: Range<Int>) throws {
                let at = 4 * (rows.lowerBound * width + columns.lowerBound)
                if isFloats {
                    over.withUnsafeBufferPointer {
                        ck_canvas_blend(
                            &canvas, $0.baseAddress.map { $0 + at }, 16 * width, CK_RGBAF,
                            Int32(x + columns.lowerBound),
                            Int32(y + rows.lowerBound), Int32(columns.count), Int32(rows.count), 1, CK_BLEND_NORMAL)
                    }
                    return
                }
                let part = rows.flatMap { row in
                    rgba[4 * (row * width + columns.lowerBound)..<4 * (row * width + columns.upperBound)]
                }
                try Overlay(part, columns.count, rows.count)
                    .paint(onto: &canvas, x + columns.lowerBound, y + rows.lowerBound)
            }
            var result: Result<Void, any Error> = .success(())
            whole.paint { state in result = Result { try paint(&state, 0..<width, 0..<height) } }
            try result.get()
            parts.paint { state in
                result = Result {
                    for columns in [0..<column, column..<width] {
                        for rows in [row..<height, 0..<row] { try paint(&state, columns, rows) }
                    }
                }
            }
            try result.get()
            #expect(whole.samples == parts.samples, "\(width)×\(height) at (\(x), \(y)), cut at (\(column), \(row))")
        }
    }

    /// Through one colour the canvas of that colour is not seen to change, whatever the alpha.
    @Test(arguments: [8, 10]) func `one colour over itself is not seen`(bits: Int) throws {
        var random = SplitMix64(seed: Seed.announced(for: "one colour on a canvas", cases: 80))
        let (kr, kb) = bits == 8 ? (0.2126, 0.0722) : (0.2627, 0.0593)
        for _ in 0..<80 {
            let color = (0..<3).map { _ in Float.random(in: 0...1, using: &random) }
            let (width, height) = (Int.random(in: 1...30, using: &random), Int.random(in: 1...9, using: &random))
            let over = (0..<width * height).flatMap { _ in
                color + [random.pick([0, 1, Float.random(in: 0...1, using: &random)])]
            }
            let canvas = Canvas(33, 12, bits: bits)
            let luma = kr * Double(color[0]) + (1 - kr - kb) * Double(color[1]) + kb * Double(color[2])
            let codes = [
                16 + 219 * luma, 128 + 112 * (Double(color[2]) - luma) / (1 - kb),
                128 + 112 * (Double(color[0]) - luma) / (1 - kr),
            ].map { Int(($0 * Double(1 << (bits - 8))).rounded()) }
            canvas.fill { plane, _, _ in codes[plane] }
            let (x, y) = (Int32.random(in: -5...30, using: &random), Int32.random(in: -3...9, using: &random))
            canvas.paint { state in
                for _ in 0..<3 {
                    ck_canvas_blend(
                        &state, over, 16 * width, CK_RGBAF, x, y, Int32(width), Int32(height),
                        .random(in: 0.1...1, using: &random), CK_BLEND_NORMAL)
                }
            }
            for plane in 0..<3 {
                for row in 0..<canvas.rows(plane) {
                    for column in 0..<canvas.columns(plane) {
                        #expect(abs(canvas[plane, column, row] - codes[plane]) <= 1)
                    }
                }
            }
        }
    }

    // MARK: Overlays

    /// An opaque overlay of one colour is that colour's code values.
    @Test func `an opaque colour replaces what is below`() throws {
        var yuv: [UInt8] = [0, 0, 0]
        ck_color(255, 0, 0, &yuv)
        // BT.709 red in 8-bit limited range, as in every table: 63, 102, 240.
        #expect(yuv == [63, 102, 240])
        let canvas = Canvas(12, 12, bits: 8)
        canvas.fill { plane, _, _ in plane == 0 ? 100 : 128 }
        let red = try Overlay([[UInt8]](repeating: [255, 0, 0, 255], count: 144).flatMap { $0 }, 12, 12)
        canvas.paint { red.paint(onto: &$0, 0, 0) }
        let count = 144
        #expect(
            canvas.samples == Array(repeating: 63, count: count) + Array(repeating: 102, count: 36)
                + Array(repeating: 240, count: 36))

        var (from, to) = (HDRKernelTests.sdr, HDRKernelTests.hlg)
        let light = try #require(ck_light_make(&from, &to))
        defer { ck_light_free(light) }
        let color = try Overlay([[UInt8]](repeating: [200, 50, 100, 255], count: 64).flatMap { $0 }, 8, 8)
        let wide = Canvas(8, 8, bits: 10)
        wide.fill { _, _, _ in 77 }
        wide.paint { color.paint(onto: &$0, 0, 0) }
        var codes: [UInt16] = [0, 0, 0]
        ck_light_color(light, [200, 50, 100], &codes)
        let wanted = zip(codes, [64, 16, 16]).flatMap { Array(repeating: Int($0), count: $1) }
        #expect(wide.samples == wanted)
    }

    @Test func `transparent pixels have no say in chroma`() throws {
        // Green under alpha 0 must not tint the red beside it.
        let overlay = try Overlay([255, 0, 0, 255, 0, 255, 0, 0, 255, 0, 0, 255, 0, 255, 0, 0], 2, 2)
        let canvas = Canvas(8, 2, bits: 8)
        canvas.fill { plane, _, _ in plane == 0 ? 100 : 128 }
        canvas.paint { overlay.paint(onto: &$0, 4, 0) }
        #expect(abs(canvas[1, 2, 0] - 115) <= 1)  // half way from 128 to 102
        #expect(abs(canvas[2, 2, 0] - 184) <= 1)  // half way from 128 to 240
        #expect(canvas[1, 3, 0] == 128 && canvas[2, 1, 0] == 128)
    }

    @Test func `opacity scales alpha`() throws {
        let overlay = try Overlay([255, 255, 255, 255], 1, 1)
        let canvas = Canvas(1, 1, bits: 8)
        canvas.fill { plane, _, _ in plane == 0 ? 100 : 128 }
        canvas.paint { overlay.paint(onto: &$0, 0, 0, 32_768) }
        let mean: Double = (100 + 235) / 2
        #expect(abs(Double(canvas[0, 0, 0]) - mean) <= 1)
    }

    @Test func `what is no number is black, and beyond reason nothing`() {
        let canvas = Canvas(4, 2, bits: 10)
        canvas.fill { plane, _, _ in plane == 0 ? 400 : 512 }
        let strange: [Float] = [
            .nan, .nan, .nan, 1, 0.5, 0.5, 0.5, .nan, .infinity, 1e30, -.infinity, 1, 2, 2, 2, 1,
        ]
        canvas.paint { ck_canvas_blend(&$0, strange, 64, CK_RGBAF, 0, 0, 4, 1, 1, CK_BLEND_NORMAL) }
        #expect(canvas[0, 0, 0] == 64 && canvas[0, 1, 0] == 400 && canvas[0, 2, 0] == 64 && canvas[0, 3, 0] == 1023)
    }
}
