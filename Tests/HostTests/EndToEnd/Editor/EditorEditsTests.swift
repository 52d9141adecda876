import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A script that a program edits repeatedly, while its page is open.
    @Suite(.enabled(if: Chromium.isPresent, Chromium.absence)) struct EditorEditsTests {
        /// Scripts that differ in titles, clips, speeds, effects and length; one in ten is invalid.
        private static func edit(_ number: Int, _ random: inout SplitMix64) throws -> String {
            if number % 10 == 9 {
                return ["draft:add_clip(", "draft:add_clip(\"missing.mp4\")", "error(\"no\")"].randomElement(
                    using: &random)!
            }
            var lines: [String] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let (start, length) = (Int.random(in: 0...2, using: &random), Int.random(in: 1...2, using: &random))
                let speed = ["1", "0.5", "2"].randomElement(using: &random)!
                let file = try Bool.random(using: &random) ? Footage.pattern : Footage.indexed
                lines.append("draft:add_clip(\"\(file)\", { range = { \(start), \(length) }, speed = \(speed) })")
            }
            lines.append(
                "draft:add_title(\"Edit \(number)\", { size = \(Int.random(in: 12...30, using: &random)), range = { 0, 1 } })"
            )
            if Bool.random(using: &random) { lines.append("draft:add_effect(\"org.cutroom.vignette\")") }
            return lines.joined(separator: "\n")
        }

        /// Returns the resident memory of a process in bytes; nil if it has ended.
        private static func memory(of process: pid_t) -> Int? {
            let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
            return text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
        }

        private struct Weight {
            var server: Int
            var script: Int
            var nodes: Int
            var workers: Int

            /// Measures memory after a garbage collection.
            init(_ bench: EditorBench, _ studio: Studio) throws {
                server = EditorEditsTests.memory(of: bench.pid) ?? 0
                workers = studio.workers.compactMap { EditorEditsTests.memory(of: $0) }.reduce(0, +)
                try bench.browser.call("HeapProfiler.collectGarbage")
                let counters = try bench.browser.call("Memory.getDOMCounters")
                nodes = counters["nodes"] as? Int ?? 0
                script = Int(try bench.browser.number("performance.memory.usedJSHeapSize"))
            }
        }

        private static func edit(times: Int, pause: UInt32, killing: Bool) throws {
            let studio = try Studio()
            var random = SplitMix64(seed: 19)
            try studio.script(try edit(0, &random))
            let bench = try EditorBench(studio)
            let browser = bench.browser
            try bench.waitForExactPicture(0)
            try browser.press("r")
            try browser.press("l")
            var early: Weight?
            for number in 1...times {
                try studio.script(try edit(number, &random))
                usleep(pause)
                if number == times * 2 / 5 { early = try Weight(bench, studio) }
                if killing, number % 3 == 0, let worker = studio.workers.randomElement(using: &random) {
                    kill(worker, SIGKILL)
                }
                if number % 7 == 0 {
                    try browser.press(["ArrowRight", "Home", "l", "j", "k", "End"].randomElement(using: &random)!)
                }
            }
            try browser.press("k")
            let last = try Weight(bench, studio)
            if let early {
                #expect(Double(last.server) < Double(early.server) * 1.2 + 16e6, "\(early) \(last)")
                #expect(Double(last.script) < Double(early.script) * 1.2 + 4e6, "\(early) \(last)")
                // Killed workers had less time to grow.
                #expect(killing || Double(last.workers) < Double(early.workers) * 1.2 + 16e6, "\(early) \(last)")
                #expect(Double(last.nodes) < Double(early.nodes) * 1.2 + 500, "\(early) \(last)")
            }
            // The final picture equals the export's.
            try studio.script(
                "draft:add_clip(\"\(try Footage.pattern)\")\ndraft:add_title(\"The end\", { size = 30 })")
            try browser.wait("document.querySelector('.length').textContent == '00:00:04:00'")
            try browser.press("Home")
            try browser.press("ArrowRight")
            try bench.waitForExactPicture(1)
            let expected = try bench.coverPixels(1)
            #expect(Command.until(timeout: 20) { (try? bench.exactPixels()) == expected })
            // A part of the previous revision may be requested after it was dropped, and so may the
            // picture of an old revision's frame: the page then requests the newest one.
            let complaints = browser.complaints.filter {
                !$0.contains("404") && !($0.contains("410") && $0.contains("/frame/"))
            }
            #expect(complaints == [])
            bench.end()
        }

        @Suite(.listens) struct Sweep {
            @Test func staysUprightUnderQuickEdits() throws {
                try EditorEditsTests.edit(times: 20, pause: 60_000, killing: true)
            }

            @Test(arguments: [false, true])
            func fiveHundredEdits(_ killing: Bool) throws {
                try EditorEditsTests.edit(times: 500, pause: 300_000, killing: killing)
            }
        }
    }
}
