import FlyingFox
import FlyingSocks
import Foundation

/// A server's figures over HTTP: `/metrics` for Prometheus, `/status` as JSON. Whoever reaches the address may read them, and can do nothing else.
struct MetricsServer: Sendable {
    private let server: HTTPServer
    private let running: Task<Void, any Error>
    /// Such as `http://127.0.0.1:9464`.
    let url: String

    /// - Parameter figures: nil where the server is about to end.
    /// - Throws: `.unavailable` where the address cannot be listened at.
    init(
        at address: MetricsAddress, _ figures: @escaping @Sendable () async -> ServerFigures?
    ) async throws(HostError) {
        do {
            let server = try address.server(handler: Handler(figures: figures))
            let running = Task { try await server.run() }
            self.server = server
            self.running = running
            do {
                try await server.waitUntilListening()
            } catch {
                // Why it does not listen, rather than that.
                running.cancel()
                try await running.value
                throw error
            }
            let port: UInt16 =
                switch await server.listeningAddress {
                case .ip4(_, let port)?, .ip6(_, let port)?: port
                default: address.port
                }
            url = "http://" + address.text(port: port)
        } catch {
            throw HostError(
                .unavailable,
                "Figures cannot be served at \(address.text(port: address.port)) (--metrics): \(Self.reason(error)).")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case .failed(_, _, let message) = error as? SocketError else {
            return "the address cannot be listened at"
        }
        return message
    }

    func close() async {
        await server.stop(timeout: 1)
        running.cancel()
    }

    private struct Handler: HTTPHandler {
        let figures: @Sendable () async -> ServerFigures?

        func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
            guard ["/metrics", "/status"].contains(request.path) else {
                return Self.answer(.notFound, "Here are /metrics and /status.\n")
            }
            guard [.GET, .HEAD].contains(request.method) else {
                return Self.answer(.methodNotAllowed, "It can only be read.\n", allow: "GET, HEAD")
            }
            guard let figures = await figures() else {
                return Self.answer(.serviceUnavailable, "The server is about to end.\n")
            }
            let isJSON = request.path == "/status"
            let body = request.method == .HEAD ? Data() : isJSON ? figures.json : Data(figures.prometheus.utf8)
            return HTTPResponse(
                statusCode: .ok,
                headers: [.contentType: isJSON ? "application/json" : PrometheusText.contentType], body: body)
        }

        private static func answer(
            _ code: HTTPStatusCode, _ text: String, allow: String? = nil
        ) -> HTTPResponse {
            var headers: HTTPHeaders = [.contentType: "text/plain; charset=utf-8"]
            headers[HTTPHeader("Allow")] = allow
            return HTTPResponse(statusCode: code, headers: headers, body: Data(text.utf8))
        }
    }
}
