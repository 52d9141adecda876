import SystemPackage

/// Writes all bytes to a descriptor that others close, as standard error.
/// - Returns: false where the reader is gone, which is no reason to fail.
@discardableResult
public func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
    (try? FileDescriptor(rawValue: descriptor).writeAll(bytes)) != nil
}

/// Fills a buffer from a descriptor that others close, as a pipe.
/// - Returns: false where it ends before.
public func readAll(into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Bool {
    var filled = 0
    while filled < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        guard let count = try? FileDescriptor(rawValue: descriptor).read(into: rest), count > 0 else { return false }
        filled += count
    }
    return true
}
