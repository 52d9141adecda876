import CKernels

/// A 4:2:0 picture of 16-bit samples, its rows padded with a canary.
final class WidePicture {
    static let canary: UInt16 = 0xa5a5
    let width, height: Int
    let planes: [UnsafeMutableBufferPointer<UInt16>]
    let padding = 3

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        planes = (0..<3).map { plane in
            let (columns, rows) = plane == 0 ? (width, height) : ((width + 1) / 2, (height + 1) / 2)
            let memory = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: (columns + 3) * rows)
            memory.initialize(repeating: Self.canary)
            return memory
        }
    }

    deinit { for plane in planes { plane.deallocate() } }

    func columns(_ plane: Int) -> Int { plane == 0 ? width : (width + 1) / 2 }
    func rows(_ plane: Int) -> Int { plane == 0 ? height : (height + 1) / 2 }

    subscript(plane: Int, x: Int, y: Int) -> UInt16 {
        get { planes[plane][y * (columns(plane) + padding) + x] }
        set { planes[plane][y * (columns(plane) + padding) + x] = newValue }
    }

    func fill(_ value: () -> UInt16) {
        for plane in 0..<3 { for y in 0..<rows(plane) { for x in 0..<columns(plane) { self[plane, x, y] = value() } } }
    }

    var ck: ck_picture {
        func bytes(_ plane: Int) -> UnsafeMutablePointer<UInt8> {
            UnsafeMutableRawPointer(planes[plane].baseAddress!).assumingMemoryBound(to: UInt8.self)
        }
        func stride(_ plane: Int) -> Int { 2 * (columns(plane) + padding) }
        return ck_make_picture(
            bytes(0), stride(0), bytes(1), stride(1), bytes(2), stride(2), Int32(width), Int32(height))
    }

    /// Every sample, plane by plane.
    var samples: [UInt16] {
        var all: [UInt16] = []
        for plane in 0..<3 {
            for y in 0..<rows(plane) {
                let row = y * (columns(plane) + padding)
                all += UnsafeMutableBufferPointer(rebasing: planes[plane][row..<row + columns(plane)])
            }
        }
        return all
    }

    /// No sample outside the rows was written.
    var isFramed: Bool {
        (0..<3).allSatisfy { plane in
            (0..<rows(plane)).allSatisfy { y in
                (columns(plane)..<(columns(plane) + padding)).allSatisfy { x in self[plane, x, y] == Self.canary }
            }
        }
    }
}
