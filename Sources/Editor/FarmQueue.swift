import Composition
import Foundation
import Glibc
import HostCore
import ServerClient

/// The state of a server on this machine, for the page that shows it.
enum FarmQueue {
    private struct Report: Encodable {
        var server: String
        var renders: [RenderStatus]
        var workers: [NodeStatus]
    }

    /// Returns the state as JSON. If no server is running, `server` is null. Blocks: do not call
    /// from asynchronous code.
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
            // A killed server leaves its socket behind.
            guard error.code == .unavailable else { throw error }
            return Data("{\"server\":null}".utf8)
        }
    }
}
