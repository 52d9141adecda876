import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A canvas of HLG or PQ from the script to the file.
    @Suite struct HDRTests {
        typealias Formulas = ColorFormulas
        /// R′G′B′ of patches, 32×32 each, four in a row.
        static let patches: [[Double]] = [
            [0.2, 0.2, 0.2], [0.5, 0.5, 0.5], [0.75, 0.75, 0.75], [0.9, 0.9, 0.9], [0.5, 0.25, 0.25],
            [0.25, 0.5, 0.25],
            [0.25, 0.25, 0.5], [0.6, 0.45, 0.4],
        ]

        /// A second of the patches in 10 bits, encoded by x265 without loss.
        static func film(_ coding: Formulas.Coding, _ name: String) throws -> String {
            func drawn(_ plane: Int) -> String {
                let side = plane == 0 ? 32 : 16
                let values = patches.map { Int((Formulas.encode($0, coding)[plane] * 4).rounded()) }
                // A patch is told by its number.
                let sum = values.enumerated().map { "\($1)*eq(floor(X/\(side))+4*floor(Y/\(side)),\($0))" }.joined(
                    separator: "+")
                return "'\(sum)'"
            }
            return try Footage.made(
                name,
                [
                    "-f", "lavfi", "-i",
                    "color=black:size=128x64:rate=25:duration=1,format=yuv420p10le,"
                        + "geq=lum=\(drawn(0)):cb=\(drawn(1)):cr=\(drawn(2))", "-c:v", "libx265", "-pix_fmt",
                    "yuv420p10le",
                    "-x265-params", "log-level=none:lossless=1", "-preset", "ultrafast", "-colorspace", coding.tags[0],
                    "-color_primaries", coding.tags[1], "-color_trc", coding.tags[2], "-color_range", "tv",
                ])
        }

        static var hlg: String { get throws { try film(Formulas.hlg, "patches-hlg.mp4") } }
        static var pq: String { get throws { try film(Formulas.pq(), "patches-pq.mp4") } }
        static var sdr: String { get throws { try film(Formulas.bt709, "patches-sdr.mp4") } }

        /// Writes `edit.lua` with a canvas of `color` at the size of the films.
        @discardableResult
        static func script(
            _ studio: Studio, _ color: String, _ body: String,
            _ options: String = "video = { codec = 'hevc', quality = 0 }"
        )
            throws -> String
        {
            try studio.folder.write(
                """
                local cutroom = require "cutroom"
                local draft = cutroom.draft { size = { 128, 64 }, fps = 25, color = "\(color)", export = { \(options) } }
                \(body)
                return draft

                """, to: "edit.lua")
        }

        /// Canvases, and what is on them.
        private static let pairs: [(String, Formulas.Coding)] = [
            ("hlg", Formulas.hlg), ("hlg", Formulas.pq()), ("hlg", Formulas.bt709), ("pq", Formulas.pq()),
            ("pq", Formulas.hlg), ("pq", Formulas.bt709),
        ]

        /// The canvas' own system, SDR, and the other system.
        @Test(arguments: pairs.every(2))
        func `sources come out as the formulas say`(color: String, coding: Formulas.Coding) throws {
            let studio = try Studio()
            let source = try coding.tags[2] == "bt709" ? Self.sdr : coding.tags[2] == "smpte2084" ? Self.pq : Self.hlg
            try Self.script(studio, color, "draft:add_clip(\(source.lua))")
            let shots = try WideShot.all(of: try studio.render())
            #expect(shots.count == 25)
            let isSame = coding.tags[2] == (color == "hlg" ? "arib-std-b67" : "smpte2084")
            for (number, patch) in Self.patches.enumerated() {
                let stored = Formulas.encode(patch, coding).map { ($0 * 4).rounded() }
                let rgb = Formulas.decode(stored.map { $0 / 4 }, coding)
                let wanted =
                    isSame
                    ? stored
                    : Formulas.encode(
                        Formulas.hdr(rgb, from: coding, to: color == "hlg" ? .hlg : .pq(peak: 0)), Formulas.hlg
                    ).map { $0 * 4 }
                let found = shots[12].codes(number % 4 * 32 + 16, number / 4 * 32 + 16)
                for (a, b) in zip(found, wanted) {
                    #expect(abs(a - b) <= (isSame ? 0 : 2), "\(patch): \(found), not \(wanted)")
                }
            }
        }

        /// Everything at once: transitions, a look, a sticker, a title, a plugin's effect, a photo.
        static func everything(_ studio: Studio, _ color: String) throws {
            try studio.folder.write(
                "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n", to: "same.cube")
            try script(
                studio, color,
                """
                draft:add_clip(\(try hlg.lua))
                draft:add_clip(\(try sdr.lua), { transition = { "dissolve", 0.4 } })
                draft:add_clip(\(try pq.lua), { transition = { "fade", 0.4 } })
                draft:add_image(\(try Footage.still.lua), { duration = 1, transition = { "wipe_left", 0.4 } })
                draft:add_clip(\(try hlg.lua), { transition = { "slide_up", 0.4 }, reverse = true })
                draft:add_effect("lut", { image = "same.cube", intensity = { { 0, 0 }, { 4, 1 } } })
                draft:add_effect("sticker", { image = \(try Footage.still.lua), rect = { 3, 5, 21, 13 }, opacity = 0.5 })
                draft:add_title("HDR", { size = 24, position = { 60, 8 } })
                draft:add_effect("org.cutroom.vignette", { strength = 0.5, range = { 2, 1 } })
                """, "video = { codec = 'hevc', quality = 8 }")
        }

        @Test(arguments: ["hlg"]) func `any number of workers writes the same bytes`(color: String) throws {
            let studio = try Studio()
            try Self.everything(studio, color)
            let one = try studio.render(to: "one.mp4", with: ["--workers", "1", "--no-cache"])
            let four = try studio.render(to: "four.mp4", with: ["--workers", "4", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: four))
            let transfer = color == "hlg" ? "arib-std-b67" : "smpte2084"
            let tags = try FFmpeg.probe(one, "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries")
            #expect(tags.split(separator: "\n") == ["yuv420p10le", "tv", "bt2020nc", Substring(transfer), "bt2020"])
            let probe = try studio.run(["probe", one])
            #expect(probe.text.contains(", \(color.uppercased())"), "\(probe)")
            // The same again comes from the cache, and SDR from another place in it.
            try studio.render(to: "kept.mp4")
            try studio.render(to: "again.mp4")
            #expect(FileManager.default.contentsEqual(atPath: studio.file("kept.mp4"), andPath: one))
            #expect(FileManager.default.contentsEqual(atPath: studio.file("again.mp4"), andPath: one))
        }

        /// The middle of a dissolve is the mean of both pictures' codes, a fade's is black, and a
        /// title's white is at the reference level.
        @Test(arguments: [("hlg", 721.0), ("pq", 572.0)]) func `transitions and titles work on all ten bits`(
            color: String, white: Double
        ) throws {
            let studio = try Studio()
            let source = try color == "hlg" ? Self.hlg : Self.pq
            try Self.script(
                studio, color,
                """
                draft:add_clip(\(source.lua))
                draft:add_image(\(try Footage.made("grey.png", ["-f", "lavfi", "-i", "color=0x808080:s=128x64", "-frames:v", "1"]).lua), {
                  duration = 1, transition = { "dissolve", 0.4 } })
                draft:add_clip(\(source.lua), { transition = { "fade", 0.4 } })
                draft:add_title("████████████", { size = 40, range = { 0, 0.2 } })
                """)
            let shots = try WideShot.all(of: try studio.render())
            #expect(shots.count == 55)
            let (a, b, mixed) = (shots[10].codes(48, 16), shots[27].codes(48, 16), shots[20].codes(48, 16))
            for plane in 0..<3 {
                #expect(abs(mixed[plane] - (a[plane] + b[plane]) / 2) <= 1, "\(mixed) between \(a) and \(b)")
            }
            #expect(shots[35].codes(48, 16) == [64, 512, 512])
            let title = shots[2].codes(64, 32)
            #expect(abs(title[0] - white) <= 1 && title[1] == 512 && title[2] == 512, "\(title)")
        }

        /// Whose transfer is said as H.273 numbers it, with the canvas' every code: what a plugin
        /// leaves alone stays as it is.
        @Test(arguments: [("pq", 16.0), ("sdr", 1)])
        func `a plugin gets floats`(color: String, transfer: Double) throws {
            let studio = try Studio()
            try Fixture.plugin("floats", as: "floats", in: studio)
            let source = try color == "pq" ? Self.pq : Self.hlg
            for (name, effect) in [("plain.mp4", ""), ("floats.mp4", "draft:add_effect('test.floats', {})")] {
                try Self.script(studio, color, "draft:add_clip(\(source.lua))\n\(effect)")
                try studio.render(to: name)
            }
            let scale = color == "sdr" ? 1.0 : 4
            let wanted = [(16 + 219 * transfer / 32) * scale, 128 * scale, 128 * scale]
            let (plain, changed) = try (Self.codes(studio, "plain.mp4", color), Self.codes(studio, "floats.mp4", color))
            for (x, y) in [(16, 16), (48, 16), (16, 48), (48, 48)] { #expect(changed(x, y) == plain(x, y)) }
            #expect(
                zip(changed(96, 32), wanted).allSatisfy { abs($0 - $1) <= 0.5 }, "\(changed(96, 32)), not \(wanted)")
        }

        /// What the first frame of a file has at a place, in its own depth.
        private static func codes(_ studio: Studio, _ name: String, _ color: String) throws -> (Int, Int) -> [Double] {
            if color != "sdr" {
                let shot = try WideShot.all(of: studio.file(name))[0]
                return { shot.codes($0, $1) }
            }
            let shot = try Shot.all(of: studio.file(name))[0]
            return { x, y in [shot.sample(0, x, y), shot.sample(1, x / 2, y / 2), shot.sample(2, x / 2, y / 2)] }
        }

        @Test func `a snapshot is SDR, as an SDR canvas shows it`() throws {
            let studio = try Studio()
            for color in ["hlg", "pq", "sdr"] {
                try Self.script(studio, color, "draft:add_clip(\(try color == "pq" ? Self.pq.lua : Self.hlg.lua))", "")
                let result = try studio.run(["cover", "edit.lua", "--at", "0.5", "-o", "\(color).png"])
                try #require(result.status == 0, "\(result)")
            }
            #expect(FileManager.default.contentsEqual(atPath: studio.file("hlg.png"), andPath: studio.file("sdr.png")))
            #expect(try FFmpeg.probe(studio.file("pq.png"), "stream=pix_fmt") == "rgb24")
            try Self.script(studio, "sdr", "draft:add_clip(\(try Self.pq.lua))", "")
            _ = try studio.run(["cover", "edit.lua", "--at", "0.5", "-o", "sdr-of-pq.png"])
            #expect(
                FileManager.default.contentsEqual(atPath: studio.file("pq.png"), andPath: studio.file("sdr-of-pq.png")))
        }

        @Test func `what cannot carry it says so`() throws {
            let studio = try Studio()
            func complaint(_ arguments: [String]) throws -> String {
                let result = try studio.run(["render", "edit.lua"] + arguments)
                #expect(result.status == 65, "\(result)")
                return result.stderr
            }
            try Self.script(studio, "hlg", "draft:add_clip(\(try Self.hlg.lua))", "")
            for name in ["out.gif", "frames/", "frame-%04d.jpg"] {
                let text = try complaint(["-o", name])
                #expect(
                    text.contains("the canvas is HLG, but a ") && text.contains("write mp4, mov, webm, mkv"), "\(text)")
            }
            let profile = try complaint(["-o", "out.mp4", "--codec", "h264", "--profile", "baseline"])
            #expect(
                profile.contains(
                    "‘profile’ is ‘baseline’, but an HLG canvas has 10 bits, which h264 carries in ‘high10’"),
                "\(profile)")
            try Self.script(
                studio, "sdr", "draft:add_clip(\(try Self.hlg.lua))", "video = { codec = 'hevc', profile = 'main10' }")
            #expect(try complaint(["-o", "out.mp4"]).contains("an SDR canvas has 8 bits"))
            try Self.script(
                studio, "pq",
                "draft:add_clip(\(try Self.hlg.lua))\ndraft:add_effect('org.cutroom.rgb_split', { amount = 3 })", "")
            let plugin = try complaint(["-o", "out.mp4"])
            #expect(
                plugin.contains("the canvas is PQ, but ‘org.cutroom.rgb_split’ works with 8 bits only (rgba8)"),
                "\(plugin)")
            try studio.folder.write(
                "local cutroom = require 'cutroom'\nreturn cutroom.draft { color = 'hdr' }\n", to: "edit.lua")
            #expect(try complaint(["-o", "out.mp4"]).contains("did you mean ‘pq’?"))
        }

        /// Both systems.
        @Suite struct Sweep {
            @Test(arguments: pairs)
            func `sources come out as the formulas say`(color: String, coding: Formulas.Coding) throws {
                try HDRTests().`sources come out as the formulas say`(color: color, coding: coding)
            }

            @Test(arguments: ["hlg", "pq"]) func `any number of workers writes the same bytes`(color: String) throws {
                try HDRTests().`any number of workers writes the same bytes`(color: color)
            }

            @Test(arguments: [("hlg", 18.0), ("pq", 16), ("sdr", 1)])
            func `a plugin gets floats`(color: String, transfer: Double) throws {
                try HDRTests().`a plugin gets floats`(color: color, transfer: transfer)
            }
        }
    }
}

/// One decoded frame of 10 bits.
struct WideShot {
    var width: Int
    var planes: [[UInt16]]

    /// Y′CbCr at a place.
    func codes(_ x: Int, _ y: Int) -> [Double] {
        let chroma = y / 2 * (width / 2) + x / 2
        return [Double(planes[0][y * width + x]), Double(planes[1][chroma]), Double(planes[2][chroma])]
    }

    static func all(of path: String) throws -> [WideShot] {
        let size = try FFmpeg.probe(path, "stream=width,height").split(separator: "\n").compactMap { Int($0) }
        let (width, height) = (size[0], size[1])
        let bytes = Array(
            try FFmpeg.run(["-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo", "-"]).stdout)
        let chroma = width / 2 * (height / 2)
        let counts = [width * height, chroma, chroma]
        let whole = 2 * counts.reduce(0, +)
        var shots: [WideShot] = []
        for start in stride(from: 0, to: bytes.count, by: whole) {
            var (at, planes) = (start, [[UInt16]]())
            for count in counts {
                planes.append(
                    (0..<count).map { index -> UInt16 in
                        let (low, high) = (UInt16(bytes[at + 2 * index]), UInt16(bytes[at + 2 * index + 1]))
                        return low | high << 8
                    })
                at += 2 * count
            }
            shots.append(WideShot(width: width, planes: planes))
        }
        return shots
    }
}
