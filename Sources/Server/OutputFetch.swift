import Farm
import Foundation
import HostCore
import Renders
import ServerClient

/// A request about a finished file. It is answered on threads that may wait for disks: one for
/// pieces and one for long operations.
struct OutputFetch: Sendable {
    let number: UInt64
    let ask: ServerRequest.Operation
    let output: FinishedOutput

    private static let (pieces, digests) = (FileLane("pieces"), FileLane("digests"))
    /// The digests of files that were requested before, by identity: a second request costs
    /// nothing.
    private static let known = Locked<[String: String]>([:])
    private static let mostKnown = 10_000

    /// Returns the render that the request is about; nil for other requests.
    static func render(of ask: ServerRequest.Operation) -> RenderID? {
        switch ask {
        case .outputs(let id), .piece(let id, _, _), .digest(let id, _): id
        case .submit, .check, .stage, .finish, .abandon, .list, .rows, .watch, .show, .log, .act, .prioritise, .drain,
            .forget, .farm, .upload, .give, .finishUpload:
            nil
        }
    }

    /// Answers the request.
    /// - Parameter send: called later, with the response and the bytes that accompany it.
    func answer(_ send: @escaping @Sendable (Data, Data?) -> Void) {
        let lane = if case .digest = ask { Self.digests } else { Self.pieces }
        lane.post {
            var (say, bytes): (ServerResponse.Body, Data?)
            do throws(HostError) {
                (say, bytes) = try found()
            } catch {
                (say, bytes) = (ServerResponse.Body(error), nil)
            }
            send((try? JSONEncoder().encode(ServerResponse(number: number, say: say))) ?? Data(), bytes)
        }
    }

    private func digest(of file: FinishedOutput.File) throws(HostError) -> String {
        if let known = Self.known.withLock({ $0[file.identity] }) { return known }
        let digest = try output.digest(of: file.name, file.identity)
        Self.known.withLock { known in
            if known.count >= Self.mostKnown { known = [:] }
            known[file.identity] = digest
        }
        return digest
    }

    private func found() throws(HostError) -> (ServerResponse.Body, Data?) {
        switch ask {
        case .piece(_, let file, let offset):
            (.piece, try output.piece(of: file.name, file.identity, at: offset))
        case .digest(_, let file): (.digest(try digest(of: file)), nil)
        default: (.outputs(try output.files()), nil)
        }
    }
}
