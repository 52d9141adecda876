import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What frames show, against expectations computed here from the sources.
    @Suite struct PictureTests {
        private static let (width, height) = (160, 96)
        private static let (red, blue) = (Shot.RGB(0xc03028), Shot.RGB(0x2848b0))

        private func shots(_ body: String) throws -> [Shot] {
            let studio = try Studio()
            try studio.script(body)
            return try Shot.all(of: try studio.render())
        }

        /// The indexes that the frames of ``Footage/indexed`` show.
        private func indexes(_ body: String) throws -> [Int?] { try shots(body).map(\.index) }

        // MARK: Transitions

        static let transitions = [
            "dissolve", "fade", "wipe_left", "wipe_right", "wipe_up", "wipe_down", "slide_left", "slide_right",
            "slide_up", "slide_down",
        ]

        /// What a transition of `old` to `new` shows at `progress`, sample by sample.
        private static func expected(_ kind: String, _ old: Shot, _ new: Shot, _ progress: Double) -> Shot {
            Shot(width, height) { plane, x, y in
                let (columns, rows) = plane == 0 ? (width, height) : (width / 2, height / 2)
                let (a, b) = (old.sample(plane, x, y), new.sample(plane, x, y))
                let black = plane == 0 ? 16.0 : 128
                /// How far the way of the transition's edge or of the pictures is, in samples.
                func way(_ length: Int) -> Int { Int((Double(length) * progress).rounded()) }
                switch kind {
                case "dissolve": return a + (b - a) * progress
                case "fade":
                    return progress < 0.5 ? a + (black - a) * 2 * progress : black + (b - black) * (2 * progress - 1)
                case "wipe_left": return x >= columns - way(columns) ? b : a
                case "wipe_right": return x < way(columns) ? b : a
                case "wipe_up": return y >= rows - way(rows) ? b : a
                case "wipe_down": return y < way(rows) ? b : a
                case "slide_left":
                    let from = x + way(columns)
                    return from < columns ? old.sample(plane, from, y) : new.sample(plane, from - columns, y)
                case "slide_right":
                    let from = x - way(columns)
                    return from >= 0 ? old.sample(plane, from, y) : new.sample(plane, from + columns, y)
                case "slide_up":
                    let from = y + way(rows)
                    return from < rows ? old.sample(plane, x, from) : new.sample(plane, x, from - rows)
                case "slide_down":
                    let from = y - way(rows)
                    return from >= 0 ? old.sample(plane, x, from) : new.sample(plane, x, from + rows)
                default: return 0
                }
            }
        }

        @Test func `each transition mixes its two pictures as its name says`() throws {
            let old = try Footage.drawn("old.mp4", lum: "40+160*X/W", cb: "100+40*Y/H", cr: "150")
            let new = try Footage.drawn("new.mp4", lum: "210-150*Y/H", cb: "150", cr: "90+50*X/W")
            // Clips of a second, overlapped by 12 frames: a transition begins every 18 frames.
            let clips = Self.transitions.enumerated().map { index, kind in
                "draft:add_clip(\((index % 2 == 0 ? new : old).lua), { range = { 0, 1 }, transition = { \"\(kind)\", 0.4 } })\n"
            }
            let rendered = try shots("draft:add_clip(\(old.lua), { range = { 0, 1 } })\n" + clips.joined())
            let pictures = [try Shot.all(of: old)[0], try Shot.all(of: new)[0]]
            try #require(rendered.count == 18 * 10 + 30)
            for (index, kind) in Self.transitions.enumerated() {
                for frame in [3, 6, 9] {
                    let wanted = Self.expected(kind, pictures[index % 2], pictures[1 - index % 2], Double(frame) / 12)
                    let noise = rendered[18 * (index + 1) + frame].psnr(wanted)
                    #expect(noise >= 35, "\(kind) at frame \(frame) of 12: \(noise) dB")
                }
            }
        }

        // MARK: Time

        @Test func `a range, a speed and a repeat show the frames that they should`() throws {
            let source = try Footage.indexed.lua
            #expect(try indexes("draft:add_clip(\(source), { range = { 0.5, 1 } })") == Array(15..<45))
            #expect(
                try indexes("draft:add_clip(\(source), { range = { 0, 2 }, speed = 2 })")
                    == Array(stride(from: 0, to: 60, by: 2)))
            #expect(
                try indexes("draft:add_clip(\(source), { range = { 0, 0.5 }, speed = 0.5 })") == (0..<30).map { $0 / 2 }
            )
            let speed =
                "draft:add_clip(\(source), { range = { 0, 2 } })\ndraft:add_effect(\"speed\", { range = { 0.5, 1 }, factor = 2 })"
            #expect(try indexes(speed) == Array(0..<15) + Array(stride(from: 15, to: 45, by: 2)) + Array(45..<60))
            let again =
                "draft:add_clip(\(source), { range = { 0, 1 } })\ndraft:add_effect(\"repeat\", { range = { 0.2, 0.3 }, count = 3 })"
            #expect(try indexes(again) == Array(0..<6) + Array(6..<15) + Array(6..<15) + Array(6..<15) + Array(15..<30))
            #expect(try indexes(again + "\ndraft.time_range = { 0.4, 0.4 }") == Array(12..<15) + Array(6..<15))
        }

        @Test func `other frame rates show what is on in the middle of each frame`() throws {
            let slow = try Footage.made(
                "indexed-25.mp4",
                [
                    "-i", try Footage.indexed, "-vf", "setpts=N/25/TB", "-r", "25", "-c:v", "libx264", "-preset",
                    "ultrafast", "-crf", "12",
                ])
            #expect(
                try indexes("draft:add_clip(\(slow.lua), { range = { 0, 2 } })")
                    == (0..<60).map { (2 * $0 + 1) * 25 / 60 })
        }

        @Test func `a look listed before a speed effect is stretched with it, one listed after is not`() throws {
            let invert = try Self.invert
            let plain = try Footage.solid("0xc03028")
            func bright(_ effects: String) throws -> [Int] {
                let rendered = try shots("draft:add_clip(\(plain.lua))\n" + effects)
                return rendered.indices.filter { rendered[$0].mean.blue > 150 }
            }
            let look = "draft:add_effect(\"lut\", { image = \(invert.lua), range = { 0.5, 1 } })\n"
            let speed = "draft:add_effect(\"speed\", { factor = 2 })\n"
            // 0.25 s to 0.75 s, from the middle of frame 7 to the middle of frame 22.
            #expect(try bright(look + speed) == Array(7..<22))
            // 0.5 s to the end.
            #expect(try bright(speed + look) == Array(15..<30))
        }

        // MARK: Effects

        /// A Hald image of level 6.
        private static var invert: String { get throws { try inversion(level: 6) } }

        private static func inversion(level: Int) throws -> String {
            try Footage.made(
                "invert-\(level).png",
                [
                    "-f", "lavfi", "-i", "haldclutsrc=level=\(level),format=rgb24,negate", "-frames:v", "1", "-update",
                    "1",
                ])
        }

        @Test func `looks as a Hald image, as tiles and as a cube give the same colours`() throws {
            let tiles = try Footage.made(
                "tiles.png",
                [
                    "-f", "lavfi", "-i",
                    "color=black:s=512x512:d=1,format=gbrp,geq=r='255-mod(X,64)*255/63':g='255-mod(Y,64)*255/63':b='255-(floor(Y/64)*8+floor(X/64))*255/63'",
                    "-frames:v", "1", "-pix_fmt", "rgb24", "-update", "1",
                ])
            let folder = try TemporaryFolder()
            let cube = try TestMedia(in: folder).cube { (1 - $0, 1 - $1, 1 - $2) }
            let wanted = Shot.RGB(255 - Self.red.red, 255 - Self.red.green, 255 - Self.red.blue)
            for look in [try Self.invert, cube, try Self.inversion(level: 8), tiles] {
                let rendered = try shots(
                    """
                    draft:add_clip(\(Footage.solid("0xc03028").lua), { range = { 0, 0.2 } })
                    draft:add_effect("lut", { image = \(look.lua), range = { 0.1, 0.1 } })
                    """)
                #expect(rendered[1].mean.distance(Self.red) <= 3, "\(rendered[1].mean)")
                #expect(rendered[4].mean.distance(wanted) <= 3, "\(look): \(rendered[4].mean)")
            }
        }

        @Test func `a look's intensity follows its keyframes`() throws {
            let rendered = try shots(
                """
                draft:add_clip(\(Footage.solid("0xc03028").lua), { range = { 0, 1 } })
                draft:add_effect("lut", { image = \(Self.invert.lua), intensity = { { 0, 0 }, { 1, 1 } } })
                """)
            let inverted = Shot.RGB(255 - Self.red.red, 255 - Self.red.green, 255 - Self.red.blue)
            for frame in [0, 6, 15, 27] {
                let wanted = Self.red.mixed(inverted, Double(frame) / 30)
                #expect(
                    rendered[frame].mean.distance(wanted) <= 3,
                    "frame \(frame): \(rendered[frame].mean), wanted \(wanted)")
            }
        }

        @Test func `a sticker lies in its rectangle with its alpha`() throws {
            let sticker = try Footage.made(
                "half.png",
                [
                    "-f", "lavfi", "-i",
                    "color=0x2848b0:s=20x20,format=rgba,geq=r='40':g='72':b='176':a='if(lt(X,10),255,128)'",
                    "-frames:v", "1",
                    "-update", "1",
                ])
            let rendered = try shots(
                """
                draft:add_clip(\(Footage.solid("0xc03028").lua), { range = { 0, 0.3 } })
                draft:add_effect("sticker", { image = \(sticker.lua), rect = { 40, 20, 60, 40 }, range = { 0.1, 0.1 } })
                """)
            let shot = rendered[4]
            #expect(shot.mean(44, 24, 20, 32).distance(Self.blue) <= 3)
            #expect(shot.mean(76, 24, 20, 32).distance(Self.red.mixed(Self.blue, 128 / 255.0)) <= 3)
            for (x, y, width, height) in [(0, 0, 36, 96), (104, 0, 56, 96), (0, 0, 160, 16), (0, 64, 160, 32)] {
                #expect(shot.mean(x, y, width, height).distance(Self.red) <= 3)
            }
            for frame in [2, 6] { #expect(rendered[frame].mean.distance(Self.red) <= 3, "outside its range") }
        }

        @Test func `a title's ink is where it was put`() throws {
            let rendered = try shots(
                """
                draft:add_clip(\(Footage.solid("0x202020").lua), { range = { 0, 0.3 } })
                draft:add_title("MMM", { size = 24, position = { 8, 60 }, align = "left", range = { 0.1, 0.2 } })
                """)
            let ink = { (shot: Shot) in shot.luma.indices.filter { shot.luma[$0] > 150 }.map { ($0 % 160, $0 / 160) } }
            #expect(ink(rendered[0]).isEmpty)
            let pixels = ink(rendered[5])
            #expect(pixels.count > 100)
            #expect(pixels.allSatisfy { (8..<110).contains($0.0) && (60..<96).contains($0.1) })
        }

        @Test func `the shipped plugins are seen`() throws {
            let rendered = try shots(
                """
                draft:add_clip(\(Footage.solid("0xc0c0c0").lua), { range = { 0, 0.4 } })
                draft:add_effect("org.cutroom.vignette", { strength = { { 0, 0, "hold" }, { 0.2, 1 } } })
                """)
            let grey = Shot.RGB(0xc0c0c0)
            #expect(rendered[2].mean(0, 0, 8, 8).distance(grey) <= 3)
            #expect(rendered[8].mean(0, 0, 8, 8).red < grey.red - 60)
            #expect(rendered[8].mean(76, 44, 8, 8).distance(grey) <= 4)
            let split = try shots(
                """
                draft:add_image(\(Footage.still.lua), { duration = 0.2 })
                draft:add_effect("org.cutroom.rgb_split", { range = { 0.1, 0.1 } })
                """)
            #expect(split[0].psnr(split[4]) < 35)
        }

        // MARK: Clips

        @Test func `a clip's own effects change that clip alone`() throws {
            let rendered = try shots(
                """
                draft:add_clip(\(Footage.solid("0xc03028").lua), { range = { 0, 0.2 }, effects = { { "lut", { image = \(Self.invert.lua) } } } })
                draft:add_clip(\(Footage.solid("0xc03028").lua), { range = { 0, 0.2 } })
                """)
            let inverted = Shot.RGB(255 - Self.red.red, 255 - Self.red.green, 255 - Self.red.blue)
            #expect(rendered[5].mean.distance(inverted) <= 3 && rendered[6].mean.distance(Self.red) <= 3)
        }

        @Test(arguments: ["fit", "fill", "stretch"]) func `a picture of another shape is placed by its mode`(
            mode: String
        ) throws {
            // Square: the upper half red, the lower half blue.
            let square = try Footage.made(
                "square.png",
                [
                    "-f", "lavfi", "-i", "color=0xc03028:s=120x120,drawbox=y=60:h=60:c=0x2848b0:t=fill", "-frames:v",
                    "1", "-update", "1",
                ])
            let studio = try Studio()
            try studio.script(
                "draft:add_image(\(square.lua), { duration = 0.1, mode = \"\(mode)\" })",
                options: ", background = \"#30a050\"")
            let shot = try Shot.all(of: try studio.render())[1]
            let edge = mode == "fit" ? Shot.RGB(0x30a050) : Self.red
            #expect(shot.mean(0, 4, 24, 36).distance(edge) <= 3)
            #expect(shot.mean(136, 4, 24, 36).distance(edge) <= 3)
            #expect(shot.mean(40, 4, 80, 36).distance(Self.red) <= 3)
            #expect(shot.mean(40, 56, 80, 36).distance(Self.blue) <= 3)
        }

        @Test func `a turned and a tall source are shown upright`() throws {
            // As a phone stores it: 96×160 upright, stored lying, with a note to turn it.
            let turned = try Footage.made(
                "turned.mp4",
                [
                    "-i",
                    try Footage.made(
                        "lying.mp4",
                        [
                            "-f", "lavfi", "-i", "color=0xc03028:s=160x96:r=30:d=1,drawbox=w=80:c=0x2848b0:t=fill",
                            "-c:v", "libx264", "-preset",
                            "ultrafast", "-pix_fmt", "yuv420p",
                        ]), "-c", "copy", "-metadata:s:v", "rotate=90",
                ])
            let studio = try Studio()
            try studio.script("draft:add_clip(\(turned.lua), { range = { 0, 0.1 } })", size: (96, 160))
            let rendered = try Shot.all(of: try studio.render())[1]
            let output = try FFmpeg.run(["-i", turned, "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-"])
                .stdout
            let isBlueAbove = output[96 * 8] < output[96 * 150]
            let (above, below) = isBlueAbove ? (Self.blue, Self.red) : (Self.red, Self.blue)
            #expect(rendered.mean(4, 4, 88, 68).distance(above) <= 3)
            #expect(rendered.mean(4, 88, 88, 68).distance(below) <= 3)
        }
    }
}
