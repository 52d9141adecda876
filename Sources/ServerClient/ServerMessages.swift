import Content
import Farm
import Foundation
import HostCore
import Renders

/// A request to a server, which has one response. Both are JSON.
package struct ServerRequest: Codable, Sendable {
    /// Repeated in the response.
    package var number: UInt64
    /// The version of the client; the server refuses other versions than its own.
    package var engine: String
    /// The client's name for itself. The server ignores it if the client has a key.
    package var submitter: String
    package var ask: Operation

    package enum Operation: Codable, Sendable {
        case submit([Submission])
        /// Asks which renders would not be accepted. Nothing is changed, and uploads need not exist
        /// yet.
        /// - `of`: the total number of renders that will be submitted.
        case check([Submission], of: Int)
        /// A chunk of a batch, starting at a row. Nothing is accepted before the batch is finished.
        case stage(UInt64, from: Int, [Submission])
        /// The batch is complete, with this number of rows: all of them are accepted, or none.
        case finish(UInt64, count: Int)
        /// Abandons a batch.
        case abandon(UInt64)
        /// Asks for a page of the list of renders, with all details.
        case list(Listing)
        /// Asks for a page as rows of a table, which accompany the response (``RenderRow``).
        case rows(Listing)
        /// Asks for changes; answered when there is one.
        case watch(Watch)
        case show(RenderID)
        case log(RenderID)
        case act(Act, [RenderID])
        case prioritise([RenderID], Int)
        /// Stops giving jobs to a node, or starts again.
        case drain(String, Bool)
        /// Removes a lost node from the list.
        case forget(String)
        /// Asks for the state of the queue and the workers.
        case farm
        /// Asks for the files of a finished render.
        case outputs(RenderID)
        /// Asks for bytes of such a file, which accompany the response.
        case piece(RenderID, FinishedOutput.File, from: Int64)
        /// Asks for the SHA-256 of such a file.
        case digest(RenderID, FinishedOutput.File)
        /// Starts or resumes the upload of a file.
        case upload(ContentID)
        /// Sends bytes of the file, which accompany the request.
        case give(ContentID, from: Int64)
        /// Completes the upload.
        case finishUpload(ContentID)
    }

    /// The renders to list, in the order of their numbers.
    package struct Listing: Codable, Sendable {
        /// Includes renders that ended long ago.
        package var all = false
        /// Only these, at most ``most``; nil: all.
        package var ids: [RenderID]?
        /// Starts after this one.
        package var after: RenderID?
        /// The maximum number of renders in a response.
        package var limit = most

        package init(all: Bool = false, ids: [RenderID]? = nil, after: RenderID? = nil, limit: Int = most) {
            self.all = all
            self.ids = ids
            self.after = after
            self.limit = limit
        }

        package static let most = 5000
    }

    /// The changes that a client waits for.
    package struct Watch: Codable, Sendable {
        /// What the client already knows, from a list or a previous response.
        package var since: RenderCursor
        /// Only these, at most ``most``; nil: all.
        package var ids: [RenderID]?
        /// The maximum time to wait.
        package var seconds: Double

        package init(since: RenderCursor, ids: [RenderID]? = nil, seconds: Double) {
            self.since = since
            self.ids = ids
            self.seconds = seconds
        }

        package static let most = 1000
    }

    package enum Act: String, Codable, Sendable, CaseIterable { case pause, resume, cancel, retry, purge }

    /// A submitted render.
    package struct Submission: Codable, Sendable {
        package var request: RenderRequest
        package var priority: Int
        package var tags: Set<String>
        package var after: Set<RenderID>
        package var key: String?
        /// The client's paths of folders that the server knows by name.
        package var roots: [String: String]?
        /// The server keeps the output until it is fetched; only the last component of its path
        /// counts.
        package var isFetched: Bool?
        /// Uploaded files, by their paths in the draft.
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
    /// The number of a message that answers no request.
    package static let unsolicited: UInt64 = 0
    package var say: Body

    package init(number: UInt64, say: Body) {
        self.number = number
        self.say = say
    }

    package enum Body: Codable, Sendable {
        /// In the order of the submissions.
        case submitted([Receipt])
        /// The rows that cannot be accepted.
        case checked([RenderBatches.Problem])
        case abandoned
        case renders([RenderStatus])
        case page([RenderStatus], Page)
        /// The rows accompany the response.
        case rows(Page)
        /// The changes since then are unknown: list all renders again.
        case startOver
        case log([RenderNote])
        case farm(FarmStatus)
        case outputs([FinishedOutput.File])
        /// The bytes accompany the response.
        case piece
        case digest(String)
        /// How many bytes of an uploaded file the server has.
        case uploaded(Int64)
        /// The request was refused. One sentence says why.
        case refused(String)
        /// The request was valid, but failed on the server, for example because its disk is full.
        /// One sentence says why.
        case failed(String)
        /// The client's key was revoked.
        case dismissed
    }

    /// Where a list or a watch continues.
    package struct Page: Codable, Sendable {
        /// Later changes are not in the response.
        package var cursor: RenderCursor
        /// The last render of this page; nil on the last page.
        package var next: RenderID?
        /// Renders that no longer exist.
        package var gone: [RenderID]

        package init(_ cursor: RenderCursor, next: RenderID? = nil, gone: [RenderID] = []) {
            (self.cursor, self.next, self.gone) = (cursor, next, gone)
        }
    }

    /// The encoded response.
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

/// The state and progress of a render.
package struct RenderStatus: Codable, Sendable {
    package var entry: RenderEntry
    /// The current stage, and its progress; nil if the render is not running.
    package var stage: String?
    package var done: Int?
    package var total: Int?
    /// Why its jobs wait, other than for their turn; nil if they make progress.
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

/// The state of the queue and its workers.
package struct FarmStatus: Codable, Sendable {
    package var queue: QueueStatus
    /// The addresses at which nodes connect.
    package var endpoints: [String]

    package init(queue: QueueStatus, endpoints: [String]) {
        self.queue = queue
        self.endpoints = endpoints
    }
}

extension ServerResponse.Body {
    package init(_ error: HostError) {
        self = error.code == .inputOutput ? .failed(error.message) : .refused(error.message)
    }
}

extension ServerRequest {
    /// The maximum size of one piece of an uploaded file, in bytes.
    package static let uploadPieceSize = 256 << 10
}

extension HostError {
    package static let unfittingAnswer = HostError(.software, "The server's response does not match the request.")
}
