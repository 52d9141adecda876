import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Plugins that look around, warm up, join clips or are not sure of themselves, in real
    /// renders.
    @Suite struct PluginKindTests {
        /// Luma of each frame's row in the middle.
        static func rows(of path: String) throws -> [[Int]] {
            let frames = try FFmpeg.run([
                "-i", path, "-vf", "extractplanes=y", "-f", "rawvideo", "-pix_fmt", "gray", "-",
            ]).stdout
            return stride(from: 0, to: frames.count, by: 64 * 64).map { start in
                frames[(start + 32 * 64)..<(start + 33 * 64)].map { Int($0) }
            }
        }

        @Test func `a filter sees the frames around its own, across segments, up to its range's ends`() throws {
            let studio = try Studio()
            try Fixture.plugin("around", as: "around", in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.ramp.lua))
                draft:add_effect("test.around", { range = { 1, 4 } })
                """, size: (64, 64))
            let rows = try Self.rows(of: try studio.render(with: ["--quality", "0"]))
            try #require(rows.count == 200)
            for (frame, row) in rows.enumerated() {
                // What the effect sees in each column.
                let around = (0..<64).map { column -> Int in
                    let other = frame - 2 + column * 6 / 64
                    return (30..<150).contains(frame) ? ((30..<150).contains(other) ? 20 + other : 16) : 20 + frame
                }
                #expect(row == around, "frame \(frame)")
            }
        }

        /// On a clip and on the timeline. The fixture looks, and fails where something is not so.
        @Test(arguments: ["YUV420P8", "RGBA8", "RGBAF32"])
        func `every field of a frame is set, and calls come one at a time`(format: String) throws {
            let studio = try Studio()
            try Fixture.plugin("fields", ["FIXTURE_FORMATS=CUTROOM_FORMAT_\(format)"], as: "fields", in: studio)
            try studio.script(
                """
                local uses = { { "test.fields", { range = { 0.2, 0.4 } } } }
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.8 }, effects = uses })
                draft:add_effect("test.fields", { range = { 0.2, 0.4 } })
                """, size: (64, 48), fps: "25")
            try studio.render()
        }

        /// Black over a sticker and a repeat that are added after it.
        @Test func `a pass-through effect acts on the whole of what everything else has made`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", as: "misbehaves", in: studio)
            let white = try Footage.made("white.png", ["-f", "lavfi", "-i", "color=white:size=8x8", "-frames:v", "1"])
            for passes in [true, false] {
                try studio.script(
                    """
                    draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 3 } })
                    draft:add_effect("test.misbehaves", { pass_through = \(passes) })
                    draft:add_effect("sticker", { image = \(white.lua), rect = { 0, 0, 64, 64 } })
                    draft:add_effect("repeat", { count = 2 })
                    """, size: (64, 64))
                let rows = try Self.rows(of: try studio.render(to: "\(passes).mp4", with: ["--quality", "0"]))
                #expect(rows.count == 180 && rows.allSatisfy { $0.allSatisfy { $0 == (passes ? 16 : 235) } })
            }
        }

        /// A photo is shown by many frames. Each shipped transition passes it on in its first one,
        /// and what comes after may write in place.
        @Test(arguments: ["org.cutroom.circle_open", "dissolve"])
        func `what acts on a transition leaves a photo as it is`(transition: String) throws {
            let studio = try Studio()
            let grey = try Footage.made(
                "grey.png", ["-f", "lavfi", "-i", "color=0xc8c8c8:size=64x64", "-frames:v", "1"])
            try studio.script(
                """
                draft:add_image(\(grey.lua), { duration = 2 })
                draft:add_image(\(grey.lua), { duration = 2, transition = { kind = "\(transition)", duration = 1 } })
                draft:add_effect("org.cutroom.vignette", { strength = 0.4 })
                """, size: (64, 64))
            let rows = try Self.rows(of: try studio.render(with: ["--quality", "0", "--workers", "1"]))
            try #require(rows.count == 90)
            // Mixing two equal pictures may round.
            for (frame, row) in rows.enumerated() {
                #expect(zip(row, rows[0]).allSatisfy { abs($0 - $1) <= 1 }, "frame \(frame): \(row)")
            }
        }

        /// The frames around are those of the output: where it goes back, what came before is what
        /// was shown before.
        @Test func `a filter sees past the seam of a repeat what is shown there`() throws {
            let studio = try Studio()
            try Fixture.plugin("around", as: "around", in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.ramp.lua))
                draft:add_effect("test.around", {})
                draft:add_effect("repeat", { count = 2, range = { 50/30, 30/30 } })
                """, size: (64, 64))
            let rows = try Self.rows(of: try studio.render(with: ["--quality", "0"]))
            try #require(rows.count == 230)
            for (frame, row) in rows.enumerated() {
                let around = (0..<64).map { column -> Int in
                    let other = frame - 2 + column * 6 / 64
                    return (0..<230).contains(other) ? 20 + (other < 80 ? other : other - 30) : 16
                }
                #expect(row == around, "frame \(frame)")
            }
        }

        /// Two windows, one on the other's pictures, on a clip and on the timeline; and the same
        /// for any number of workers.
        @Test func `windows add up`() throws {
            let studio = try Studio()
            try Fixture.plugin("around", as: "around", in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.ramp.lua), { effects = { { "test.around", {} } } })
                draft:add_effect("test.around", {})
                """, size: (64, 64))
            let one = try studio.render(to: "one.mp4", with: ["--quality", "0", "--workers", "1"])
            try studio.emptyCache()
            let three = try studio.render(to: "three.mp4", with: ["--quality", "0", "--workers", "3"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: one)) == Data(contentsOf: URL(fileURLWithPath: three)))
            let rows = try Self.rows(of: one)
            try #require(rows.count == 200)
            for frame in 0..<200 {
                // The middle column of the inner effect's picture is that of the frame after the
                // current one.
                let right = (0..<64).map { column -> Int in
                    let outer = frame - 2 + column * 6 / 64
                    guard (0..<200).contains(outer) else { return 16 }
                    return (0..<200).contains(outer + 1) ? 20 + outer + 1 : 16
                }
                #expect(rows[frame] == right, "frame \(frame)")
            }
        }

        @Test func `what warms up is cut into segments and shows the same`() throws {
            let studio = try Studio()
            try Fixture.plugin("trail", as: "trail", in: studio)
            try Fixture.plugin(
                "trail", ["TRAIL_STATE=CUTROOM_STATE_SEQUENTIAL", "TRAIL_ID=\"test.whole\""], as: "whole", in: studio)
            func rows(_ effect: String, _ output: String) throws -> [[Int]] {
                try studio.script(
                    """
                    draft:add_clip(\(try Footage.ramp.lua))
                    draft:add_effect("\(effect)", { range = { 0.5, 6 } })
                    """, size: (64, 64))
                return try Self.rows(of: try studio.render(to: output, with: ["--quality", "0"]))
            }
            func segments() throws -> Int {
                let plan = try studio.run(["plan", "edit.lua", "--json"])
                return plan.text.components(separatedBy: "\"firstFrame\"").count - 1
            }
            let warm = try rows("test.trail", "warm.mp4")
            let parts = try segments()
            let whole = try rows("test.whole", "whole.mp4")
            #expect(parts > (try segments()))
            #expect(warm == whole)
            // After the first frames the mean of eight rising by one lies 3.5 behind.
            #expect(whole[100][0] == 20 + 100 - 4)
        }

        /// A snapshot of one frame warms up too.
        @Test func `a snapshot under an effect that warms up is the rendered frame`() throws {
            let studio = try Studio()
            try Fixture.plugin("trail", as: "trail", in: studio)
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua))\ndraft:add_effect(\"test.trail\", {})", size: (64, 64))
            let result = try studio.run(["cover", "edit.lua", "-o", "cover.png", "--at", "4"])
            try #require(result.status == 0, "\(result)")
            let gray = try FFmpeg.grayFrames(of: studio.file("cover.png"), width: 64, height: 64)[0][0]
            // Frame 120 is luma 140, and the mean 136, of 16 … 235.
            let wanted: Int = (136 - 16) * 255 / 219
            #expect(abs(Int(gray) - wanted) <= 1)
        }

        @Test func `a plugin's transition joins two clips, with animated parameters`() throws {
            let studio = try Studio()
            try Fixture.plugin("split", as: "split", in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 2 } })
                draft:add_clip(\(try Footage.ramp.lua), { range = { 3, 2 },
                  transition = { kind = "test.split", duration = 1, lift = { { 0, 0 }, { 1, 30 } } } })
                """, size: (64, 64))
            let rows = try Self.rows(of: try studio.render(with: ["--quality", "0"]))
            try #require(rows.count == 90)
            for frame in 30..<60 {
                let edge = Int(Double(frame - 30) / 30 * 64)
                let right = (0..<64).map { column in column < edge ? 20 + 90 + (frame - 30) + (frame - 30) : 20 + frame
                }
                #expect(rows[frame] == right, "frame \(frame)")
            }
        }

        /// Half of the picture is old, half is its negative.
        @Test func `a transition's picture shows it half way`() throws {
            let studio = try Studio()
            try Fixture.plugin("split", as: "split", in: studio)
            let result = try studio.run(["plugin", "info", "test.split", "--picture", "split.png"])
            try #require(result.status == 0, "\(result)")
            let gray = try FFmpeg.grayFrames(of: studio.file("split.png"), width: 640, height: 360)[0]
            // In the ramp from black to white, at 1/4 and 3/4: 1 − 1/4, and 3/4.
            let row = 280 * 640
            #expect(
                abs(Int(gray[row + 160]) - 191) < 6 && abs(Int(gray[row + 480]) - 191) < 6,
                "\(gray[row + 160]) \(gray[row + 480])")
        }

        @Test func `mistakes about a plugin's transition are told`() throws {
            let studio = try Studio()
            try Fixture.plugin("split", as: "split", in: studio)
            for (transition, sentence) in [
                (
                    "{ 'test.spilt', 1 }",
                    "clip 2, transition: no plugin has an effect ‘test.spilt’; did you mean ‘test.split’?"
                ),
                ("{ 'org.cutroom.vignette', 1 }", "‘org.cutroom.vignette’ is a filter, but a transition is needed"),
                ("{ kind = 'test.split', duration = 1, lift = 200 }", "‘lift’ is 200, but must lie between 0 and 100"),
                ("{ kind = 'test.split', duration = 1, lit = 2 }", "has no parameter ‘lit’; did you mean ‘lift’?"),
            ] {
                try studio.script(
                    "draft:add_clip(\(try Footage.ramp.lua))\ndraft:add_clip(\(try Footage.ramp.lua), { transition = \(transition) })"
                )
                let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
                #expect(result.status == 65 && result.stderr.contains(sentence), "\(result)")
            }
            try studio.script("draft:add_clip(\(try Footage.ramp.lua))\ndraft:add_effect('test.split', {})")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(
                result.status == 65
                    && result.stderr.contains("‘test.split’ is a transition, but a filter or an audio filter is needed"),
                "\(result)")
        }

        /// What is the same on this machine is as good as what is the same everywhere: the cache
        /// does not leave it.
        @Test(arguments: [("NONE", 2), ("MACHINE", 3), ("EXACT", 3)])
        func `what may differ from run to run is not kept`(determinism: String, kept: Int) throws {
            let studio = try Studio()
            try Fixture.plugin(
                "around", ["FIXTURE_DETERMINISM=CUTROOM_DETERMINISM_\(determinism)"], as: "around", in: studio)
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua))\ndraft:add_effect(\"test.around\", { range = { 0, 1 } })",
                size: (64, 64))
            for found in [0, kept] {
                let result = try studio.run([
                    "render", "edit.lua", "-o", "out.mp4", "--overwrite", "--progress", "json",
                ])
                try #require(result.status == 0, "\(result)")
                // The first of three segments shows the effect.
                #expect(studio.cachedParts == kept)
                #expect(try ProgressLines(result.text).last("completed")?.segmentsFromCache == found, "\(result)")
            }
        }
    }
}
