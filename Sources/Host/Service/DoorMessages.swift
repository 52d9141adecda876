import Foundation
import Journal
import Renders

/// What is said at a server's door: a question, and one answer to it. Both are JSON.
struct DoorQuestion: Codable, Sendable {
    /// Told back with the answer.
    var number: UInt64
    /// The build that asks; another one is refused.
    var engine: String
    var submitter: String
    var ask: Ask

    enum Ask: Codable, Sendable {
        case submit([Submission])
        /// Which renders there are; `all`: those that have ended long ago, too.
        case list(all: Bool)
        case show(RenderID)
        case log(RenderID)
        case act(Act, [RenderID])
        case prioritise([RenderID], Int)
    }

    enum Act: String, Codable, Sendable, CaseIterable { case pause, resume, cancel, retry, purge }

    /// A render as it is handed in.
    struct Submission: Codable, Sendable {
        var request: RenderRequest
        var priority: Int
        var tags: Set<String>
        var after: Set<RenderID>
        var key: String?
    }
}

struct DoorAnswer: Codable, Sendable {
    var number: UInt64
    var say: Say

    enum Say: Codable, Sendable {
        /// In the order of what was handed in.
        case submitted([Receipt])
        case renders([RenderStatus])
        case log([RenderNote])
        /// Why nothing was done: a sentence.
        case refused(String)
    }

    struct Receipt: Codable, Sendable {
        var id: RenderID
        var isNew: Bool
    }
}

/// A render as it stands, and how far it is.
struct RenderStatus: Codable, Sendable {
    var entry: RenderEntry
    /// What is being done now, and how far that is; nil where it does not run.
    var stage: String?
    var done: Int?
    var total: Int?
}
