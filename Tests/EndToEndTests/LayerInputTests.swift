import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Layers that are given something odd: the right picture, or a sentence with the object and
    /// the line.
    @Suite struct LayerInputTests {
        /// 2048×2048, black but for a white field at the top left.
        private static var corner: String {
            get throws {
                try Footage.made(
                    "corner.png",
                    [
                        "-f", "lavfi", "-i", "color=black:s=2048x2048,drawbox=w=1024:h=1024:c=white:t=fill",
                        "-frames:v", "1", "-update", "1",
                    ])
            }
        }

        private static var white: String {
            get throws {
                try Footage.made("white.png", ["-f", "lavfi", "-i", "color=white:s=64x64", "-frames:v", "1"])
            }
        }

        /// The first frame, made in little memory.
        private func cover(_ studio: Studio) throws -> Shot {
            let result = try studio.run(
                ["cover", "edit.lua", "--at", "0", "-o", "cover.png", "--workers", "1"], through: Self.littleMemory)
            try #require(result.succeeded, "\(result)")
            return try Shot.all(
                of: try Self.canvas(studio.file("cover.png"), studio.file("cover.mkv")))[0]
        }

        /// The file with the samples of a canvas: a snapshot is R′G′B′.
        private static func canvas(_ picture: String, _ path: String) throws -> String {
            try FFmpeg.run([
                "-i", picture, "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v", "ffv1", path,
            ])
            return path
        }

        /// Frame n of ``Footage/ramp`` has luma 20 + n.
        private static func light(_ frame: Int) -> Double { (4 + Double(frame)) / 219 }

        @Test func `a mask may be the layer itself, longer or shorter than it, and move over a still`() throws {
            let ramp = try Footage.ramp
            let second = try Footage.made("second.mkv", ["-i", ramp, "-t", "1", "-c", "copy"])
            let studio = try Studio()
            try studio.script(
                """
                draft.duration = 3
                local function add(x, path, options)
                  options.position, options.anchor, options.width = { x, 0 }, "top_left", 64
                  draft:add_layer(path, options)
                end
                add(0, \(ramp.lua), { range = { 1, 2 }, mask = { \(ramp.lua), "luma" } })
                add(64, \(ramp.lua), { range = { 0, 2 }, mask = { \(second.lua), "luma" } })
                add(128, \(try Self.white.lua), { duration = 2, mask = { \(second.lua), { kind = "luma", invert = true } } })
                draft.export = { video = { quality = 0 } }
                """, size: (192, 64))
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 90)
            for (frame, shot) in shots.enumerated() {
                let light = Self.light
                // A mask runs from its own beginning, and its last picture stays.
                let wanted =
                    frame < 60
                    ? [
                        light(frame + 30) * light(frame), light(frame) * light(min(29, frame)),
                        1 - light(min(29, frame)),
                    ]
                    : [0, 0, 0]
                for (place, wanted) in wanted.enumerated() {
                    let found = shot.sample(0, 64 * place + 32, 32)
                    #expect(abs(found - 16 - 219 * wanted) <= 1, "frame \(frame), layer \(place): \(found)")
                }
            }
        }

        /// Places that the definition allows, in the memory of the canvas: one frame for each. The
        /// middle of the picture, where its four fields meet, is in the middle of the canvas.
        @Test func `giant, tiny, far away and turned without end`() throws {
            let cases: [(options: String, fields: [Bool])] = [
                ("width = 30000", [true, false, false, false]),
                ("scale = 400, rotation = 90", [false, true, false, false]),
                // So many whole turns, by the number that it is.
                ("rotation = 1e300", [true, false, false, false]), ("rotation = -720", [true, false, false, false]),
                ("size = { \"100%\", 60000 }, mode = \"stretch\"", [true, false, false, false]),
                ("width = 0.01", [false, false, false, false]),
                ("position = { 1e300, 0 }", [false, false, false, false]),
            ]
            let studio = try Studio()
            let layers = try cases.enumerated().map { index, entry in
                "draft:add_layer(\(try Self.corner.lua), { at = \(Double(index) / 10), duration = 0.1, \(entry.options) })"
            }
            try studio.script(
                "draft.duration = \(Double(cases.count) / 10)\n" + layers.joined(separator: "\n"), size: (64, 64),
                fps: "10")
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: Self.littleMemory)
            try #require(result.succeeded, "\(result)")
            let shots = try Shot.all(of: studio.file("out.mp4"))
            try #require(shots.count == cases.count)
            for (shot, entry) in zip(shots, cases) {
                let found = [(24, 24), (40, 24), (24, 40), (40, 40)].map { shot.sample(0, $0, $1) > 125 }
                #expect(found == entry.fields, "\(entry.options)")
            }
        }

        private static let littleMemory = ["bash", "-c", "ulimit -v 3000000; exec \"$0\" \"$@\""]

        /// A PNG of 30 000 columns, and one of 30 000 rows.
        @Test func `long pictures are shown whole`() throws {
            let studio = try Studio()
            for (name, size) in [("wide.png", "30000x40"), ("high.png", "40x30000")] {
                try FFmpeg.run([
                    "-f", "lavfi", "-i", "color=white:s=\(size)", "-frames:v", "1", "-update", "1", studio.file(name),
                ])
            }
            try studio.script(
                """
                draft.duration = 1
                draft:add_layer("wide.png", { size = { 64, 16 }, mode = "stretch", position = "top" })
                draft:add_layer("high.png", { size = { 16, 40 }, mode = "stretch", position = "bottom" })
                """, size: (64, 64))
            let shot = try cover(studio)
            #expect(shot.sample(0, 32, 8) > 230 && shot.sample(0, 2, 8) > 230 && shot.sample(0, 32, 44) > 230)
            #expect(shot.sample(0, 8, 44) < 20 && shot.sample(0, 32, 20) < 20)
        }

        /// Easings that leave the range of their keys, and functions that do.
        @Test func `curves through zero show nothing there`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft.duration = 1
                local function add(x, options)
                  options.position, options.anchor, options.width = { x, 0 }, "top_left", 32
                  draft:add_layer(\(try Self.white.lua), options)
                end
                add(0, { scale = { { 0, 0.001, "ease_in_back" }, { 1, 1 } } })
                add(32, { opacity = { { 0, 0, "ease_in_back" }, { 1, 1 } } })
                add(64, { opacity = { { 0, 0, "ease_out_back" }, { 1, 1 } } })
                add(96, { crop = { { 0, { 0, 0, 0.01, 0.01 }, "ease_in_back" }, { 1, { 0, 0, 1, 1 } } } })
                draft.export = { video = { quality = 0 } }
                """, size: (128, 32), fps: "10")
            let shots = try Shot.all(of: try studio.render())
            func light(_ frame: Int, _ place: Int) -> Double { shots[frame].sample(0, 32 * place + 8, 8) }
            // Robert Penner's curve is below 0 up to 0.63, and above 1 from 0.37 on.
            #expect([1, 2, 3, 4, 5, 6].allSatisfy { light($0, 0) == 16 && light($0, 1) == 16 })
            #expect(light(9, 0) > 230 && light(9, 1) > 100)
            #expect([4, 5, 6, 7, 8, 9].allSatisfy { light($0, 2) == 235 }, "\((0..<10).map { light($0, 2) })")
            #expect(shots.indices.allSatisfy { light($0, 3) > 230 }, "there is always some of a picture")
        }

        /// What is wrong with a layer is said of it, one sentence at its line; `pcall` hears the
        /// same.
        @Test func `what cannot be is a sentence`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.folder.write(
                "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"64\" height=\"64\"/>\n",
                to: "drawing.svg")
            let cases: [(call: String, says: String)] = [
                ("add_layer('drawing.svg')", "effect 1 (layer): cannot read ‘*drawing.svg’: it is an SVG"),
                ("add_image('drawing.svg', { duration = 1 })", "clip 2: cannot read ‘*drawing.svg’: it is an SVG"),
                ("add_effect('sticker', { image = 'drawing.svg', rect = { 0, 0, 9, 9 } })", "it is an SVG"),
                ("add_layer('good.mp4', { mask = 'drawing.svg' })", "effect 1 (layer), mask: cannot read"),
                ("add_layer('good.mp4', { mask = 'tone.wav' })", "effect 1 (layer), mask: ‘*tone.wav’ has no picture"),
                (
                    "add_layer('good.mp4', { mask = 'gone.png' })",
                    "mask: cannot read ‘*gone.png’: there is no such file"
                ),
                ("add_layer('truncated.mp4')", "truncated.mp4"),
                ("add_title(string.rep('a', 1000000))", "effect 1 (title): the text is longer than 100000 bytes"),
                ("add_layer('good.mp4', { width = 0 })", "its width is 0 pixels, but must be above 0"),
                ("add_layer('good.mp4', { size = { '0%' } })", "its width is 0 pixels, but must be above 0"),
                (
                    "add_layer('good.mp4', { height = 70000 })",
                    "its height is 70000 pixels, but must be above 0 and at most 65536"
                ),
                ("add_layer('good.mp4', { scale = 0 })", "‘scale’ is 0, but must lie between 0.0001 and 1000"),
                ("add_layer('good.mp4', { scale = { { 0, 1 }, { 1, -1 } } })", "‘scale’ is -1, but must"),
                ("add_layer('good.mp4', { opacity = { { 0, 1 }, { 1, -1 } } })", "‘opacity’ is -1, but must"),
                ("add_layer('good.mp4', { rotation = 1 / 0 })", "‘rotation’ is infinity, but must be a number"),
                ("add_layer('good.mp4', { rotation = 1e301 })", "‘rotation’ is 1e+301, but must lie between"),
                ("add_layer('good.mp4', { speed = { { 0, 1 }, { 1, 0 } } })", "‘speed’ has a key of 0, but must"),
                (
                    "add_layer('good.mp4', { speed = { { 0, 0.05, 'ease_in_back' }, { 2, 2 } } })",
                    "of its range, but must lie between 0.01 and 100 everywhere between its keys"
                ),
                ("add_layer('good.mp4', { crop = { 0.5, 0.5, 0, 0 } })", "‘crop’ is { 0.5, 0.5, 0, 0 }, but must be"),
            ]
            let calls = cases.map { "{ function() draft:\($0.call) end }," }.joined(separator: "\n")
            try studio.script(
                """
                draft:add_clip('good.mp4')
                for i, case in ipairs {
                \(calls)
                } do
                  local ok, message = pcall(case[1])
                  print(i .. ": " .. tostring(ok) .. " " .. tostring(message))
                end
                """)
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 0, "\(result)")
            let lines = result.stderr.split(separator: "\n")
            for (index, mistake) in cases.enumerated() {
                let line = try #require(lines.first { $0.hasPrefix("\(index + 1): ") }, "\(result)")
                #expect(line.hasPrefix("\(index + 1): false edit.lua:\(index + 5): "), "\(mistake.call): \(line)")
                for part in mistake.says.split(separator: "*") {
                    #expect(line.contains(part), "\(mistake.call): \(line)")
                }
            }
        }

        /// Functions are asked when the draft is rendered, and then what they return counts.
        @Test(arguments: ["scale = function(t) return t - 0.5 end", "opacity = function(t) return 1 - 2 * t end"])
        func `a function that goes through zero is told of with its line`(option: String) throws {
            let studio = try Studio()
            try studio.script("draft.duration = 1\ndraft:add_layer(\(try Self.corner.lua), { \(option) })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 65 && result.stderr.contains("edit.lua:4: effect 1 (layer): "), "\(result)")
            #expect(result.stderr.contains("must lie between"), "\(result)")
        }

        /// Each covers a field of its own; all have one picture between them, which takes 3 MB.
        @Test func `a thousand layers at once are all there`() throws {
            let studio = try Studio()
            let dot = try Footage.made("dot.png", ["-f", "lavfi", "-i", "color=white:s=900x900", "-frames:v", "1"])
            try studio.script(
                """
                draft.duration = 1
                for i = 0, 999 do
                  draft:add_layer(\(dot.lua), { width = 2, anchor = "top_left", position = { i % 32 * 2, i // 32 * 2 }, opacity = i % 10 == 9 and 0.5 or 1 })
                end
                """, size: (64, 64))
            let shot = try cover(studio)
            for index in 0..<1024 {
                let luma = shot.sample(0, index % 32 * 2, index / 32 * 2)
                let wanted = index >= 1000 ? 16 : index % 10 == 9 ? 125.5 : 235
                #expect(abs(luma - wanted) <= 1.5, "field \(index): \(luma)")
            }
        }
    }
}
