import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The metrics server and clients that overload it. These tests wait more than they work.
    @Suite(.listens) struct MetricsGateTests {
        private struct MetricsBench {
            let studio: Studio
            let server: Command
            let port: UInt16

            /// - Parameter limit: the number of open files; nil: the default.
            init(limit: Int? = nil) throws {
                studio = try Studio()
                studio.environment["XDG_STATE_HOME"] = studio.file("state")
                try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 } })")
                let shell = limit.map { ["bash", "-c", "ulimit -n \($0); exec \"$0\" \"$@\""] } ?? []
                let server = try studio.start(["serve", "--workers", "1", "--metrics", "0"], through: shell)
                try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
                let found = server.stderrSoFar.firstMatch(of: /metrics are at http:\/\/127\.0\.0\.1:(\d+)\/metrics/)
                let number = found.flatMap { UInt16($0.output.1) }
                port = try #require(number, "\(server.stderrSoFar)")
                self.server = server
            }

            func ask(_ target: String = "/metrics", host: String = "localhost", method: String = "GET") -> String? {
                OpenConnections.exchange("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n", with: port)
            }

            var areThere: Bool { ask()?.contains("\ncutroom_build_info{") == true }

            func expectRender(_ output: String) throws {
                let result = try studio.start(["submit", "edit.lua", "-o", output, "--wait"]).wait()
                #expect(result.succeeded, "\(result)\(server.stderrSoFar)")
            }

            func end() {
                server.send(SIGTERM)
                let result = server.wait()
                #expect(result.succeeded, "\(result)")
                studio.expectClean()
            }
        }

        @Test(arguments: [nil, 100]) func `idle connections stop neither the metrics nor the renders`(limit: Int?)
            throws
        {
            let metrics = try MetricsBench(limit: limit)
            let before = metrics.server.openFiles
            let idle = OpenConnections(to: metrics.port)
            #expect(idle.open(600) == 600)
            #expect(metrics.areThere)
            // 64 connections, each with at most two inside; with few descriptors 8.
            #expect(metrics.server.openFiles < before + (limit == nil ? 200 : 30))
            try metrics.expectRender("a.mp4")
            #expect(metrics.areThere)
            idle.closeAll()
            #expect(metrics.areThere)
            metrics.end()
        }

        @Test func `a head that does not end is not waited for`() throws {
            let metrics = try MetricsBench()
            let slow = try #require(OpenConnections.connect(to: metrics.port))
            defer { close(slow) }
            let start = Array("GET /metrics HTTP/1.1\r\nX: ".utf8)
            send(slow, start, start.count, Int32(MSG_NOSIGNAL))
            // An occasional byte does not keep the connection open.
            var byte: UInt8 = 97
            #expect(
                Command.until(timeout: 60) {
                    send(slow, &byte, 1, Int32(MSG_NOSIGNAL))
                    return recv(slow, &byte, 1, Int32(MSG_DONTWAIT)) == 0 || errno == ECONNRESET || errno == EPIPE
                }, "the connection lives on")
            let long = OpenConnections.exchange(
                "GET /metrics HTTP/1.1\r\nX: " + String(repeating: "a", count: 1 << 16), with: metrics.port)
            #expect(long?.hasPrefix("HTTP/1.1 431 ") ?? true, "\(long ?? "")")
            #expect(metrics.areThere)
            metrics.end()
        }

        @Test func `a process without descriptors serves again when it has some`() throws {
            let metrics = try MetricsBench()
            let server = metrics.server
            // Not fewer than are open: see `EditorGateTests`.
            let files = server.openFiles
            try #require(server.limitOpenFiles(to: files))
            let idle = OpenConnections(to: metrics.port)
            idle.open(20)
            #expect(
                Command.until {
                    server.stderrSoFar.contains("are in use, \(files) (ulimit -n \(files)); it tries again")
                }, "\(server.stderrSoFar)")
            try #require(server.limitOpenFiles(to: 1024))
            #expect(metrics.areThere)
            let sentences = server.stderrSoFar.split(separator: "\n").count { $0.contains("cannot accept") }
            #expect(sentences == 1, "\(server.stderrSoFar)")
            try metrics.expectRender("b.mp4")
            metrics.end()
        }

        @Test func `only plain questions of this machine are answered`() throws {
            let metrics = try MetricsBench()
            for host in ["localhost", "127.0.0.1:\(metrics.port)", "LOCALHOST:1", "[::1]:9464", "127.0.0.2"] {
                #expect(metrics.ask("/status", host: host)?.hasPrefix("HTTP/1.1 200 ") == true, "\(host)")
            }
            for host in [
                "evil.example", "evil.example:\(metrics.port)", "127.evil.example", "localhost.evil.example", "",
            ] {
                #expect(metrics.ask("/status", host: host)?.hasPrefix("HTTP/1.1 403 ") == true, "\(host)")
            }
            let refused = metrics.ask(method: "DELETE")
            #expect(refused?.hasPrefix("HTTP/1.1 405 ") == true && refused?.contains("Allow: GET, HEAD\r\n") == true)
            for field in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
                #expect(metrics.ask(host: "localhost\r\n\(field)")?.hasPrefix("HTTP/1.1 413 ") == true, "\(field)")
            }
            #expect(metrics.ask(host: "localhost\r\nUpgrade: websocket")?.hasPrefix("HTTP/1.1 400 ") == true)
            // Old clients send no Host.
            let old = OpenConnections.exchange("GET /metrics HTTP/1.0\r\n\r\n", with: metrics.port)
            #expect(old?.hasPrefix("HTTP/1.1 200 ") == true)
            metrics.end()
        }
    }
}
