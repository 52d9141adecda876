import Foundation
import Hashing
import HostCore
import Renders
import ServerClient

/// A submitted render in the form that the book and the journal store.
struct PreparedSubmission: Sendable {
    package var ticket: RenderTicket
    /// The request in the form that the journal stores.
    package var request: Data

    package init(ticket: RenderTicket, request: Data) { (self.ticket, self.request) = (ticket, request) }

    /// Prepares a submission.
    /// - Parameter accepted: the request to render instead of the submitted one; nil: the submitted
    ///   one.
    package init(_ submission: ServerRequest.Submission, accepted: RenderRequest?, of client: ClientIdentity)
        throws(HostError)
    {
        let request = accepted ?? submission.request
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let submitted = try? encoder.encode(submission.request),
            let written = accepted == nil ? submitted : try? encoder.encode(request)
        else { throw HostError(.data, "The render of ‘\(request.name)’ cannot be written to the journal.") }
        self.request = written
        ticket = RenderTicket(
            name: request.name, output: request.output, submitter: client.name, digest: SHA256.hash(submitted),
            priority: submission.priority, tags: submission.tags, after: submission.after, key: submission.key,
            confinement: client.confinement,
            uploads: submission.uploads.map { Set($0.values.map(\.description)) })
    }
}
