import TestSupport

extension WidePicture {
    convenience init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }

    /// Any codes of 10 bits, or of 8, which are stored as bytes.
    convenience init(_ width: Int, _ height: Int, _ random: inout SplitMix64, bits: Int = 10) {
        self.init(width, height)
        let most: UInt16 = bits == 8 ? .max : 1023
        fill { _, _, _ in .random(in: 0...most, using: &random) }
    }

    convenience init(copy other: WidePicture) {
        self.init(other.width, other.height)
        fill { other[$0, $1, $2] }
    }

    func fill(_ value: (_ plane: Int, _ x: Int, _ y: Int) -> UInt16) {
        for plane in 0..<3 {
            for y in 0..<rows(plane) { for x in 0..<columns(plane) { self[plane, x, y] = value(plane, x, y) } }
        }
    }

    /// - Parameter bits: with 8 the first half of each row is read as bytes.
    func samples(bits: Int) -> [UInt16] {
        guard bits == 8 else { return samples }
        var bytes: [UInt16] = []
        for plane in 0..<3 {
            for y in 0..<rows(plane) {
                for x in 0..<columns(plane) {
                    let sample = self[plane, x / 2, y]
                    bytes.append(x % 2 == 0 ? sample & 255 : sample >> 8)
                }
            }
        }
        return bytes
    }

    func distance(to other: WidePicture) -> Int {
        let (one, two) = (samples, other.samples)
        var largest = 0
        for index in one.indices where one[index] != two[index] {
            largest = max(largest, abs(Int(one[index]) - Int(two[index])))
        }
        return largest
    }
}
