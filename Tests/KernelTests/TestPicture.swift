import CKernels
import TestSupport

/// A picture whose rows are padded with a canary, between canary rows.
final class TestPicture {
    static let canary: UInt8 = 0xa5
    let width, height: Int
    let strides: [Int]
    let memory: UnsafeMutableBufferPointer<UInt8>
    private let offsets: [Int]

    init(width: Int, height: Int, padding: Int) {
        (self.width, self.height) = (width, height)
        var strides: [Int] = []
        var offsets: [Int] = []
        var total = 64
        for plane in 0..<3 {
            let (columns, rows) = plane == 0 ? (width, height) : ((width + 1) / 2, (height + 1) / 2)
            strides.append(columns + padding + plane)
            offsets.append(total)
            total += strides[plane] * rows + 64
        }
        (self.strides, self.offsets) = (strides, offsets)
        memory = .allocate(capacity: total)
        memory.initialize(repeating: Self.canary)
    }

    convenience init(copy other: TestPicture) {
        self.init(width: other.width, height: other.height, padding: other.strides[0] - other.width)
        for plane in 0..<3 {
            for y in 0..<rows(plane) { for x in 0..<columns(plane) { self[plane, x, y] = other[plane, x, y] } }
        }
    }

    deinit { memory.deallocate() }

    func columns(_ plane: Int) -> Int { plane == 0 ? width : (width + 1) / 2 }
    func rows(_ plane: Int) -> Int { plane == 0 ? height : (height + 1) / 2 }

    subscript(plane: Int, x: Int, y: Int) -> UInt8 {
        get { memory[offsets[plane] + y * strides[plane] + x] }
        set { memory[offsets[plane] + y * strides[plane] + x] = newValue }
    }

    var ck: ck_picture {
        func row(_ plane: Int) -> UnsafeMutablePointer<UInt8> { memory.baseAddress! + offsets[plane] }
        return ck_make_picture(row(0), strides[0], row(1), strides[1], row(2), strides[2], Int32(width), Int32(height))
    }

    func fill(_ value: (_ plane: Int, _ x: Int, _ y: Int) -> UInt8) {
        for plane in 0..<3 {
            for y in 0..<rows(plane) { for x in 0..<columns(plane) { self[plane, x, y] = value(plane, x, y) } }
        }
    }

    func randomize(_ random: inout SplitMix64) {
        for plane in 0..<3 {
            for y in 0..<rows(plane) {
                for x in 0..<columns(plane) { self[plane, x, y] = .random(in: 0...255, using: &random) }
            }
        }
    }

    /// No byte outside the rows was written.
    var isFramed: Bool {
        var outside = Array(repeating: true, count: memory.count)
        for plane in 0..<3 {
            for y in 0..<rows(plane) {
                let start = offsets[plane] + y * strides[plane]
                for index in start..<(start + columns(plane)) { outside[index] = false }
            }
        }
        return memory.indices.allSatisfy { !outside[$0] || memory[$0] == Self.canary }
    }

    /// Every sample, plane by plane.
    var samples: [UInt8] {
        var all: [UInt8] = []
        for plane in 0..<3 {
            for y in 0..<rows(plane) {
                let start = offsets[plane] + y * strides[plane]
                all += UnsafeBufferPointer(rebasing: memory[start..<(start + columns(plane))])
            }
        }
        return all
    }

    /// The largest difference of two samples.
    func distance(to other: TestPicture) -> Int {
        zip(samples, other.samples).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}

/// Sizes where kernels go wrong: 1×1, odd, around vector lengths and chunks.
let awkwardSizes: [(Int, Int)] = [
    (1, 1), (2, 1), (1, 2), (3, 3), (7, 5), (16, 2), (17, 3), (31, 9), (33, 8), (64, 4), (65, 7), (255, 3), (257, 2),
    (259, 5),
]
