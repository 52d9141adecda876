import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// The shipped transitions and the key over a clip, in real renders of several segments.
    @Suite struct LookPluginTests {
        /// A screen in front of a clip whose frames tell their index: every frame shows the right
        /// one, whoever makes it.
        @Test func `the clip behind a key is frame exact for any number of workers`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(try Footage.solid("0x00ff00").lua), { range = { 0, 2 } })
                draft:add_clip(\(try Footage.solid("0x00ff00").lua), { range = { 0, 2 } })
                draft:add_clip(\(try Footage.solid("0x00ff00").lua), { range = { 0, 2 } })
                draft:add_effect("org.cutroom.chroma_key", { image = \(try Footage.indexed.lua), offset = 1, range = { 0, 2.5 } })
                draft:add_effect("org.cutroom.chroma_key", { image = \(try Footage.indexed.lua), loop = true, offset = 3, range = { 2.5, 3.5 } })
                """)
            let one = try studio.render(to: "one.mp4", with: ["--workers", "1"])
            try studio.emptyCache()
            let two = try studio.render(to: "two.mp4", with: ["--workers", "2"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: one)) == Data(contentsOf: URL(fileURLWithPath: two)))
            let wanted = (0..<180).map { $0 < 75 ? $0 + 30 : ($0 - 75 + 90) % 120 }
            #expect(try FrameCode.indexes(of: one) == wanted)
        }

        /// The file belongs to the keys: another clip is another picture.
        @Test func `another clip behind a key is rendered anew`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(try Footage.solid("0x00ff00").lua), { range = { 0, 1 } })
                draft:add_effect("org.cutroom.chroma_key", { image = "behind.mp4" })
                """)
            for (color, value) in [("red", [255.0, 0, 0]), ("blue", [0, 0, 255])] {
                try? FileManager.default.removeItem(atPath: studio.file("behind.mp4"))
                try FileManager.default.copyItem(atPath: try Footage.solid(color), toPath: studio.file("behind.mp4"))
                let shot = try Shot.all(of: try studio.render(with: ["--overwrite"]))[10]
                #expect(shot.mean.distance(Shot.RGB(value[0], value[1], value[2])) < 12, "\(shot.mean)")
            }
        }

        @Test func `a clip that cannot be put behind a key is told`() throws {
            let studio = try Studio()
            try studio.folder.write("no video", to: "notes.mp4")
            try studio.script(
                "draft:add_clip(\(try Footage.silent.lua))\ndraft:add_effect(\"org.cutroom.chroma_key\", { image = \"notes.mp4\" })"
            )
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status != 0)
            #expect(
                result.stderr.contains("the clip ‘notes.mp4’ is no video of a known format"),
                "\(result)")
        }

        /// All of the plugin's, over segments' borders, on an SDR canvas; the first frame is the
        /// outgoing picture.
        @Test(arguments: [""])
        func `transitions are the same for any number of workers`(options: String) throws {
            let studio = try Studio()
            let kinds = ["circle_open", "circle_close", "zoom", "whip_pan", "cube", "burn", "luma_matte"]
            let (pattern, blue) = (try Footage.pattern.lua, try Footage.solid("blue").lua)
            let clips = kinds.enumerated().map { index, kind in
                "draft:add_clip(\(index % 2 == 0 ? blue : pattern), { range = { 0, 1.5 }, transition = { \"org.cutroom.\(kind)\", 0.5 } })"
            }
            try studio.script(
                "draft:add_clip(\(pattern), { range = { 0, 1.5 } })\n" + clips.joined(separator: "\n"), options: options
            )
            let one = try studio.render(to: "one.mp4", with: ["--workers", "1"])
            try studio.emptyCache()
            let two = try studio.render(to: "two.mp4", with: ["--workers", "2"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: one)) == Data(contentsOf: URL(fileURLWithPath: two)))
            if options.isEmpty {
                let shots = try Shot.all(of: one)
                // The frame before the first transition, its first and the one after its last.
                #expect(shots[30].psnr(shots[29]) > 14 && shots[30].mean.distance(Shot.RGB(0, 0, 255)) > 60)
                #expect(shots[45].mean.distance(Shot.RGB(0, 0, 255)) < 12, "\(shots[45].mean)")
            }
        }

        /// The sentence that libavfilter says reaches the user.
        @Test func `a wrong chain is told with libavfilter's words`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(try Footage.silent.lua))\ndraft:add_effect(\"org.cutroom.libavfilter\", { graph = \"hue=q=0\" })"
            )
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(
                result.status == 65 && result.stderr.contains("edit.lua:4: effect 1 (org.cutroom.libavfilter): ")
                    && result.stderr.contains("the chain ‘hue=q=0’ cannot be used: Option 'q' not found"), "\(result)")
        }

        /// What takes longer.
        @Suite struct Sweep {
            /// On an SDR and an HDR canvas.
            @Test(arguments: ["", ", color = \"hlg\""])
            func `transitions are the same for any number of workers`(options: String) throws {
                try LookPluginTests().`transitions are the same for any number of workers`(options: options)
            }

            /// Chains of libavfilter of each kind over several segments.
            @Test func `chains make the same bytes for any number of workers`() throws {
                let studio = try Studio()
                try studio.script(
                    """
                    draft:add_clip(\(try Footage.pattern.lua), { effects = { { "org.cutroom.libavfilter", { graph = "tmix=frames=5" } } } })
                    draft:add_clip(\(try Footage.pattern.lua), { effects = { { "org.cutroom.libavfilter_audio", { graph = "aecho=0.8:0.9:60:0.3" } } } })
                    draft:add_effect("org.cutroom.libavfilter_pure", { graph = "hue=h='t*60',eq=contrast=1.2" })
                    draft:add_effect("org.cutroom.libavfilter", { graph = "lagfun=decay=0.9", range = { 5, 2 } })
                    """)
                let one = try studio.render(to: "one.mp4", with: ["--workers", "1"])
                try studio.emptyCache()
                let two = try studio.render(to: "two.mp4", with: ["--workers", "2"])
                #expect(try Data(contentsOf: URL(fileURLWithPath: one)) == Data(contentsOf: URL(fileURLWithPath: two)))
                #expect(studio.cachedParts > 0)
            }
        }
    }
}
