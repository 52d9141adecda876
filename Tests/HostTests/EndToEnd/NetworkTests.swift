import Foundation
import Glibc
import TestSupport
import Testing

@testable import Host

extension EndToEnd {
    /// A server, nodes and submitters on machines of their own, over a network that is cut, slow, and has others on it who mean harm.
    @Suite(.enabled(if: TestNetwork.absence == nil, TestNetwork.absence ?? "")) struct NetworkTests {
        private static let nodes = ["n1", "n2", "n3", "n4"]
        private static let submitters = ["ann", "bob"]

        /// The machines with their keys. Media and parts lie on storage that all share; ``options`` is where a farm without any is told so.
        private final class Farm {
            let network: TestNetwork
            let lot: RemoteRenderTests.Lot
            var studio: Studio { lot.studio }
            private(set) var server: Command
            private(set) var running: [String: Command] = [:]

            var listening: String { "tcp://\(network.address(of: "server")):7700" }
            var door: String { "tcp://\(network.address(of: "server")):7701" }

            /// What the server is told of its storage.
            private static func options(_ studio: Studio) -> [String] {
                ["--root", "media=\(studio.file("media"))", "--output-root", "out=\(studio.file("out"))"]
            }

            init() throws {
                network = try TestNetwork(["server"] + NetworkTests.nodes + NetworkTests.submitters + ["stranger"])
                lot = try RemoteRenderTests.Lot(nodes: NetworkTests.nodes + ["liar"])
                let studio = lot.studio
                studio.environment["XDG_STATE_HOME"] = studio.file("state")
                try lot.keys("new", "stranger")
                for name in NetworkTests.submitters {
                    try lot.keys("new", name, "--role", "submitter")
                    try lot.keys("allow", studio.file("config/cutroom/keys/\(name).pub"))
                }
                for folder in ["media"] + NetworkTests.submitters.map({ "out/" + $0 }) {
                    try FileManager.default.createDirectory(
                        atPath: studio.file(folder), withIntermediateDirectories: true)
                }
                try FileManager.default.copyItem(atPath: Footage.pattern, toPath: studio.file("media/clip.mp4"))
                let address = network.address(of: "server")
                let server = try studio.start(
                    [
                        "serve", "--workers", "0", "--verbose", "--listen", "tcp://\(address):7700", "--door",
                        "tcp://\(address):7701",
                    ] + Self.options(studio), through: network.on("server"))
                self.server = server
                try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
                try #require(server.isRunning, "\(server.wait())")
                for node in NetworkTests.nodes { try start(node) }
                try #require(
                    Command.until(timeout: 40) {
                        NetworkTests.nodes.allSatisfy { server.stderrSoFar.contains("worker \($0)/1 has come") }
                    }, "\(server.stderrSoFar)")
            }

            func start(_ node: String) throws {
                running[node] = try lot.node(node, at: listening, through: network.on(node))
            }

            func submit(_ who: String, _ output: String) throws -> Command {
                try studio.start(
                    ["submit", "edit.lua", "-o", "out/\(who)/\(output)", "--wait"] + words(who),
                    through: network.on(who))
            }

            func words(_ who: String) -> [String] {
                [
                    "--server", door, "--server-key", studio.file("config/cutroom/server/server.pub"), "--identity",
                    studio.file("config/cutroom/keys/\(who).key"),
                ]
            }

            func logs(_ text: String) -> Bool { server.stderrSoFar.contains(text) }

            func close() {
                let processes = Array(running.values) + [server]
                for process in processes { process.send(SIGTERM) }
                for process in processes { _ = process.wait(timeout: 90) }
            }
        }

        @Suite struct Sweep {
            @Test func `renders outlive a network that is cut and slow, and whoever means harm on it`() throws {
                let farm = try Farm()
                defer { farm.close() }
                try farm.studio.script(
                    """
                    draft:add_clip("media/clip.mp4")
                    draft:add_clip("media/clip.mp4", { reverse = true })
                    draft:add_effect("org.cutroom.glitch")
                    """, size: (640, 360))
                let renders = try NetworkTests.submitters.map { try farm.submit($0, "a.mp4") }
                try #require(
                    Command.until(timeout: 40) { farm.logs("segment-") && farm.logs("started") },
                    "\(farm.server.stderrSoFar)")

                // One machine's cable is out for longer than a lease; one has a line of long ago.
                try farm.network.slow("n2", kilobits: 512)
                try farm.network.cut("n1")
                // A key that is on no list, one that was taken from it.
                let stranger = try farm.lot.node("stranger", at: farm.listening, through: farm.network.on("stranger"))
                try farm.lot.keys("revoke", "n3")
                // Everybody on the network may talk to the ports.
                let garbage = try Garbage(farm.network.address(of: "server"), ports: [7700, 7701])
                // A node with a key that lies: of what it was not given, of what others have, and of what it was given.
                let liar = try Liar(farm.lot, at: farm.listening)
                liar.flood(seconds: 3)
                try liar.lieOfJobs(seconds: 6)

                #expect(
                    Command.until(timeout: 40) { farm.logs("worker n1/1 was not heard") }, "\(farm.server.stderrSoFar)")
                try farm.network.cut("n1", false)
                let results = renders.map { $0.wait(timeout: 240) }
                for result in results {
                    #expect(result.succeeded, "\(result)\n\(farm.server.stderrSoFar.suffix(4000))")
                }
                withExtendedLifetime(garbage) {}
                #expect(stranger.stderrSoFar.contains("does not allow this node's key"))
                #expect(farm.logs("n3/1 may not work here any more: its key was revoked"))
                #expect(!farm.logs("stranger/1"), "nothing that it says is heard")

                let alone = farm.studio.file("alone.mp4")
                let undisturbed = ["render", "edit.lua", "-o", alone, "--no-cache"]
                #expect(try farm.studio.start(undisturbed).wait(timeout: 120).succeeded)
                for who in NetworkTests.submitters {
                    #expect(
                        FileManager.default.contentsEqual(
                            atPath: alone, andPath: farm.studio.file("out/\(who)/a.mp4")), "\(who)")
                }
                // The machine whose cable was out is there again, and nobody took the slow one for lost.
                #expect(
                    Command.until(timeout: 60) {
                        farm.server.stderrSoFar.components(separatedBy: "worker n1/1 has come").count > 2
                    })
                #expect(!farm.logs("worker n2/1 was not heard"))
            }
        }
    }
}

/// Connections that say nothing, or what no ZeroMQ peer says.
private final class Garbage {
    private var descriptors: [Int32] = []

    init(_ address: String, ports: [UInt16]) throws {
        let seed = Seed.announced(for: "garbage on a network", cases: 40)
        var random = SplitMix64(seed: seed)
        for number in 0..<40 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = ports[number % ports.count].bigEndian
            inet_pton(AF_INET, address, &place.sin_addr)
            let isConnected = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            descriptors.append(descriptor)
            try #require(isConnected)
            let bytes = (0..<(number % 3 == 0 ? 0 : 300)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    deinit { for descriptor in descriptors { Glibc.close(descriptor) } }
}
