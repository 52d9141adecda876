import Draft
import Foundation
import Glibc
import HostCore

/// Prints the rows of a list in aligned columns. Pages are kept as received bytes: plain rows,
/// which nearly all are, are measured and copied without a string for each cell.
package struct RowPrinter {
    private var pages: [Data] = []
    private var widths = RenderRow.titles.map(\.utf8.count)
    private var rowCount = 0
    /// The rows that are not printable ASCII, with each cell escaped for a terminal.
    private var odd: [Int: [String]] = [:]

    package init() {}

    private static let (tab, newline, space) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: " "))
    private static let columns = RenderRow.titles.count

    /// Adds a page.
    /// - Throws: if the bytes are not rows.
    package mutating func add(_ page: Data?) throws(HostError) {
        guard let page, !page.isEmpty else { return }
        var (rowStart, cells, isMade) = (0, [Int](repeating: 0, count: Self.columns), true)
        let isWhole = page.withUnsafeBytes { bytes in
            Self.forEachCell(in: bytes) { column, start, end in
                if column == 0 { rowStart = start }
                cells[column] = end - start
                guard column == Self.columns - 1 else { return }
                let row = UnsafeRawBufferPointer(rebasing: bytes[rowStart..<end])
                // Except for the delimiters, every byte takes one column on a terminal.
                if Self.others(in: row) != Self.columns - 1 {
                    let texts = row.split(separator: Self.tab, omittingEmptySubsequences: false).map {
                        String(decoding: $0, as: UTF8.self).printableLine
                    }
                    guard texts.count == Self.columns else {
                        isMade = false
                        return
                    }
                    odd[rowCount] = texts
                    cells = texts.map(\.count)
                }
                for (column, width) in cells.enumerated() where width > widths[column] { widths[column] = width }
                rowCount += 1
            }
        }
        guard isWhole, isMade else { throw RenderRow.unreadable }
        pages.append(page)
    }

    /// Returns the table with its header.
    package func table() -> [UInt8] {
        var header = Data(RenderRow.titles.joined(separator: "\t").utf8)
        header.append(Self.newline)
        let widths = widths
        let room = odd.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count } }
        let capacity = (rowCount + 1) * widths.reduce(0) { $0 + $1 + 2 } + room
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            guard let target = UnsafeMutableRawBufferPointer(buffer).baseAddress else { return }
            // The header is row -1.
            var (at, row) = (0, -1)
            func put(_ source: UnsafeRawPointer?, _ bytes: Int, wide width: Int, _ column: Int) {
                if let source { memcpy(target + at, source, bytes) }
                at += bytes
                if column < widths.count - 1 {
                    let padding = widths[column] + 2 - width
                    memset(target + at, Int32(Self.space), padding)
                    at += padding
                } else {
                    target.storeBytes(of: Self.newline, toByteOffset: at, as: UInt8.self)
                    at += 1
                    row += 1
                }
            }
            for page in [header] + pages {
                page.withUnsafeBytes { bytes in
                    guard let source = bytes.baseAddress else { return }
                    _ = Self.forEachCell(in: bytes) { column, start, end in
                        if let cell = odd.isEmpty ? nil : odd[row]?[column] {
                            let text = Array(cell.utf8)
                            text.withUnsafeBytes { put($0.baseAddress, $0.count, wide: cell.count, column) }
                        } else {
                            put(source + start, end - start, wide: end - start, column)
                        }
                    }
                }
            }
            count = at
        }
    }

    /// Calls a function for each cell.
    /// - Returns: false if a line does not have the right number of cells.
    private static func forEachCell(
        in bytes: UnsafeRawBufferPointer, _ body: (_ column: Int, _ start: Int, _ end: Int) -> Void
    ) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let (count, last) = (bytes.count, columns - 1)
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
    private static func others(in bytes: UnsafeRawBufferPointer) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        var (at, found) = (0, 0)
        while at + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            let low = word & ~high
            // The high bit of each byte is set from 0x20 on, and from 0x7f on; no byte carries into
            // the next.
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
