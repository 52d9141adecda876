/// Signs of life from a separate thread, which distinguish a worker that is busy with one long call
/// from one that is stuck.
public struct Vitals: Hashable, Sendable {
    /// The processor time of the worker's process, over all threads, in milliseconds.
    public let processor: Int
    /// The foreign code that the working loop is inside of, for people: a plugin's call, or a file
    /// that is being decoded. nil if there is none.
    public let activity: String?

    /// Makes a value. Workers send these numbers, so they are clamped.
    public init(processor: Int = 0, activity: String? = nil) {
        self.processor = min(max(0, processor), Self.most)
        self.activity = activity.flatMap { text in
            text.isEmpty ? nil : String(decoding: text.utf8.prefix(Self.longestActivity), as: UTF8.self)
        }
    }

    private static let most = 1 << 48
    /// The longest activity, in bytes of UTF-8.
    private static let longestActivity = 4096
}
