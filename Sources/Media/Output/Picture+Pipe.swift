import Files
import Glibc

/// The planes of a picture on a pipe: row after row without gaps, Y before U before V.
extension Picture {
    /// The bytes that a 4:2:0 picture with 8 bits takes.
    /// - Parameters: even.
    public static func pipedSize(width: Int, height: Int) -> Int { width * height * 3 / 2 }

    /// Writes the planes, and waits for the reader where it has to.
    /// - Returns: false if the reader is gone.
    public func write(to descriptor: Int32) -> Bool {
        (0..<planeCount).allSatisfy { index in
            let (width, height) = size(ofPlane: index)
            let (plane, stride) = (UnsafePointer(plane(index)), stride(index))
            if stride == width {
                return writeAll(UnsafeRawBufferPointer(start: plane, count: width * height), to: descriptor)
            }
            var rows: [UInt8] = []
            rows.reserveCapacity(width * height)
            for row in 0..<height { rows += UnsafeBufferPointer(start: plane + row * stride, count: width) }
            return writeAll(rows, to: descriptor)
        }
    }

    /// Reads the planes. For a picture that the caller alone owns.
    /// - Returns: false if the writer ended before.
    public func read(from descriptor: Int32) -> Bool {
        (0..<planeCount).allSatisfy { index in
            let (width, height) = size(ofPlane: index)
            let (plane, stride) = (plane(index), stride(index))
            if stride == width {
                let bytes = UnsafeMutableRawBufferPointer(start: plane, count: width * height)
                return readAll(into: bytes, from: descriptor)
            }
            var rows = [UInt8](repeating: 0, count: width * height)
            guard rows.withUnsafeMutableBytes({ readAll(into: $0, from: descriptor) }) else { return false }
            rows.withUnsafeBufferPointer { rows in
                guard let rows = rows.baseAddress else { return }
                for row in 0..<height { (plane + row * stride).update(from: rows + row * width, count: width) }
            }
            return true
        }
    }
}
