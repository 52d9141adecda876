import Composition
import Foundation
import HostCore
import Renders
import ServerClient

/// A request as the server's task receives it: decoded, from a known client, with the data that it
/// needs from disk. Everything that may wait for disks happens here, on separate threads, so that
/// it does not delay other clients.
struct IncomingRequest: Sendable {
    let number: UInt64
    let client: ClientIdentity
    /// The operation, or why it cannot be carried out.
    let ask: Result<ServerRequest.Operation, HostError>
    /// The bytes that accompany the request.
    let bytes: Data?
    /// The submitted renders, in order, as they will be stored; or why a render cannot be accepted.
    private(set) var prepared: [Result<PreparedSubmission, RenderBook.Refusal>] = []

    /// Requests with more bytes are decoded on the file thread, so that shorter ones do not wait
    /// for them.
    private static let largest = 64 << 10

    /// Decodes a request.
    /// - Parameter then: receives it, at once or later.
    static func read(
        _ data: Data, with bytes: Data?, of sender: RequestSocket.Sender, _ confinement: Confinement,
        _ lane: FileLane, then: @escaping @Sendable (IncomingRequest) -> Void
    ) {
        if data.count > largest {
            lane.post { IncomingRequest(data, bytes, sender).prepare(confinement, then: then) }
            return
        }
        let request = IncomingRequest(data, bytes, sender)
        guard request.handsIn else { return then(request) }
        lane.post { request.prepare(confinement, then: then) }
    }

    private var handsIn: Bool {
        guard case .success(let ask) = ask else { return false }
        switch ask {
        case .submit, .stage, .check: return true
        default: return false
        }
    }

    private func prepare(_ confinement: Confinement, then: (IncomingRequest) -> Void) {
        var request = self
        switch try? ask.get() {
        case .submit(let submissions)?, .stage(_, _, let submissions)?:
            request.prepared = submissions.map { prepared($0, confinement, isTrial: false) }
        case .check(let submissions, _)?:
            request.prepared = submissions.map { prepared($0, confinement, isTrial: true) }
        default: break
        }
        then(request)
    }

    private func prepared(
        _ submission: ServerRequest.Submission, _ confinement: Confinement, isTrial: Bool
    ) -> Result<PreparedSubmission, RenderBook.Refusal> {
        if client.isRemote, let refusal = ClientIdentity.refusal(of: submission) { return .failure(refusal) }
        do {
            let accepted =
                client.isRemote ? try confinement.accepted(submission, of: client, isTrial: isTrial) : nil
            return .success(try PreparedSubmission(submission, accepted: accepted, of: client))
        } catch {
            return .failure(RenderBook.Refusal(HostError(error).message))
        }
    }

    private init(_ data: Data, _ bytes: Data?, _ sender: RequestSocket.Sender) {
        self.bytes = bytes
        guard let decoded = try? JSONDecoder().decode(ServerRequest.self, from: data) else {
            (number, client) = (ServerResponse.unsolicited, ClientIdentity(sender.holder, said: ""))
            ask = .failure(
                HostError(.data, "The request cannot be read; the server is Cutroom \(Engine.version)."))
            return
        }
        (number, client) = (decoded.number, ClientIdentity(sender.holder, said: decoded.submitter))
        ask =
            decoded.engine == Engine.version
            ? .success(decoded.ask)
            : .failure(
                HostError(.usage, "The server is Cutroom \(Engine.version), and this is \(decoded.engine.prefix(64)).")
            )
    }
}
