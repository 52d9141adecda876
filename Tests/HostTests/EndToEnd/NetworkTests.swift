import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A server, nodes and submitters on separate machines, without a shared folder, over a network
    /// that is cut, slow, and has malicious participants.
    @Suite(.enabled(if: TestNetwork.absence == nil, TestNetwork.absence ?? "")) struct NetworkTests {
        private static let nodes = ["n1", "n2", "n3", "n4"]
        private static let submitters = ["ann", "bob"]

        /// The machines with their keys. Each sees only its own files: empty disks cover the
        /// others' folders. They share a folder of keys, as if users copied them between machines.
        private final class Farm {
            private static let machines = ["server"] + NetworkTests.nodes + NetworkTests.submitters + ["stranger"]
            let network: TestNetwork
            let lot: RemoteRenderTests.Lot
            var studio: Studio { lot.studio }
            private(set) var server: Command
            private(set) var running: [String: Command] = [:]

            var listening: String { "tcp://\(network.address(of: "server")):7700" }
            var endpoint: String { "tcp://\(network.address(of: "server")):7701" }

            init() throws {
                network = try TestNetwork(Self.machines)
                lot = try RemoteRenderTests.Lot(nodes: NetworkTests.nodes + ["liar"])
                let studio = lot.studio
                try lot.keys("new", "stranger")
                for name in NetworkTests.submitters {
                    try lot.keys("new", name, "--role", "submitter")
                    try lot.keys("allow", studio.file("config/cutroom/keys/\(name).pub"))
                }
                for machine in Self.machines {
                    try FileManager.default.createDirectory(
                        atPath: studio.file(machine), withIntermediateDirectories: true)
                }
                let address = network.address(of: "server")
                let server = try studio.start(
                    [
                        "serve", "--workers", "0", "--verbose", "--listen", "tcp://\(address):7700", "--door",
                        "tcp://\(address):7701",
                    ], through: Self.shell(on: "server", network, studio))
                self.server = server
                try #require(Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning })
                try #require(server.isRunning, "\(server.wait())")
                for node in NetworkTests.nodes { running[node] = try start(node) }
                try #require(
                    Command.until(timeout: 40) {
                        NetworkTests.nodes.allSatisfy { server.stderrSoFar.contains("worker \($0)/1 has joined") }
                    }, "\(server.stderrSoFar)")
            }

            /// Returns the command prefix for a machine: its network, its files, its folders for
            /// program data.
            private static func shell(on machine: String, _ network: TestNetwork, _ studio: Studio) -> [String] {
                let hidden = machines.filter { $0 != machine }.map(studio.file) + [studio.cache]
                let mounts = hidden.map { "mount -t tmpfs none '\($0)' && " }.joined()
                let own = studio.file(machine)
                // `ip netns exec` of a network gives each program its own mounts.
                return network.on(machine) + [
                    "sh", "-c", "\(mounts)exec \"$0\" \"$@\"", "env", "XDG_CACHE_HOME=\(own)/cache",
                    "XDG_STATE_HOME=\(own)/state",
                ]
            }

            private func shell(on machine: String) -> [String] { Self.shell(on: machine, network, studio) }

            func start(_ node: String) throws -> Command {
                try lot.node(node, at: listening, ["--no-shared-storage"], through: shell(on: node))
            }

            /// Puts media and a script on a submitter's machine.
            func prepare(_ who: String, _ body: String) throws {
                try FileManager.default.copyItem(atPath: Footage.pattern, toPath: studio.file("\(who)/clip.mp4"))
                try studio.script(body, size: (640, 360), as: "\(who)/edit.lua")
            }

            func submit(_ who: String, _ output: String) throws -> Command {
                try studio.start(
                    ["submit", "\(who)/edit.lua", "-o", "\(who)/\(output)", "--upload", "--fetch", "--wait"]
                        + words(who), through: shell(on: who))
            }

            func words(_ who: String) -> [String] {
                [
                    "--server", endpoint, "--server-key", studio.file("config/cutroom/server/server.pub"), "--identity",
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

        @Suite(.listens) struct Sweep {
            @Test func `renders outlive a network that is cut and slow, and whoever means harm on it`() throws {
                let farm = try Farm()
                defer { farm.close() }
                for who in NetworkTests.submitters {
                    try farm.prepare(
                        who,
                        """
                        draft:add_clip("clip.mp4")
                        draft:add_clip("clip.mp4", { reverse = true })
                        draft:add_effect("org.cutroom.glitch")
                        """)
                }
                let renders = try NetworkTests.submitters.map { try farm.submit($0, "a.mp4") }
                try #require(
                    Command.until(timeout: 40) { farm.logs("segment-") && farm.logs("started") },
                    "\(farm.server.stderrSoFar)")

                // One machine's cable is unplugged for longer than a lease; one has a very slow
                // connection.
                try farm.network.slow("n2", kilobits: 512)
                try farm.network.cut("n1")
                // A key that is on no list, one that was revoked.
                let stranger = try farm.start("stranger")
                try farm.lot.keys("revoke", "n3")
                // Every machine on the network can reach the ports.
                let garbage = try Garbage(farm.network.address(of: "server"), ports: [7700, 7701])
                // A node with an allowed key that sends false results: for jobs that it was not
                // given, for jobs of others, and for its own.
                let liar = try Liar(farm.lot, at: farm.listening)
                liar.flood(seconds: 3)
                try liar.lieOfJobs(seconds: 6, atMost: 2)

                #expect(
                    Command.until(timeout: 40) {
                        // Where another has done its job meanwhile, that is found first.
                        farm.logs("worker n1/1 was silent") || farm.logs("worker n1/1 did not stop")
                    }, "\(farm.server.stderrSoFar)")
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
                let undisturbed = ["render", "ann/edit.lua", "-o", alone, "--no-cache"]
                #expect(try farm.studio.start(undisturbed).wait(timeout: 120).succeeded)
                for who in NetworkTests.submitters {
                    #expect(
                        FileManager.default.contentsEqual(
                            atPath: alone, andPath: farm.studio.file("\(who)/a.mp4")), "\(who)")
                }
                // The machine whose cable was unplugged is back, and the slow one was not
                // considered lost.
                #expect(
                    Command.until(timeout: 60) {
                        farm.server.stderrSoFar.components(separatedBy: "worker n1/1 has joined").count > 2
                    })
                #expect(!farm.logs("worker n2/1 was silent"))
            }
        }
    }
}

/// Connections that send nothing, or data that no ZeroMQ peer sends.
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
