import Foundation
import Glibc
import HostCore

/// A connection to a server that is restored when it is lost, for requests that can be repeated.
/// Failing to reach the server at first is an error. Blocks: do not call from asynchronous code.
package struct ReconnectingConnection: ~Copyable {
    private let server: ServerAddress
    private var current: ServerConnection?
    private var wasThere = false

    /// How long a server may be unreachable.
    private static let patience = Duration.seconds(60)

    package init(_ server: ServerAddress) { self.server = server }

    private mutating func connect() throws(HostError) -> ServerConnection {
        if let current = current.take() { return current }
        return try ServerConnection(server)
    }

    /// Sends a request, and returns the response.
    package mutating func ask(
        _ ask: ServerRequest.Operation, patience: Duration = ServerConnection.patience
    ) throws(HostError) -> ServerResponse.Body {
        try fetch(ask, patience: patience).say
    }

    /// Sends a request, and returns the response and the bytes that accompany it.
    package mutating func fetch(
        _ ask: ServerRequest.Operation, patience: Duration = ServerConnection.patience
    ) throws(HostError) -> (say: ServerResponse.Body, bytes: Data?) {
        var answer: (ServerResponse.Body, Data?)?
        try use { connection throws(HostError) in answer = try connection.fetch(ask, patience: patience) }
        guard let answer else { throw HostError(.software, "The server's answer is missing.") }
        return answer
    }

    /// Uses the connection, and repeats that with a new one if it is lost.
    /// - Parameter isBetter: whether the last attempt made progress; then the time limit starts
    ///   again.
    mutating func use(
        _ body: (inout ServerConnection) throws(HostError) -> Void, isBetter: () -> Bool = { false }
    ) throws(HostError) {
        var last = ContinuousClock.now + Self.patience
        while true {
            var verdict: ServerConnection.Verdict?
            do throws(HostError) {
                var connection = try connect()
                verdict = connection.verdict
                try body(&connection)
                current = consume connection
                wasThere = true
                return
            } catch {
                if isBetter() { (last, wasThere) = (.now + Self.patience, true) }
                let isFinal = verdict?.isFinal ?? false
                guard error.code == .unavailable, !isFinal, wasThere, ContinuousClock.now < last else { throw error }
                usleep(500_000)
            }
        }
    }
}
