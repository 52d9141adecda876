import Foundation
import TestSupport
import Testing

extension EndToEnd.EditorTests {
    /// Five hundred edits of a script, with and without workers that are killed meanwhile; takes
    /// minutes.
    @Suite(.listens) struct Sweep {
        /// Returns the memory of a process in kilobytes.
        private static func memory(_ process: pid_t) -> Int {
            let text = String(
                decoding: FileManager.default.contents(atPath: "/proc/\(process)/status") ?? Data(), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
        }

        private static func script(_ studio: Studio, _ random: inout SplitMix64) throws {
            let length = Double(Int.random(in: 5...20, using: &random)) / 10
            let broken = random.chance(1, in: 12) ? "error(\"not yet\")" : ""
            let layer =
                random.chance(1, in: 3) ? "draft:add_layer(\(try Footage.still.lua), { at = 0.5, duration = 1 })" : ""
            try studio.script(
                """
                \(broken)
                draft:add_clip(\(try Footage.pattern.lua), { range = { \(Int.random(in: 0...2, using: &random)), \(length) } })
                draft:add_clip(\(try Footage.indexed.lua), { range = { 0, 2 } })
                \(layer)
                draft:add_title("Take \(Int.random(in: 0...5, using: &random))", { size = 24 })
                """)
        }

        @Test(arguments: [false, true]) func `random edits come to the picture that is rendered`(killing: Bool) throws {
            let studio = try Studio()
            var random = SplitMix64(seed: Seed.announced(for: "EditorSoakTests", cases: 1) &+ (killing ? 1 : 0))
            try Self.script(studio, &random)
            let editor = try EditorClient(studio)
            var early = 0
            for edit in 0..<500 {
                try Self.script(studio, &random)
                usleep(300_000)
                if killing, edit % 3 == 0,
                    let worker = studio.workers.filter({ $0 != editor.command.pid }).randomElement()
                {
                    kill(worker, SIGKILL)
                }
                if let state = try? editor.state(), let part = state.parts.randomElement(using: &random) {
                    _ = try editor.ask("GET", "/part/\(part.key).mp4")
                }
                if edit == 100 { early = Self.memory(editor.command.pid) }
                #expect(editor.command.isRunning, "\(editor.command.stderrSoFar)")
            }
            let late = Self.memory(editor.command.pid)
            #expect(late <= early + early / 5, "\(early) kB after 100 edits, \(late) kB after 500")
            try studio.script("draft:add_clip(\(try Footage.pattern.lua), { range = { 1, 2 } })")
            let last = try editor.state { $0.status == "ready" && $0.draft?.frames == 60 }
            let answer = try editor.ask("GET", "/frame/\(try #require(last.goodRevision))/30.png")
            let path = try studio.outside() + "/frame.png"
            try answer.body.write(to: URL(fileURLWithPath: path))
            editor.end(studio)
            try #require(try studio.run(["cover", "edit.lua", "--at", "1", "-o", "cover.png"]).succeeded)
            let pixels = try [path, studio.file("cover.png")].map {
                try FFmpeg.run(["-i", $0, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]).stdout
            }
            #expect(pixels[0] == pixels[1] && !pixels[0].isEmpty)
        }
    }
}
