import Content
import Farm
import Foundation
import Journal
import Renders

/// What is said at a server's door: a question, and one answer to it. Both are JSON.
struct DoorQuestion: Codable, Sendable {
    /// Told back with the answer.
    var number: UInt64
    /// The build that asks; another one is refused.
    var engine: String
    /// Who asks, as he says himself. Whoever has a key is known by that alone.
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
        /// Gives a node no new jobs, or gives it some again.
        case drain(String, Bool)
        /// Names a node that was lost no more.
        case forget(String)
        /// What the workers have to do, and who they are.
        case farm
        /// The files of a render that is done.
        case outputs(RenderID)
        /// Bytes of one of them, as they come along with the answer.
        case piece(RenderID, FinishedOutput.File, from: Int64)
        /// The SHA-256 of one of them.
        case digest(RenderID, FinishedOutput.File)
        /// A file that whoever asks is about to send, or has sent.
        case upload(ContentID)
        /// Bytes of it, which come along with the question.
        case give(ContentID, from: Int64)
        /// All of it is there.
        case finishUpload(ContentID)
    }

    enum Act: String, Codable, Sendable, CaseIterable { case pause, resume, cancel, retry, purge }

    /// A render as it is handed in.
    struct Submission: Codable, Sendable {
        var request: RenderRequest
        var priority: Int
        var tags: Set<String>
        var after: Set<RenderID>
        var key: String?
        /// Where folders that the server knows by a name lie for whoever submits.
        var roots: [String: String]?
        /// The server keeps the output, to be fetched: of its path only the name counts.
        var isFetched: Bool?
        /// Files that were sent, by the paths that the draft has for them.
        var uploads: [String: ContentID]?
    }
}

struct DoorAnswer: Codable, Sendable {
    var number: UInt64
    /// The number of what answers no question.
    static let forEverybody: UInt64 = 0
    var say: Say

    enum Say: Codable, Sendable {
        /// In the order of what was handed in.
        case submitted([Receipt])
        case renders([RenderStatus])
        case log([RenderNote])
        case farm(FarmStatus)
        case outputs([FinishedOutput.File])
        /// The bytes come along with it.
        case piece
        case digest(String)
        /// How much the server has of a file that is being sent.
        case uploaded(Int64)
        /// Why nothing was done: a sentence.
        case refused(String)
        /// Why the server could not do what was asked, which was in order: its disk is full, for example. A sentence.
        case failed(String)
        /// The key of whoever is told this was revoked.
        case dismissed
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
    /// Why its jobs wait, where that is more than their turn; nil where they go on.
    var waits: String?
}

/// What a server's workers have to do, and who they are.
struct FarmStatus: Codable, Sendable {
    var queue: QueueStatus
    /// Where nodes may come.
    var endpoints: [String]
}

extension DoorAnswer.Say {
    init(_ error: HostError) { self = error.code == .inputOutput ? .failed(error.message) : .refused(error.message) }
}
