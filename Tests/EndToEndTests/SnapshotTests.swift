import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Single frames as pictures.
    @Suite struct SnapshotTests {
        /// Four seconds at 30 frames per second with everything that makes a picture; exported
        /// without loss.
        private static func edit(_ studio: Studio, _ more: String = "") throws {
            try studio.script(
                """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 2.25 }, reverse = true })
                draft:add_clip(\(try Footage.pattern.lua), { range = { 1, 2.25 }, transition = { "dissolve", 0.5 }, speed = 1 })
                draft:add_title("Hello", { size = 24, range = { 1, 2 } })
                draft:add_effect("org.cutroom.vignette", { strength = 0.5 })
                draft.export = { video = { quality = 0 } }
                \(more)
                """)
        }

        struct Report: Decodable {
            struct Shot: Decodable {
                var time: Double
                var path: String?
                var error: String?
                var black: Bool?
            }
            var snapshots: [Shot]
        }

        /// One picture as RGB bytes; a Y′CbCr one from its tags, or as BT.709 and limited range.
        private static func rgb(_ path: String, frame: Int = 0, isCanvas: Bool = false) throws -> [UInt8] {
            let tags = isCanvas ? ":in_color_matrix=bt709:in_range=tv:in_h_chr_pos=0:in_v_chr_pos=128" : ""
            let flags = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp"
            return Array(
                try FFmpeg.run([
                    "-i", path, "-vf", "select=eq(n\\,\(frame)),scale=\(flags)\(tags):out_range=pc,format=rgb24",
                    "-frames:v", "1",
                    "-f", "rawvideo", "-",
                ]).stdout)
        }

        private static func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
            guard a.count == b.count, !a.isEmpty else { return 0 }
            let squares = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
            return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / Double(squares))
        }

        @Test func `a snapshot is the exported frame`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let movie = try studio.render()
            let result = try studio.run(["snapshots", "edit.lua", "-n", "5", "-o", "shots", "--json"])
            try #require(result.succeeded, "\(result)")
            let shots = try JSONDecoder().decode(Report.self, from: result.stdout).snapshots
            #expect(shots.map(\.time) == [0.4, 1.2, 2, 2.8, 3.6])
            for (index, shot) in shots.enumerated() {
                #expect(shot.path == studio.file("shots/snapshot-0\(index + 1).png"))
                let wanted = try Self.rgb(movie, frame: 12 + 24 * index, isCanvas: true)
                #expect(try Self.rgb(try #require(shot.path)) == wanted, "the picture at \(shot.time) s")
            }
            // JPEG has the same colours, in its own matrix and range.
            let jpeg = try studio.run(["snapshots", "edit.lua", "-n", "2", "-o", "shots", "--format", "jpeg"])
            try #require(jpeg.succeeded, "\(jpeg)")
            #expect(
                jpeg.text
                    == "\(studio.file("shots/snapshot-01.jpg"))  1 s\n\(studio.file("shots/snapshot-02.jpg"))  3 s\n")
            let quality = Self.psnr(
                try Self.rgb(studio.file("shots/snapshot-01.jpg")), try Self.rgb(movie, frame: 30, isCanvas: true))
            #expect(quality > 36, "\(quality) dB")
        }

        @Test func `an effect with state has seen what it sees in a render`() throws {
            let studio = try Studio()
            try Fixture.plugin("counter", as: "counter", in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_effect("test.counter", { range = { 0.5, 1.5 } })
                draft.export = { video = { quality = 0 } }
                """)
            let movie = try studio.render()
            let cover = try studio.run(["cover", "edit.lua", "--at", "1.5", "-o", "cover.png"])
            #expect(cover.succeeded && cover.text == studio.file("cover.png") + "\n", "\(cover)")
            let found = try Self.rgb(studio.file("cover.png"))
            #expect(found == (try Self.rgb(movie, frame: 45, isCanvas: true)))
            // 31 frames since half a second.
            #expect(abs(Int(found[0]) - 124) <= 1)
        }

        @Test func `they keep to the rendered part or take the whole`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(try Footage.indexed.lua))\ndraft.time_range = { 1, 2 }", size: (160, 96))
            func shown(_ arguments: [String], _ name: String) throws -> (times: [Double], indexes: [Int?]) {
                let result = try studio.run(["snapshots", "edit.lua", "-n", "4", "-o", name, "--json"] + arguments)
                try #require(result.succeeded, "\(result)")
                let shots = try JSONDecoder().decode(Report.self, from: result.stdout).snapshots
                return (shots.map(\.time), try shots.map { try FrameCode.indexes(of: try #require($0.path))[0] })
            }
            let part = try shown([], "part")
            #expect(part.times == [1.2333333333333334, 1.7333333333333334, 2.2333333333333334, 2.7333333333333334])
            #expect(part.indexes == [37, 52, 67, 82])
            let whole = try shown(["--whole"], "whole")
            #expect(whole.times == [0.5, 1.5, 2.5, 3.5] && whole.indexes == [15, 45, 75, 105])
        }

        @Test func `one that cannot be taken does not spoil the others`() throws {
            let studio = try Studio()
            try Fixture.plugin("crash", as: "crash", in: studio)
            try Self.edit(studio, "draft:add_effect('test.crash', { frame = 6, range = { 1, 1 } })")
            let result = try studio.run(["snapshots", "edit.lua", "-n", "5", "-o", "shots", "--json"])
            #expect(result.status == 70 && result.stderr.contains("1 of 5 snapshots could not be taken"), "\(result)")
            let shots = try JSONDecoder().decode(Report.self, from: result.stdout).snapshots
            #expect(shots.map { $0.error == nil } == [true, false, true, true, true])
            #expect(
                shots[1].time == 1.2 && shots[1].path == nil && shots[1].error?.contains("test.crash") == true,
                "\(shots[1])")
            let names = try FileManager.default.contentsOfDirectory(atPath: studio.file("shots")).sorted()
            #expect(names == [1, 3, 4, 5].map { "snapshot-0\($0).png" })
        }

        // MARK: Covers

        @Test func `a cover is the frame at a time, and an error where there is none`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(try Footage.indexed.lua))\ndraft.time_range = { 1, 2 }", size: (160, 96))
            for (time, index, options) in [
                ("1", 30, []), ("0:02.4999", 74, []), ("2.9999", 89, []), ("3.5", 105, ["--whole"]),
            ] {
                let result = try studio.run(["cover", "edit.lua", "--at", time, "-o", "\(time).png"] + options)
                #expect(result.succeeded && result.stderr == "", "\(result)")
                #expect(try FrameCode.indexes(of: studio.file("\(time).png")) == [index], "\(time) s")
            }
            for (time, suffix, options, range) in [
                ("3", "png", [], "from 1 s to just before 3 s"), ("0.5", "jpg", [], "from 1 s to just before 3 s"),
                ("99", "jpeg", ["--whole"], "from 0 s to just before "),
            ] {
                let name = "late-\(time).\(suffix)"
                let result = try studio.run(["cover", "edit.lua", "--at", time, "-o", name] + options)
                #expect(
                    result.status == 64
                        && result.stderr.contains("There is no frame at \(time) s; the render goes \(range)"),
                    "\(result)")
                #expect(!FileManager.default.fileExists(atPath: studio.file(name)))
            }
        }

        @Test(
            arguments: [
                (["cover", "edit.lua", "--at", "1", "-o", "a.gif"], 64, ".png or .jpg"),
                (["cover", "edit.lua", "--at", "inf", "-o", "a.png"], 64, "100 days"),
                (["cover", "edit.lua", "--at", "-1", "-o", "a.png"], 64, "a time from 0 to 100 days"),
                (["why", "edit.lua", "--at", "1:75"], 64, "‘--at 1:75’ must be a time"),
                (["cover", "edit.lua", "--at", "1", "-o", "there.png"], 73, "exists"),
                (["cover", "edit.lua", "--at", "1", "-o", "no/a.png"], 73, "does not exist"),
                (["cover", "none.lua", "--at", "1", "-o", "a.png"], 66, "none.lua"),
                (["snapshots", "edit.lua", "-n", "0", "-o", "a"], 64, "between 1 and 10000"),
                (["snapshots", "edit.lua", "-o", "there.png"], 73, "there.png"),
                (["snapshots", "edit.lua", "-o", "shots"], 73, "snapshot-02.png’ exists"),
                (["snapshots", "edit.lua", "-o", "a", "--format", "gif"], 64, "gif"),
            ] as [([String], Int32, String)])
        func `what is asked wrongly is refused`(arguments: [String], status: Int32, says: String) throws {
            let studio = try Studio()
            try studio.script("draft:add_image(\(try Footage.still.lua), { duration = 1 })")
            for name in ["there.png", "shots/snapshot-02.png"] { try studio.folder.write("mine", to: name) }
            let result = try studio.run(arguments)
            #expect(result.status == status && result.stderr.contains(says), "\(result)")
            #expect(try String(contentsOfFile: studio.file("there.png"), encoding: .utf8) == "mine")
            #expect(!studio.folder.names.contains("a.png"))
        }

        @Test(arguments: [["snapshots", "-n", "1", "-o", "shots"], ["cover", "--at", "0", "-o", "cover.png"]])
        func `what is hardly meant is told of`(arguments: [String]) throws {
            let studio = try Studio()
            try studio.script("draft:add_image(\(Footage.still.lua), { duration = 1 })\ndraft.time_range = { 0, 9 }")
            let result = try studio.run(arguments + ["edit.lua"])
            #expect(result.status == 0 && result.stderr.split(separator: "\n").count == 1, "\(result)")
            #expect(
                result.stderr.hasPrefix("cutroom: warning: ") && result.stderr.contains("edit.lua:4: ")
                    && result.stderr.contains("past the end at 1 s"),
                "\(result)")
        }

        @Test func `a folder is made for pictures alone`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip('gone.mp4')")
            #expect(try studio.run(["snapshots", "edit.lua", "-o", "deep/shots"]).status == 65)
            #expect(try studio.run(["snapshots", "gone.lua", "-o", "deep/shots"]).status == 66)
            #expect(studio.folder.names == ["edit.lua"])
            try studio.script("draft:add_image(\(Footage.still.lua), { duration = 1 })")
            #expect(try studio.run(["snapshots", "edit.lua", "-n", "1", "-o", "deep/shots"]).status == 0)
            #expect(FileManager.default.fileExists(atPath: studio.file("deep/shots/snapshot-01.png")))
        }

        @Test func `white is white and black is black`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(try Footage.drawn("patches.mp4", lum: "if(lt(X,80),16,235)", cb: "128", cr: "128").lua))"
            )
            for suffix in ["png", "jpg"] {
                try #require(try studio.run(["cover", "edit.lua", "--at", "0.5", "-o", "c.\(suffix)"]).succeeded)
                let picture = try Self.rgb(studio.file("c." + suffix))
                for (x, value) in [(20, 0), (140, 255)] {
                    let pixel = picture[3 * (48 * 160 + x)..<3 * (48 * 160 + x) + 3].map { Int($0) }
                    #expect(pixel.allSatisfy { abs($0 - value) <= 1 }, "\(suffix) at \(x): \(pixel)")
                }
            }
        }

        @Test func `ctrl-C ends it and leaves nothing`() throws {
            let studio = try Studio()
            try Fixture.plugin("hang", as: "hang", in: studio)
            try Self.edit(studio, "draft:add_effect('test.hang', {})")
            let running = try studio.start(["snapshots", "edit.lua", "-o", "shots"])
            try #require(Command.until { studio.workers.count >= 1 })
            usleep(500_000)
            running.send(SIGINT)
            let result = running.wait(timeout: 30)
            #expect(result.status == 130, "\(result)")
            #expect(!FileManager.default.fileExists(atPath: studio.file("shots")), "an empty folder is left")
            studio.expectClean()
        }
    }
}
