import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What outlives a render, and how much of it.
    @Suite struct CacheTests {
        /// Two segments, a run of sound and the sound, told from other edits by their title.
        fileprivate static func edit(_ studio: Studio, _ title: String, as name: String = "edit.lua") throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua))
                draft:add_title(\(title.lua), { size = 24 })
                """, as: name)
        }

        struct Report: Decodable {
            var folder: String
            var bytes: Int
            var entries: Int
            var bound: Int
            var lastUse: String?
            var runningRenders: Int

            enum CodingKeys: String, CodingKey {
                case folder, bytes, entries, bound
                case lastUse = "last_use"
                case runningRenders = "running_renders"
            }
        }

        fileprivate static func report(_ studio: Studio) throws -> Report {
            let result = try studio.start(["cache", "--json"]).wait()
            try #require(result.succeeded, "\(result)")
            return try JSONDecoder().decode(Report.self, from: result.stdout)
        }

        private static func cachedCount(_ studio: Studio, _ script: String, with arguments: [String] = []) throws
            -> Int?
        {
            let result = try studio.run(
                ["render", script, "-o", "again.mp4", "--overwrite", "--progress", "json"] + arguments)
            try #require(result.succeeded, "\(result)")
            return try ProgressLines(result.text).last("completed")?.segmentsFromCache
        }

        @Test func `it says what it holds and can be cleared`() throws {
            let studio = try Studio()
            let empty = try Self.report(studio)
            #expect(empty.entries == 0 && empty.bytes == 0 && empty.lastUse == nil && empty.runningRenders == 0)
            #expect(empty.folder == studio.cache + "/cutroom")
            #expect(!FileManager.default.fileExists(atPath: empty.folder), "looking made a cache")
            #expect(try studio.run(["cache", "clear"]).text == "removed 0 entries, 0 bytes\n")
            try Self.edit(studio, "One")
            try studio.render()
            studio.environment["CUTROOM_CACHE_SIZE"] = "1.5G"
            let full = try Self.report(studio)
            #expect(full.entries == 4 && full.bound == 3 << 29 && full.lastUse != nil)
            #expect(full.bytes == Self.size(of: studio))
            let text = try studio.run(["cache"]).text
            for part in [full.folder, "in 4 entries, at most 1.5 GiB", "running renders: 0"] {
                #expect(text.contains(part), "no ‘\(part)’ in \(text)")
            }
            #expect(try studio.run(["cache", "clear"]).text.hasPrefix("removed 4 entries, "))
            #expect(try Self.report(studio).bytes == 0 && Self.size(of: studio) == 0)
            #expect(try Self.cachedCount(studio, "edit.lua") == 0)
        }

        private static let font = FileManager.default.enumerator(atPath: "/usr/share/fonts")?.lazy
            .compactMap { $0 as? String }.first { $0.hasSuffix(".ttf") }.map { "/usr/share/fonts/" + $0 }

        /// The title is in the first segment only. What follows a font's tables does not disturb
        /// it.
        @Test(.enabled(if: font != nil, "no font file is installed"))
        func `a changed font file is drawn anew`() throws {
            let studio = try Studio()
            var bytes = try #require(FileManager.default.contents(atPath: Self.font ?? ""))
            try bytes.write(to: URL(fileURLWithPath: studio.file("font.ttf")))
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua))
                draft:add_title("Hello", { font_file = "font.ttf", range = { 0, 1 } })
                """)
            try studio.render()
            #expect(try Self.cachedCount(studio, "edit.lua") == 2)
            bytes.append(0)
            try bytes.write(to: URL(fileURLWithPath: studio.file("font.ttf")))
            #expect(try Self.cachedCount(studio, "edit.lua") == 1)
            #expect(try Self.cachedCount(studio, "edit.lua") == 2)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect('org.cutroom.chroma_key', { image = 'key.png' })"
            )
            try FFmpeg.run(["-f", "lavfi", "-i", "color=red:size=16x16", "-frames:v", "1", studio.file("key.png")])
            #expect(try Self.cachedCount(studio, "edit.lua") == 0)
            #expect(try Self.cachedCount(studio, "edit.lua") == 2)
            try FFmpeg.run(["-f", "lavfi", "-i", "color=blue:size=16x16", "-frames:v", "1", studio.file("key.png")])
            #expect(try Self.cachedCount(studio, "edit.lua") == 0)
        }

        @Test func `what was not used for longest goes first`() throws {
            let studio = try Studio()
            // Pictures alone: all three would share the sound.
            for name in ["a", "b", "c"] {
                try studio.script(
                    "draft:add_clip(\(Footage.indexed.lua))\ndraft:add_title(\"\(name)\", { size = 24 })",
                    as: name + ".lua")
            }
            try studio.render("a.lua", to: "a.mp4")
            let one = try Self.report(studio).bytes
            try studio.render("b.lua", to: "b.mp4")
            #expect(try Self.cachedCount(studio, "a.lua") == 2)
            // Room for two and a bit: c takes the place of b, which is older than a by use only.
            studio.environment["CUTROOM_CACHE_SIZE"] = "\(one * 5 / 2)"
            try studio.render("c.lua", to: "c.mp4")
            #expect(try Self.report(studio).bytes <= one * 5 / 2)
            #expect(try Self.cachedCount(studio, "c.lua") == 2)
            #expect(try Self.cachedCount(studio, "a.lua") == 2)
            #expect(try #require(try Self.cachedCount(studio, "b.lua")) < 2)
        }

        @Test(arguments: ["10K"]) func `a render that is larger than the cache works`(size: String) throws {
            let studio = try Studio()
            try Self.edit(studio, "Large")
            try studio.render(to: "a.mp4", with: ["--no-cache"])
            for _ in 0..<2 {
                try studio.render(to: "b.mp4", with: ["--overwrite", "--cache-size", size])
                #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
                #expect(try Self.report(studio).bytes <= (size == "0" ? 0 : 10 << 10))
            }
            // A smaller bound takes away what an earlier render has left.
            try studio.render(to: "c.mp4")
            #expect(try Self.report(studio).entries == 4)
            try studio.render(to: "d.mp4", with: ["--cache-size", size])
            #expect(try Self.report(studio).bytes <= (size == "0" ? 0 : 10 << 10))
        }

        @Test(arguments: ["2X", "-1", "", "1e3", "inf", "9999999999T"]) func `a size that is none is refused`(
            size: String
        ) throws {
            let studio = try Studio()
            try Self.edit(studio, "One")
            let result = try studio.run(["render", "edit.lua", "-o", "a.mp4", "--cache-size=\(size)"])
            #expect(result.status == 64 && result.stderr.contains("500M"), "\(result)")
            #expect(result.stderr.contains("--cache-size") && !result.stderr.contains("CUTROOM_CACHE_SIZE’"))
            studio.environment["CUTROOM_CACHE_SIZE"] = size
            let show = try studio.run(["cache"])
            // An empty variable is none.
            #expect(show.status == (size.isEmpty ? 0 : 64), "\(show)")
            if !size.isEmpty { #expect(show.stderr.contains("$CUTROOM_CACHE_SIZE"), "\(show)") }
        }

        @Test func `a damaged run is mixed again where the sound is encoded`() throws {
            let studio = try Studio()
            // The same mix at two levels.
            for (name, loudness) in [("soft", -20), ("loud", -16)] {
                try studio.script(
                    "draft:add_clip(\(Footage.pattern.lua))\ndraft.loudness = \(loudness)", as: name + ".lua")
            }
            try studio.render("soft.lua", to: "a.mp4")
            let whole = try studio.run(["render", "loud.lua", "-o", "whole.mp4", "--no-cache"])
            try #require(whole.succeeded, "\(whole)")
            let run = try #require(studio.cacheEntries.first(where: Studio.isRun))
            var data = try Data(contentsOf: URL(fileURLWithPath: run))
            data[data.count / 2] ^= 0x55
            try data.write(to: URL(fileURLWithPath: run))
            let log = try studio.run(["render", "loud.lua", "-o", "b.mp4"])
            #expect(
                log.succeeded && log.stderr.contains("a damaged part is rendered again: ‘\(studio.cache)"), "\(log)")
            #expect(FileManager.default.contentsEqual(atPath: studio.file("whole.mp4"), andPath: studio.file("b.mp4")))
            #expect(try Data(contentsOf: URL(fileURLWithPath: run)) != data, "the damaged entry is replaced")
        }

        @Test func `only the damaged part is rendered again`() throws {
            let studio = try Studio()
            try Self.edit(studio, "One")
            try studio.render(to: "a.mp4")
            let before = Self.entries(of: studio).mapValues(\.inode)
            // While a file has another name its number is not given to a new one.
            for (number, entry) in before.keys.enumerated() {
                try FileManager.default.linkItem(atPath: entry, toPath: studio.file("kept-\(number)"))
            }
            let victim = try #require(studio.cacheEntries.first { !Studio.isRun($0) })
            var data = try Data(contentsOf: URL(fileURLWithPath: victim))
            data[data.count / 2] ^= 0x55
            try data.write(to: URL(fileURLWithPath: victim))
            let log = try studio.run(["render", "edit.lua", "-o", "b.mp4"])
            #expect(
                log.succeeded
                    && log.stderr.hasPrefix("cutroom: warning: a damaged part is rendered again: ‘\(studio.cache)"),
                "\(log)")
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
            let after = Self.entries(of: studio).mapValues(\.inode)
            #expect(before.filter { after[$0.key] != $0.value }.keys.sorted() == [victim, victim + ".json"])
            #expect(try Self.cachedCount(studio, "edit.lua") == 2)
        }

        @Test func `a cut off or missing part is rendered again`() throws {
            let studio = try Studio()
            try Self.edit(studio, "One")
            try studio.render(to: "a.mp4")
            // A cached sound needs no runs.
            let parts = Self.entries(of: studio).keys.sorted().filter { !Studio.isRun($0.replacing(".json", with: "")) }
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: parts[0]))
            try FileManager.default.removeItem(atPath: parts[2])
            try Data("{".utf8).write(to: URL(fileURLWithPath: parts[5]))
            try studio.render(to: "b.mp4")
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
            #expect(try Self.report(studio).entries == 4)
        }

        @Test func `what a killed render has left goes with the next one, what a running one has stays`() throws {
            let studio = try Studio()
            try studio.script(
                "for i = 1, 5 do draft:add_clip(\(Footage.pattern.lua)) end\ndraft:add_effect(\"org.cutroom.vignette\", {})",
                size: (480, 270), as: "long.lua")
            try Self.edit(studio, "Short")
            let parts = studio.cache + "/cutroom/parts"
            let killed = try studio.start(["render", "long.lua", "-o", "killed.mp4"])
            try #require(Command.until { studio.cachedParts >= 1 })
            killed.send(SIGKILL)
            _ = killed.wait()
            let left = try FileManager.default.contentsOfDirectory(atPath: parts)
            #expect(left.count == 1)
            let running = try studio.start(["render", "long.lua", "-o", "long.mp4"])
            // Its own folder comes first, then what is left goes.
            func its() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: parts)) ?? [] }
            #expect(Command.until { its().count == 1 && its() != left }, "\(its()), \(left)")
            #expect(try Self.report(studio).runningRenders == 1)
            let short = try studio.start(["render", "edit.lua", "-o", "short.mp4"]).wait()
            #expect(short.succeeded, "\(short)")
            // The cache may go away under a render, too.
            #expect(try studio.start(["cache", "clear"]).wait().succeeded)
            let end = running.wait(timeout: 120)
            #expect(end.succeeded, "\(end)")
            studio.expectClean()
            try studio.render("long.lua", to: "reference.mp4", with: ["--no-cache"])
            #expect(
                FileManager.default.contentsEqual(
                    atPath: studio.file("long.mp4"), andPath: studio.file("reference.mp4")))
        }

        @Test func `logs of crashed workers are bounded, and cleared`() throws {
            let studio = try Studio()
            let logs = studio.cache + "/cutroom/logs"
            try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
            for index in 0..<30 {
                try Data("old".utf8).write(to: URL(fileURLWithPath: "\(logs)/worker-\(index)-w1.log"))
            }
            try Fixture.plugin("crash", as: "crash", in: studio)
            try Self.edit(studio, "One")
            try studio.script("draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect('test.crash', { frame = 1 })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--verbose", "--workers", "1"])
            #expect(result.status == 70, "\(result)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: logs).count == 20)
            #expect(try studio.run(["cache", "clear"]).succeeded && !FileManager.default.fileExists(atPath: logs))
        }

        // MARK: A cache that cannot be used

        @Test func `a cache that cannot be written to is a warning`() throws {
            let studio = try Studio()
            try Self.edit(studio, "One")
            try studio.render(to: "a.mp4")
            studio.environment["TMPDIR"] = studio.runtime
            let folder = studio.cache + "/cutroom"
            let names = [folder, folder + "/parts", folder + "/entries", folder + "/lock"]
            for name in names { chmod(name, name.hasSuffix("lock") ? 0o444 : 0o555) }
            defer { for name in names { chmod(name, 0o755) } }
            let render = try studio.run(["render", "edit.lua", "-o", "b.mp4"], through: Studio.asNobody)
            #expect(render.succeeded, "\(render)")
            #expect(
                render.stderr.contains("warning: ") && render.stderr.contains("\(folder)/lock")
                    && render.stderr.contains("Permission denied"), "\(render)")
            #expect(render.stderr.split(separator: "\n").count == 1 && !render.stderr.contains("Cocoa"), "\(render)")
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
            let silent = try studio.run(["render", "edit.lua", "-o", "c.mp4", "--no-cache"], through: Studio.asNobody)
            #expect(silent.succeeded && silent.stderr == "", "\(silent)")
            let show = try studio.run(["cache"], through: Studio.asNobody)
            #expect(show.succeeded && show.text.contains("in 4 entries"), "\(show)")
            let clear = try studio.run(["cache", "clear"], through: Studio.asNobody)
            #expect(clear.status == 74 && clear.stderr.contains("Permission denied"), "\(clear)")
        }

        @Test func `a file in the cache's place is a warning`() throws {
            let studio = try Studio()
            try Self.edit(studio, "One")
            studio.environment["TMPDIR"] = studio.runtime
            studio.environment["XDG_CACHE_HOME"] = studio.file("edit.lua")
            let render = try studio.run(["render", "edit.lua", "-o", "a.mp4"])
            #expect(render.succeeded && render.stderr.contains("Not a directory"), "\(render)")
            let silent = try studio.run(["render", "edit.lua", "-o", "b.mp4", "--no-cache"])
            #expect(silent.succeeded && silent.stderr == "", "\(silent)")
        }

        @Test func `a render without a cache leaves the cache alone`() throws {
            let studio = try Studio()
            try Self.edit(studio, "One")
            studio.environment["TMPDIR"] = studio.runtime
            try studio.render(with: ["--no-cache"])
            #expect(!FileManager.default.fileExists(atPath: studio.cache + "/cutroom"))
            studio.environment["TMPDIR"] = studio.file("nowhere")
            let result = try studio.run(["render", "edit.lua", "-o", "b.mp4", "--no-cache"])
            #expect(result.status == 73 && result.stderr.contains("nowhere"), "\(result)")
        }

        // MARK: Many at once

        // MARK: What is there

        private static func entries(of studio: Studio) -> [String: (size: Int, inode: UInt)] {
            let folder = studio.cache + "/cutroom/entries"
            var result: [String: (size: Int, inode: UInt)] = [:]
            for name in FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [] {
                var info = stat()
                guard lstat("\(folder)/\(name)", &info) == 0, info.st_mode & S_IFMT == S_IFREG else { continue }
                result["\(folder)/\(name)"] = (Int(info.st_size), info.st_ino)
            }
            return result
        }

        /// Bytes in blocks of 4 KiB.
        fileprivate static func size(of studio: Studio) -> Int {
            entries(of: studio).values.reduce(0) { $0 + ($1.size + 4095) / 4096 * 4096 }
        }

        @Suite struct Sweep {
            @Test func `twenty renders at once share a cache that is too small for them`() throws {
                let studio = try Studio()
                let edits = 5
                for edit in 0..<edits {
                    try CacheTests.edit(studio, "Edit \(edit)", as: "\(edit).lua")
                    try studio.render("\(edit).lua", to: "\(edit).mp4", with: ["--no-cache"])
                }
                // One edit's parts and a bit: every render pushes out what others are using.
                try studio.render("0.lua", to: "size.mp4")
                let bound = try CacheTests.report(studio).bytes * 3 / 2
                studio.environment["CUTROOM_CACHE_SIZE"] = "\(bound)"
                let renders = try (0..<20).map { index in
                    try studio.start(["render", "\(index % edits).lua", "-o", "at-once-\(index).mp4", "--workers", "1"])
                }
                var largest = 0
                var samples = 0
                while renders.contains(where: \.isRunning) {
                    largest = max(largest, CacheTests.size(of: studio))
                    samples += 1
                    usleep(2000)
                }
                #expect(samples > 20)
                #expect(largest > 0 && largest <= bound, "the cache had \(largest) of \(bound) bytes")
                for (index, render) in renders.enumerated() {
                    let end = render.wait(timeout: 300)
                    #expect(end.succeeded, "\(end)")
                    let (wanted, found) = (studio.file("\(index % edits).mp4"), studio.file("at-once-\(index).mp4"))
                    #expect(FileManager.default.contentsEqual(atPath: wanted, andPath: found), "render \(index)")
                }
                studio.expectClean()
                let report = try CacheTests.report(studio)
                #expect(report.bytes == CacheTests.size(of: studio) && report.bytes <= bound && report.entries >= 1)
            }

            @Test func `a render without a cache of any size works`() throws {
                try CacheTests().`a render that is larger than the cache works`(size: "0")
            }
        }
    }
}
