import Foundation
import Glibc
import TestSupport
import Testing

/// A Slurm cluster of simulated machines on this one, with its own network; removed with this
/// value.
private final class Cluster {
    let folder: TemporaryFolder
    private static let script = Project.root + "/Tests/Slurm/local-slurm.sh"

    /// Why no cluster can be started here; nil if it can.
    static let absence: Comment? = {
        guard geteuid() == 0 else { return "a cluster can be started by root alone" }
        let missing = ["sbatch", "slurmctld", "slurmd", "munged", "unshare", "nsenter", "ip"].filter {
            !Command.isInstalled($0) && !FileManager.default.isExecutableFile(atPath: "/usr/sbin/" + $0)
        }
        return missing.isEmpty ? nil : "not installed: \(missing)"
    }()

    init(_ machines: Int) throws {
        folder = try TemporaryFolder()
        // munged requires that all users can reach its socket.
        try #require(chmod(folder.path, 0o711) == 0)
        let started = try run("start", "\(machines)", "--netns")
        try #require(started.succeeded, "\(started)")
    }

    deinit { _ = try? run("stop") }

    private var environment: [String: String] { ["LOCAL_SLURM_DIR": folder.file("c")] }

    @discardableResult func run(_ words: String...) throws -> Command.Output {
        try Command.run(["bash", Self.script] + words, environment: environment)
    }

    /// The command prefix for the login machine; signals reach the command.
    var login: [String] {
        let box = try? String(contentsOfFile: folder.file("c/run/login.box"), encoding: .utf8)
        let parent = box?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        let children = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        let leader = children?.split(separator: " ").first.map(String.init) ?? "none"
        return ["nsenter", "-t", leader, "-n", "-u", "--", "env", "SLURM_CONF=" + folder.file("c/slurm.conf")]
    }

    /// The states of the farm's nodes, by machine.
    var nodes: [(machine: String, state: String)] {
        let words = ["squeue", "--noheader", "--format=%N|%T|%j"]
        let text = (try? Command.run(login + words).text) ?? "?|UNKNOWN|cutroom-"
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            return fields.count == 3 && fields[2].hasPrefix("cutroom-") ? (fields[0], fields[1]) : nil
        }
    }
}

extension EndToEnd {
    /// Nodes that are started by Slurm.
    @Suite struct SlurmFarmTests {
        @Test func `what is asked of Slurm can be looked at, and mistakes are told of`() throws {
            let studio = try Studio()
            studio.environment["XDG_STATE_HOME"] = studio.file("state")
            func slurm(_ words: String...) throws -> Command.Output {
                try studio.start(["farm", "slurm"] + words).wait()
            }
            let dry = try slurm(
                "--dry-run", "--connect", "tcp://farm:7700", "--partition", "render", "--time", "8:00:00", "--mem", "4G"
            )
            #expect(dry.succeeded && dry.text.hasPrefix("#!/bin/bash\n"), "\(dry)")
            for line in ["--partition=render", "--mem=4G", "--signal=B:TERM@30", "--no-requeue"] {
                #expect(dry.text.contains("#SBATCH \"\(line)\"\n"), "\(dry)")
            }
            #expect(try Command.run(["bash", "-n"], input: dry.stdout).succeeded)
            for (words, text) in [
                (["--min", "5", "--max", "4"], "between 0 and 4"), (["--time", "soon"], "--time"),
                (["--connect", "farm"], "tcp://farm:7700"), (["--warning", "0"], "--warning"),
                (["--partition", ""], "--partition"),
            ] {
                let refused = try studio.start(["farm", "slurm"] + words).wait()
                #expect(refused.status == 64 && refused.stderr.contains(text), "\(words): \(refused)")
            }
            let alone = try slurm("--dry-run")
            #expect(alone.status == 69 && alone.stderr.contains("No server is running in"), "\(alone)")
            let keyless = try slurm("--connect", "tcp://farm:7700")
            #expect(keyless.status == 66 && keyless.stderr.contains("--role server"), "\(keyless)")
        }

        @Suite(.enabled(if: Cluster.absence == nil, Cluster.absence)) struct Sweep {
            /// A server and the keeper of its nodes, on the login machine.
            private struct Lot {
                let studio: Studio
                let cluster: Cluster
                static let endpoint = "tcp://10.99.0.253:7700"

                init() throws {
                    (studio, cluster) = (try Studio(), try Cluster(4))
                    studio.environment["XDG_CONFIG_HOME"] = studio.file("config")
                    studio.environment["XDG_STATE_HOME"] = studio.file("state")
                    let key = try studio.start(["farm", "keys", "new", "farm", "--role", "server"]).wait()
                    try #require(key.succeeded, "\(key)")
                }

                func serve() throws -> Command {
                    let server = try studio.start(
                        ["serve", "--workers", "0", "--listen", "tcp://0.0.0.0:7700"], through: cluster.login)
                    try #require(
                        Command.until { server.stderrSoFar.contains("listens in") || !server.isRunning },
                        "\(server.stderrSoFar)")
                    try #require(server.isRunning, "\(server.wait())")
                    return server
                }

                func slurm(_ words: String...) throws -> Command {
                    try studio.start(
                        [
                            "farm", "slurm", "--connect", Self.endpoint, "--max", "4", "--interval", "1",
                            "--cool-down", "5", "--cpus-per-task", "2", "--warning", "15",
                        ] + words, through: cluster.login)
                }

                func isDone(_ render: String) -> Bool {
                    (try? studio.start(["jobs", "show", render]).wait().text.contains("\"state\" : \"done\"")) == true
                }
            }

            @Test func `renders by nodes that die, are cut off, preempted and lose their server`() throws {
                let lot = try Lot()
                let (studio, cluster) = (lot.studio, lot.cluster)
                try studio.script(
                    """
                    for i = 1, 24 do
                        draft:add_clip(\(try Footage.pattern.lua), { range = { (i % 4) / 10, 3 } })
                    end
                    draft:add_effect("org.cutroom.glitch")
                    draft:add_audio(\(try Footage.tone.lua), { loop = true, volume = 0.3 })
                    """, size: (960, 540))
                // More than two thousand frames take two minutes on a slow machine.
                let path = try studio.render(to: "local.mp4", with: ["--no-cache", "--workers", "2"], timeout: 300)
                let local = try Data(contentsOf: URL(fileURLWithPath: path))
                var server = try lot.serve()
                var keeper = try lot.slurm()
                let submitted = try studio.start(["submit", "edit.lua", "-o", "out.mp4"]).wait()
                try #require(submitted.succeeded, "\(submitted)")
                func expectRunning(_ count: Int, _ place: SourceLocation = #_sourceLocation) {
                    #expect(
                        Command.until(timeout: 60) { cluster.nodes.count { $0.state == "RUNNING" } >= count },
                        "\(cluster.nodes)\n\(keeper.stderrSoFar)\n\(server.stderrSoFar)", sourceLocation: place)
                }
                expectRunning(4)
                try cluster.run("kill", "node2")
                try cluster.run("cut", "node3")
                server.send(SIGKILL)
                _ = server.wait()
                server = try lot.serve()
                // The keeper of the nodes ends, too, and the next one recognizes them.
                keeper.send(SIGTERM)
                #expect(keeper.wait().stderr.contains("the nodes keep running"))
                keeper = try lot.slurm()
                let other = try Command.run(
                    cluster.login + [
                        "sbatch", "--output=/dev/null", "--partition=high", "--nodelist=node1", "--exclusive",
                    ],
                    input: Data("#!/bin/bash\nsleep 5\n".utf8))
                #expect(other.succeeded, "\(other)")
                #expect(Command.until(timeout: 60) { !cluster.nodes.contains { $0.machine == "node3" } })
                try cluster.run("boot", "node2")
                // The job that still runs there was assigned to another node.
                try cluster.run("join", "node3")
                #expect(
                    Command.until(timeout: 180) { lot.isDone("1") },
                    "\(keeper.stderrSoFar)\n\(server.stderrSoFar)\n\(cluster.nodes)")
                #expect(try Data(contentsOf: URL(fileURLWithPath: studio.file("out.mp4"))) == local)
                #expect(Command.until(timeout: 60) { cluster.nodes.isEmpty }, "\(cluster.nodes)\n\(keeper.stderrSoFar)")
                #expect(
                    Command.until(timeout: 20) {
                        let list = try? studio.start(["farm", "keys", "list"]).wait().text
                        return list?.split(separator: "\n").count == 1
                    }, "the keys of nodes that are gone are revoked")
                for process in [keeper, server] {
                    process.send(SIGTERM)
                    let end = process.wait()
                    #expect(end.succeeded, "\(end)")
                }
            }

            @Test func `nodes live shorter than their time, and leave when they are told to`() throws {
                let lot = try Lot()
                let server = try lot.serve()
                let refused = try lot.slurm("--partition", "nowhere").wait()
                #expect(refused.status == 64 && refused.stderr.contains("Slurm rejects such a node"), "\(refused)")
                let keeper = try lot.slurm("--min", "2", "--", "--nice=7")
                #expect(
                    Command.until(timeout: 30) { lot.cluster.nodes.count { $0.state == "RUNNING" } == 2 },
                    "\(keeper.stderrSoFar)")
                let other = try lot.slurm().wait()
                #expect(other.status == 69 && other.stderr.contains("Another ‘cutroom farm slurm’"), "\(other)")
                // The controller is unavailable for a while, and nothing changes.
                try lot.cluster.run("crash", "ctl")
                #expect(Command.until(timeout: 60) { keeper.stderrSoFar.contains("Cannot list the Slurm jobs") })
                try lot.cluster.run("boot", "ctl")
                #expect(Command.until(timeout: 30) { lot.cluster.nodes.count { $0.state == "RUNNING" } == 2 })
                keeper.send(SIGTERM)
                _ = keeper.wait()
                let drain = try lot.slurm("--drain").wait(timeout: 60)
                #expect(drain.succeeded && lot.cluster.nodes.isEmpty, "\(drain)")
                server.send(SIGTERM)
                #expect(server.wait().succeeded)
            }
        }
    }
}
