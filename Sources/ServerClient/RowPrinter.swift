import Draft
import Foundation
import Glibc
import HostCore

/// Prints the rows of a list in columns that are as wide as what is in them. Pages stay as the bytes
/// that came: plain text, which is nearly all, is measured and copied without a string for each cell.
package struct RowPrinter {
    private var pages: [Data] = []
    private var widths = RenderRow.titles.map(\.utf8.count)
    private var rowCount = 0
    /// Whether all bytes are printable ASCII, so that a cell is as wide as it has bytes.
    private var isPlain = true

    package init() {}

    private static let (tab, newline, space) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: " "))

    /// - Throws: for bytes that are not rows.
    package mutating func add(_ page: Data?) throws(HostError) {
        guard let page, !page.isEmpty else { return }
        var rows = 0
        let isWhole = page.withUnsafeBytes { bytes in
            Self.forEachCell(in: bytes) { column, start, end in
                if end - start > widths[column] { widths[column] = end - start }
                if column == 0 { rows += 1 }
            }
        }
        guard isWhole else { throw RenderRow.unreadable }
        rowCount += rows
        // Apart from the delimiters there is no control character.
        isPlain = isPlain && page.withUnsafeBytes { Self.controls(in: $0) == rows * RenderRow.titles.count }
        pages.append(page)
    }

    /// The table, with its line of titles.
    package func table() throws(HostError) -> [UInt8] {
        guard isPlain else {
            var rows = [RenderRow.titles]
            for page in pages { rows += try RenderRow.rows(in: page).map(\.columns) }
            return Array((alignedText(rows).printable + "\n").utf8)
        }
        var header = Data(RenderRow.titles.joined(separator: "\t").utf8)
        header.append(Self.newline)
        let widths = widths
        let width = widths.reduce(0) { $0 + $1 + 2 }
        return [UInt8](unsafeUninitializedCapacity: (rowCount + 1) * width) { buffer, count in
            guard let target = UnsafeMutableRawBufferPointer(buffer).baseAddress else { return }
            var at = 0
            for page in [header] + pages {
                page.withUnsafeBytes { bytes in
                    guard let source = bytes.baseAddress else { return }
                    _ = Self.forEachCell(in: bytes) { column, start, end in
                        memcpy(target + at, source + start, end - start)
                        at += end - start
                        if column < widths.count - 1 {
                            let padding = widths[column] + 2 - (end - start)
                            memset(target + at, Int32(Self.space), padding)
                            at += padding
                        } else {
                            target.storeBytes(of: Self.newline, toByteOffset: at, as: UInt8.self)
                            at += 1
                        }
                    }
                }
            }
            count = at
        }
    }

    /// - Returns: false where the bytes are not lines of as many cells as there are columns.
    private static func forEachCell(
        in bytes: UnsafeRawBufferPointer, _ body: (_ column: Int, _ start: Int, _ end: Int) -> Void
    ) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let (count, last) = (bytes.count, RenderRow.titles.count - 1)
        var (at, column) = (0, 0)
        while at < count {
            let delimiter = column == last ? newline : tab
            guard let found = memchr(base + at, Int32(delimiter), count - at) else { return false }
            let end = found - UnsafeMutableRawPointer(mutating: base)
            body(column, at, end)
            at = end + 1
            column = column == last ? 0 : column + 1
        }
        return column == 0
    }

    /// Counts the bytes that are not printable ASCII, eight at a time.
    private static func controls(in bytes: UnsafeRawBufferPointer) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        var (at, found) = (0, 0)
        while at + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            let low = word & ~high
            // The high bit of each byte is set from 0x20 on, and from 0x7f on; none carries into the next.
            let isPrintable = (low &+ 0x6060_6060_6060_6060) & ~(low &+ 0x0101_0101_0101_0101) & ~word & high
            found += 8 - isPrintable.nonzeroBitCount
            at += 8
        }
        while at < bytes.count {
            if !(0x20...0x7E).contains(bytes[at]) { found += 1 }
            at += 1
        }
        return found
    }
}
