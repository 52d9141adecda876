/// Why a job of a render failed, or a render as a whole.
public struct RenderFailure: Error, Hashable, Sendable {
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// The user's material or request is wrong.
        case input
        /// A fault of Cutroom's, or of a plugin.
        case software
        /// The machine lacks something: disk space, memory, a permission.
        case machine
        /// No worker can be started or reached.
        case noWorkers
        /// The file cannot be given its name.
        case output
        /// The render was stopped.
        case stopped
    }

    public var cause: Cause
    /// One sentence for people: the object, the place, what to do.
    public var message: String
    /// The chain of causes, outermost first.
    public var details: [String]
    /// The plugin that is to blame, where one is.
    public var culprit: Culprit?

    public init(_ cause: Cause, _ message: String, details: [String] = [], culprit: Culprit? = nil) {
        (self.cause, self.message, self.details, self.culprit) = (cause, message, details, culprit)
    }

    public static let stopped = RenderFailure(.stopped, "Stopped.")
}

/// The plugin's effect in which a job failed.
public struct Culprit: Hashable, Sendable, Codable {
    /// The library's path, absolute.
    public var library: String
    /// Empty where it was the library as a whole.
    public var effectID: String
    /// The output's frame; nil where it was in no frame.
    public var frame: Int?
    /// What is wrong, without the effect and the place; nil where the failure's message has nothing
    /// else.
    public var reason: String?

    public init(library: String, effectID: String = "", frame: Int? = nil, reason: String? = nil) {
        (self.library, self.effectID, self.frame, self.reason) = (library, effectID, frame, reason)
    }

    public var forPeople: String { effectID.isEmpty ? "the effects of ‘\(library)’" : "the effect ‘\(effectID)’" }
}
