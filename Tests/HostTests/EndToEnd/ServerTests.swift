import Foundation
import Glibc
import Journal
import Renders
import TestSupport
import Testing

@testable import ServerClient

extension EndToEnd {
    /// A server: submitted renders are rendered, whatever happens to it.
    @Suite struct ServerTests {
        /// A studio with a server that has its own workers.
        private final class Farm {
            let studio: Studio
            private(set) var server: Command
            private let arguments: [String]

            init(_ arguments: [String] = ["--workers", "2"]) throws {
                studio = try Studio()
                self.arguments = arguments
                studio.environment["XDG_STATE_HOME"] = studio.file("state")
                server = try Self.start(studio, arguments)
            }

            private static func start(_ studio: Studio, _ arguments: [String]) throws -> Command {
                let server = try studio.start(["serve"] + arguments)
                try #require(Command.until { server.stderrSoFar.contains("listens") || !server.isRunning })
                try #require(server.isRunning, "\(server.wait())")
                return server
            }

            func startAgain(_ more: String...) throws { server = try Self.start(studio, arguments + more) }

            func ask(_ arguments: [String]) throws -> Command.Output { try studio.start(arguments).wait() }

            /// Returns the output of a command that must succeed.
            func say(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
                let output = try ask(arguments)
                try #require(output.succeeded, "\(arguments): \(output)", sourceLocation: sourceLocation)
                return output.text.trimmingCharacters(in: .newlines)
            }

            func status(_ id: String) throws -> RenderStatus {
                let json = try say(["jobs", "show", id])
                return try PrintedJSON.decode(RenderStatus.self, Data(json.utf8))
            }

            func state(_ id: String) throws -> RenderState { try status(id).entry.state }

            func wait(_ id: String, for state: RenderState) -> Bool {
                Command.until(timeout: 60) { (try? self.state(id)) == state }
            }

            /// Ends the server as a user would.
            func stop() throws {
                server.send(SIGTERM)
                let output = server.wait()
                #expect(output.succeeded, "\(output)")
                studio.expectClean()
            }
        }

        private static var body: String {
            get throws { "draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 3 } })" }
        }

        private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

        @Test func `what is submitted becomes what a render makes`() throws {
            let farm = try Farm()
            try farm.studio.script(try Self.body)
            let id = try farm.say(["submit", "edit.lua", "-o", "out.mp4", "--wait"])
            #expect(id == "1")
            let status = try farm.status(id)
            #expect(status.entry.state == .done && status.entry.runs == 1 && status.entry.ticket.name == "edit.lua")
            #expect(try farm.say(["jobs", "log", id]).contains("90 frames"))
            let times: Set = ["submitted_at", "started_at", "ended_at"]
            try PrintedJSON.expectSnakeCase(try farm.say(["jobs", "show", id]), with: times)
            try PrintedJSON.expectSnakeCase(try farm.say(["jobs", "list", "--json"]), with: times)
            try PrintedJSON.expectSnakeCase(try farm.say(["jobs", "log", id, "--json"]), with: ["time", "text"])
            try PrintedJSON.expectSnakeCase(try farm.say(["workers", "--json"]), with: ["is_draining"])
            let table = try farm.say(["jobs"])
            #expect(table.contains("RENDER") && table.contains("done") && table.contains("100 %"))
            try farm.stop()
            let alone = try farm.studio.render(to: "alone.mp4")
            #expect(try Self.bytes(farm.studio.file("out.mp4")) == Self.bytes(alone))
            #expect(!FileManager.default.fileExists(atPath: farm.studio.file("state/cutroom/parts/1")))
        }

        @Test func `a killed server goes on where it was`() throws {
            let farm = try Farm(["--workers", "1"])
            try farm.studio.script("draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"org.cutroom.glitch\")")
            // All parts must come from this render.
            let ids = try ["a", "b"].map { try farm.say(["submit", "edit.lua", "-o", "\($0).mp4", "--key", $0]) }
            for _ in 0..<3 {
                _ = Command.until(timeout: 0.3) { false }
                farm.server.send(SIGKILL)
                _ = farm.server.wait()
                try farm.startAgain()
            }
            for id in ids { #expect(farm.wait(id, for: .done)) }
            try farm.stop()
            let alone = try Self.bytes(try farm.studio.render(to: "alone.mp4", with: ["--no-cache"]))
            for name in ["a", "b"] { #expect(try Self.bytes(farm.studio.file(name + ".mp4")) == alone) }
        }

        /// A server that is killed while it puts a file in place has left it under its hidden name.
        @Test func `a file that a killed server left beside its output is removed`() async throws {
            let farm = try Farm(["--workers", "1"])
            try farm.studio.script(try Self.body)
            let id = try farm.say(["submit", "edit.lua", "-o", "out.mp4"])
            _ = try farm.say(["jobs", "cancel", id])
            farm.server.send(SIGKILL)
            _ = farm.server.wait()
            let left = farm.studio.file(".out.mp4.x.part")
            do {
                let journal = try Journal(folder: farm.studio.file("state/cutroom"))
                try await journal.write([.part(RenderID(1), key: "hidden", Data(left.utf8))])
            }
            let other = farm.studio.file(".out.mp4.y.part")
            for name in [left, left + ".1", other] { try Data("left".utf8).write(to: URL(fileURLWithPath: name)) }
            try farm.startAgain()
            #expect(farm.wait(id, for: .cancelled))
            #expect([left, left + ".1", other].filter(FileManager.default.fileExists) == [other])
            try FileManager.default.removeItem(atPath: other)
            try farm.stop()
        }

        @Test func `a server that is told to leave keeps what is rendered`() throws {
            let farm = try Farm(["--workers", "1"])
            try farm.studio.script(try Self.body)
            let id = try farm.say(["submit", "edit.lua", "-o", "out.mp4"])
            farm.server.send(SIGTERM)
            #expect(farm.server.wait().succeeded)
            let answer = try farm.ask(["jobs"])
            #expect(answer.status == 69 && answer.stderr.contains("No server is running in"))
            try farm.startAgain()
            #expect(farm.wait(id, for: .done))
            try farm.stop()
        }

        @Test func `renders are paused, resumed, cancelled, retried and forgotten`() throws {
            let farm = try Farm(["--workers", "1", "--active", "1"])
            try farm.studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"org.cutroom.glitch\")", size: (640, 360))
            let first = try farm.say(["submit", "edit.lua", "-o", "1.mp4"])
            let second = try farm.say(["submit", "edit.lua", "-o", "2.mp4", "--after", first])
            let third = try farm.say(["submit", "edit.lua", "-o", "3.mp4", "--priority", "-5"])
            #expect(try farm.state(second) == .waiting && farm.state(third) == .queued)
            _ = try farm.say(["jobs", "pause", first, third])
            #expect(farm.wait(first, for: .paused))
            #expect(try farm.say(["jobs", "cancel", third]).contains("cancelled"))
            let refused = try farm.ask(["jobs", "cancel", first, third])
            #expect(refused.status == 65 && refused.stderr.contains("Render 3 has already ended: it is cancelled."))
            #expect(try farm.state(first) == .paused, "of several, all or none")
            _ = try farm.say(["jobs", "resume", first])
            #expect(farm.wait(second, for: .done))
            #expect(try farm.state(first) == .done)
            _ = try farm.say(["jobs", "purge", third])
            #expect(try farm.ask(["jobs", "show", third]).stderr.contains("There is no render 3."))
            try farm.stop()
        }

        @Test func `a render that fails says why, and can be tried again`() throws {
            let farm = try Farm()
            try farm.studio.script("draft:add_clip(\"clip.mp4\")")
            try FileManager.default.copyItem(atPath: Footage.pattern, toPath: farm.studio.file("clip.mp4"))
            let id = try farm.say(["submit", "edit.lua", "-o", "out.mp4", "--wait"])
            #expect(try farm.state(id) == .done)
            // The output exists now, and another render does not replace it.
            let other = try farm.ask(["submit", "edit.lua", "-o", "out.mp4"])
            #expect(other.status == 73 && other.stderr.contains("exists"))
            try FileManager.default.removeItem(atPath: farm.studio.file("clip.mp4"))
            let gone = try farm.ask(["submit", "edit.lua", "-o", "new.mp4"])
            #expect(gone.status == 65 && gone.stderr.contains("clip.mp4"), "what is wrong is said at once")
            try farm.stop()
        }

        @Test func `a command may have a server render, and stops it`() throws {
            let farm = try Farm(["--workers", "1"])
            try farm.studio.script(try Self.body)
            let none = try farm.ask(["render", "edit.lua", "-o", "x.mp4", "--farm", "--state", "nowhere"])
            #expect(none.status == 69 && none.stderr.contains("No server is running in"))
            let output = try farm.ask(["render", "edit.lua", "-o", "out.mp4", "--farm", "--progress", "json"])
            #expect(output.succeeded && output.text.contains("\"render\":1"), "\(output)")
            #expect(try farm.state("1") == .done)
            // A render that lasts until it is stopped.
            try farm.studio.script(
                "draft:add_image(\(try Footage.still.lua), { duration = 600 })\ndraft:add_effect(\"org.cutroom.glitch\")",
                size: (1280, 720))
            let command = try farm.studio.start(["render", "edit.lua", "-o", "long.mp4", "--farm"])
            try #require(Command.until { (try? farm.ask(["jobs"]))?.text.contains("running") == true })
            command.send(SIGINT)
            #expect(command.wait().status == 130)
            #expect(farm.wait("2", for: .cancelled))
            try farm.stop()
            #expect(!FileManager.default.fileExists(atPath: farm.studio.file("long.mp4")))
        }

        @Test func `a render waits for a machine that has what it needs, and says so`() throws {
            let farm = try Farm(["--workers", "1"])
            try farm.studio.script(try Self.body)
            for (option, value, command) in [("--tag", "a b", "submit"), ("--tags", "g pu", "serve")] {
                let wrong = try farm.ask(
                    [command, option, value] + (command == "submit" ? ["edit.lua", "-o", "out.mp4"] : []))
                #expect(wrong.status == 64 && wrong.stderr.contains("a tag has 1 to 64 bytes"), "\(wrong)")
            }
            let id = try farm.say(["submit", "edit.lua", "-o", "out.mp4", "--tag", "gpu"])
            #expect(Command.until { (try? farm.status(id).waits) == "no worker has the tag ‘gpu’" })
            #expect(try farm.say(["jobs"]).contains("waits: no worker has the tag ‘gpu’"))
            #expect(try farm.state(id) == .running)
            farm.server.send(SIGTERM)
            #expect(farm.server.wait().succeeded)
            try farm.startAgain("--tags", "gpu, large")
            #expect(farm.wait(id, for: .done))
            try farm.stop()
        }

        @Test func `a folder has one server, and keys one request`() throws {
            let farm = try Farm()
            let other = try farm.ask(["serve"])
            #expect(other.status == 69 && other.stderr.contains("Another server uses"))
            try farm.studio.script(try Self.body)
            let id = try farm.say(["submit", "edit.lua", "-o", "a.mp4", "--key", "k"])
            try farm.studio.script(try Self.body, as: "other.lua")
            let refused = try farm.ask(["submit", "other.lua", "-o", "b.mp4", "--key", "k"])
            #expect(refused.status == 65 && refused.stderr.contains("Render \(id) has the same key ‘k’"))
            #expect(farm.wait(id, for: .done))
            try farm.stop()
        }

        @Test func `each row of a table is a render`() throws {
            let farm = try Farm()
            try farm.studio.script(
                """
                local p = cutroom.params { color = { type = "color" }, seconds = { type = "number", default = 1 } }
                draft.background = p.color
                draft.duration = p.seconds
                """, as: "card.lua")
            func submit(_ table: String, _ output: String, _ more: [String] = []) throws -> Command.Output {
                try farm.studio.folder.write(table, to: "rows.csv")
                return try farm.ask(["submit", "card.lua", "--csv", "rows.csv", "-o", output] + more)
            }
            let taken = try submit("color,seconds\r\nred,0.5\r\n\"blue\",0.7\r\n", "{row}-{color}.mp4", ["--wait"])
            #expect(taken.succeeded && taken.text == "1\n2\n", "\(taken)")
            for (name, red) in [("1-red", true), ("2-blue", false)] {
                let color = try #require(try Shot.all(of: farm.studio.file(name + ".mp4")).first).mean(0, 0, 160, 96)
                #expect((color.red > 200) == red, "\(name): \(color)")
            }
            let wrong: [(table: String, output: String, words: String)] = [
                ("color\n", "{row}.mp4", "needs a header line"),
                ("color,color\nred,red\n", "{row}.mp4", "with a unique name"),
                (
                    "color,seconds\nred\n", "{row}.mp4",
                    "Row 1 (line 2) of the table ‘rows.csv’ has 1 field, but the header has 2 columns."
                ),
                (
                    "color,seconds\nred,1\n\n\"blue\",\"1\"\nred,1,1\n", "{row}.mp4",
                    "Row 3 (line 5) of the table ‘rows.csv’ has 3 fields, but the header has 2 columns."
                ),
                ("color\n\"a\nb\"\nred,1\n", "{row}.mp4", "Row 2 (line 4) of"),
                ("color,seconds\nred,1\n\"blue,1\n", "{row}.mp4", "Row 2 (line 3) of the table ‘rows.csv’ opens"),
                ("color\nred\n\"blue\"x\n", "{row}.mp4", "Row 2 (line 3) of the table ‘rows.csv’ has text beside"),
                ("color\nred\nnone\n", "{row}.mp4", "Row 2 (line 3): card.lua:3: --set color"),
                ("color,seconds\nred,\n", "{row}.mp4", "Row 1 (line 2): card.lua:3: --set seconds"),
                ("color\nred\nblue\n", "one.mp4", "Two renders would write"), ("colour\nred\n", "{row}.mp4", "colour"),
                ("color\nred\n", "{colour}.mp4", "is not a placeholder"),
                ("color\na/b\n", "{color}.mp4", "cannot be part"),
            ]
            for (table, output, words) in wrong {
                let refused = try submit(table, output)
                #expect(refused.status != 0 && refused.stderr.contains(words), "\(table): \(refused)")
            }
            func lines(_ output: Command.Output) -> [Substring] { output.stderr.split(separator: "\n") }
            // A wrong column, or what is wrong in every row, is one error.
            let column = try submit("color,second\n" + String(repeating: "red,1\n", count: 30), "{row}.mp4")
            #expect(
                lines(column).count == 1
                    && column.stderr.contains("Column ‘second’ of the table ‘rows.csv’: card.lua: --set second"),
                "\(column)")
            let same = try submit("color\nnone\nred\nnone\nnone\n", "{row}.mp4")
            #expect(lines(same).count == 1 && same.stderr.contains("Rows 1, 3–4: card.lua:3: --set color"), "\(same)")
            // The list of wrong rows ends with how many are left.
            let many = try submit("color\n" + (1...50).map { "none\($0)\n" }.joined(), "{row}.mp4")
            #expect(
                lines(many).count == 21
                    && many.stderr.contains("20 rows have errors; 30 further rows were not checked."), "\(many)")
            let wide = try submit("color\n" + (1...50).map { "red,\($0)\n" }.joined(), "{row}.mp4")
            #expect(lines(wide).count == 21 && wide.stderr.contains("30 more rows like these."), "\(wide)")
            #expect(
                try farm.say(["jobs", "--json"]).contains("\"number\" : 3") == false, "nothing of these was taken in")
            try farm.stop()
        }

        @Test func `who watches a render that fails is told so, and why`() throws {
            let farm = try Farm(["--workers", "1", "--active", "1"])
            try FileManager.default.copyItem(atPath: Footage.pattern, toPath: farm.studio.file("clip.mp4"))
            try farm.studio.script("draft:add_clip(\"clip.mp4\", { range = { 0, 1 } })")
            // The first render waits for a worker that does not exist, and the second for the
            // first.
            let first = try farm.say(["submit", "edit.lua", "-o", "1.mp4", "--tag", "none"])
            let second = try farm.say(["submit", "edit.lua", "-o", "2.mp4"])
            #expect(Command.until { (try? farm.state(first)) == .running })
            let watches = try [first, second].map { try farm.studio.start(["jobs", "watch", $0]) }
            #expect(Command.until { watches.allSatisfy { $0.stdoutSoFar.contains("edit.lua") } })
            try FileManager.default.removeItem(atPath: farm.studio.file("clip.mp4"))
            _ = try farm.say(["jobs", "cancel", first])
            let (cancelled, failed) = (watches[0].wait(timeout: 60), watches[1].wait(timeout: 60))
            #expect(cancelled.succeeded && cancelled.text.contains("cancelled"), "\(cancelled)")
            #expect(failed.status == 70 && failed.text.contains("failed"), "\(failed)")
            #expect(
                failed.stderr.contains("Render \(second) failed: ") && failed.stderr.contains("clip.mp4"), "\(failed)")
            #expect(try farm.ask(["jobs", "watch", first, second]).status == 70, "also when all have ended")
            try farm.stop()
        }

        /// A long render, with a server and workers that are killed repeatedly.
        @Suite struct Sweep {
            @Test func `a short render does not wait behind a long one`() throws {
                let farm = try Farm(["--workers", "1"])
                // A render that has to be stopped.
                try farm.studio.script(
                    "draft:add_image(\(try Footage.still.lua), { duration = 7200 })\ndraft:add_effect(\"org.cutroom.glitch\")",
                    as: "long.lua")
                try farm.studio.script(try ServerTests.body)
                let long = try farm.say(["submit", "long.lua", "-o", "long.mp4"])
                try #require(Command.until { (try? farm.status(long).done ?? 0) ?? 0 > 0 })
                let short = try farm.say(["submit", "edit.lua", "-o", "short.mp4", "--wait"])
                #expect(try farm.state(short) == .done && farm.state(long) == .running)
                _ = try farm.say(["jobs", "cancel", long])
                #expect(farm.wait(long, for: .cancelled))
                try farm.stop()
            }

            @Test func `renders outlive everything that runs them`() throws {
                let kills = 40
                let seed = Seed.announced(for: "ServerTests, sweep", cases: kills)
                var random = SplitMix64(seed: seed)
                let farm = try Farm(["--workers", "2", "--active", "6"])
                var ids: [String] = []
                for number in 0..<24 {
                    try farm.studio.script(
                        """
                        draft:add_clip(\(Footage.pattern.lua), { range = { \(Double(number % 5) / 10), 3 } })
                        draft:add_effect("org.cutroom.glitch")
                        draft:add_title("\(number % 7)", { size = 30 })
                        """, size: (480, 270), as: "\(number).lua")
                    ids.append(try farm.say(["submit", "\(number).lua", "-o", "\(number).mp4"]))
                }
                for _ in 0..<kills {
                    usleep(UInt32.random(in: 100_000...900_000, using: &random))
                    if random.chance(1, in: 2), let worker = farm.studio.workers.randomElement(using: &random) {
                        kill(worker, SIGKILL)
                    } else {
                        farm.server.send(SIGKILL)
                        _ = farm.server.wait()
                        try farm.startAgain()
                    }
                }
                for id in ids { #expect(farm.wait(id, for: .done), "render \(id), seed \(seed)") }
                try farm.stop()
                for number in 0..<24 {
                    let alone = try farm.studio.render("\(number).lua", to: "alone.mp4", with: ["--no-cache", "-y"])
                    #expect(
                        try ServerTests.bytes(alone) == ServerTests.bytes(farm.studio.file("\(number).mp4")),
                        "\(number)")
                }
            }
        }
    }
}
