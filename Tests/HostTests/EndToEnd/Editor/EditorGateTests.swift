import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Admission to an editor's server, and its limits.
    @Suite struct EditorGateTests {
        private static func editor(_ studio: Studio) throws -> EditorClient {
            try studio.script("draft:add_clip(\(try Footage.silent.lua))")
            let editor = try EditorClient(studio)
            _ = try editor.ready()
            return editor
        }

        @Test func `only who has the address, and asks from the page itself, is answered`() throws {
            let studio = try Studio()
            let editor = try Self.editor(studio)
            let port = editor.port
            #expect(try editor.ask("GET", "/api/state").status == 200)
            #expect(try editor.ask("GET", "/", ["Host": "localhost:\(port)"]).status == 200)
            let refused: [[String: String?]] = [
                ["Host": "evil.example:\(port)"], ["Host": "127.0.0.1"], ["Host": nil], ["Host": "127.0.0.1:1"],
                ["Authorization": nil], ["Authorization": "Bearer wrong"], ["Authorization": "Bearer "],
                ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "https://127.0.0.1:\(port)"],
                ["Sec-Fetch-Site": "cross-site"], ["Authorization": nil, "Cookie": "cutroom-\(port)=x"],
            ]
            for fields in refused {
                #expect(try editor.ask("GET", "/api/state", fields).status == 403, "\(fields)")
                #expect(
                    try editor.ask("POST", "/api/parameters", fields, body: "{\"values\":{}}").status == 403,
                    "\(fields)")
            }
            #expect(try editor.ask("GET", "/api/state", ["Origin": "http://127.0.0.1:\(port)"]).status == 200)

            let entry = try editor.ask("GET", "/?token=\(editor.token)", ["Authorization": nil])
            #expect(entry.status == 303 && entry.head.contains("HttpOnly; SameSite=Strict"))
            let cookie = "cutroom-\(port)=\(editor.token)"
            let page = try editor.ask("GET", "/", ["Authorization": nil, "Cookie": "a=b; \(cookie)"])
            #expect(page.status == 200 && page.text.contains("The page"))
            #expect(page.head.contains("Content-Security-Policy: default-src 'self'"))
            #expect(try editor.ask("GET", "/?token=wrong", ["Authorization": nil]).status == 403)
            editor.end(studio)
        }

        @Test func `what is no plain request is refused`() throws {
            let studio = try Studio()
            let editor = try Self.editor(studio)
            for target in [
                "/assets/../index.html", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets/a%2fb.js", "/assets//index.html",
                "/assets/..%5c..%5cx", "/assets/%00", "/%zz",
            ] {
                #expect(try editor.ask("GET", target).status == 400, "\(target)")
            }
            for target in [
                "/etc/passwd", "/assets/none.js", "/api/none", "/part/none.mp4", "/frame/1/x.png", "/thumb/x",
            ] {
                #expect(try editor.ask("GET", target).status == 404, "\(target)")
            }
            #expect(try editor.ask("DELETE", "/api/state").status == 405)
            #expect(try editor.ask("POST", "/api/parameters", ["Content-Type": "text/plain"], body: "{}").status == 415)
            #expect(try editor.ask("POST", "/api/parameters", body: "no JSON").status == 400)
            #expect(try editor.ask("POST", "/api/parameters", ["Content-Length": "9999999"], body: "{").status == 413)
            #expect(try editor.ask("POST", "/api/parameters", ["Content-Length": "-1"], body: "{").status == 400)
            #expect(
                try editor.ask("POST", "/api/parameters", ["Transfer-Encoding": "chunked"], body: "0").status == 411)
            for text in [
                "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET / HTTP/1.1\r\nA: b\n c\r\n\r\n", "GET / HTTP/1.1\r\nX: \u{1}\r\n\r\n", "\r\n\r\n",
                "GET http://a/ HTTP/1.1\r\n\r\n",
            ] {
                #expect(try editor.exchange(Array(text.utf8)).status == 400, "\(text)")
            }
            // A second request after the first one is ignored.
            let hidden = "GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:\(editor.port)\r\n\r\n"
            let answer = try editor.ask(
                "POST", "/api/parameters", ["Content-Length": "13"], body: "{\"values\":{}}" + hidden)
            #expect(answer.status == 200 && answer.text == "{}")
            editor.end(studio)
        }

        @Test func `only files of the draft and the media folders are read`() throws {
            let studio = try Studio()
            let outside = try studio.outside()
            try FileManager.default.copyItem(atPath: try Footage.silent, toPath: outside + "/secret.mp4")
            try FileManager.default.createDirectory(atPath: studio.file("media"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: try Footage.silent, toPath: studio.file("media/a.mp4"))
            symlink(outside + "/secret.mp4", studio.file("media/link.mp4"))
            symlink(outside, studio.file("media/folder"))
            try studio.script("draft:add_clip(\(try Footage.pattern.lua))")
            let editor = try EditorClient(studio, ["edit.lua", "--media", "media"])
            _ = try editor.ready()
            #expect(try editor.ask("GET", "/thumb?file=\(studio.file("media/a.mp4"))&at=0").status == 200)
            #expect(try editor.ask("GET", "/thumb?file=\(try Footage.pattern)&at=0").status == 200)
            for path in [
                outside + "/secret.mp4", studio.file("media/link.mp4"), studio.file("media/folder/secret.mp4"),
                studio.file("media/../edit.lua"), "/etc/passwd", "media/a.mp4", studio.file("media"),
            ] {
                for address in ["/thumb?at=0&file=", "/wave?start=0&duration=1&points=2&file=", "/api/probe?file="] {
                    #expect([404, 422].contains(try editor.ask("GET", address + path).status), "\(address)\(path)")
                }
            }
            #expect(try editor.ask("GET", "/api/media?folder=/etc").status == 404)
            #expect(try editor.ask("POST", "/api/open", body: "{\"file\":\"/etc/passwd\"}").status == 404)
            editor.end(studio)
        }

        /// Another program on this machine opens connections and sends nothing.
        @Test func `connections that only wait keep nobody out`() throws {
            let studio = try Studio()
            let editor = try Self.editor(studio)
            var open: [Int32] = []
            defer { for descriptor in open { close(descriptor) } }
            for _ in 0..<300 { open.append(editor.connect()) }
            // Each of these arrives while all others wait.
            for _ in 0..<20 {
                #expect(try editor.ask("GET", "/api/state").status == 200)
                for _ in 0..<20 { open.append(editor.connect()) }
            }
            #expect(!open.contains { $0 < 0 })
            editor.end(studio)
        }

        /// An unmasked frame, and one with a reserved bit (RFC 6455, sections 5.1 and 5.2), at once
        /// and later.
        @Test(arguments: [[0x81, 2, 0x7B, 0x7D], [0xC1, 0x80, 0, 0, 0, 0]] as [[UInt8]], [true, false])
        func `a frame that no client may send closes the WebSocket`(frame: [UInt8], isAtOnce: Bool) throws {
            let studio = try Studio()
            let editor = try Self.editor(studio)
            let descriptor = editor.connect()
            defer { close(descriptor) }
            let head = Array(
                """
                GET /api/live HTTP/1.1\r
                Host: 127.0.0.1:\(editor.port)\r
                Authorization: Bearer \(editor.token)\r
                Connection: Upgrade\r
                Upgrade: websocket\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                \r

                """.utf8)
            let first = isAtOnce ? head + frame : head
            #expect(send(descriptor, first, first.count, Int32(MSG_NOSIGNAL)) == first.count)
            if !isAtOnce {
                var byte: UInt8 = 0
                #expect(recv(descriptor, &byte, 1, Int32(MSG_PEEK)) == 1)
                send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL))
            }
            let answer = EditorClient.readAll(descriptor)
            #expect(answer.starts(with: Data("HTTP/1.1 101 ".utf8)))
            #expect(Array(answer.suffix(4)) == [0x88, 2, 0x03, 0xEA], "\(Array(answer.suffix(8)))")
            #expect(try editor.ask("GET", "/api/state").status == 200)
            editor.end(studio)
        }

        /// - Parameter limit: the number of open files, which the process may not raise.
        @Test(arguments: [100, 130]) func `an editor with few descriptors serves and renders on`(limit: Int) throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Footage.silent.lua))")
            let editor = try EditorClient(
                studio, ["edit.lua", "--workers", "1"],
                through: ["bash", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\""])
            let idle = OpenConnections(to: editor.port)
            idle.open(200)
            // Also with the token: clients that send requests and do not read.
            for _ in 0..<100 {
                guard let descriptor = OpenConnections.connect(to: editor.port) else { continue }
                let text =
                    "GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:\(editor.port)\r\nAuthorization: Bearer \(editor.token)\r\n\r\n"
                send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                close(descriptor)
            }
            #expect(editor.command.isRunning, "\(editor.command.stderrSoFar)")
            #expect(Command.until { (try? editor.state().status) == "ready" }, "\(editor.command.stderrSoFar)")
            #expect(idle.open(100) == 300)
            #expect(try editor.ask("GET", "/api/state").status == 200)
            editor.end(studio)
        }

        @Test func `an editor without descriptors waits for some`() throws {
            let studio = try Studio()
            let editor = try Self.editor(studio)
            // Not fewer than are open: poll(2) refuses to watch more than the limit, at which
            // libzmq ends the process.
            let files = editor.command.openFiles
            try #require(editor.command.limitOpenFiles(to: files))
            let idle = OpenConnections(to: editor.port)
            idle.open(20)
            #expect(
                Command.until {
                    editor.command.stderrSoFar.contains("are in use, \(files) (ulimit -n \(files)); it tries again")
                }, "\(editor.command.stderrSoFar)")
            try #require(editor.command.limitOpenFiles(to: 1024))
            #expect(Command.until { (try? editor.ask("GET", "/api/state").status) == 200 })
            // One descriptor is left for the gate, none for the library behind it.
            try #require(editor.command.limitOpenFiles(to: editor.command.openFiles + 2))
            for _ in 0..<20 { _ = try? editor.ask("GET", "/api/state") }
            #expect(editor.command.isRunning, "\(editor.command.stderrSoFar)")
            try #require(editor.command.limitOpenFiles(to: 1024))
            #expect(Command.until { (try? editor.ask("GET", "/api/state").status) == 200 })
            editor.end(studio)
        }

        /// They wait more than they work.
        @Suite(.listens) struct Crowds {
            @Test func `huge heads, many connections and slow readers are bounded`() throws {
                try crowd(connections: 500, head: 1 << 20)
            }

            @Suite struct Sweep {
                @Test func `huge heads, many connections and slow readers are bounded`() throws {
                    try crowd(connections: 1000)
                }

                @Test func `ten thousand connections are bounded`() throws { try crowd(connections: 10_000) }
            }
        }

        /// - Parameters:
        ///   - connections: more than the 400 that this test keeps open.
        ///   - head: the number of header bytes to send; far more than are read.
        private static func crowd(connections: Int, head: Int = 4 << 20) throws {
            let studio = try Studio()
            let editor = try editor(studio)
            let huge = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + String(repeating: "a", count: head)
            #expect(try editor.exchange(Array(huge.utf8)).status == 431)

            // Clients that connect and send nothing, and clients that do not read.
            var open: [Int32] = []
            defer { for descriptor in open { close(descriptor) } }
            let request = Array(
                "GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:\(editor.port)\r\nAuthorization: Bearer \(editor.token)\r\n\r\n"
                    .utf8)
            for number in 0..<connections {
                let descriptor = editor.connect()
                guard descriptor >= 0 else { continue }
                if number % 3 == 0 { send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) }
                // The test's own descriptors are limited, too.
                if open.count < 400 { open.append(descriptor) } else { close(descriptor) }
            }
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(editor.command.pid)/fd")
                .count
            #expect(descriptors < 850, "256 connections, each with two inside")
            for descriptor in open { close(descriptor) }
            open = []
            #expect(Command.until { (try? editor.ask("GET", "/api/state").status) == 200 }, "it goes on")
            editor.end(studio)
        }
    }
}
