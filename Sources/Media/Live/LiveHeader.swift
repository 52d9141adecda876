import Files

/// The header before each picture on the way to the process of the live effects and back, in the
/// machine's order.
public struct LiveHeader: Hashable, Sendable {
    /// Counts the pictures from 1 on. Behind ``opening`` and ``warning(bytes:)``, which exist only
    /// on the way back, there is no picture.
    public var number: Int64
    /// When it was captured: nanoseconds on the monotonic clock.
    public var time: Int64

    /// The process opens something for its next picture.
    public static let opening = LiveHeader(number: -1, time: 0)

    /// A text of so many bytes follows, in UTF-8: what users should know.
    public static func warning(bytes: Int) -> LiveHeader { LiveHeader(number: -2, time: Int64(bytes)) }

    /// The bytes of the text that follows; nil if none does.
    public var warningBytes: Int? { number == -2 && (0...Self.longestWarning).contains(time) ? Int(time) : nil }

    /// Bytes.
    public static let longestWarning: Int64 = 4096

    public init(number: Int64, time: Int64) { (self.number, self.time) = (number, time) }

    /// - Returns: nil if the writer has ended.
    public static func read(from descriptor: Int32) -> LiveHeader? {
        var header = LiveHeader(number: 0, time: 0)
        return withUnsafeMutableBytes(of: &header) { readAll(into: $0, from: descriptor) } ? header : nil
    }

    /// - Returns: false if the reader is gone.
    public func write(to descriptor: Int32) -> Bool {
        withUnsafeBytes(of: self) { writeAll($0, to: descriptor) }
    }
}
