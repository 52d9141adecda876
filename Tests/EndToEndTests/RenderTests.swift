import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The whole way: script → draft → plan → workers → file.
    @Suite struct RenderTests {
        /// Two clips with a dissolve, a still and a title: 4 s, so two segments, with sound.
        private static func edit(_ studio: Studio, title: String = "One", options: String = "") throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 2 }, transition = { "dissolve", 0.5 } })
                draft:add_image(\(Footage.still.lua), { duration = 0.5 })
                draft:add_title(\(title.lua), { size = 20, range = { 3, 1 } })
                """, options: options)
        }

        @Test func `a script of ten lines becomes a correct file`() throws {
            let studio = try Studio()
            try studio.folder.write(
                """
                local cutroom = require "cutroom"
                local draft = cutroom.draft { size = { 320, 180 }, fps = 25 }
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1.5 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 1 }, transition = { "dissolve", 0.4 } })
                draft:add_image(\(Footage.still.lua), { duration = 1, mode = "fill" })
                draft:add_audio(\(Footage.tone.lua), { volume = 0.4, fade_out = 1 })
                draft:add_effect("org.cutroom.vignette", { strength = 0.5 })
                draft:add_title("Hello", { size = 48, range = { 0.5, 2 } })
                return draft

                """, to: "ten.lua")
            let movie = try Movie(try studio.render("ten.lua"))
            #expect(movie.frames == 78)  // 1.5 + 1 − 0.4 + 1 = 3.1 s at 25, rounded to whole frames
            #expect(movie.picture?.width == 320 && movie.picture?.height == 180 && movie.picture?.frameRate == "25/1")
            try expectEqualLengths(movie, 25)
            #expect(movie.sound?.channels == 1 && movie.sound?.sampleRate == "48000")
        }

        /// More rates, and the example scripts, over media that take half a minute to draw.
        @Suite struct Sweep {
            @Test(arguments: ["24000/1001", "25", "30000/1001", "50", "60"])
            func `the frame count is exactly duration times rate`(rate: String) throws {
                try RenderTests().`the frame count is exactly duration times rate`(rate: rate)
            }

            @Test(arguments: try examples())
            func `an example renders`(name: String) throws {
                let studio = try Studio()
                let media = try Footage.examples
                let script = Project.root + "/Scripts/" + name
                let plan = try studio.run(["plan", script, "--json", "--set", "media=" + media])
                try #require(plan.status == 0, "\(plan)")
                // Some of each is enough here: a copy of the script stops after two seconds of
                // final time.
                let source = try String(contentsOfFile: script, encoding: .utf8)
                let short = source.replacingOccurrences(
                    of: "\nreturn draft",
                    with: "\ndraft.size = { 320, 180 }\ndraft.time_range = { 0.5, 2 }\nreturn draft")
                try #require(short != source, "\(name) does not end with ‘return draft’")
                try studio.folder.write(short, to: name)
                let movie = try Movie(try studio.render(name, with: ["--set", "media=" + media]))
                #expect(movie.frames == 60)
                if movie.sound != nil { try RenderTests().expectEqualLengths(movie, 30) }
            }

            private static func examples() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: Project.root + "/Scripts").filter {
                    $0.hasSuffix(".lua")
                }.sorted()
            }
        }

        @Test(arguments: [("mp4", 30), ("mov", 30), ("m4a", nil)] as [(String, Int?)])
        func `each container holds what it should`(container: String, frames: Int?) throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })")
            let movie = try Movie(try studio.render(to: "out." + container))
            #expect(movie.frames == frames)
            #expect(abs(try #require(movie.soundDuration) - 1) < 1.0 / 30)
        }

        @Test(arguments: ["24000/1001", "25", "60"])
        func `the frame count is exactly duration times rate`(rate: String) throws {
            let studio = try Studio()
            let literal = rate.contains("/") ? rate.lua : rate
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })", size: (64, 64), fps: literal)
            let movie = try Movie(try studio.render())
            let parts = rate.split(separator: "/").compactMap { Double($0) }
            let perSecond = parts[0] / (parts.count > 1 ? parts[1] : 1)
            #expect(movie.frames == Int((3 * perSecond).rounded()))
            #expect(movie.picture?.frameRate == (rate.contains("/") ? rate : rate + "/1"))
            try expectEqualLengths(movie, perSecond)
        }

        @Test func `without an output's name the file gets a free one after the script`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_image(\(Footage.still.lua), { duration = 0.2 })", size: (64, 64), as: "my edit.lua")
            for expected in ["my edit.mp4", "my edit-2.mp4"] {
                let result = try studio.run(["render", "my edit.lua"])
                #expect(result.status == 0, "\(result)")
                #expect(result.text == studio.file(expected) + "\n")
                #expect(try Movie(studio.file(expected)).frames == 6)
            }
        }

        @Test func `progress goes up to the total and says what came from the cache`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            var outputs: [Data] = []
            for (round, cached) in [0, 3].enumerated() {
                let result = try studio.run(["render", "edit.lua", "-o", "\(round).mp4", "--progress", "json"])
                try #require(result.status == 0, "\(result)")
                let lines = try ProgressLines(result.text)
                #expect(lines.lines.first?.event == "started" && lines.lines.last?.event == "completed")
                #expect(Set(lines.progress.compactMap(\.stage)) == ["rendering", "assembling", "verifying"])
                for stage in ["rendering", "assembling", "verifying"] {
                    let done = lines.progress.filter { $0.stage == stage }.compactMap(\.done)
                    #expect(done == done.sorted() && done.last == 120, "\(stage): \(done)")
                }
                #expect(lines.progress.allSatisfy { $0.total == 120 })
                #expect(lines.last("completed")?.segments == 3)
                #expect(lines.last("completed")?.segmentsFromCache == cached)
                #expect(lines.last("completed")?.output == studio.file("\(round).mp4"))
                outputs.append(try Data(contentsOf: URL(fileURLWithPath: studio.file("\(round).mp4"))))
            }
            #expect(outputs[0] == outputs[1])
        }

        @Test func `a plan is for what the render would write`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            func plan(_ options: [String]) throws -> String {
                let result = try studio.run(["plan", "edit.lua"] + options)
                try #require(result.status == 0, "\(result)")
                return result.text
            }
            let usual = try plan([])
            #expect(try plan(["-o", "any.mp4"]) == usual)
            let other = try plan(["-o", "any.mkv", "--codec", "hevc"])
            #expect(other.contains("assemble: mkv") && other != usual)
            #expect(try studio.run(["plan", "edit.lua", "-o", "x.wav", "--codec", "hevc"]).status == 64)
        }

        @Test func `verbose tells of jobs and their workers`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--verbose", "--workers", "1"])
            try #require(result.status == 0, "\(result)")
            for part in ["job probe-1 started  (job probe-1, lease 1, worker w1)", "done after "] {
                #expect(result.stderr.contains(part), "\(result.stderr)")
            }
        }

        @Test func `a new title renders the touched segment alone`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            try studio.render(to: "first.mp4")
            try Self.edit(studio, title: "Two")
            let result = try studio.run(["render", "edit.lua", "-o", "second.mp4", "--progress", "json"])
            let completed = try #require(try ProgressLines(result.text).last("completed"), "\(result)")
            #expect(completed.segments == 3 && completed.segmentsFromCache == 2)
            let (first, second) = (
                try Shot.all(of: studio.file("first.mp4")), try Shot.all(of: studio.file("second.mp4"))
            )
            #expect(first[..<90] == second[..<90])
            #expect(first[100] != second[100])
        }

        @Test func `without the cache nothing is kept and the bytes are the same`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            try studio.render(to: "a.mp4", with: ["--no-cache"])
            #expect(studio.cachedParts == 0)
            try studio.render(to: "b.mp4")
            #expect(studio.cachedParts == 4)
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
        }

        @Test func `a damaged part of the cache is rendered again`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            try studio.render(to: "a.mp4")
            #expect(studio.cachedParts == 4)
            for path in studio.cacheEntries {
                var data = try Data(contentsOf: URL(fileURLWithPath: path))
                data[data.count / 2] ^= 0x55
                try data.write(to: URL(fileURLWithPath: path))
            }
            try studio.render(to: "b.mp4")
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
        }

        @Test(arguments: [true, false]) func `the index comes first unless the script says otherwise`(networkUse: Bool)
            throws
        {
            let studio = try Studio()
            let set = networkUse ? "" : "draft.export = { network_use = false }\n"
            try studio.script(set + "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 } })")
            let order = try boxes(of: try studio.render())
            let (index, data) = (try #require(order.firstIndex(of: "moov")), try #require(order.firstIndex(of: "mdat")))
            #expect((index < data) == networkUse, "\(order)")
        }

        @Test func `the export's settings are used`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 } })
                draft.export = {
                  container = "mov", video = { quality = 30, profile = "baseline", key_frame_interval = 5 },
                  audio = { channels = 1, sample_rate = 44100 },
                }
                """)
            let result = try studio.run(["render", "edit.lua"])
            try #require(result.status == 0, "\(result)")
            #expect(result.text == studio.file("edit.mov") + "\n")
            let movie = try Movie(studio.file("edit.mov"))
            #expect(movie.sound?.channels == 1 && movie.sound?.sampleRate == "44100")
            #expect(try FFmpeg.probe(studio.file("edit.mov"), "stream=profile").contains("Baseline"))
            let keys = try FFmpeg.probe(studio.file("edit.mov"), "frame=key_frame").split(separator: "\n")
            #expect(keys.enumerated().filter { $1.hasPrefix("1") }.map(\.offset) == [0, 5, 10])
        }

        private static let keyed = [("h264", "mp4"), ("hevc", "mp4"), ("vp9", "webm"), ("av1", "webm")]

        /// Neither cuts of clips nor changes of scene shift them.
        @Test(arguments: keyed.every(2), [25, 70]) func `key frames lie at multiples of the interval`(
            kind: (codec: String, container: String), interval: Int
        ) throws {
            let studio = try Studio()
            try studio.script(
                """
                for i = 0, 5 do
                  draft:add_clip(\(Footage.pattern.lua), { range = { i % 2, 0.5 + 0.1 * i }, volume = 0 })
                  draft:add_source("org.cutroom.gradient", { duration = 0.4 })
                end
                draft.export = {
                  container = "\(kind.container)",
                  video = { codec = "\(kind.codec)", key_frame_interval = \(interval) },
                }
                """, size: (96, 64))
            let path = try studio.render(to: "out.\(kind.container)")
            let keys = try FFmpeg.probe(path, "frame=key_frame").split(separator: "\n")
            #expect(keys.count == 207)
            #expect(
                keys.indices.filter { keys[$0].hasPrefix("1") } == Array(stride(from: 0, to: keys.count, by: interval)))
        }

        @Test func `the best quality loses nothing`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(Footage.indexed.lua), { range = { 0, 0.2 } })
                draft.export = { video = { quality = 0 } }
                """)
            let shots = try Shot.all(of: try studio.render())
            let source = try Shot.all(of: try Footage.indexed)
            #expect(shots.count == 6)
            for (shot, original) in zip(shots, source) { #expect(shot.luma == original.luma) }
        }

        private func expectEqualLengths(
            _ movie: Movie, _ rate: Double, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let picture = try #require(movie.pictureDuration, sourceLocation: sourceLocation)
            let sound = try #require(movie.soundDuration, sourceLocation: sourceLocation)
            #expect(
                abs(picture - sound) < 1 / rate, "picture \(picture) s, sound \(sound) s",
                sourceLocation: sourceLocation)
        }
    }
}
