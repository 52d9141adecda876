/// Why the journal cannot be used, or a write failed.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another server has the journal open.
        public static let inUse = Code(rawValue: "in-use")
        /// The journal was written by a later version.
        public static let tooNew = Code(rawValue: "too-new")
        /// The file is not a journal, or is damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// The journal cannot be opened or written: a full disk, a lock that another process holds,
        /// missing permissions.
        public static let unavailable = Code(rawValue: "unavailable")
    }

    public var code: Code
    /// One sentence for users.
    public var message: String

    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
}
