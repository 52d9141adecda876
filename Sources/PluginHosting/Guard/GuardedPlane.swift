import CPosix
import Glibc

/// The memory of one plane: its rows, canaries between and around them, and a page on either side
/// that cannot be touched. Faults in it are explained by its name. Nothing of it changes but the
/// memory, which belongs to the current borrower.
package final class GuardedPlane: @unchecked Sendable {
    package let data: UnsafeMutablePointer<UInt8>
    package let stride: Int
    package let rowBytes: Int
    package let rows: Int
    private let mapping: UnsafeMutableRawPointer
    private let length: Int
    private let fill: UInt8
    private let row: String
    private let region: Int32
    /// The pages between the guards.
    private var body: UnsafeMutableRawBufferPointer { .init(start: mapping + Self.page, count: length - 2 * Self.page) }

    private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    /// Some rows of any size that is tested.
    private static let slack = 1 << 18

    /// - Parameters:
    ///   - name: for messages; ASCII without quotes.
    ///   - row: what a row is called in messages.
    ///   - fill: what bytes are before they are written, between the rows and around them.
    /// - Throws: where there is no memory.
    package init(
        rowBytes: Int, rows: Int, sample: Int, layout: GuardedLayout, fill: UInt8, name: String,
        row: String = "row"
    ) throws(NoMemory) {
        let page = Self.page
        (self.rowBytes, self.rows, self.fill, self.row) = (rowBytes, rows, fill, row)
        stride = layout.stride(rowBytes: rowBytes, sample: sample)
        let used = stride * (rows - 1) + rowBytes
        let slack = layout == .roomy ? Self.slack : 0
        let bodyLength = (used + 2 * slack + page - 1) / page * page
        length = bodyLength + 2 * page
        // All of it is written next; a fault for each page would cost more than the rest of a
        // check.
        guard
            let mapping = mmap(
                nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
            mapping != MAP_FAILED
        else { throw NoMemory() }
        self.mapping = mapping
        let body = mapping + page
        memset(body, Int32(fill), bodyLength)
        mprotect(mapping, page, PROT_NONE)
        mprotect(body + bodyLength, page, PROT_NONE)
        let start = layout == .atEnd ? body + (bodyLength - used) : body + slack
        data = start.assumingMemoryBound(to: UInt8.self)
        var region = cposix_region()
        (region.start, region.length) = (UnsafeRawPointer(mapping), length)
        (region.data, region.data_length) = (UnsafeRawPointer(start), used)
        withUnsafeMutableBytes(of: &region.label) { $0.copyBytes(from: name.utf8.prefix($0.count - 1)) }
        self.region = cposix_add_region(&region)
    }

    deinit {
        cposix_remove_region(region)
        munmap(mapping, length)
    }

    package struct NoMemory: Error {}

    /// What the plugin may do with it from now on: `PROT_READ`, `PROT_NONE`, ….
    package func protect(_ protection: Int32) { mprotect(body.baseAddress, body.count, protection) }

    /// The samples, without what lies between the rows.
    package func append(to samples: inout [UInt8]) {
        for row in 0..<rows {
            samples.append(contentsOf: UnsafeBufferPointer(start: data + row * stride, count: rowBytes))
        }
    }

    /// The place beside the rows at which a byte was written: half a sentence; nil where none was.
    package var brokenCanary: String? {
        let start = UnsafeMutableRawPointer(data)
        let base = UnsafeMutableRawPointer(body.baseAddress.unsafelyUnwrapped)
        let end = start + (stride * (rows - 1) + rowBytes)
        if let offset = firstChange(base, count: start - base) {
            return "\(start - base - offset) bytes before its first \(row)"
        }
        if stride > rowBytes {
            for row in 0..<rows - 1 {
                if let offset = firstChange(start + row * stride + rowBytes, count: stride - rowBytes) {
                    return "\(offset + 1) bytes beyond the end of \(self.row) \(row), which has \(rowBytes)"
                }
            }
        }
        if let offset = firstChange(end, count: base + body.count - end) {
            return "\(offset + 1) bytes beyond its last \(row)"
        }
        return nil
    }

    private func firstChange(_ bytes: UnsafeRawPointer, count: Int) -> Int? {
        guard count > 0 else { return nil }
        // Equal to itself moved by one and first byte right: all are right. The usual case takes
        // one pass of memcmp.
        if bytes.load(as: UInt8.self) == fill, memcmp(bytes, bytes + 1, count - 1) == 0 { return nil }
        return (0..<count).first { bytes.load(fromByteOffset: $0, as: UInt8.self) != fill }
    }
}

extension [GuardedPlane] {
    /// The place beside the rows of a frame's planes at which a byte was written; nil where none
    /// was.
    package var brokenCanary: String? {
        for (number, plane) in enumerated() {
            if let place = plane.brokenCanary { return count == 1 ? place : "plane \(number), \(place)" }
        }
        return nil
    }
}
