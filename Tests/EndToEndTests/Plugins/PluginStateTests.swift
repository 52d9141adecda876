import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Plugins with state, and transitions with windows, in real renders: each frame is what it is
    /// wherever it is rendered.
    @Suite struct PluginStateTests {
        /// Luma of each frame's upper and lower half.
        private static func rows(of path: String) throws -> [[[Int]]] {
            let frames = try FFmpeg.run([
                "-i", path, "-vf", "extractplanes=y", "-f", "rawvideo", "-pix_fmt", "gray", "-",
            ]).stdout
            return stride(from: 0, to: frames.count, by: 64 * 64).map { start in
                [8, 56].map { row in frames[(start + row * 64)..<(start + (row + 1) * 64)].map { Int($0) } }
            }
        }

        private static func render(_ studio: Studio, _ body: String, workers: Int = 3) throws -> [[[Int]]] {
            try studio.script(body, size: (64, 64))
            let path = try studio.render(
                to: "out\(UUID().uuidString).mp4", with: ["--quality", "0", "--workers", "\(workers)", "--no-cache"])
            return try rows(of: path)
        }

        // MARK: Shared instances

        /// Three segments with the effect on a clip and then on the timeline, in one worker: three
        /// runs.
        @Test(arguments: [true, false])
        func `an instance serves all who ask for the same, where the effect allows that`(isShared: Bool) throws {
            let studio = try Studio()
            try Fixture.plugin("numbered", isShared ? ["SHARED"] : [], as: "numbered", in: studio)
            let rows = try Self.render(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua), { effects = { { "test.numbered", { range = { 0, 2.5 } } } } })
                draft:add_effect("test.numbered", { range = { 2.5, 4 } })
                """, workers: 1)
            // Grey n × 16, in the limited range.
            let numbers: [Int] = rows[..<195].map { row in
                let gray = Double(row[0][0] - 16) * 255 / 219
                return Int((gray / 16).rounded())
            }
            #expect(Set(numbers) == (isShared ? [1] : Set(1...3)), "\(numbers)")
        }

        @Test(arguments: [true, false])
        func `runs of sound have instances of their own, unless the effect shares them`(isShared: Bool) throws {
            let studio = try Studio()
            try Fixture.plugin("numbered", ["SOUND"] + (isShared ? ["SHARED"] : []), as: "numbered", in: studio)
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 }, effects = { { "test.numbered", {} } } })
                draft:add_effect("repeat", { count = 2, range = { 1, 1 } })
                """, size: (64, 64))
            let heard = try Sound(of: try studio.render(to: "out.wav"))
            let levels = [0.5, 1.5, 2.5].map { (100 * heard.samples[Int($0 * 48_000)]).rounded() }
            #expect(isShared ? levels == [1, 1, 1] : levels[0] == levels[1] && levels[2] != levels[1], "\(levels)")
        }

        // MARK: Windows of transitions

        /// A transition that shows what it sees of both clips.
        private static func join(_ defines: [String] = [], in studio: Studio) throws {
            try Fixture.plugin(
                "around", ["FIXTURE_KIND=CUTROOM_KIND_TRANSITION", "FIXTURE_ID=\"test.join\""] + defines, as: "join",
                in: studio)
        }

        /// The clips overlap from frame 50 to 70, across the end of the first segment; each is seen
        /// as far as it is shown.
        @Test(arguments: [(2, 3, 4), (3, 0, 1), (0, 2, 4)])
        func `a transition sees the frames around its own`(before: Int, after: Int, workers: Int) throws {
            try Self.seeAround(before, after, workers: workers)
        }

        private static func seeAround(_ before: Int, _ after: Int, workers: Int) throws {
            let studio = try Studio()
            try join(["BEFORE=\(before)", "AFTER=\(after)"], in: studio)
            let rows = try render(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 70/30 } })
                draft:add_clip(\(try Footage.ramp.lua), { range = { 100/30, 70/30 },
                  transition = { kind = "test.join", duration = 20/30 } })
                """, workers: workers)
            try #require(rows.count == 120)
            for frame in 0..<120 {
                func column(_ number: Int, isNew: Bool) -> Int {
                    let isShown = isNew ? (50..<120).contains(number) : (0..<70).contains(number)
                    return isShown ? 20 + number + (isNew ? 50 : 0) : 16
                }
                for half in 0...1 {
                    let right = (0..<64).map { x -> Int in
                        guard (50..<70).contains(frame) else { return column(frame, isNew: frame >= 70) }
                        return column(frame - before + x * (before + 1 + after) / 64, isNew: half == 1)
                    }
                    #expect(rows[frame][half] == right, "frame \(frame)")
                }
            }
        }

        /// The transition asks for frames ahead and behind; the clips' effects see theirs in order,
        /// once.
        @Test(arguments: [1, 4])
        func `state and the window of a transition go together`(workers: Int) throws {
            let studio = try Studio()
            try Self.join(in: studio)
            try Fixture.plugin("tally", as: "tally", in: studio)
            func draft(_ transition: String) throws -> String {
                """
                draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 70/30 }, effects = { { "test.tally", {} } } })
                draft:add_clip(\(try Footage.ramp.lua), { range = { 100/30, 70/30 }, effects = { { "test.tally", {} } },
                  \(transition) })
                """
            }
            let cut = try Self.render(studio, try draft(""), workers: 1)
            let rows = try Self.render(
                studio, try draft("transition = { kind = 'test.join', duration = 20/30 }"), workers: workers)
            try #require(rows.count == 120 && cut.count == 140)
            for frame in 50..<70 {
                #expect(rows[frame][0][22] == cut[frame][0][0], "frame \(frame)")
                #expect(rows[frame][1][22] == cut[frame + 20][0][0], "frame \(frame)")
                #expect(rows[frame][1][63] == cut[frame + 23][0][0], "frame \(frame)")
                if frame >= 52 { #expect(rows[frame][0][0] == cut[frame - 2][0][0], "frame \(frame)") }
            }
            #expect(rows[..<50].elementsEqual(cut[..<50]) && rows[70...].elementsEqual(cut[90...]))
        }

        @Test func `a transition with windows can be guarded and shown`() throws {
            let studio = try Studio()
            try Self.join(in: studio)
            let body = """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_clip(\(try Footage.pattern.lua), { range = { 1, 2 }, transition = { "test.join", 1 } })
                """
            try studio.script(body)
            let usual = try studio.render(to: "usual.mp4", with: ["--no-cache"])
            let guarded = try studio.render(to: "guarded.mp4", with: ["--no-cache", "--paranoid"])
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: usual)) == Data(contentsOf: URL(fileURLWithPath: guarded)))
            let info = try studio.run(["plugin", "info", "test.join", "--picture", "join.png"])
            #expect(info.status == 0, "\(info)")
            #expect(info.text.contains("sees 2 frames before the current one and 3 after it"), "\(info)")
        }

        // MARK: State and repeats

        struct Case: Sendable, CustomTestStringConvertible {
            var name: String
            var defines: [String]
            /// The frames of the effect's range, and those that a repeat plays three times.
            var range: Range<Int>
            var again: Range<Int>
            var testDescription: String { "\(name) \(range) \(again)" }
        }

        private static let cases: [Case] = {
            let states = [
                ("sequential", ["FORGETS"]), ("sequential without reset", []), ("warms up", ["DEPTH=7", "FORGETS"]),
            ]
            // All of its range, a part, and parts that it begins or ends in, each across or beside
            // ends of segments.
            let ranges: [(Range<Int>, Range<Int>)] = [
                (0..<200, 0..<60), (0..<200, 25..<75), (20..<150, 20..<150), (15..<60, 30..<90), (40..<100, 10..<70),
            ]
            return states.flatMap { name, defines in
                ranges.map { Case(name: name, defines: defines, range: $0, again: $1) }
            }
        }()

        /// Each state once, with another pair of ranges.
        private static let usualCases = [0, 6, 12].map { cases[$0] }

        @Test(arguments: usualCases)
        func `what a repeat plays again is the same again`(one: Case) throws { try Self.repeatAgain(one) }

        @Suite struct Sweep {
            @Test(arguments: cases)
            func `what a repeat plays again is the same again`(one: Case) throws { try repeatAgain(one) }

            @Test(arguments: [(2, 3), (3, 0), (0, 2)] as [(Int, Int)], [1, 4])
            func `a transition sees the frames around its own`(reach: (Int, Int), workers: Int) throws {
                try seeAround(reach.0, reach.1, workers: workers)
            }
        }

        private static func repeatAgain(_ one: Case) throws {
            let studio = try Studio()
            try Fixture.plugin("tally", one.defines, as: "tally", in: studio)
            func draft(_ more: String) throws -> String {
                """
                draft:add_clip(\(try Footage.ramp.lua))
                draft:add_effect("test.tally", { range = { \(one.range.lowerBound)/30, \(one.range.count)/30 } })
                \(more)
                """
            }
            let once = try render(studio, try draft(""), workers: 1)
            try #require(once.count == 200)
            // Not the ramp itself.
            #expect(once[one.range].contains { $0[0][0] != once[0][0][0] })
            let right =
                once[..<one.again.upperBound] + once[one.again] + once[one.again] + once[one.again.upperBound...]
            for workers in [1, 4] {
                let rows = try Self.render(
                    studio,
                    try draft(
                        "draft:add_effect('repeat', { count = 3, range = { \(one.again.lowerBound)/30, \(one.again.count)/30 } })"
                    ),
                    workers: workers)
                let wrong = zip(rows, right).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
                #expect(rows.count == right.count && wrong.isEmpty, "\(workers) workers: \(wrong)")
            }
        }

        /// One that warms up on a sequential one on a clip's, below a window, before a repeat of a
        /// part.
        @Test(arguments: [1, 4])
        func `effects with state in a row stand where they have to`(workers: Int) throws {
            let studio = try Studio()
            try Fixture.plugin("tally", as: "tally", in: studio)
            try Fixture.plugin("tally", ["DEPTH=5", "TALLY_ID=\"test.warm\""], as: "warm", in: studio)
            try Fixture.plugin("around", as: "around", in: studio)
            func draft(_ more: String) throws -> String {
                """
                draft:add_clip(\(try Footage.ramp.lua), { effects = { { "test.warm", {} } } })
                draft:add_effect("test.tally", { range = { 0.5, 6 } })
                draft:add_effect("test.warm", { range = { 1, 4 } })
                \(more)
                draft:add_effect("test.around", {})
                """
            }
            let once = try Self.render(studio, try draft(""), workers: 1)
            let rows = try Self.render(
                studio, try draft("draft:add_effect('repeat', { count = 2, range = { 50/30, 30/30 } })"),
                workers: workers)
            try #require(once.count == 200 && rows.count == 230)
            // Column 22 is the frame itself.
            let right = (once[..<80] + once[50...]).map { $0[0][22] }
            #expect(rows.map { $0[0][22] } == right)
        }

        @Test func `a source with state runs on from its start after a repeat of a part`() throws {
            let studio = try Studio()
            try Fixture.plugin("tally", ["FIXTURE_KIND=CUTROOM_KIND_SOURCE"], as: "tally", in: studio)
            func draft(_ more: String) -> String { "draft:add_source('test.tally', { duration = 4 })\n\(more)" }
            let once = try Self.render(studio, draft(""), workers: 1)
            try #require(once.count == 120)
            let rows = try Self.render(
                studio, draft("draft:add_effect('repeat', { count = 2, range = { 1, 1.5 } })"), workers: 4)
            #expect(rows == Array(once[..<75] + once[30...]))
        }

        @Test func `a snapshot within what is played again is the rendered frame`() throws {
            let studio = try Studio()
            try Fixture.plugin("tally", ["DEPTH=7"], as: "tally", in: studio)
            let rows = try Self.render(
                studio,
                """
                draft:add_clip(\(try Footage.ramp.lua))
                draft:add_effect("test.tally", {})
                draft:add_effect("repeat", { count = 2, range = { 50/30, 25/30 } })
                """)
            for frame in [75, 78, 100, 103] {
                let result = try studio.run([
                    "cover", "edit.lua", "-o", "cover.png", "--overwrite", "--at", "\((Double(frame) + 0.5) / 30)",
                ])
                try #require(result.status == 0, "\(result)")
                let gray = try FFmpeg.grayFrames(of: studio.file("cover.png"), width: 64, height: 64)[0][0]
                #expect(abs(Int(gray) - (rows[frame][0][0] - 16) * 255 / 219) <= 1, "frame \(frame)")
            }
        }
    }
}
