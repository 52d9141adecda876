import Foundation
import HostCore
import Renders

/// Requests that are answered from disk rather than from the book.
extension ServerState {
    /// Returns a request about a finished file, which is answered from disk; nil for other requests
    /// and for those that are not allowed.
    func fetch(_ request: IncomingRequest) -> OutputFetch? {
        guard case .success(let ask) = request.ask, let id = OutputFetch.render(of: ask),
            request.client.refusal(of: ask, in: book) == nil, let entry = book.entries[id], entry.state == .done
        else { return nil }
        let (ticket, confinement) = (entry.ticket, server.options.confinement)
        return OutputFetch(
            number: request.number, ask: ask,
            output: FinishedOutput(output: ticket.output) { () throws(HostError) in
                try confinement.checkOutput(of: ticket, at: ticket.output)
            })
    }

    /// Returns a request that uploads a file, which goes to disk; nil for other requests and for
    /// those that are not allowed.
    func upload(_ request: IncomingRequest) -> UploadVisit? {
        guard let uploads = server.options.confinement.uploads, case .success(let ask) = request.ask,
            request.client.refusal(of: ask, in: book) == nil
        else { return nil }
        switch ask {
        case .upload, .give, .finishUpload: break
        default: return nil
        }
        let isOffer = if case .upload = ask { true } else { false }
        return UploadVisit(
            number: request.number, ask: ask, submitter: request.client.name, bytes: request.bytes, uploads: uploads,
            needed: isOffer ? book.uploads(of: request.client.name) : [])
    }

    /// The uploaded files that renders use, by submitter.
    var needed: [String: Set<String>] {
        Dictionary(uniqueKeysWithValues: book.submitters.map { ($0, book.uploads(of: $0)) })
    }
}
