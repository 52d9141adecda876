import Foundation
import Glibc
import Renders
import TestSupport
import Testing

extension EndToEnd {
    /// Real faults from the table in docs/testing.md while a server renders; the file must equal
    /// that of an undisturbed render.
    @Suite struct FarmFaultTests {
        /// A render that takes a while, in parts.
        fileprivate static func edit(_ studio: Studio) throws {
            let clip = try Footage.pattern.lua
            let clips = (0..<6).map { number in
                "draft:add_clip(\(clip), { range = { \(Double(number) / 10), 2 } })\n"
            }
            try studio.script(clips.joined() + "draft:add_effect(\"org.cutroom.glitch\")", size: (640, 360))
        }

        /// One worker: when the third part has started, two are finished.
        @Test func `a part that is damaged or cut short afterwards is made again`() throws {
            let bench = try ServerBench()
            try Self.edit(bench.studio)
            let id = try bench.submit(to: "out.mp4")
            try #require(Command.until { bench.parts(id, "segment-").count > 2 })
            let parts = bench.parts(id, "segment-").sorted { bench.number(of: $0) < bench.number(of: $1) }
            for (part, isShort) in zip(parts, [false, true]) {
                var bytes = try Data(contentsOf: URL(fileURLWithPath: part))
                if isShort { bytes.removeLast(bytes.count / 3) } else { bytes[bytes.count / 2] ^= 0x40 }
                // Damage the file in place, as a disk would.
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: part))
                try file.write(contentsOf: bytes)
                try file.truncate(atOffset: UInt64(bytes.count))
                try file.close()
            }
            #expect(bench.wait(id), "\(bench.server.stderrSoFar)")
            let log = try bench.ask("jobs", "log", id).text
            #expect(log.contains("2 damaged parts are rendered again"), "\(log)")
            try bench.expectUndisturbed(["out.mp4"])
        }

        /// Another program that locks a server's journal for some time.
        fileprivate static func lock(_ bench: ServerBench, seconds: Double) throws -> Command {
            let locker = """
                import sqlite3, sys, time
                journal = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
                journal.execute("BEGIN EXCLUSIVE")
                print("locked", flush=True)
                time.sleep(float(sys.argv[2]))
                """
            let journal = bench.studio.file("state/cutroom/journal.sqlite")
            let other = try Command(["python3", "-c", locker, journal, "\(seconds)"])
            try #require(Command.until { other.stdoutSoFar.contains("locked") || !other.isRunning })
            return other
        }

        /// Tests that take longer.
        @Suite struct Sweep {
            /// The system kills the worker; the server survives, and another worker has enough
            /// memory.
            @Test(.enabled(if: ControlGroup.isPossible, ControlGroup.absence))
            func `a worker that runs out of memory costs nothing but itself`() throws {
                let bench = try ServerBench(["--workers", "2", "--verbose"])
                try FarmFaultTests.edit(bench.studio)
                let id = try bench.submit(to: "out.mp4")
                try #require(Command.until { bench.parts(id, "segment-").count > 1 })
                let group = try ControlGroup(.memory(4 << 20))
                let worker = try #require(bench.studio.workers.first)
                try group.add(worker)
                #expect(Command.until { !bench.studio.workers.contains(worker) }, "it is not ended")
                #expect(bench.wait(id), "\(bench.server.stderrSoFar)")
                let entry = try #require(bench.status(id)).entry
                #expect(entry.runs == 1, "\(entry)")
                #expect(bench.server.stderrSoFar.contains("as the system does when memory runs out"))
                try bench.expectUndisturbed(["out.mp4"])
            }

            /// The output's name is not used before the file is complete, and rendered parts are
            /// kept.
            @Test func `a server that dies while it assembles starts that over`() throws {
                let bench = try ServerBench(["--workers", "2"])
                try FarmFaultTests.edit(bench.studio)
                var outputs: [String] = []
                var isCaught = false
                // It takes an instant, which may be missed.
                for number in 0..<6 where !isCaught {
                    outputs.append("out\(number).mp4")
                    let id = try bench.submit(to: outputs[number])
                    // The file that the parts are joined in exists, and is incomplete.
                    isCaught =
                        Command.until(timeout: 60) {
                            !bench.parts(id, "output-").isEmpty
                                || FileManager.default.fileExists(atPath: bench.studio.file(outputs[number]))
                        } && !FileManager.default.fileExists(atPath: bench.studio.file(outputs[number]))
                    guard isCaught else { continue }
                    bench.kill()
                    let isThere = FileManager.default.fileExists(atPath: bench.studio.file(outputs[number]))
                    try bench.startAgain()
                    #expect(bench.wait(id))
                    // A file that already had its name was complete.
                    #expect(!isThere || bench.status(id)?.entry.state == .done)
                }
                #expect(isCaught)
                for number in outputs.indices { #expect(bench.wait("\(number + 1)")) }
                try bench.expectUndisturbed(outputs)
            }

            /// Work that needs the journal waits; other work continues, and no worker is considered
            /// lost.
            @Test func `a journal that another program has locked is waited for, and told of`() throws {
                let bench = try ServerBench(["--workers", "2", "--verbose"])
                try FarmFaultTests.edit(bench.studio)
                // Parts that are finished meanwhile are recorded later.
                let id = try bench.submit(to: "out.mp4")
                #expect(try FarmFaultTests.lock(bench, seconds: 3).wait().succeeded)
                #expect(bench.wait(id), "\(bench.server.stderrSoFar)")
                // Requests that must be recorded before they are answered are finally refused.
                let other = try FarmFaultTests.lock(bench, seconds: 9)
                let refused = try bench.ask("submit", "edit.lua", "-o", "other.mp4")
                #expect(refused.status == 74 && refused.stderr.contains("is locked by another program"), "\(refused)")
                #expect(other.wait().succeeded)
                let later = try bench.submit(to: "later.mp4")
                #expect(bench.wait(later))
                let log = bench.server.stderrSoFar
                #expect(!log.contains("was silent") && !log.contains("killing worker"), "\(log)")
                try bench.expectUndisturbed(["out.mp4", "later.mp4"])
            }

            /// The node names missing parts, and files that do not belong to the render, for every
            /// job, and faster than any other.
            @Test func `what a node lies of is made by another`() throws {
                let lot = try RemoteRenderTests.Lot(nodes: ["good", "liar"])
                try FarmFaultTests.edit(lot.studio)
                let (server, endpoint) = try lot.serve(at: "tcp://127.0.0.1:*", "--verbose")
                let good = try lot.node("good", at: endpoint)
                #expect(try lot.studio.start(["submit", "edit.lua", "-o", "out.mp4"]).wait().succeeded)
                #expect(try Liar(lot, at: endpoint).lieOfJobs(seconds: 12) >= 2)
                #expect(lot.waitForRender(), "\(server.stderrSoFar)")
                #expect(server.stderrSoFar.contains("node liar gets no new jobs"), "\(server.stderrSoFar)")
                let log = try lot.studio.start(["jobs", "log", "1"]).wait().text
                #expect(log.contains("damaged") && !log.contains("/etc/hostname"), "\(log)")
                for process in [good, server] { process.send(SIGTERM) }
                for process in [good, server] { #expect(process.wait(timeout: 30).status == 0) }
                try lot.expectUndisturbed()
            }

            /// For so long that neither a render's parts nor its end can be recorded. The server
            /// receives no requests after that.
            @Test func `what could not be written down goes on by itself when it can`() throws {
                let bench = try ServerBench(["--workers", "2", "--active", "1"])
                try FarmFaultTests.edit(bench.studio)
                let ids = try ["one.mp4", "two.mp4"].map { try bench.submit(to: $0) }
                let other = try FarmFaultTests.lock(bench, seconds: 300)
                // Its pause is not recorded, either.
                let isRefused = Command.until(timeout: 120) {
                    bench.server.stderrSoFar.split(separator: "\n").contains {
                        $0.contains("is locked by another program") && !$0.contains("a part of")
                            && !$0.contains("was paused")
                    }
                }
                #expect(isRefused, "\(bench.server.stderrSoFar)")
                other.send(SIGKILL)
                _ = other.wait()
                for id in ids { #expect(bench.wait(id), "\(bench.server.stderrSoFar)") }
                try bench.expectUndisturbed(["one.mp4", "two.mp4"])
            }

            /// A node whose worker has hardly any processor time; it sends heartbeats, and is not
            /// stuck.
            @Test(.enabled(if: ControlGroup.isPossible, ControlGroup.absence))
            func `a slow node's last part is made by another`() throws {
                let lot = try RemoteRenderTests.Lot(nodes: ["fast", "slow"])
                try FarmFaultTests.edit(lot.studio)
                let (server, endpoint) = try lot.serve(at: "tcp://127.0.0.1:*", "--verbose")
                let slow = try lot.node("slow", at: endpoint)
                let submitted = try lot.studio.start(["submit", "edit.lua", "-o", "out.mp4"]).wait()
                try #require(submitted.succeeded, "\(submitted)")
                try #require(Command.until { server.stderrSoFar.contains(/segment-\d+ started/) })
                let group = try ControlGroup(.processor(0.02))
                let workers = Processes.children(of: slow.pid)
                for worker in workers { try group.add(worker) }
                let fast = try lot.node("fast", at: endpoint)
                #expect(lot.waitForRender(), "\(server.stderrSoFar)")
                #expect(server.stderrSoFar.contains(/is late on worker slow\/1.* worker fast\/1 starts a backup run/))
                #expect(!server.stderrSoFar.contains("was silent"))
                group.release(workers)
                for process in [slow, fast, server] {
                    process.send(SIGTERM)
                    #expect(process.wait(timeout: 80).status == 0)
                }
                try lot.expectUndisturbed()
            }
        }
    }
}

extension ServerBench {
    /// Returns the segment's number in a part's path.
    fileprivate func number(of path: String) -> Int {
        path.firstMatch(of: /segment-(\d+)/).flatMap { Int($0.output.1) } ?? .max
    }
}

extension EndToEnd.RemoteRenderTests.Lot {
    func expectUndisturbed(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try output == Undisturbed.file(studio), sourceLocation: sourceLocation)
    }
}

extension Processes {
    static func children(of process: pid_t) -> [pid_t] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
    }
}
