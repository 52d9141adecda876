import Composition
import Foundation
import Glibc
import HostCore
import ServerClient

/// What a server on this machine has to do, for the page's view of it.
enum FarmQueue {
    private struct Report: Encodable {
        var server: String
        var renders: [RenderStatus]
        var workers: [NodeStatus]
    }

    /// Where no server runs: `server` is null. Blocks: not for asynchronous code.
    static func json() throws(HostError) -> Data {
        let place = try ServerPlace(nil)
        guard access(place.socketPath, F_OK) == 0 else { return Data("{\"server\":null}".utf8) }
        do throws(HostError) {
            var connection = try ServerConnection(place)
            guard case .page(let renders, _) = try connection.ask(.list(ServerRequest.Listing())),
                case .farm(let farm) = try connection.ask(.farm)
            else { throw HostError.unfittingAnswer }
            let report = Report(server: place.folder, renders: renders, workers: NodeStatus.all(of: farm.queue.workers))
            return Data(prettyJSON(report, snakeCase: true).utf8)
        } catch {
            // A server that was killed leaves its door.
            guard error.code == .unavailable else { throw error }
            return Data("{\"server\":null}".utf8)
        }
    }
}
