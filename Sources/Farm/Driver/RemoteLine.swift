import Messaging

/// The queue's connection to remote workers: an encrypted socket to which only keys on the allow
/// list connect. Each message is checked again on arrival: its sender's key must still be on the
/// list, and the worker must belong to that key's node.
final class RemoteLine {
    let socket: ZMQSocket
    let endpoints: [String]
    private let allowed: AllowList
    private let authenticator: Authenticator
    private var dropped = 0

    /// Binds the socket, in a context of its own, so that remote traffic does not delay local
    /// workers.
    init(_ listening: JobQueue.Configuration.Listening) throws(QueueError) {
        allowed = listening.allowed
        do throws(ZMQError) {
            let context = try ZMQContext()
            authenticator = try Authenticator(context: context, allowed: allowed)
            socket = try ZMQSocket.remoteRouter(
                context: context, key: listening.key, overIPv6: listening.endpoints.contains { $0.contains("[") })
        } catch {
            throw QueueError(.unavailable, "No socket for remote workers can be made: \(error).")
        }
        var endpoints: [String] = []
        for endpoint in listening.endpoints {
            do throws(ZMQError) {
                try socket.bind(endpoint)
                endpoints.append(try socket.lastEndpoint())
            } catch {
                throw QueueError(
                    .unavailable,
                    "The queue cannot listen at ‘\(endpoint)’: \(error.reason); choose another port or address.")
            }
        }
        self.endpoints = endpoints
    }

    enum Arrival {
        case messages(WorkerID, [Result<Message, MessageProblem>])
        /// Messages that their sender may not send, with the reason if it is worth a log line.
        case dropped(String?)
    }

    /// Returns the next messages.
    /// - Returns: nil if there are none now.
    func receive() throws(ZMQError) -> Arrival? {
        guard let (worker, key, messages) = try socket.receiveFromRemote() else { return nil }
        let name = key.flatMap(allowed.name)
        if let name, worker.node == name { return .messages(worker, messages) }
        dropped += 1
        // The 1st, 2nd, 4th, 8th …
        guard dropped & (dropped - 1) == 0 else { return .dropped(nil) }
        let whose = name.map { "of the key ‘\($0)’ in the name of" } ?? "under a key that is not on the list, from"
        return .dropped("\(dropped) messages were dropped so far; the last \(whose) worker \(worker)")
    }
}
