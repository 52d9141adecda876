import Cleanup
import Farm
import FlyingFox
import Foundation
import HostCore
import Web

/// Serves a server's metrics over HTTP: `/metrics` for Prometheus, `/status` as JSON. Every client
/// that can reach the address may read them, and can do nothing else. A ``Gate`` limits the
/// connections, so that they take no resources from the renders.
package struct MetricsServer: Sendable {
    private let gate: Gate
    private let running: Task<Void, any Error>
    private let folder: RuntimeDirectory
    /// For example `http://127.0.0.1:9464`.
    package let url: String

    private static let name = "the metrics server"
    private static let bounds = Gate.Limits(
        connections: 64, waiting: 48, stallSeconds: 10, wholeSeconds: 60, evictsPassed: true)
    /// Connections may use 1/`share` of the descriptors that the host and its workers leave,
    /// because the server has other connections, too.
    private static let share = 4

    /// Starts the server.
    /// - Parameters:
    ///   - workers: the maximum number of workers of this process.
    ///   - metrics: returns nil while the server is shutting down.
    /// - Throws: `.unavailable` if the address cannot be used.
    package init(
        at address: MetricsAddress, workers: Int, _ metrics: @escaping @Sendable () async -> ServerMetrics?
    ) async throws(HostError) {
        func failure(_ reason: String) -> HostError {
            HostError(
                .unavailable,
                "Cannot serve metrics at \(address.text(port: address.port)) (--metrics): \(reason).")
        }
        do throws(RuntimeDirectory.Failure) {
            folder = try RuntimeDirectory(
                parent: JobQueue.Configuration.usualRuntimeDirectory, name: "cutroom-metrics-")
        } catch {
            throw HostError(.unavailable, error.description)
        }
        let socket: ListeningSocket
        do throws(ListeningSocket.Failure) {
            socket = try ListeningSocket(at: address.host, port: address.port)
        } catch {
            folder.remove()
            throw failure(error.reason)
        }
        url = "http://" + address.text(port: socket.port)
        let room = ResourceLimits.room(
            for: Self.bounds.connections * Gate.Limits.descriptorsEach * Self.share, workers: workers)
        let path = folder.path + "/socket"
        do throws(HostError) {
            gate = try Gate(
                Self.name, socket, MetricsAdmission(isLoopback: address.isLoopback), inner: path,
                limits: Self.bounds.within(descriptors: room / Self.share))
        } catch {
            folder.remove()
            throw error
        }
        let server = ServerBehindGate(
            name: Self.name, path: path, timeout: 10, longestBody: 4096, handler: Handler(metrics: metrics))
        let (gate, started) = (gate, AsyncStream<HostError?>.makeStream())
        running = Task {
            try await server.run {
                do throws(HostError) {
                    try gate.start()
                    started.continuation.yield(nil)
                } catch {
                    started.continuation.yield(error)
                    throw error
                }
            }
        }
        for await problem in started.stream {
            if let problem {
                folder.remove()
                throw problem
            }
            break
        }
    }

    package func close() async {
        gate.stop()
        running.cancel()
        _ = await running.result
        folder.remove()
    }

    private struct Handler: HTTPHandler {
        let metrics: @Sendable () async -> ServerMetrics?

        func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
            guard ["/metrics", "/status"].contains(request.path) else {
                return Self.answer(.notFound, "See /metrics and /status.\n")
            }
            guard let metrics = await metrics() else {
                return Self.answer(.serviceUnavailable, "The server is shutting down.\n")
            }
            let isJSON = request.path == "/status"
            let body = request.method == .HEAD ? Data() : isJSON ? metrics.json : Data(metrics.prometheus.utf8)
            return HTTPResponse(
                statusCode: .ok,
                headers: [.contentType: isJSON ? "application/json" : PrometheusText.contentType], body: body)
        }

        private static func answer(_ code: HTTPStatusCode, _ text: String) -> HTTPResponse {
            HTTPResponse(
                statusCode: code, headers: [.contentType: "text/plain; charset=utf-8"], body: Data(text.utf8))
        }
    }
}
