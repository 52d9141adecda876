import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Clips that play backwards.
    @Suite struct ReverseTests {
        /// The frames' numbers in the output of one clip of `Footage.indexed`: 30 fps, 120 frames.
        private static func frames(_ options: String, after: String = "", fps: String = "30", studio: Studio? = nil)
            throws -> [Int]
        {
            let studio = try studio ?? Studio()
            try studio.script("draft:add_clip(\(try Footage.indexed.lua), { \(options) })\n\(after)", fps: fps)
            return try FrameCode.indexes(of: try studio.render(with: ["--overwrite"])).map { try #require($0) }
        }

        @Test func `equal rates show the same frames in reverse order`() throws {
            let forward = try Self.frames("range = { 0.5, 2 }")
            #expect(forward == Array(15..<75))
            #expect(try Self.frames("range = { 0.5, 2 }, reverse = true") == forward.reversed())
            // All of it, to the very first and last frame.
            #expect(try Self.frames("reverse = true") == (0..<120).reversed())
        }

        @Test func `reversed twice is as it was`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(try Footage.indexed.lua), { range = { 1, 2 }, reverse = true })", as: "once.lua")
            try studio.script("draft:add_clip('once.mp4', { reverse = true })", as: "twice.lua")
            try studio.render("once.lua", to: "once.mp4")
            #expect(try FrameCode.indexes(of: try studio.render("twice.lua", to: "twice.mp4")) == Array(30..<90))
        }

        @Test(arguments: [(1.5, 80), (0.75, 160)])
        func `speed is the mirror of forwards`(speed: Double, count: Int) throws {
            let forwards = try Self.frames("range = { 0, 4 }, speed = \(speed)")
            // The last frame before the middle of each output frame.
            let wanted: [Int] = (0..<count).map { frame in
                let middle: Double = (Double(frame) + 0.5) * speed
                return Int((middle - 1e-6).rounded(.up)) - 1
            }
            #expect(forwards == wanted)
            #expect(try Self.frames("range = { 0, 4 }, speed = \(speed), reverse = true") == forwards.reversed())
        }

        @Test func `another frame rate, a part and a repetition are too`() throws {
            #expect(
                try Self.frames("range = { 1, 2 }, reverse = true", fps: "25")
                    == Self.frames("range = { 1, 2 }", fps: "25").reversed())
            let all = Array((30..<90).reversed())
            #expect(
                try Self.frames("range = { 1, 2 }, reverse = true", after: "draft.time_range = { 0.5, 1 }")
                    == Array(all[15..<45]))
            let (once, again) = (Array(all[0..<30]), Array(all[15..<30]))
            let repeated: [Int] = [once, again, again, Array(all[30...])].flatMap(\.self)
            #expect(
                try Self.frames(
                    "range = { 1, 2 }, reverse = true",
                    after: "draft:add_effect('repeat', { range = { 0.5, 0.5 }, count = 3 })")
                    == repeated)
            #expect(
                try Self.frames("range = { 1, 2 }, reverse = true", after: "draft:add_effect('speed', { factor = 2 })")
                    == stride(from: 88, through: 30, by: -2).map(\.self))
        }

        @Test func `a transition joins what plays backwards and what plays forwards`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(try Footage.indexed.lua), { range = { 0, 2 }, reverse = true })
                draft:add_clip(\(try Footage.indexed.lua), { range = { 2, 2 }, transition = { "wipe_left", 0.5 } })
                draft:add_clip(\(try Footage.indexed.lua), { range = { 1, 1 }, reverse = true })
                """)
            let found = try FrameCode.indexes(of: try studio.render()).map { try #require($0) }
            try #require(found.count == 135)
            #expect(found[..<45].elementsEqual((15..<60).reversed()))
            #expect(found[60..<105].elementsEqual(75..<120))
            #expect(found[105...].elementsEqual((30..<60).reversed()))
        }

        @Test func `any number of workers gives the same bytes, and a document what its script does`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Footage.pattern.lua), { reverse = true, speed = 0.5 })")
            try studio.render(to: "1.mp4", with: ["--no-cache", "--workers", "1"])
            try studio.render(to: "3.mp4", with: ["--no-cache", "--workers", "3"])
            #expect(FileManager.default.contentsEqual(atPath: studio.file("1.mp4"), andPath: studio.file("3.mp4")))
            let saved = try studio.run(["save", "edit.lua", "-o", "edit.cutroom"])
            #expect(saved.succeeded, "\(saved)")
            try studio.render("edit.cutroom", to: "d.mp4", with: ["--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: studio.file("1.mp4"), andPath: studio.file("d.mp4")))
        }

        /// 30 frames of 1080p in one group: ten of a file fit into memory, 21 of a draft.
        @Test(arguments: ["", "cutroom.draft"]) func `frames from disk are the decoded ones`(_ wrap: String) throws {
            let media = try Footage.made(
                "group1080.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=10:duration=3", "-pix_fmt", "yuv420p",
                    "-c:v", "libx264", "-preset", "ultrafast", "-g", "250",
                ])
            let studio = try Studio()
            let clip = wrap.isEmpty ? media.lua : "\(wrap)({ \(media.lua) }, { size = { 1920, 1080 }, fps = 10 })"
            func frames(_ options: String, _ name: String) throws -> [Substring] {
                try studio.script(
                    """
                    draft:add_clip(\(clip), { \(options) })
                    draft.export = { video = { quality = 0, preset = "ultrafast" } }
                    """, size: (1920, 1080), fps: "10")
                let path = try studio.render(to: name, with: ["--no-cache", "--workers", "1"])
                let list = try Command.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-"])
                return list.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
                    $0.split(separator: ",").last
                }
            }
            let forwards = try frames("", "forwards.mp4")
            #expect(Set(forwards).count == 30)
            #expect(try frames("reverse = true", "backwards.mp4") == forwards.reversed())
        }

        /// A worker is killed while it has frames on disk: it leaves nothing, and its part is made
        /// again.
        @Test(.enabled(if: Disk.isLocal, "temporary files lie in memory here, where no frames are put"))
        func `a killed worker leaves no frames behind`() throws {
            let media = try Footage.made(
                "long1080.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30:duration=4", "-pix_fmt", "yuv420p",
                    "-c:v", "libx264", "-preset", "ultrafast", "-g", "250",
                ])
            let studio = try Studio()
            try studio.script("draft:add_clip(\(media.lua), { reverse = true })")
            try studio.render(to: "wanted.mp4", with: ["--no-cache"])
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4", "--workers", "1"])
            var holder: pid_t?
            let isFound = Command.until(timeout: 60) {
                holder = studio.workers.first { Disk.unnamedBytes(in: studio.cache, of: $0) > 10 << 20 }
                return holder != nil || !render.isRunning
            }
            let victim = try #require(holder, "\(isFound): no frames were seen on disk; \(render.wait(timeout: 1))")
            kill(victim, SIGKILL)
            #expect(Command.until(timeout: 10) { !studio.workers.contains(victim) })
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)")
            studio.expectClean()
            let left = FileManager.default.enumerator(atPath: studio.cache)?.allObjects as? [String] ?? []
            #expect(!left.contains { $0.contains(".pictures") }, "\(left)")
            #expect(
                FileManager.default.contentsEqual(atPath: studio.file("wanted.mp4"), andPath: studio.file("out.mp4")))
        }

        @Test func `an image cannot be reversed`() throws {
            let studio = try Studio()
            try studio.script("draft:add_image(\(try Footage.still.lua), { duration = 1, reverse = true })")
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 65 && result.stderr.contains("an image has no ‘reverse’"), "\(result)")
        }

        // MARK: Sound

        /// A tone that rises, so that no part is like another.
        private static var sweep: String {
            get throws {
                try Footage.made(
                    "sweep.mov",
                    [
                        "-f", "lavfi", "-i", "color=black:size=64x64:rate=30:duration=4", "-f", "lavfi", "-i",
                        "aevalsrc='0.5*sin(2*PI*(200*t+150*t*t))':sample_rate=48000:duration=4", "-c:v", "libx264",
                        "-preset",
                        "ultrafast", "-c:a", "pcm_s16le",
                    ])
            }
        }

        private static func sound(_ options: String, of media: String) throws -> [Float] {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(media.lua), { \(options) })\ndraft.export = { audio = { channels = 1, bit_rate = 192000 } }",
                size: (64, 64))
            return try Sound(of: try studio.render()).samples
        }

        @Test func `sound is mirrored to the sample`() throws {
            let forward = try Self.sound("range = { 0.5, 3 }", of: try Self.sweep)
            let backward = try Self.sound("range = { 0.5, 3 }, reverse = true", of: try Self.sweep)
            #expect(forward.count >= 144_000 && backward.count == forward.count)
            let mirrored = Array(backward[..<144_000].reversed())
            func likeness(_ lag: Int) -> Double {
                var (product, a, b) = (0.0, 0.0, 0.0)
                for index in 2000..<142_000 {
                    let (x, y) = (Double(forward[index]), Double(mirrored[index + lag]))
                    (product, a, b) = (product + x * y, a + x * x, b + y * y)
                }
                return product / (a * b).squareRoot()
            }
            let lags = (-3...3).map(likeness)
            #expect(lags[3] > 0.999, "\(lags)")
            #expect(lags.enumerated().allSatisfy { $0.offset == 3 || $0.element < lags[3] }, "\(lags)")
        }

        @Test(arguments: [1.5])
        func `at another speed clicks are where they belong and the pitch stays`(speed: Double) throws {
            let clicks = try Footage.made(
                "clicks.mov",
                [
                    "-f", "lavfi", "-i", "color=black:size=64x64:rate=30:duration=4", "-f", "lavfi", "-i",
                    "aevalsrc='if(lt(mod(t,1),0.002),0.9*sin(2*PI*2000*mod(t,1)),0)':sample_rate=48000:duration=4",
                    "-c:v",
                    "libx264", "-preset", "ultrafast", "-c:a", "pcm_s16le",
                ])
            let found = Sound(try Self.sound("speed = \(speed), reverse = true", of: clicks)).onsets(above: 0.3)
            // A click at second s lasts 2 ms, and its end is heard first.
            let wanted = [3.0, 2, 1].map { (4 - $0) / speed - 0.002 }
            #expect(found.count >= 3)
            for (found, wanted) in zip(found, wanted) { #expect(abs(found - wanted) < 0.004, "\(found) for \(wanted)") }
            let tone = Sound(try Self.sound("speed = \(speed), reverse = true", of: try Footage.pattern))
            #expect(abs(tone.frequency(0.5, 1) - 440) < 2)
        }

        // MARK: Memory

        /// More speeds, and sixty frames of 4K.
        @Suite struct Sweep {
            @Test(arguments: [(2.0, 60), (1.5, 80), (0.5, 240), (0.75, 160)])
            func `speed is the mirror of forwards`(speed: Double, count: Int) throws {
                try ReverseTests().`speed is the mirror of forwards`(speed: speed, count: count)
            }

            @Test(arguments: [0.5, 1.5, 2])
            func `at another speed clicks are where they belong and the pitch stays`(speed: Double) throws {
                try ReverseTests().`at another speed clicks are where they belong and the pitch stays`(speed: speed)
            }

            /// Sixty frames of 4K without a key frame between them are 750 MB decoded.
            @Test(.enabled(if: !Sanitizer.isActive, Sanitizer.countsItself))
            func `a long group of large pictures does not fill the memory`() throws {
                let large = try Footage.made(
                    "large.mp4",
                    [
                        "-f", "lavfi", "-i", "testsrc2=size=3840x2160:rate=30", "-frames:v", "60", "-c:v", "libx264",
                        "-preset",
                        "ultrafast", "-g", "250", "-pix_fmt", "yuv420p",
                    ])
                let studio = try Studio()
                try studio.script(
                    "draft:add_clip(\(large.lua), { reverse = true })\ndraft.time_range = { 0, 0.5 }", size: (320, 180))
                let (end, peak) = try EndToEnd.renderMeasured(studio, workers: 1, timeout: 120)
                #expect(end.succeeded, "\(end)")
                #expect(peak > 0 && peak <= 300_000, "a worker had \(peak / 1000) MB")
                #expect(try Movie(studio.file("out.mp4")).frames == 15)
            }
        }
    }
}

/// The disk of temporary files, and what processes have open on it.
private enum Disk {
    /// It is no tmpfs.
    static let isLocal =
        (try? Command.run(["stat", "-f", "-c", "%T", NSTemporaryDirectory()]))?.text.contains("tmpfs") == false

    /// The size of the files without a name that a process has open below a folder.
    static func unnamedBytes(in folder: String, of process: pid_t) -> Int {
        let descriptors = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
        return names.reduce(0) { sum, name in
            let path = "\(descriptors)/\(name)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.hasPrefix(folder), target.hasSuffix(" (deleted)")
            else { return sum }
            var info = stat()
            return stat(path, &info) == 0 ? sum + Int(info.st_size) : sum
        }
    }
}
