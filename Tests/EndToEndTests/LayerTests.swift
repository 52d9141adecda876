import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Layers in real renders: what their own effects cut out, their shadows, and their sound.
    @Suite struct LayerTests {
        /// A red square before a green screen, half a second of it.
        private static var screen: String {
            get throws {
                try Footage.made(
                    "screen.mp4",
                    [
                        "-f", "lavfi", "-i",
                        "color=0x00ff00:s=160x96:r=30:d=0.5,drawbox=x=60:y=28:w=40:h=40:c=0xc83232:t=fill,format=yuv420p",
                        "-c:v", "libx264", "-preset", "ultrafast", "-crf", "4",
                    ])
            }
        }

        private static let (blue, red, white) = (
            Shot.RGB(0x2040c0), Shot.RGB(0xc83232), Shot.RGB(0xffffff)
        )

        /// By the chroma key as it is, by a chain of libavfilter, and below a look, over a colour;
        /// a later effect of the layer keeps what was cut out. On the main track the key leaves
        /// black, as ever.
        @Test func `what a layer's own effects make transparent is cut out`() throws {
            let studio = try Studio()
            let screen = try Self.screen
            let key = "{ \"org.cutroom.chroma_key\" }"
            try studio.script(
                """
                draft:add_clip(\(try Footage.solid("0x2040c0").lua), { range = { 0, 0.4 } })
                draft:add_clip(\(screen.lua), { range = { 0, 0.1 }, effects = { \(key) } })
                draft:add_layer(\(screen.lua), { at = 0, range = { 0, 0.1 }, effects = { \(key) } })
                draft:add_layer(\(screen.lua), { at = 0.1, range = { 0, 0.1 }, effects = { { "org.cutroom.libavfilter_pure", graph = "colorkey=0x00ff00:0.3:0.1" } } })
                draft:add_layer(\(screen.lua), { at = 0.2, range = { 0, 0.1 }, effects = { \(key), { "org.cutroom.mirror" } }, position = { 40, 24 }, size = { 80, 48 } })
                """)
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 15)
            for shot in [shots[1], shots[4]] {
                #expect(shot.mean(4, 4, 40, 88).distance(Self.blue) < 4, "\(shot.mean(4, 4, 40, 88))")
                #expect(shot.mean(66, 34, 28, 28).distance(Self.red) < 4, "\(shot.mean(66, 34, 28, 28))")
                // Nothing dark and nothing green between the two: lumas of blue and red.
                for row in [22, 48, 72] {
                    let line = (0..<160).map { Int(shot.luma[row * 160 + $0]) }
                    #expect(line.allSatisfy { (54...106).contains($0) }, "row \(row): \(line)")
                }
            }
            #expect(shots[7].mean(2, 2, 30, 90).distance(Self.blue) < 4)
            #expect(
                shots[7].mean(34, 18, 10, 10).distance(Self.red) < 6, "\(shots[7].mean(34, 18, 10, 10))")
            #expect(shots[13].mean(4, 4, 40, 88).distance(Shot.RGB(0)) < 3)
            #expect(shots[13].mean(66, 34, 28, 28).distance(Self.red) < 4)
        }

        /// Sharp and soft, of a turned and rounded layer, and of one that lies beside the canvas.
        @Test func `a layer has a shadow`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft.background = "#ffffff"
                draft:add_clip(\(try Footage.solid("0xffffff").lua), { range = { 0, 0.3 } })
                local red = \(try Footage.solid("0xc83232").lua)
                local small = { position = { 60, 48 }, size = { 40, 40 }, mode = "stretch", range = { 0, 0.1 } }
                local function add(options)
                  for name, value in pairs(small) do if options[name] == nil then options[name] = value end end
                  return draft:add_layer(red, options)
                end
                add { at = 0, shadow_color = "#000000", shadow_offset = { 20, 8 }, shadow_blur = 0, corner_radius = 20 }
                add { at = 0.1, shadow_color = "#00000080", shadow_offset = { { 0, { 20, 0 } }, { 0.1, { 20, 0 } } }, shadow_blur = 12, rotation = 45 }
                add { at = 0.2, shadow_color = "#0000ff", shadow_offset = { 60, 0 }, shadow_blur = 0, position = { -30, 48 } }
                """)
            #expect(!(try studio.run(["check", "edit.lua"]).stderr.contains("outside")))
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 9)
            // A disc of radius 20 about (60, 48), and its shadow about (80, 56).
            #expect(shots[1].mean(54, 42, 12, 12).distance(Self.red) < 4)
            #expect(
                shots[1].mean(84, 54, 8, 8).distance(Shot.RGB(0)) < 4, "\(shots[1].mean(84, 54, 8, 8))")
            #expect(shots[1].mean(96, 36, 4, 4).distance(Self.white) < 4)
            // A corner of the turned square reaches 28 pixels to the right: its shadow 48, softly.
            #expect(shots[4].mean(56, 44, 8, 8).distance(Self.red) < 4)
            let soft = (84..<124).map { Double(shots[4].luma[48 * 160 + $0]) }
            #expect(zip(soft.dropFirst(6), soft.dropFirst(7)).allSatisfy { $0 <= $1 + 1 }, "\(soft)")
            #expect(soft[8] < 150 && soft.last! > 233, "\(soft)")
            // What is beside the canvas throws its shadow onto it, from 10 to 50.
            #expect(
                shots[7].mean(16, 36, 28, 24).distance(Shot.RGB(0x0000ff)) < 8,
                "\(shots[7].mean(16, 36, 28, 24))")
            #expect(shots[7].mean(60, 36, 28, 24).distance(Self.white) < 4)
        }

        /// A half transparent panel, round, and a source that moves while it lies still; as a
        /// script and as its document.
        @Test func `a layer shows a colour, or what a plugin makes`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft.background = "#ffffff"
                draft:add_clip(\(try Footage.solid("0xffffff").lua), { range = { 0, 1 } })
                draft:add_layer { color = "#c8323280", position = { 0, 0 }, anchor = "top_left", size = { 80, 40 }, corner_radius = 20, duration = 0.5 }
                draft:add_layer { source = "org.cutroom.gradient", position = "bottom_right", size = { 64, 48 }, mode = "stretch",
                  params = { size = 4, color = "#000000", color_2 = "#0000ff", speed = 1 } }
                """)
            let path = try studio.render()
            let shots = try Shot.all(of: path)
            try #require(shots.count == 30)
            #expect(shots[3].mean(24, 8, 32, 24).distance(Self.white.mixed(Self.red, 0.5)) < 4)
            #expect(
                shots[3].mean(0, 0, 2, 2).distance(Self.white) < 4
                    && shots[20].mean(24, 8, 32, 24).distance(Self.white) < 3)
            let blues = [2, 8, 14].map { shots[$0].mean(104, 56, 48, 32).blue }
            #expect(abs(blues[0] - blues[1]) > 8 && abs(blues[1] - blues[2]) > 8, "\(blues)")
            #expect(shots[8].mean(100, 8, 40, 30).distance(Self.white) < 3)
            #expect(try studio.run(["save", "edit.lua", "-o", "edit.cutroom"]).succeeded)
            let again = try studio.render("edit.cutroom", to: "again.mp4")
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: again))
        }

        /// A gain of nothing before a layer in the list leaves it alone, and one after it does not.
        @Test func `a layer's sound joins the mix where it lies in the effect list`() throws {
            let studio = try Studio()
            let gain = "{ gain = -60, range = { %@ } }"
            func effect(_ range: String) -> String {
                "draft:add_effect(\"org.cutroom.gain\", \(gain.replacingOccurrences(of: "%@", with: range)))"
            }
            try studio.script(
                """
                draft:add_clip(\(try Footage.silent.lua), { range = { 0, 1.5 } })
                \(effect("0, 0.5"))
                draft:add_layer(\(Footage.pattern.lua), { range = { 0, 1.5 } })
                \(effect("0.5, 0.5"))
                draft.export = { audio = { codec = "pcm_s16" } }
                """)
            let heard = try Sound(of: try studio.render(to: "out.wav"))
            let levels = [0.1, 0.6, 1.1].map { heard.level($0, 0.3) }
            #expect(levels[0] > -40 && abs(levels[0] - levels[2]) < 0.5, "\(levels)")
            #expect(abs(levels[1] - (levels[0] - 60)) < 2, "\(levels)")
        }
    }
}
