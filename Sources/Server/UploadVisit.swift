import Content
import Foundation
import HostCore
import ServerClient

/// A request that uploads a file. It is answered on threads that may wait for disks: one for pieces
/// and one for long operations.
struct UploadVisit: Sendable {
    let number: UInt64
    let ask: ServerRequest.Operation
    let submitter: String
    let bytes: Data?
    let uploads: Uploads
    /// The uploaded files that the submitter's renders use.
    let needed: Set<String>

    private static let (pieces, checks) = (FileLane("uploads"), FileLane("upload-digests"))

    /// Carries out the request.
    /// - Parameter send: called later, with the response.
    func answer(_ send: @escaping @Sendable (Data) -> Void) {
        let lane = if case .finishUpload = ask { Self.checks } else { Self.pieces }
        lane.post {
            let say: ServerResponse.Body
            do throws(HostError) { say = .uploaded(try taken()) } catch { say = ServerResponse.Body(error) }
            send((try? JSONEncoder().encode(ServerResponse(number: number, say: say))) ?? Data())
        }
    }

    private func taken() throws(HostError) -> Int64 {
        switch ask {
        case .upload(let id): try uploads.offer(id, of: submitter, needed: needed)
        case .give(let id, let from): try uploads.give(id, of: submitter, from: from, bytes ?? Data())
        case .finishUpload(let id): try uploads.finish(id, of: submitter)
        default: throw HostError(.software, "The request uploads no file.")
        }
    }
}
