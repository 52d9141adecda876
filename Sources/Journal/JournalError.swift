/// Why the journal cannot be used, or something was not written down.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another server has the journal open.
        public static let inUse = Code(rawValue: "in-use")
        /// It was written by a later version.
        public static let tooNew = Code(rawValue: "too-new")
        /// The file is no journal, or is damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// It cannot be opened, or nothing can be written: a full disk, a lock that somebody else holds, missing rights.
        public static let unavailable = Code(rawValue: "unavailable")
    }

    public var code: Code
    /// One sentence for people.
    public var message: String

    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
}
