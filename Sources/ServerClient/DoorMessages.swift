import Content
import Farm
import Foundation
import HostCore
import Renders

/// What is said at a server's door: a question, and one answer to it. Both are JSON.
package struct DoorQuestion: Codable, Sendable {
    /// Told back with the answer.
    package var number: UInt64
    /// The build that asks; another one is refused.
    package var engine: String
    /// Who asks, as he says himself. Whoever has a key is known by that alone.
    package var submitter: String
    package var ask: Ask

    package enum Ask: Codable, Sendable {
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

    package enum Act: String, Codable, Sendable, CaseIterable { case pause, resume, cancel, retry, purge }

    /// A render as it is handed in.
    package struct Submission: Codable, Sendable {
        package var request: RenderRequest
        package var priority: Int
        package var tags: Set<String>
        package var after: Set<RenderID>
        package var key: String?
        /// Where folders that the server knows by a name lie for whoever submits.
        package var roots: [String: String]?
        /// The server keeps the output, to be fetched: of its path only the name counts.
        package var isFetched: Bool?
        /// Files that were sent, by the paths that the draft has for them.
        package var uploads: [String: ContentID]?

        package init(
            request: RenderRequest, priority: Int, tags: Set<String>, after: Set<RenderID>, key: String? = nil,
            roots: [String: String]? = nil, isFetched: Bool? = nil, uploads: [String: ContentID]? = nil
        ) {
            self.request = request
            self.priority = priority
            self.tags = tags
            self.after = after
            self.key = key
            self.roots = roots
            self.isFetched = isFetched
            self.uploads = uploads
        }
    }
}

package struct DoorAnswer: Codable, Sendable {
    package var number: UInt64
    /// The number of what answers no question.
    package static let forEverybody: UInt64 = 0
    package var say: Say

    package init(number: UInt64, say: Say) {
        self.number = number
        self.say = say
    }

    package enum Say: Codable, Sendable {
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

    package struct Receipt: Codable, Sendable {
        package var id: RenderID
        package var isNew: Bool

        package init(id: RenderID, isNew: Bool) {
            self.id = id
            self.isNew = isNew
        }
    }
}

/// A render as it stands, and how far it is.
package struct RenderStatus: Codable, Sendable {
    package var entry: RenderEntry
    /// What is being done now, and how far that is; nil where it does not run.
    package var stage: String?
    package var done: Int?
    package var total: Int?
    /// Why its jobs wait, where that is more than their turn; nil where they go on.
    var waits: String?

    package init(
        entry: RenderEntry, stage: String? = nil, done: Int? = nil, total: Int? = nil, waits: String? = nil
    ) {
        self.entry = entry
        self.stage = stage
        self.done = done
        self.total = total
        self.waits = waits
    }
}

/// What a server's workers have to do, and who they are.
package struct FarmStatus: Codable, Sendable {
    package var queue: QueueStatus
    /// Where nodes may come.
    package var endpoints: [String]

    package init(queue: QueueStatus, endpoints: [String]) {
        self.queue = queue
        self.endpoints = endpoints
    }
}

extension DoorAnswer.Say {
    package init(_ error: HostError) {
        self = error.code == .inputOutput ? .failed(error.message) : .refused(error.message)
    }
}

extension DoorQuestion {
    /// The bytes of one piece of an uploaded file at most.
    package static let uploadPieceSize = 256 << 10
}
