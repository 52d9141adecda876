/// A number of bytes as users write it: `0`, `500M`, `2G`, `1.5 GiB`. Units are powers of 1024.
package struct ByteSize: Hashable, Sendable, Comparable {
    package var bytes: Int64

    package init(bytes: Int64) { self.bytes = bytes }

    /// Parses a size; nil if `text` is not a size, or does not fit 63 bits.
    package init?(_ text: String) {
        var rest = text.filter { $0 != " " }.uppercased()[...]
        for suffix in ["IB", "B"] where rest.hasSuffix(suffix) {
            rest.removeLast(suffix.count)
            break
        }
        var shift = 0
        if let unit = rest.last, let index = Self.units.firstIndex(of: unit) {
            shift = 10 * (index + 1)
            rest.removeLast()
        }
        // `Double` alone would also accept `inf`, `1e3` and `0x10`.
        guard !rest.isEmpty, rest.allSatisfy({ ("0"..."9").contains($0) || $0 == "." }), let number = Double(rest)
        else { return nil }
        let bytes = (number * Double(Int64(1) << Int64(shift))).rounded()
        guard bytes < 0x1p62 else { return nil }
        self.bytes = Int64(bytes)
    }

    package static func < (a: ByteSize, b: ByteSize) -> Bool { a.bytes < b.bytes }

    private static let units: [Character] = ["K", "M", "G", "T"]

    /// The size for display, such as `1.5 GiB`: at most three digits, in the largest unit that
    /// gives at least 1.
    package var forPeople: String {
        var (value, unit) = (Double(bytes), "bytes")
        for next in Self.units where value >= 1024 { (value, unit) = (value / 1024, "\(next)iB") }
        let tenths = (value * 10).rounded() / 10
        let isWhole = tenths >= 100 || tenths == tenths.rounded()
        return "\(isWhole ? "\(Int64(value.rounded()))" : "\(tenths)") \(unit)"
    }
}
