import Farm
import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import HostCore
import Messaging

/// The HTTP library (FlyingFox) behind a gate, at a socket in a private folder. The library ends at
/// the first connection that it cannot accept, and is then restarted.
package struct ServerBehindGate: Sendable {
    /// The name in messages, such as “the page's server”.
    package let name: String
    /// The path of the socket.
    package let path: String
    /// The time limit of a handler, in seconds.
    package let timeout: Double
    package let longestBody: Int
    let handler: any HTTPHandler

    package init(name: String, path: String, timeout: Double, longestBody: Int, handler: any HTTPHandler) {
        self.name = name
        self.path = path
        self.timeout = timeout
        self.longestBody = longestBody
        self.handler = handler
    }

    /// The pause between two attempts while the process has no descriptor left.
    private static let shortagePause = Duration.milliseconds(200)
    /// A run of this length counts as successful.
    private static let steady = Duration.seconds(10)

    /// Serves until the task is cancelled.
    /// - Parameter isListening: called once, when connections are accepted for the first time.
    package func run(_ isListening: @escaping @Sendable () throws -> Void) async throws {
        var failures = ServiceFailures(name, log: Console.complain)
        var shortages = Shortages(name)
        let isFirst = Locked(true)
        while true {
            unlink(path)
            let begun = ContinuousClock.now
            do {
                try await serve {
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if isFirst { try isListening() }
                }
            } catch {
                try Task.checkCancellation()
                if let error = error as? HostError { throw error }
                if ContinuousClock.now - begun > Self.steady { failures.worked() }
                let pause: Duration
                if case .failed(_, let code, _)? = error as? SocketError, Shortages.isShortage(code) {
                    if let text = shortages.text(code) { Console.complain(text) }
                    pause = Self.shortagePause
                } else {
                    pause = failures.noted(Self.reason(error))
                }
                try await Task.sleep(for: pause)
            }
        }
    }

    /// Serves until the library ends, which it only does with an error.
    private func serve(_ isListening: @escaping @Sendable () throws -> Void) async throws {
        let server = HTTPServer(
            config: HTTPServer.Configuration(
                address: .unix(path: path), timeout: timeout, sharedRequestBufferSize: longestBody, logger: .disabled),
            handler: handler)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await server.run()
                throw SocketError.disconnected
            }
            group.addTask {
                try await server.waitUntilListening()
                try isListening()
            }
            defer { group.cancelAll() }
            // Prefer the library's own error.
            while try await group.next() != nil {}
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case .failed(let type, _, let message)? = error as? SocketError else { return "\(error)" }
        return "\(type): \(message)"
    }
}

/// Warnings about connections for which the system has no resources, at most one a minute.
struct Shortages {
    private let name: String
    private var last: Double?

    /// The interval between two warnings, in seconds.
    private static let interval = 60.0

    init(_ name: String) { self.name = name }

    static func isShortage(_ code: Int32) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    /// Returns a warning, at most once a minute.
    mutating func text(_ code: Int32, now: Double = Gate.now) -> String? {
        if let last, now - last < Self.interval { return nil }
        last = now
        return "\(name) cannot accept a connection: \(ResourceLimits.text(code)); it tries again"
    }
}
