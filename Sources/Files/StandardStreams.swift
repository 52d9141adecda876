import SystemPackage

/// Writes all bytes to a descriptor that others close, as standard error. A reader that is gone is
/// no reason to fail.
public func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) {
    _ = try? FileDescriptor(rawValue: descriptor).writeAll(bytes)
}
