import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Drafts in drafts: what is seen and heard of them.
    @Suite struct NestedDraftTests {
        private static let (red, blue) = (Shot.RGB(0xc03028), Shot.RGB(0x2848b0))

        private func shots(_ body: String) throws -> [Shot] {
            let studio = try Studio()
            try studio.script(body)
            return try Shot.all(of: try studio.render())
        }

        @Test func `a draft runs at its own rate, forwards and backwards`() throws {
            let shown = try shots(
                """
                local card = cutroom.draft({ \(Footage.indexed.lua) }, { fps = 10 })
                draft:add_clip(card, { range = { 0, 1 } })
                draft:add_clip(card, { range = { 1, 1 }, reverse = true, speed = 2 })
                draft:add_clip(cutroom.draft(card), { range = { 2, 0.5 } })
                """
            ).map(\.index)
            // Frame k shows what is on at its own middle.
            func index(_ k: Int) -> Int { 3 * k + 1 }
            let forwards = (0..<30).map { index($0 / 3) }
            let backwards = (0..<15).map { index(19 - (2 * $0 + 1) / 3) }
            #expect(shown == forwards + backwards + (0..<15).map { index(20 + $0 / 3) })
        }

        @Test func `what is empty is seen through, three drafts deep`() throws {
            let shown = try shots(
                """
                local half = cutroom.draft { size = { 80, 48 }, fps = 15, duration = 2 }
                half:add_layer(\(Footage.solid("0xc03028").lua), { size = { "50%", "100%" }, position = "left", mode = "stretch" })
                local faint = cutroom.draft { size = { 160, 96 }, fps = 25, duration = 2 }
                faint:add_layer(half, { opacity = 0.5 })
                local page = cutroom.draft({ faint }, { size = { 320, 192 }, fps = 10 })
                draft.background = "white"
                draft:add_clip(\(Footage.solid("0x2848b0").lua), { range = { 0, 1 } })
                draft:add_clip(page, { range = { 0, 0.5 } })
                draft:add_clip(cutroom.draft({ faint }, { background = "black" }), { range = { 0, 0.5 } })
                draft:add_layer(page, { range = { 0, 1 } })
                """)
            try #require(shown.count == 60)
            for (frame, ground) in [(15, Self.blue), (40, Shot.RGB(0xffffff)), (55, Shot.RGB(0))] {
                let (left, right) = (shown[frame].mean(8, 8, 56, 80), shown[frame].mean(96, 8, 56, 80))
                #expect(left.distance(ground.mixed(Self.red, 0.5)) < 5, "frame \(frame): \(left)")
                #expect(right.distance(ground) < 4, "frame \(frame): \(right)")
            }
        }

        /// A background that is not opaque lies over what is below the draft, in bars beside a clip
        /// too.
        @Test func `a translucent background is as opaque as its alpha`() throws {
            let shown = try shots(
                """
                local function card(color)
                    return cutroom.draft({ { \(Footage.solid("0xc03028").lua), range = { 0, 1 }, size = { "50%", "100%" },
                        position = "left", mode = "stretch" } }, { size = { 160, 96 }, fps = 30, background = color })
                end
                draft.background = "#2848b0"
                draft:add_clip(card "transparent", { range = { 0, 0.5 } })
                draft:add_clip(card "#ffffff80", { range = { 0, 0.5 } })
                draft:add_clip(\(Footage.solid("0xc03028").lua), { range = { 0, 0.5 }, size = { "50%", "100%" }, position = "left",
                    mode = "stretch", background = "#ffffff80" })
                """)
            let white = Shot.RGB(0xffffff)
            for (frame, ground) in [
                (5, Self.blue), (20, Self.blue.mixed(white, 0.5)), (35, Self.blue.mixed(white, 0.5)),
            ] {
                let (left, right) = (shown[frame].mean(8, 8, 56, 80), shown[frame].mean(96, 8, 56, 80))
                #expect(left.distance(Self.red) < 5, "frame \(frame): \(left)")
                #expect(right.distance(ground) < 5, "frame \(frame): \(right)")
            }
        }

        @Test func `what is heard of it is heard to the sample`() throws {
            func sound(_ body: String) throws -> Data {
                let studio = try Studio()
                try studio.script("draft:add_image(\(Footage.still.lua), { duration = 1 })\n" + body, size: (64, 64))
                return try Data(contentsOf: URL(fileURLWithPath: try studio.render(to: "out.m4a")))
            }
            let inner = """
                local card = cutroom.draft({ { \(try Footage.still.lua), duration = 2 } })
                card:add_audio(\(try Footage.tone.lua), { at = 0.5, range = { 0, 1 } })
                """
            let flat = try sound(
                "draft:add_image(\(Footage.still.lua), { duration = 1.5 })\ndraft:add_audio(\(Footage.tone.lua), { at = 1.25, range = { 0, 1 } })"
            )
            #expect(try sound(inner + "\ndraft:add_clip(cutroom.draft(card), { range = { 0.25, 1.5 } })") == flat)
            let studio = try Studio()
            try studio.script(
                inner + """

                    draft:add_clip(card, { speed = 2, volume = 0.5 })
                    draft:add_clip(card, { reverse = true, range = { 0, 1.25 }, fade_out = 0.5 })
                    draft:add_clip(card, { range = { 0, 0.5 }, speed = 0.5 })
                    """, size: (64, 64))
            let heard = try Sound(of: try studio.render(to: "out.m4a"))
            let tone = heard.level(1.1, 0.3)
            #expect(heard.level(0, 0.2) < -70 && abs(heard.level(0.3, 0.4) - tone + 20 * log10(2)) < 0.5)
            // Backwards it begins in the middle of the tone, and fades out in the silence.
            #expect(heard.level(1.02, 0.6) > -30 && heard.level(1.8, 0.4) < -70)
        }

        /// Drafts with alpha and their own rates, as clips and as layers, with titles, transitions
        /// and sound.
        private static func edit(_ studio: Studio) throws {
            try studio.script(
                """
                local badge = cutroom.draft { size = { 64, 64 }, fps = 12, duration = 3 }
                badge:add_layer(\(Footage.still.lua), { size = { 40 }, rotation = { { 0, 0 }, { 3, 180 } } })
                badge:add_title("B", { size = 20, range = { 0.5, 2 } })
                local page = cutroom.draft({ { \(Footage.pattern.lua), size = { "80%" }, range = { 0, 3 } } }, { size = { 200, 120 }, fps = 24 })
                page:add_layer(badge, { at = 0.5, position = "top_right", loop = 2, range = { 0, 1 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_clip(page, { speed = 0.75, frames = "blend", transition = { "dissolve", 0.5 } })
                draft:add_layer(page, { at = 0.5, range = { 1, 1.5 }, reverse = true, size = { "50%" }, position = "bottom_left" })
                draft:add_effect("repeat", { range = { 1, 0.5 }, count = 2 })
                draft.export = { video = { quality = 0 } }
                """)
        }

        @Test func `one worker and three make the same, and a snapshot is the frame`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let movie = try studio.render(with: ["--workers", "1"])
            let other = try Studio()
            try Self.edit(other)
            let again = try other.render(with: ["--workers", "3"])
            #expect(FileManager.default.contentsEqual(atPath: movie, andPath: again))
            let result = try studio.run(["snapshots", "edit.lua", "-n", "4", "-o", "shots", "--json"])
            try #require(result.succeeded, "\(result)")
            let report = try JSONDecoder().decode(SnapshotTests.Report.self, from: result.stdout)
            for shot in report.snapshots {
                func rgb(_ path: String, _ frame: Int, _ tags: String) throws -> Data {
                    let flags = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp\(tags)"
                    return try FFmpeg.run([
                        "-i", path, "-vf", "select=eq(n\\,\(frame)),scale=\(flags):out_range=pc,format=rgb24",
                        "-frames:v", "1", "-f", "rawvideo", "-",
                    ]).stdout
                }
                let frame = Int((shot.time * 30).rounded())
                let wanted = try rgb(movie, frame, ":in_color_matrix=bt709:in_range=tv:in_h_chr_pos=0:in_v_chr_pos=128")
                #expect(try rgb(try #require(shot.path), 0, "") == wanted, "the picture at \(shot.time) s")
            }
            // A document of it is the same draft.
            _ = try studio.run(["save", "edit.lua", "-o", "edit.cutroom"])
            let plans = try ["edit.lua", "edit.cutroom"].map { try studio.run(["plan", $0, "--json"]).stdout }
            #expect(plans[0] == plans[1] && plans[0].count > 1000)
        }

        @Test func `a draft that is wrong in a draft is told with its line`() throws {
            let studio = try Studio()
            try studio.script(
                """
                local card = cutroom.draft({ \(Footage.pattern.lua) }, { loudness = -14 })
                card:add_title("x", { range = { 1, 9 } })
                draft:add_clip(card)
                """)
            let result = try studio.run(["check", "edit.lua"])
            let said = String(decoding: result.stdout, as: UTF8.self) + result.stderr
            #expect(
                said.contains("clip 1, its draft") && said.contains("edit.lua:4") && said.contains("‘loudness’"),
                "\(said)")
        }
    }
}
