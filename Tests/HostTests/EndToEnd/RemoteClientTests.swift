import CZeroMQ
import Composition
import Foundation
import Glibc
import Renders
import TestSupport
import Testing

@testable import HostCore
@testable import Messaging
@testable import ServerClient

extension EndToEnd {
    /// A server that programs with their own keys use over a network.
    @Suite struct RemoteClientTests {
        /// A server with its roots, and users with keys.
        final class Lot {
            let studio: Studio
            private(set) var server: Command
            private(set) var endpoint = ""
            private let arguments: [String]

            init(_ people: [(name: String, role: String)], _ more: [String] = []) throws {
                studio = try Studio()
                studio.environment["XDG_CONFIG_HOME"] = studio.file("config")
                for name in ["media", "out/ann", "out/bob", "plugins"] {
                    try FileManager.default.createDirectory(
                        atPath: studio.file(name), withIntermediateDirectories: true)
                }
                try FileManager.default.copyItem(atPath: Footage.pattern, toPath: studio.file("media/clip.mp4"))
                arguments = [
                    "serve", "--workers", "1", "--state", studio.file("state"), "--root",
                    "media=" + studio.file("media"),
                    "--output-root", "out=" + studio.file("out"), "--plugin-path", studio.file("plugins"),
                ]
                let key = try studio.start(["farm", "keys", "new", "farm", "--role", "server"]).wait()
                try #require(key.succeeded, "\(key)")
                for (name, role) in people {
                    let made = try studio.start(["farm", "keys", "new", name, "--role", role]).wait()
                    try #require(made.succeeded, "\(made)")
                    let allowed = try studio.start(
                        ["farm", "keys", "allow", studio.file("config/cutroom/keys/\(name).pub")]
                    ).wait()
                    try #require(allowed.succeeded, "\(allowed)")
                }
                try studio.script("draft:add_clip(\"media/clip.mp4\", { range = { 0, 1 } })")
                server = try studio.start(arguments + ["--door", "tcp://127.0.0.1:*"] + more)
                try findEndpoint()
            }

            private func findEndpoint() throws {
                let server = server
                try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
                let words = server.stderrSoFar.split(whereSeparator: \.isWhitespace)
                endpoint = String(try #require(words.first { $0.hasPrefix("tcp://") }, "\(server.stderrSoFar)"))
            }

            /// Returns the only file that the server keeps.
            func kept() throws -> String {
                let folder = studio.file("state/outputs")
                let own = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
                return "\(folder)/\(own)/a.mp4"
            }

            func startAgain() throws {
                server = try studio.start(arguments + ["--door", endpoint])
                try findEndpoint()
            }

            var port: UInt16 { UInt16(endpoint.split(separator: ":").last ?? "") ?? 0 }

            /// Returns the options with which a user connects.
            func words(_ who: String, at address: String? = nil) -> [String] {
                [
                    "--server", address ?? endpoint, "--server-key", studio.file("config/cutroom/server/server.pub"),
                    "--identity", studio.file("config/cutroom/keys/\(who).key"),
                ]
            }

            func ask(_ who: String, _ question: String...) throws -> Command.Output {
                try studio.start(question + words(who)).wait()
            }

            /// - Returns: the number of the render.
            func submit(_ who: String, _ output: String, _ more: String...) throws -> String {
                let done = try studio.start(["submit", "edit.lua", "-o", output] + more + words(who)).wait()
                try #require(done.succeeded, "\(done)")
                return done.text.trimmingCharacters(in: .newlines)
            }

            func refusal(_ who: String, _ question: [String], _ words: String) throws {
                let done = try studio.start(question + self.words(who)).wait()
                #expect(done.status == 65 && done.stderr.contains(words), "\(who) \(question): \(done)")
            }

            func stop() {
                server.send(SIGTERM)
                let end = server.wait()
                #expect(end.succeeded, "\(end)")
            }
        }

        @Test func `each submitter has renders of his own, and an admin looks after all`() throws {
            let lot = try Lot([("ann", "submitter"), ("bob", "submitter"), ("boss", "admin"), ("node", "node")])
            let first = try lot.submit("ann", "out/ann/a.mp4", "--key", "k", "--wait")
            let second = try lot.submit("bob", "out/bob/a.mp4", "--key", "k")
            #expect(first != second, "a key is its submitter's")
            #expect(try lot.studio.start(["render", "edit.lua", "-o", "alone.mp4", "--no-cache"]).wait().succeeded)
            #expect(
                FileManager.default.contentsEqual(
                    atPath: lot.studio.file("alone.mp4"), andPath: lot.studio.file("out/ann/a.mp4")))
            // Renders of others do not exist for a client.
            for question in [
                ["show"], ["log"], ["pause"], ["resume"], ["cancel"], ["retry"], ["purge"], ["priority", "0"],
            ] { try lot.refusal("bob", ["jobs"] + question + [first], "There is no render \(first).") }
            try lot.refusal("bob", ["jobs", "show", "99"], "There is no render 99.")
            try lot.refusal(
                "bob", ["submit", "edit.lua", "-o", "out/bob/b.mp4", "--after", first],
                "There is no render \(first) to wait for.")
            let table = try lot.ask("bob", "jobs", "--all").text
            #expect(table.contains("key:bob") && !table.contains("key:ann"), "\(table)")
            let all = try lot.ask("boss", "jobs", "--all").text
            #expect(all.contains("key:bob") && all.contains("key:ann"), "\(all)")
            let owner = try lot.studio.start(["jobs", "--all", "--state", lot.studio.file("state")]).wait().text
            #expect(owner.contains("key:bob") && owner.contains("key:ann"), "\(owner)")
            // Requests that only an admin may make.
            try lot.refusal("bob", ["workers"], "Only an admin")
            #expect(try lot.ask("boss", "workers").succeeded)
            try lot.refusal(
                "bob", ["submit", "edit.lua", "-o", "out/bob/b.mp4", "--priority", "1"], "an admin may set")
            try lot.refusal("bob", ["jobs", "priority", "5", second], "an admin may set")
            _ = Command.until { (try? lot.ask("boss", "jobs", "show", second).text.contains("done")) == true }
            #expect(try lot.ask("boss", "jobs", "purge", second).succeeded)
            try lot.refusal("bob", ["jobs", "show", second], "There is no render \(second).")
            // Keys with other roles are rejected.
            let node = try lot.ask("node", "jobs")
            #expect(node.status == 65 && node.stderr.contains("is the key of a node"), "\(node)")
            lot.stop()
        }

        @Test func `renders name what lies in the server's roots, wherever submitters have it`() throws {
            let lot = try Lot([("ann", "submitter")])
            func refused(_ body: String, _ words: String, _ more: String...) throws {
                try lot.studio.script(body)
                try lot.refusal("ann", ["submit", "edit.lua", "-o", "out/ann/x.mp4"] + more, words)
            }
            try FileManager.default.copyItem(atPath: Footage.pattern, toPath: lot.studio.file("secret.mp4"))
            try #require(symlink("../secret.mp4", lot.studio.file("media/link.mp4")) == 0)
            try refused("draft:add_clip(\"secret.mp4\")", "is in none of the folders")
            try refused("draft:add_clip(\"media/link.mp4\")", "leads out of the server's folder")
            try refused(
                "local inner = cutroom.draft {}\ninner:add_clip(\"secret.mp4\")\ndraft:add_clip(inner)",
                "is in none of the folders")
            try refused(
                "draft:add_clip(\"media/clip.mp4\")", "is not in the server's plugin path", "--plugin-path",
                lot.studio.file("media"))
            try lot.studio.script("draft:add_clip(\"media/clip.mp4\", { range = { 0, 1 } })")
            for output in ["x.mp4", "out/x.mp4", "out/bob/x.mp4"] {
                try lot.refusal(
                    "ann", ["submit", "edit.lua", "-o", output, "-y"], output == "x.mp4" ? "none" : "your folder")
            }
            // The same folder at another path.
            for (name, far) in [("media", "far"), ("out", "farther")] {
                try #require(symlink(lot.studio.file(name), lot.studio.file(far)) == 0)
            }
            try lot.studio.script("draft:add_clip(\"far/clip.mp4\", { range = { 0, 1 } })")
            _ = try lot.submit(
                "ann", "farther/ann/y.mp4", "--map", "media=" + lot.studio.file("far"), "--map",
                "out=" + lot.studio.file("farther"), "--wait")
            #expect(FileManager.default.fileExists(atPath: lot.studio.file("out/ann/y.mp4")))
            // A path that was valid on submission may be invalid when the render runs.
            try FileManager.default.copyItem(atPath: Footage.pattern, toPath: lot.studio.file("media/turns.mp4"))
            try lot.studio.script("draft:add_clip(\"media/turns.mp4\", { range = { 0, 1 } })")
            let first = try lot.submit("ann", "out/ann/1.mp4", "--tag", "none")
            unlink(lot.studio.file("media/turns.mp4"))
            try #require(symlink("../secret.mp4", lot.studio.file("media/turns.mp4")) == 0)
            _ = try lot.ask("ann", "jobs", "pause", first)
            _ = Command.until { (try? lot.ask("ann", "jobs", "show", first).text.contains("\"paused\"")) == true }
            _ = try lot.ask("ann", "jobs", "resume", first)
            #expect(
                Command.until { (try? lot.ask("ann", "jobs", "show", first).text.contains("\"failed\"")) == true })
            let log = try lot.ask("ann", "jobs", "log", first).text
            #expect(log.contains("through a link"), "\(log)")
            #expect(lot.server.stderrSoFar.contains("render \(first) failed: "), "\(lot.server.stderrSoFar)")
            lot.stop()
        }

        @Test func `keys that are none, or no more, and garbage are kept out`() throws {
            let lot = try Lot([("ann", "submitter"), ("bob", "submitter")])
            let made = try lot.studio.start(["farm", "keys", "new", "eve", "--role", "submitter"]).wait()
            #expect(made.succeeded)
            let unlisted = try lot.ask("eve", "jobs")
            #expect(unlisted.status == 69 && unlisted.stderr.contains("rejects the key ‘eve’"), "\(unlisted)")
            // A node's key whose owner claims that it is a submitter's.
            #expect(try lot.studio.start(["farm", "keys", "new", "node", "--role", "node"]).wait().succeeded)
            #expect(
                try lot.studio.start(["farm", "keys", "allow", lot.studio.file("config/cutroom/keys/node.pub")]).wait()
                    .succeeded)
            let node = lot.studio.file("config/cutroom/keys/node.key")
            let text = try String(contentsOfFile: node, encoding: .utf8)
            try text.replacing("role: node", with: "role: admin").write(toFile: node, atomically: true, encoding: .utf8)
            chmod(node, 0o600)
            #expect(try lot.ask("node", "jobs").stderr.contains("rejects the key ‘node’"))
            // A client watches a render that waits forever.
            let id = try lot.submit("ann", "out/ann/a.mp4", "--tag", "none")
            let watch = try lot.studio.start(["jobs", "watch", id] + lot.words("ann"))
            #expect(Command.until { watch.stdoutSoFar.contains("key:ann") })
            // Connections that send nothing, or garbage, or much of it.
            var plain: [Int32] = []
            for number in 0..<600 {
                let descriptor = Self.connection(to: lot.port)
                guard descriptor >= 0 else { break }
                plain.append(descriptor)
                var bytes = (0..<(number % 3 == 0 ? 0 : 2000)).map { _ in UInt8.random(in: 0...255) }
                if number % 3 == 2 { bytes = Array("GET / HTTP/1.1\r\n\r\n".utf8) }
                _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            #expect(try lot.studio.start(["jobs", "--state", lot.studio.file("state")]).wait().succeeded)
            #expect(watch.isRunning)
            for descriptor in plain { close(descriptor) }
            #expect(Command.until { (try? lot.ask("bob", "jobs").succeeded) == true }, "\(lot.server.stderrSoFar)")
            // The key is revoked, and the watch ends.
            #expect(try lot.studio.start(["farm", "keys", "revoke", "ann"]).wait().succeeded)
            let end = watch.wait(timeout: 20)
            #expect(end.status == 69 && end.stderr.contains("no longer accepts this key"), "\(end)")
            #expect(try lot.ask("ann", "jobs").status == 69)
            #expect(try lot.ask("bob", "jobs").succeeded)
            lot.stop()
        }

        /// Waiting is not work of this command that would have to be finished.
        @Test(arguments: [SIGTERM, SIGINT]) func `who waits for a render can be stopped`(signal: Int32) throws {
            let lot = try Lot([("ann", "submitter")])
            let waiting = try lot.studio.start(
                ["submit", "edit.lua", "-o", "out/ann/a.mp4", "--tag", "none", "--wait"] + lot.words("ann"))
            #expect(Command.until { (try? lot.ask("ann", "jobs").text.contains("a.mp4")) == true })
            waiting.send(signal)
            let end = waiting.wait(timeout: 20)
            #expect(!end.isTimeout && (end.signal == signal || end.status == 128 + signal), "\(end)")
            lot.stop()
        }

        /// More connections than the server accepts, which send nothing.
        @Test func `the door is open again after a flood, and who watched goes on`() throws {
            let lot = try Lot([("ann", "submitter")])
            let id = try lot.submit("ann", "out/ann/a.mp4", "--tag", "none")
            let watch = try lot.studio.start(["jobs", "watch", id] + lot.words("ann"))
            #expect(Command.until { watch.stdoutSoFar.contains("key:ann") })
            var silent: [Int32] = []
            let wasFlooded = Command.until(timeout: 60) {
                for _ in 0..<50 {
                    let descriptor = Self.connection(to: lot.port)
                    if descriptor >= 0 { silent.append(descriptor) }
                }
                return lot.server.stderrSoFar.contains("are too many")
            }
            #expect(wasFlooded, "\(silent.count): \(lot.server.stderrSoFar)")
            for descriptor in silent { close(descriptor) }
            #expect(Command.until { (try? lot.ask("ann", "jobs").succeeded) == true }, "\(lot.server.stderrSoFar)")
            #expect(try lot.ask("ann", "jobs", "cancel", id).succeeded)
            let end = watch.wait(timeout: 30)
            #expect(end.succeeded && end.text.contains("cancelled"), "\(end)")
            lot.stop()
        }

        @Test func `finished files are fetched, from where it stopped`() throws {
            let lot = try Lot([("ann", "submitter"), ("bob", "submitter")])
            let (studio, submit) = (lot.studio, ["submit", "edit.lua", "--fetch", "--wait"])
            // Without a folder of --output-root, only the media are shared.
            let done = try studio.start(submit + ["-o", "a.mp4"] + lot.words("ann")).wait()
            try #require(done.succeeded, "\(done)")
            let id = done.text.trimmingCharacters(in: .newlines)
            #expect(try studio.start(["render", "edit.lua", "-o", "alone.mp4", "--no-cache"]).wait().succeeded)
            func isRight(_ path: String) -> Bool {
                FileManager.default.contentsEqual(atPath: studio.file("alone.mp4"), andPath: studio.file(path))
            }
            #expect(isRight("a.mp4"))
            try lot.refusal("bob", ["jobs", "fetch", id, "-o", "b.mp4"], "There is no render \(id).")
            let exists = try lot.ask("ann", "jobs", "fetch", id, "-o", "a.mp4")
            #expect(exists.status == 73 && exists.stderr.contains("exists"), "\(exists)")
            // Existing data is used: a wrong byte in it is detected, and the next time all data is
            // fetched again.
            let hidden = try #require(try Self.partialName(lot, id))
            var half = try Data(contentsOf: URL(fileURLWithPath: studio.file("alone.mp4"))).prefix(5000)
            try half.write(to: URL(fileURLWithPath: studio.file(".c.mp4" + hidden)))
            #expect(try lot.ask("ann", "jobs", "fetch", id, "-o", "c.mp4").text.hasSuffix("/c.mp4\n"))
            #expect(isRight("c.mp4"))
            half[100] ^= 1
            try half.write(to: URL(fileURLWithPath: studio.file(".d.mp4" + hidden)))
            let wrong = try lot.ask("ann", "jobs", "fetch", id, "-o", "d.mp4")
            #expect(wrong.status == 74 && wrong.stderr.contains("SHA-256 mismatch"), "\(wrong)")
            #expect(!FileManager.default.fileExists(atPath: studio.file("d.mp4")))
            #expect(try lot.ask("ann", "jobs", "fetch", id, "-o", "d.mp4").succeeded && isRight("d.mp4"))
            // Pictures, and a render of the client's own.
            let pictures = try studio.start(
                ["render", "edit.lua", "-o", "frames/", "--farm", "--scale", "0.25"] + lot.words("ann")
            ).wait()
            #expect(pictures.succeeded, "\(pictures)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: studio.file("frames")).count == 30)
            #expect(
                try studio.start(["render", "edit.lua", "-o", "e.mp4", "--farm"] + lot.words("ann")).wait().succeeded)
            #expect(isRight("e.mp4"))
            // Purged renders are gone.
            #expect(try lot.ask("ann", "jobs", "purge", id).succeeded)
            #expect(try FileManager.default.contentsOfDirectory(atPath: studio.file("state/outputs")).count == 2)
            let waiting = try lot.submit("ann", "z.mp4", "--fetch", "--tag", "none")
            try lot.refusal("ann", ["jobs", "fetch", waiting], "its file exists once it is done")
            lot.stop()
        }

        /// Returns the rest of the hidden name of a file that is being fetched, after the output's
        /// own.
        private static func partialName(_ lot: Lot, _ id: String) throws -> String? {
            let address = try RemoteServer(
                lot.endpoint, serverKey: lot.studio.file("config/cutroom/server/server.pub"),
                identity: lot.studio.file("config/cutroom/keys/ann.key"))
            var connection = try ServerConnection(.network(address))
            guard case .outputs(let files) = try connection.ask(.outputs(RenderID(Int64(id) ?? 0))) else { return nil }
            return files.first.map { ".\($0.identity).fetch" }
        }

        /// A watch continues after the server was gone for a while.
        @Test func `who watches finds the server again`() throws {
            let lot = try Lot([("ann", "submitter")])
            let id = try lot.submit("ann", "out/ann/a.mp4", "--tag", "none")
            let watch = try lot.studio.start(["jobs", "watch", id] + lot.words("ann"))
            #expect(Command.until { watch.stdoutSoFar.contains("key:ann") })
            lot.stop()
            try lot.startAgain()
            #expect(try lot.ask("ann", "jobs", "cancel", id).succeeded)
            let end = watch.wait(timeout: 30)
            #expect(end.succeeded && end.text.contains("cancelled"), "\(end)")
            lot.stop()
        }

        /// No client can take over an existing connection, and a client that does not read delays
        /// no other.
        @Test func `connections keep their names, and flow is bounded`() throws {
            try Self.flow(questions: 500, rest: 0.5)
        }

        /// More requests, and longer waits for answers that must not arrive.
        @Suite struct Sweep {
            @Test func `connections keep their names, and flow is bounded`() throws {
                try flow(questions: 1000, rest: 2)
            }
        }

        /// - Parameters:
        ///   - questions: the number of the last request, whose answers are not read.
        ///   - rest: how long to wait for a second answer after the first one, in seconds.
        private static func flow(questions: Int, rest: Double) throws {
            let lot = try Lot([("ann", "submitter"), ("bob", "submitter")])
            let id = try lot.submit("ann", "a.mp4", "--fetch", "--wait")
            let server = try RemoteServer(
                lot.endpoint, serverKey: lot.studio.file("config/cutroom/server/server.pub"),
                identity: lot.studio.file("config/cutroom/keys/ann.key"))
            let context = try ZMQContext()
            func connection(_ name: String) throws -> ZMQSocket {
                let socket = try ZMQSocket.remoteDealer(
                    context: context, name: WorkerID(name), key: server.key, server: server.server)
                // It does not read its answers.
                try socket.set(ZMQ_RCVHWM, 10 as Int32, "RCVHWM")
                try socket.set(ZMQ_HEARTBEAT_IVL, 0 as Int32, "HEARTBEAT_IVL")
                try socket.connect(lot.endpoint)
                return socket
            }
            func question(_ number: UInt64, _ ask: ServerRequest.Operation) throws -> Data {
                try JSONEncoder().encode(
                    ServerRequest(number: number, engine: Engine.version, submitter: "ann", ask: ask))
            }
            func answers(_ socket: borrowing ZMQSocket, _ seconds: Double, rest: Double? = nil) throws -> Int {
                var count = 0
                var end = ContinuousClock.now + .seconds(seconds)
                while ContinuousClock.now < end {
                    if try socket.receive() != nil {
                        count += 1
                        if let rest { end = min(end, ContinuousClock.now + .seconds(rest)) }
                    } else {
                        usleep(2000)
                    }
                }
                return count
            }
            let list = try question(1, .list(ServerRequest.Listing(all: true)))
            let first = try connection("ann/one")
            while try !first.send([list]) { usleep(2000) }
            let isAnswered = try answers(first, 2, rest: rest) == 1
            #expect(isAnswered)
            // The same name again, while the first connection exists; and a name of another client.
            let second = try connection("ann/one")
            let foreign = try connection("bob/two")
            for _ in 0..<50 {
                _ = try second.send([list])
                _ = try foreign.send([list])
                usleep(10_000)
            }
            let stolen = try answers(second, 0.3) + answers(foreign, 0.3)
            #expect(stolen == 0)
            while try !first.send([list]) { usleep(2000) }
            let isStillAnswered = try answers(first, 2, rest: rest) == 1
            #expect(isStillAnswered)
            // It requests far more bytes than a connection holds, and reads none of them.
            let file = try #require(try FinishedOutput(output: lot.kept()) { () throws(HostError) in }.files().first)
            for number in 2..<questions {
                let piece = try question(UInt64(number), .piece(RenderID(Int64(id) ?? 0), file, from: 0))
                for _ in 0..<100 where try !first.send([piece]) { usleep(1000) }
            }
            #expect(try lot.ask("bob", "jobs").succeeded)
            let late = try answers(first, 1)
            #expect(late < questions - 2, "what is not read is not kept")
            lot.stop()
        }

        private static func connection(to port: UInt16) -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isConnected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                close(descriptor)
                return -1
            }
            return descriptor
        }

        @Test func `options that make no sense are told of`() throws {
            let studio = try Studio()
            studio.environment["XDG_CONFIG_HOME"] = studio.file("config")
            func problem(_ words: [String], _ status: Int32, _ text: String) throws {
                let result = try studio.run(words)
                #expect(result.status == status && result.stderr.contains(text), "\(words): \(result)")
            }
            try problem(["jobs", "--server", "studio:1"], 64, "must be an address such as tcp://")
            try problem(["jobs", "--server", "tcp://a:1", "--state", "x"], 64, "exclude each other")
            try problem(["jobs", "--server", "tcp://a:1"], 66, "server.pub")
            try problem(["serve", "--door", "x"], 64, "must be an address such as tcp://")
            try problem(["serve", "--root", "a=/x"], 64, "they need ‘--door’")
            try problem(["serve", "--door", "tcp://127.0.0.1:*", "--root", "media"], 64, "‘--root’ is ‘media’")
            try problem(["serve", "--door", "tcp://127.0.0.1:*", "--output-root", "a=x"], 64, "‘--output-root a=x’")
            try problem(
                ["serve", "--door", "tcp://127.0.0.1:*", "--state", studio.file("s")], 66, "‘cutroom farm keys new NAME"
            )
            #expect(try studio.run(["farm", "keys", "new", "farm", "--role", "server"]).succeeded)
            let server = studio.file("config/cutroom/server/server.pub")
            let asked = ["jobs", "--server", "tcp://127.0.0.1:9", "--server-key", server]
            try problem(asked, 66, "no submitter key")
            #expect(try studio.run(["farm", "keys", "new", "ann", "--role", "submitter"]).succeeded)
            try problem(asked + ["--identity", studio.file("config/cutroom/keys/ann.pub")], 65, "is a public key")
            try problem(
                ["jobs", "--server", "tcp://a:1", "--server-key", studio.file("config/cutroom/keys/ann.pub")], 65,
                "the key of a submitter")
            #expect(try studio.run(["farm", "keys", "new", "bob", "--role", "submitter"]).succeeded)
            try problem(asked, 66, "several submitter keys")
        }
    }
}
