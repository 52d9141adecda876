/// What tells a worker that works for long on one thing from one that is stuck: signs of life from
/// a thread of their own.
public struct Vitals: Hashable, Sendable {
    /// The processor time that the worker's process has used, in milliseconds, of all its threads.
    public let processor: Int
    /// The foreign code that the working loop is inside of, for people: a plugin's call, or a file
    /// that is being decoded. nil where it is inside of none.
    public let activity: String?

    /// Workers say this, so it is bounded wherever a value is made.
    public init(processor: Int = 0, activity: String? = nil) {
        self.processor = min(max(0, processor), Self.most)
        self.activity = activity.flatMap { text in
            text.isEmpty ? nil : String(decoding: text.utf8.prefix(Self.longestActivity), as: UTF8.self)
        }
    }

    private static let most = 1 << 48
    /// In bytes of UTF-8.
    private static let longestActivity = 4096
}
