import CKernels
import Foundation
import TestSupport
import Testing

@Suite struct ScaleKernelTests {
    /// A plane with a canary behind every row.
    private struct Plane {
        static let canary: UInt8 = 0xa5
        let width, height, stride: Int
        var bytes: [UInt8]

        init(_ width: Int, _ height: Int, padding: Int = 3, _ value: (Int, Int) -> UInt8 = { _, _ in 0 }) {
            (self.width, self.height, stride) = (width, height, width + padding)
            bytes = Array(repeating: Self.canary, count: stride * height)
            for y in 0..<height { for x in 0..<width { bytes[y * stride + x] = value(x, y) } }
        }

        subscript(x: Int, y: Int) -> UInt8 { bytes[y * stride + x] }

        var isFramed: Bool { bytes.indices.allSatisfy { $0 % stride < width || bytes[$0] == Self.canary } }
    }

    private static func plain(_ input: (Int, Int), _ output: (Int, Int), gain: Double = 1, offset: Double = 0)
        -> ck_scaling
    {
        let (x, y) = (Double(input.0) / Double(output.0), Double(input.1) / Double(output.1))
        return ck_scaling(
            in_width: Int32(input.0), in_height: Int32(input.1), out_width: Int32(output.0),
            out_height: Int32(output.1),
            scale_x: x, scale_y: y, first_x: x / 2 - 0.5, first_y: y / 2 - 0.5, gain: gain, offset: offset)
    }

    private func scale(_ input: Plane, _ scaling: ck_scaling, fast: Bool = true) throws -> Plane {
        let scaler = try #require(ck_scaler_make(scaling))
        defer { ck_scaler_free(scaler) }
        var output = Plane(Int(scaling.out_width), Int(scaling.out_height))
        let stride = output.stride
        output.bytes.withUnsafeMutableBufferPointer { to in
            input.bytes.withUnsafeBufferPointer { from in
                (fast ? ck_scale : ck_scale_ref)(scaler, to.baseAddress, stride, from.baseAddress, input.stride)
            }
        }
        #expect(output.isFramed)
        return output
    }

    /// The definition in floating point: the cubic with B = 0, C = 0.6 over all samples, the edge
    /// repeated.
    private struct Exact {
        let input: Plane
        let scaling: ck_scaling
        /// For each column and each row of the output: what it takes of which of the input's.
        private let columns, rows: [[(Int, Double)]]

        init(_ input: Plane, _ scaling: ck_scaling, _ width: Int, _ height: Int) {
            (self.input, self.scaling) = (input, scaling)
            columns = (0..<width).map {
                Self.weights(scaling.first_x + Double($0) * scaling.scale_x, scaling.scale_x, input.width)
            }
            rows = (0..<height).map {
                Self.weights(scaling.first_y + Double($0) * scaling.scale_y, scaling.scale_y, input.height)
            }
        }

        private static func cubic(_ t: Double) -> Double {
            let (x, c) = (abs(t), 0.6)
            if x < 1 { return (2 - c) * x * x * x + (c - 3) * x * x + 1 }
            return x < 2 ? -c * x * x * x + 5 * c * x * x - 8 * c * x + 4 * c : 0
        }

        private static func weights(_ centre: Double, _ scale: Double, _ count: Int) -> [(Int, Double)] {
            let stretch = max(1, scale)
            var all: [(Int, Double)] = []
            var sum = 0.0
            for place in Int(centre - 2 * stretch) - 2...Int(centre + 2 * stretch) + 2 {
                let weight = cubic((Double(place) - centre) / stretch)
                sum += weight
                if weight != 0 { all.append((min(max(place, 0), count - 1), weight)) }
            }
            return all.map { ($0.0, $0.1 / sum) }
        }

        subscript(_ x: Int, _ y: Int) -> Double {
            var sum = 0.0
            for (row, a) in rows[y] {
                for (column, b) in columns[x] { sum += a * b * Double(input[column, row]) }
            }
            return min(255, max(0, sum * scaling.gain + scaling.offset))
        }
    }

    private static let sizes = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 40, 65]

    @Test("fast equals reference, and both the definition, for sizes and shifts of all kinds")
    func exactness() throws {
        var random = SplitMix64(seed: Seed.announced(for: "scaling", cases: 300))
        for _ in 0..<300 {
            func size() -> Int { Self.sizes.randomElement(using: &random) ?? 1 }
            let (input, output) = ((size(), size()), (size(), size()))
            var scaling = Self.plain(input, output)
            scaling.first_x += Double.random(in: -0.5...0.5, using: &random)
            scaling.first_y += Double.random(in: -0.5...0.5, using: &random)
            if Bool.random(using: &random) { (scaling.gain, scaling.offset) = (219.0 / 255, 16) }
            let plane = Plane(input.0, input.1, padding: Int.random(in: 0...5, using: &random)) { _, _ in
                .random(in: 0...255, using: &random)
            }
            let (fast, reference) = (try scale(plane, scaling), try scale(plane, scaling, fast: false))
            #expect(fast.bytes == reference.bytes, "\(input) → \(output)")
            let exact = Exact(plane, scaling, output.0, output.1)
            for y in 0..<output.1 {
                for x in 0..<output.0 {
                    let wanted = exact[x, y]
                    if abs(Double(fast[x, y]) - wanted) <= 0.75 { continue }
                    Issue.record("\(input) → \(output) at \(x), \(y): \(fast[x, y]), not \(wanted)")
                }
            }
        }
    }

    @Test("a flat plane stays flat at every level")
    func flatness() throws {
        for level in 0...255 {
            let plane = Plane(50, 30) { _, _ in UInt8(level) }
            for output in [(33, 20), (75, 45), (50, 30), (3, 2)] {
                let scaled = try scale(plane, Self.plain((50, 30), output))
                #expect((0..<output.1).allSatisfy { y in (0..<output.0).allSatisfy { scaled[$0, y] == UInt8(level) } })
                let limited = try scale(plane, Self.plain((50, 30), output, gain: 219.0 / 255, offset: 16))
                #expect(abs(Double(limited[1, 1]) - (16 + Double(level) * 219 / 255)) < 0.52, "\(level)")
            }
        }
    }

    @Test("the same size changes nothing")
    func identity() throws {
        var random = SplitMix64(seed: 5)
        for size in [(1, 1), (5, 3), (16, 16), (37, 11)] {
            let plane = Plane(size.0, size.1) { _, _ in .random(in: 0...255, using: &random) }
            #expect(try scale(plane, Self.plain(size, size)).bytes == plane.bytes)
        }
    }

    @Test("impossible scalings are refused")
    func refusals() {
        func isRefused(_ change: (inout ck_scaling) -> Void) -> Bool {
            var scaling = Self.plain((16, 16), (8, 8))
            change(&scaling)
            let scaler = ck_scaler_make(scaling)
            defer { ck_scaler_free(scaler) }
            return scaler == nil
        }
        #expect(!isRefused { _ in })
        #expect(
            isRefused { $0.in_width = 0 } && isRefused { $0.out_height = -1 } && isRefused { $0.in_height = 40_000 })
        #expect(isRefused { $0.scale_x = 0 } && isRefused { $0.scale_y = 300 } && isRefused { $0.scale_x = .nan })
        #expect(isRefused { $0.gain = 2 } && isRefused { $0.gain = 0 })
        #expect(isRefused { $0.first_x = 1000 } && isRefused { $0.first_x = -1000 })
    }

    /// Rows that are made by themselves, in any order and in both versions, are those of the whole
    /// plane.
    @Test(arguments: KernelVersion.allCases) func `rows are those of the whole`(version: KernelVersion) throws {
        version.choose()
        defer { KernelVersion.leave() }
        var random = SplitMix64(seed: 9)
        for (input, output) in [((64, 48), (43, 29)), ((31, 17), (80, 61)), ((5, 4), (1, 3)), ((20, 20), (20, 20))] {
            let plane = Plane(input.0, input.1) { _, _ in .random(in: 0...255, using: &random) }
            let scaling = Self.plain(input, output)
            let whole = try scale(plane, scaling)
            let scaler = try #require(ck_scaler_make(scaling))
            defer { ck_scaler_free(scaler) }
            var parts = Plane(output.0, output.1)
            let edges = [0, 1, output.1 / 3, output.1 / 2, output.1].sorted()
            let scratch = UnsafeMutableRawPointer.allocate(byteCount: ck_scale_scratch(scaler), alignment: 16)
            defer { scratch.deallocate() }
            let stride = parts.stride
            parts.bytes.withUnsafeMutableBufferPointer { to in
                plane.bytes.withUnsafeBufferPointer { from in
                    for (first, end) in zip(edges, edges.dropFirst()).reversed() {
                        ck_scale_rows(
                            scaler, to.baseAddress, stride, from.baseAddress, plane.stride, Int32(first), Int32(end),
                            scratch)
                    }
                }
            }
            #expect(parts.bytes == whole.bytes, "\(input) to \(output)")
        }
    }
}
