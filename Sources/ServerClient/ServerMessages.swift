import Content
import Farm
import Foundation
import HostCore
import Renders

/// What is said at a server's door: a question, and one answer to it. Both are JSON.
package struct ServerRequest: Codable, Sendable {
    /// Told back with the answer.
    package var number: UInt64
    /// The build that asks; another one is refused.
    package var engine: String
    /// Who asks, as he says himself. Whoever has a key is known by that alone.
    package var submitter: String
    package var ask: Ask

    package enum Ask: Codable, Sendable {
        case submit([Submission])
        /// Which of some renders could not be taken in. Nothing is changed, and uploads need not be
        /// there.
        /// - `of`: how many renders are about to be handed in altogether.
        case check([Submission], of: Int)
        /// A chunk of renders that are handed in with others, from a row on. Nothing is taken in
        /// before the batch is finished.
        case stage(UInt64, from: Int, [Submission])
        /// All of a batch is there, so many rows: they are taken in, all or none.
        case finish(UInt64, count: Int)
        /// A batch will not be finished.
        case abandon(UInt64)
        /// A page of the renders there are, each with all that is known.
        case list(Listing)
        /// The same as the rows of a table, which come along with the answer (``RenderRow``).
        case rows(Listing)
        /// What has changed; answered when something has.
        case watch(Watch)
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

    /// Which renders are listed, in the order of their numbers.
    package struct Listing: Codable, Sendable {
        /// Those that have ended long ago, too.
        package var all = false
        /// These alone, at most ``most``; nil: all.
        package var ids: [RenderID]?
        /// Begins after this one.
        package var after: RenderID?
        /// The most renders of one answer.
        package var limit = most

        package init(all: Bool = false, ids: [RenderID]? = nil, after: RenderID? = nil, limit: Int = most) {
            self.all = all
            self.ids = ids
            self.after = after
            self.limit = limit
        }

        package static let most = 5000
    }

    /// What changes a client waits for.
    package struct Watch: Codable, Sendable {
        /// What the client knows already: from a list, or an answer before.
        package var since: RenderCursor
        /// These alone, at most ``most``; nil: all.
        package var ids: [RenderID]?
        /// How long it waits at most.
        package var seconds: Double

        package init(since: RenderCursor, ids: [RenderID]? = nil, seconds: Double) {
            self.since = since
            self.ids = ids
            self.seconds = seconds
        }

        package static let most = 1000
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

package struct ServerResponse: Codable, Sendable {
    package var number: UInt64
    /// The number of what answers no question.
    package static let unsolicited: UInt64 = 0
    package var say: Say

    package init(number: UInt64, say: Say) {
        self.number = number
        self.say = say
    }

    package enum Say: Codable, Sendable {
        /// In the order of what was handed in.
        case submitted([Receipt])
        /// The rows that cannot be taken in.
        case checked([RenderBatches.Problem])
        case abandoned
        case renders([RenderStatus])
        case page([RenderStatus], Page)
        /// The rows come along with it.
        case rows(Page)
        /// What has changed since then is not known: list all renders anew.
        case startOver
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
        /// Why the server could not do what was asked, which was in order: its disk is full, for
        /// example. A sentence.
        case failed(String)
        /// The key of whoever is told this was revoked.
        case dismissed
    }

    /// Where a list or a watch goes on.
    package struct Page: Codable, Sendable {
        /// What has changed after this is not in the answer.
        package var cursor: RenderCursor
        /// The last render of this page; nil: it is the last page.
        package var next: RenderID?
        /// Renders that are not there any more.
        package var gone: [RenderID]

        package init(_ cursor: RenderCursor, next: RenderID? = nil, gone: [RenderID] = []) {
            (self.cursor, self.next, self.gone) = (cursor, next, gone)
        }
    }

    /// As it goes over the door.
    package var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

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

extension ServerResponse.Say {
    package init(_ error: HostError) {
        self = error.code == .inputOutput ? .failed(error.message) : .refused(error.message)
    }
}

extension ServerRequest {
    /// The bytes of one piece of an uploaded file at most.
    package static let uploadPieceSize = 256 << 10
}

extension HostError {
    package static let unfittingAnswer = HostError(.software, "The server's response does not match the request.")
}
