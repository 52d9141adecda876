/// How the rows of a plane lie in memory. What an effect makes must be the same in all of them.
package enum GuardedLayout: CaseIterable {
    /// Addresses and strides are multiples of 64, with a gap between rows; guard pages at a small
    /// distance.
    case aligned
    /// An odd gap between rows; the last row's last byte is the last one before a guard page.
    case atEnd
    /// Rows without gaps; the first row's first byte is the first one after a guard page.
    case atStart
    /// The same as `aligned`, but with much slack around, so that a small overrun is not a crash.
    case roomy

    /// Bytes from row to row.
    /// - Parameter sample: bytes of a sample, which is the least alignment.
    func stride(rowBytes: Int, sample: Int) -> Int {
        switch self {
        case .aligned, .roomy: (rowBytes + 63) / 64 * 64 + 64
        case .atEnd: rowBytes + (sample == 1 ? 13 : 3 * sample)
        case .atStart: rowBytes
        }
    }
}
