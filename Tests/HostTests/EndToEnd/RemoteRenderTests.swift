import Foundation
import TestSupport
import Testing

@testable import ServerClient

extension EndToEnd {
    /// Renders with jobs on nodes, which are `cutroom-worker --connect` processes of this machine.
    @Suite struct RemoteRenderTests {
        /// A studio with the keys of a server and of some nodes.
        struct Lot {
            let studio: Studio
            private var environment: [String: String?] {
                [
                    "HOME": studio.file("node-home"), "XDG_CONFIG_HOME": studio.file("config"), "TMPDIR": "/tmp",
                    "XDG_RUNTIME_DIR": nil, "XDG_CACHE_HOME": studio.cache, "CUTROOM_WORKER": nil,
                ]
            }

            init(nodes: [String]) throws {
                studio = try Studio()
                studio.environment["XDG_CONFIG_HOME"] = studio.file("config")
                try studio.script(
                    """
                    draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })
                    draft:add_clip(\(Footage.pattern.lua), { range = { 0.5, 3 }, speed = 0.75, transition = { "dissolve", 0.5 } })
                    draft:add_audio(\(Footage.tone.lua), { loop = true, volume = 0.3 })
                    draft:add_effect("org.cutroom.vignette", {})
                    """)
                try keys("new", "farm", "--role", "server")
                for node in nodes {
                    try keys("new", node)
                    try keys("allow", studio.file("config/cutroom/keys/\(node).pub"))
                }
            }

            func keys(_ words: String...) throws {
                let result = try studio.start(["farm", "keys"] + words).wait()
                try #require(result.status == 0, "\(result)")
            }

            /// - Parameter shell: the command prefix for another machine.
            func node(
                _ name: String, at endpoint: String, slots: Int = 1, _ more: [String] = [], through shell: [String] = []
            ) throws -> Command {
                try Command(
                    shell + [
                        Studio.products + "/cutroom-worker", "--connect", endpoint, "--name", name, "--server-key",
                        studio.file("config/cutroom/server/server.pub"), "--slots", "\(slots)",
                    ] + more, environment: environment)
            }

            /// Starts a render that listens; returns its address, too.
            func listening(_ words: String...) throws -> (render: Command, endpoint: String) { try listening(words) }

            func listening(_ words: [String]) throws -> (render: Command, endpoint: String) {
                let render = try studio.start(
                    ["render", "edit.lua", "-o", "out.mp4", "--workers", "0", "--listen", "tcp://127.0.0.1:*"] + words)
                var endpoint: String?
                _ = Command.until {
                    endpoint = render.stderrSoFar.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("tcp://") }
                        .map(String.init)
                    return endpoint != nil || !render.isRunning
                }
                return (render, try #require(endpoint, "\(render.stderrSoFar)"))
            }

            /// Starts a server without workers of its own; returns its address.
            func serve(at address: String, _ words: String...) throws -> (Command, String) {
                studio.environment["XDG_STATE_HOME"] = studio.file("state")
                let server = try studio.start(["serve", "--workers", "0", "--listen", address] + words)
                var endpoint: String?
                _ = Command.until {
                    endpoint = server.stderrSoFar.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("tcp://") }
                        .map(String.init)
                    return endpoint != nil && server.stderrSoFar.contains("listens in") || !server.isRunning
                }
                return (server, try #require(endpoint, "\(server.stderrSoFar)"))
            }

            func waitForRender() -> Bool {
                Command.until(timeout: 60) { (try? studio.start(["jobs"]).wait().text.contains(" done ")) == true }
            }

            /// Returns the results that a node keeps because they were not acknowledged.
            func spooled(by node: String) -> [String] {
                let folder = studio.file("node-home/.local/state/cutroom/nodes/\(node)")
                return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
                    $0.hasSuffix(".result")
                }
            }

            var output: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: studio.file("out.mp4"))) } }
        }

        @Test func `two nodes write the same bytes as the machine itself`() throws {
            let lot = try Lot(nodes: ["one", "two"])
            let local = try Data(contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4")))
            try lot.studio.emptyCache()
            let (render, endpoint) = try lot.listening()
            let nodes = try ["one", "two"].map { try lot.node($0, at: endpoint) }
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)\n\(nodes.map(\.stderrSoFar))")
            #expect(try lot.output == local)
            for node in nodes { node.send(SIGTERM) }
            for node in nodes { #expect(node.wait(timeout: 20).status == 0) }
            lot.studio.expectClean()
        }

        /// A server without workers of its own, which is killed while its nodes work.
        @Test func `nodes work for a server, and for the one that comes after it`() throws {
            let lot = try Lot(nodes: ["one", "two"])
            var (server, endpoint) = try lot.serve(at: "tcp://127.0.0.1:*")
            let nodes = try ["one", "two"].map { try lot.node($0, at: endpoint) }
            // The submitter runs the script's probes.
            let submitted = try lot.studio.start(["submit", "edit.lua", "-o", "out.mp4"]).wait()
            #expect(submitted.succeeded, "\(submitted)")
            _ = Command.until(timeout: 0.5) { false }
            server.send(SIGKILL)
            _ = server.wait()
            (server, endpoint) = try lot.serve(at: endpoint)
            #expect(
                Command.until(timeout: 60) {
                    (try? lot.studio.start(["jobs"]).wait().text.contains(" done ")) == true
                }, "\(server.stderrSoFar)\n\(nodes.map(\.stderrSoFar))")
            for process in nodes + [server] {
                process.send(SIGTERM)
                #expect(process.wait(timeout: 20).status == 0)
            }
            let local = try Data(
                contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4", with: ["--no-cache"])))
            #expect(try lot.output == local)
        }

        @Test func `workers are listed, drained and forgotten`() throws {
            let lot = try Lot(nodes: ["one", "two"])
            let (server, endpoint) = try lot.serve(at: "tcp://127.0.0.1:*")
            let nodes = try ["one", "two"].map { try lot.node($0, at: endpoint) }
            func workers(_ words: String...) throws -> Command.Output {
                try lot.studio.start(["workers"] + words).wait()
            }
            func state(_ node: String) throws -> String? {
                let line = try workers().text.split(separator: "\n").first { $0.hasPrefix(node + " ") }
                return line.map { String($0.split(separator: " ")[1]) }
            }
            #expect(Command.until(timeout: 20) { (try? state("one")) == "idle" && (try? state("two")) == "idle" })
            #expect(try workers("drain", "one").stderr.contains("‘one’ has no jobs and gets no new ones"))
            #expect(try state("one") == "drained")
            #expect(try lot.studio.start(["submit", "edit.lua", "-o", "out.mp4", "--wait"]).wait().succeeded)
            let json = try PrintedJSON.decode([NodeStatus].self, Data(try workers("--json").text.utf8))
            #expect(json.map(\.name) == ["one", "two"] && json.allSatisfy { $0.cores > 0 && $0.slots.count == 1 })
            let log = try lot.studio.start(["jobs", "show", "1"]).wait()
            #expect(log.succeeded)
            #expect(try workers("drain", "three").stderr.contains("There is no node ‘three’"))
            #expect(try workers("forget", "one").stderr.contains("The node ‘one’ is connected"))
            _ = try workers("resume", "one")
            #expect(try state("one") == "idle")
            nodes[0].send(SIGTERM)
            #expect(nodes[0].wait(timeout: 20).status == 0)
            #expect(try state("one") == "lost")
            #expect(try workers("forget", "one").succeeded && state("one") == nil)
            for process in [nodes[1], server] {
                process.send(SIGTERM)
                #expect(process.wait(timeout: 20).status == 0)
            }
            #expect(!nodes[0].stderrSoFar.contains("segment"), "it got no jobs")
        }

        /// Like a machine with only the worker's package.
        @Test func `a node makes its own key, and renders with it`() throws {
            let lot = try Lot(nodes: [])
            func made(_ words: [String]) throws -> Command.Output {
                try Command.run(
                    [Studio.products + "/cutroom-worker"] + words,
                    environment: ["XDG_CONFIG_HOME": lot.studio.file("config")])
            }
            let result = try made(["--new-key", "apart"])
            let path = lot.studio.file("config/cutroom/keys/apart.pub")
            #expect(result.status == 0 && result.text == path + "\n", "\(result)")
            #expect(result.stderr.contains("on the server: cutroom farm keys allow apart.pub"), "\(result)")
            for (words, status, text) in [
                (["--new-key", "apart"], Int32(65), "already"), (["--new-key=../x"], 65, "is not a valid key name"),
                (["--new-key"], 64, "--new-key <name>"), (["--new-key", "b", "--name", "b"], 64, "--name"),
            ] {
                let result = try made(words)
                #expect(result.status == status && result.stderr.contains(text), "\(words): \(result)")
            }
            try lot.keys("allow", path)
            let (render, endpoint) = try lot.listening()
            let node = try lot.node("apart", at: endpoint)
            let end = render.wait(timeout: 120)
            #expect(end.status == 0, "\(end)\n\(node.stderrSoFar)")
        }

        @Test func `keys and addresses that cannot be used are told of`() throws {
            let studio = try Studio()
            studio.environment["XDG_CONFIG_HOME"] = studio.file("config")
            try studio.script(#"draft:add_title("x", { duration = 1 })"#)
            func problem(_ words: [String], _ status: Int32, _ text: String) throws {
                let result = try studio.run(words)
                #expect(result.status == status && result.stderr.contains(text), "\(words): \(result)")
            }
            let listen = ["render", "edit.lua", "-o", "o.mp4", "--listen"]
            try problem(listen + ["tcp://127.0.0.1:*"], 66, "make one with ‘cutroom farm keys new NAME --role server’")
            try problem(listen + ["127.0.0.1:7"], 64, "must be an address such as tcp://")
            try problem(["render", "edit.lua", "-o", "o.mp4", "--workers", "0"], 64, "must lie between 1 and 1024")
            #expect(try studio.run(["farm", "keys", "new", "farm", "--role", "server"]).status == 0)
            try problem(["farm", "keys", "new", "farm", "--role", "server"], 65, "already")
            try problem(
                listen + ["tcp://no.such.address.invalid:1"], 69, "cannot listen at ‘tcp://no.such.address.invalid:1’")
            try problem(["farm", "keys", "new", "../x"], 65, "is not a valid key name")
            try problem(["farm", "keys", "allow", "missing.pub"], 66, "missing.pub")
            try problem(["farm", "keys", "revoke", "nobody"], 65, "There is no key named ‘nobody’")
            #expect(try studio.run(["farm", "keys", "new", "a"]).status == 0)
            let keys = studio.file("config/cutroom/keys")
            try problem(["farm", "keys", "allow", keys + "/a.key"], 65, "is a secret key")
            try problem(
                ["farm", "keys", "allow", studio.file("config/cutroom/server/server.pub")], 65, "the key of a server")
            #expect(try studio.run(["farm", "keys", "allow", keys + "/a.pub"]).status == 0)
            let list = try studio.run(["farm", "keys", "list"])
            #expect(
                list.text.split(separator: "\n").map { $0.split(separator: " ").first } == ["server", "node"], "\(list)"
            )
            chmod(studio.file("config/cutroom/server/server.key"), 0o644)
            try problem(listen + ["tcp://127.0.0.1:*"], 66, "Other users can read the secret key")
        }

        @Test func `the worker's own help and mistakes are for people`() throws {
            func worker(_ words: String...) throws -> Command.Output {
                try Command.run([Studio.products + "/cutroom-worker"] + words)
            }
            let help = try worker("--help")
            #expect(
                help.status == 0 && help.text.contains("--connect") && help.text.contains("shared storage"), "\(help)")
            for (words, status, text) in [
                ([], 64, "--help"), (["--connect", "x", "--server-key", "s", "--name", "a"], 64, "tcp://farm:7700"),
                (["--connect", "tcp://a:1", "--server-key", "s"], 64, "--name"),
                (["--connect", "tcp://a:1", "--server-key", "s", "--key", "/nowhere/a.key"], 66, "/nowhere/a.key"),
            ] as [([String], Int32, String)] {
                let result = try Command.run([Studio.products + "/cutroom-worker"] + words)
                #expect(result.status == status && result.stderr.contains(text), "\(words): \(result)")
            }
        }

        /// Tests that take longer.
        @Suite struct Sweep {
            /// If `isKilled`, the node is also killed after it has finished.
            @Test(arguments: [false, true])
            func `what a node finishes while its server is dead counts`(isKilled: Bool) throws {
                let lot = try Lot(nodes: ["one"])
                // Segments that take a while.
                try lot.studio.script(
                    "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"org.cutroom.glitch\")",
                    size: (1280, 720))
                var (server, endpoint) = try lot.serve(at: "tcp://127.0.0.1:*", "--verbose")
                var node = try lot.node("one", at: endpoint)
                #expect(try lot.studio.start(["submit", "edit.lua", "-o", "out.mp4"]).wait().succeeded)
                func started(_ text: String) -> Set<Substring> {
                    Set(text.matches(of: /job (r1\.\d+-(segment|sound)-\d+) started/).map(\.output.1))
                }
                #expect(Command.until(timeout: 30) { server.stderrSoFar.contains(/segment-\d+ started/) })
                _ = Command.until(timeout: 0.2) { false }
                server.send(SIGKILL)
                let before = started(server.wait().stderr)
                #expect(Command.until(timeout: 60) { !lot.spooled(by: "one").isEmpty })
                if isKilled {
                    node.send(SIGKILL)
                    _ = node.wait()
                    node = try lot.node("one", at: endpoint)
                }
                (server, endpoint) = try lot.serve(at: endpoint, "--verbose")
                #expect(lot.waitForRender(), "\(server.stderrSoFar)\n\(node.stderrSoFar)")
                let log = try lot.studio.start(["jobs", "log", "1"]).wait().text
                for process in [node, server] {
                    process.send(SIGTERM)
                    #expect(process.wait(timeout: 20).status == 0)
                }
                // The name of a job that is assigned again contains another run's number.
                let after = server.stderrSoFar
                #expect(after.contains("already has it"), "\(after)")
                let local = try Data(
                    contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4", with: ["--no-cache"])))
                #expect(try lot.output == local)
                #expect(lot.spooled(by: "one").isEmpty)
                // Every part was assigned once, including the sound.
                let segments = try #require(
                    log.firstMatch(of: /of (\d+) segments/).flatMap { Int($0.output.1) }, "\(log)")
                #expect(before.union(started(after)).count == segments + 1, "\(before), \(after)")
            }

            /// The render is killed; another one listens on the same port, and the nodes connect to
            /// it.
            @Test func `nodes work for the render that comes after a killed one`() throws {
                let lot = try Lot(nodes: ["one", "two"])
                let local = try Data(contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4")))
                try lot.studio.emptyCache()
                let (first, endpoint) = try lot.listening("--progress", "json")
                let nodes = try ["one", "two"].map { try lot.node($0, at: endpoint) }
                #expect(Command.until(timeout: 60) { first.stdoutSoFar.contains("\"progress\"") })
                first.send(SIGKILL)
                _ = first.wait(timeout: 10)
                let second = try lot.studio.start(
                    ["render", "edit.lua", "-o", "out.mp4", "--workers", "0", "--listen", endpoint])
                let result = second.wait(timeout: 120)
                #expect(result.status == 0, "\(result)\n\(nodes.map(\.stderrSoFar))")
                #expect(try lot.output == local)
            }

            /// Nodes and their workers are killed while they work.
            @Test func `killed nodes leave the bytes as they are`() throws {
                let lot = try Lot(nodes: ["one", "two", "three"])
                let local = try Data(contentsOf: URL(fileURLWithPath: try lot.studio.render(to: "local.mp4")))
                try lot.studio.emptyCache()
                let (render, endpoint) = try lot.listening("--progress", "json")
                let first = try lot.node("one", at: endpoint)
                #expect(Command.until(timeout: 60) { render.stdoutSoFar.contains("\"progress\"") })
                first.send(SIGKILL)
                let others = try ["two", "three"].map { try lot.node($0, at: endpoint) }
                let result = render.wait(timeout: 120)
                #expect(result.status == 0, "\(result)\n\(others.map(\.stderrSoFar))")
                #expect(try lot.output == local)
            }

            @Test func `a key that is revoked while a render runs is cut off`() throws {
                let lot = try Lot(nodes: ["one", "two"])
                let (render, endpoint) = try lot.listening("--progress", "json", "--verbose")
                let first = try lot.node("one", at: endpoint)
                #expect(Command.until(timeout: 60) { render.stdoutSoFar.contains("\"progress\"") })
                // It must not finish everything before its key is revoked.
                first.send(SIGSTOP)
                try lot.keys("revoke", "one")
                #expect(Command.until(timeout: 20) { render.stderrSoFar.contains("its key was revoked") })
                first.send(SIGCONT)
                let second = try lot.node("two", at: endpoint)
                let result = render.wait(timeout: 120)
                #expect(result.status == 0, "\(result)\n\(first.stderrSoFar)\n\(second.stderrSoFar)")
            }
        }
    }
}
