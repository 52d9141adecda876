import Draft
import Foundation
import TestSupport
import Testing

@testable import Workers

/// Chroma of everything that is drawn lies where its luma does, and nothing that meets has a seam.
@Suite(.waits) struct ChromaSitingTests {
    private static let ground = "\"#202020\""
    private static let systems = ["sdr", "hlg"]

    private static func lab() throws -> CompositionLab {
        let lab = try CompositionLab { folder in
            let defines = ["FIXTURE_ID=\"org.test.circle\"", "SOURCE", "RED=255", "GREEN=32", "BLUE=32"]
            return [try PluginFixture.build("copies", defines, in: folder)]
        }
        try lab.image("red.png", 60, 40) { _, _ in [255, 32, 32, 255] }
        // The same rectangle in a picture as large as the canvas, at an odd place.
        try lab.image("box.png", 120, 80) { x, y in
            (31..<78).contains(x) && (21..<50).contains(y) ? [255, 32, 32, 255] : [32, 32, 32, 255]
        }
        try lab.image("clear.png", 120, 80) { x, y in
            [255, 32, 32, (31..<78).contains(x) && (21..<50).contains(y) ? 255 : 0]
        }
        func video(_ name: String, _ image: String, _ format: String, _ sited: String, _ codec: [String]) throws {
            let filter = "scale=out_color_matrix=bt709:out_range=tv:flags=area+full_chroma_inp\(sited),format=\(format)"
            try lab.file(
                name,
                ["-loop", "1", "-framerate", "10", "-i", lab.folder.file(image), "-t", "2", "-vf", filter] + codec + [
                    "-colorspace", "bt709",
                ])
        }
        let (left, beside) = (":out_h_chr_pos=0:out_v_chr_pos=128", ":out_h_chr_pos=0")
        try video("444.mp4", "box.png", "yuv444p", "", ["-c:v", "libx264", "-qp", "0"])
        try video("420.mp4", "box.png", "yuv420p", left, ["-c:v", "libx264", "-qp", "0"])
        try video("422.mkv", "box.png", "yuv422p10le", beside, ["-c:v", "ffv1"])
        try video("alpha.webm", "clear.png", "yuva420p", left, ["-c:v", "libvpx-vp9", "-lossless", "1"])
        try lab.file(
            "alpha.mov",
            ["-loop", "1", "-framerate", "10", "-i", lab.folder.file("clear.png"), "-t", "2", "-c:v", "qtrle"])
        return lab
    }

    /// A layer of a red rectangle, made of each kind of content, with its left edge on any column.
    private static func layers(_ x: Double, _ y: Double) -> [(name: String, effect: String)] {
        let place = "\"position\": [\(x), \(y)], \"anchor\": \"top_left\""
        // For contents as large as the canvas, with the rectangle's edge at x and y.
        let full = "\"size\": [120, 80], \"position\": [\(x - 31), \(y - 21)], \"anchor\": \"top_left\""
        let draft =
            "\"draft\": {\"canvas\": {\"size\": [120, 80], \"fps\": 10}, \"duration\": 2, \"effects\": "
            + "[{\"kind\": \"layer\", \"image\": \"clear.png\", \"size\": [120, 80]}]}"
        var all =
            [
                ("colour", "{\"kind\": \"layer\", \"color\": \"#ff2020\", \"size\": [47, 29], \(place)}"),
                (
                    "image",
                    "{\"kind\": \"layer\", \"image\": \"red.png\", \"size\": [47, 29], \"mode\": \"stretch\", \(place)}"
                ),
                ("draft", "{\"kind\": \"layer\", \(draft), \(full)}"),
            ]
            + ["444.mp4", "420.mp4", "422.mkv", "alpha.webm", "alpha.mov"].map {
                ($0, "{\"kind\": \"layer\", \"media\": \"\($0)\", \(full)}")
            }
        if x == x.rounded(), y == y.rounded() {
            all.append(
                ("sticker", "{\"kind\": \"sticker\", \"image\": \"red.png\", \"rect\": [\(Int(x)), \(Int(y)), 47, 29]}")
            )
            all.append(
                (
                    "source",
                    "{\"kind\": \"overlay\", \"effect\": \"org.test.circle\", \"rect\": [\(Int(x)), \(Int(y)), 47, 29]}"
                ))
        }
        return all
    }

    /// - Parameter middle: where the rectangle's middle is. A canvas of HDR makes light of a
    ///   picture's pixels with the chroma that they share, so luma at an edge in colour is not
    ///   quite where the edge is.
    private func check(_ shown: Samples, _ ground: Samples, _ name: String, middle: (x: Double, y: Double)? = nil) {
        let luma = shown.centre(0, from: ground)
        let wanted = middle ?? luma
        let reach = shown.isTenBits ? 0.6 : 0.15
        #expect(
            abs(luma.x - wanted.x) < reach && abs(luma.y - wanted.y) < reach, "\(name): luma \(luma), not \(wanted)")
        for plane in 1...2 where shown.distance(to: ground, plane) > 8 {
            let chroma = shown.centre(plane, from: ground)
            #expect(
                abs(chroma.x - wanted.x) < 0.12 && abs(chroma.y - wanted.y) < 0.2,
                "\(name), plane \(plane): \(chroma), not \(wanted)")
        }
    }

    @Test(arguments: systems) func `the middle of chroma is the middle of luma`(system: String) throws {
        let lab = try Self.lab()
        let canvas = ", \"color\": \"\(system)\", \"background\": \(Self.ground)"
        let ground = try lab.render("", canvas: canvas)
        for (x, y) in [(30, 20), (31, 21), (40.5, 13.25)] as [(Double, Double)] {
            for (name, effect) in Self.layers(x, y) {
                // A source in bytes is for a canvas of bytes.
                if name == "source", system != "sdr" { continue }
                check(
                    try lab.render(effect, canvas: canvas), ground, "\(name) at (\(x), \(y)), \(system)",
                    middle: name == "source" ? nil : (x + 23, y + 14))
            }
        }
        for text in ["H", "Wow"] {
            for x in [40, 41] {
                let title =
                    "{\"kind\": \"title\", \"text\": \"\(text)\", \"size\": 40, \"color\": \"#ff2020\", \"position\": [\(x), 20]}"
                check(try lab.render(title, canvas: canvas), ground, "a title at \(x), \(system)")
            }
        }
    }

    /// A sample of chroma spans three columns, weighted 1 : 2 : 1.
    @Test func `edges of chroma are where those of luma are`() throws {
        let lab = try Self.lab()
        let canvas = ", \"background\": \(Self.ground)"
        let ground = try lab.render("", canvas: canvas)
        let shown = try lab.render(
            "{\"kind\": \"layer\", \"color\": \"#ff2020\", \"size\": [60, 40], \"position\": [30, 21], \"anchor\": \"top_left\"}",
            canvas: canvas)
        let full = Double(shown[2, 25, 20] - ground[2, 25, 20])
        let shares = [14, 15, 16, 44, 45, 46].map { Double(shown[2, $0, 20] - ground[2, $0, 20]) / full }
        for (share, wanted) in zip(shares, [0, 0.75, 1, 1, 0.25, 0]) {
            #expect(abs(share - wanted) < 0.02, "\(shares)")
        }
    }

    /// Pictures as clips of the main track, through every way that they come to the canvas.
    @Test(arguments: systems) func `clips keep chroma beside luma`(system: String) throws {
        let lab = try Self.lab()
        let canvas = ", \"color\": \"\(system)\", \"background\": \(Self.ground)"
        let ground = try lab.render("", canvas: canvas)
        for clip in [
            "\"image\": \"box.png\", \"duration\": 2", "\"image\": \"clear.png\", \"duration\": 2",
            "\"media\": \"444.mp4\"",
            "\"media\": \"420.mp4\"", "\"media\": \"422.mkv\"", "\"media\": \"alpha.webm\"", "\"media\": \"alpha.mov\"",
        ] {
            check(
                try lab.render("", canvas: canvas, clips: "{\(clip)}"), ground, "\(clip), \(system)", middle: (54, 35))
        }
    }

    /// Two layers of one colour that meet in any column and row are one.
    @Test(arguments: systems) func `layers that meet leave no seam`(system: String) throws {
        let lab = try Self.lab()
        let canvas = ", \"color\": \"\(system)\", \"background\": \(Self.ground)"
        func color(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> String {
            "{\"kind\": \"layer\", \"color\": \"#ff2020\", \"size\": [\(width), \(height)], \"position\": [\(x), \(y)], \"anchor\": \"top_left\"}"
        }
        func sticker(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> String {
            "{\"kind\": \"sticker\", \"image\": \"red.png\", \"rect\": [\(x), \(y), \(width), \(height)]}"
        }
        for part in [color, sticker] {
            let whole = try lab.render(part(21, 15, 60, 40), canvas: canvas)
            for (column, row) in [(50, 30), (51, 31), (22, 16), (77, 51)] {
                for other in [color, sticker] {
                    let across = try lab.render(
                        part(21, 15, column - 21, 40) + ", " + other(column, 15, 81 - column, 40), canvas: canvas)
                    let down = try lab.render(
                        other(21, row, 60, 55 - row) + ", " + part(21, 15, 60, row - 15), canvas: canvas)
                    for plane in 0..<3 {
                        #expect(across.distance(to: whole, plane) <= 1, "at column \(column), \(system)")
                        #expect(down.distance(to: whole, plane) <= 1, "at row \(row), \(system)")
                    }
                }
            }
        }
    }

    /// A layer that covers the canvas with an opaque clip is the clip: what is not resampled is not
    /// blurred.
    @Test func `a clip as a layer is the clip`() throws {
        let lab = try CompositionLab()
        try lab.file(
            "noise.mp4",
            [
                "-f", "lavfi", "-i", "testsrc2=size=120x80:rate=10", "-t", "2", "-vf", "format=yuv420p", "-c:v",
                "libx264", "-qp", "0", "-colorspace", "bt709",
            ])
        let clip = try lab.render("", clips: "{\"media\": \"noise.mp4\"}", frame: 7)
        let layer = try lab.render("{\"kind\": \"layer\", \"media\": \"noise.mp4\"}", frame: 7)
        for plane in 0..<3 { #expect(layer.distance(to: clip, plane) <= 1) }
        let moved = try lab.render(
            "{\"kind\": \"layer\", \"media\": \"noise.mp4\", \"size\": [120, 80], \"position\": [4, 6], \"anchor\": \"top_left\"}",
            frame: 7)
        for y in 4..<38 { for x in 4..<58 { #expect(abs(moved[1, x, y] - clip[1, x - 2, y - 3]) <= 1) } }
    }

    // MARK: Filters

    /// With a filter that changes pixels (x, y) where `changes` says.
    private static func lab(filter changes: String) throws -> CompositionLab {
        try CompositionLab {
            [try PluginFixture.build("copies", ["FIXTURE_ID=\"org.test.copies\"", "CHANGES=\(changes)"], in: $0)]
        }
    }

    /// Samples that are no colour in RGB, and lie beside others that are.
    private static let noise = [
        "-f", "lavfi", "-i",
        "nullsrc=size=120x80:rate=10,geq=lum='random(1)*255':cb='random(2)*255':cr='random(3)*255'", "-t", "2",
        "-pix_fmt", "yuv420p", "-c:v", "libx264", "-qp", "0", "-colorspace", "bt709",
    ]

    @Test func `what a filter does not change is passed through`() throws {
        let copy = "{\"kind\": \"filter\", \"effect\": \"org.test.copies\"}"
        let lab = try Self.lab(filter: "0")
        try lab.file("noise.mp4", Self.noise)
        let clip = "{\"media\": \"noise.mp4\"}"
        let before = try lab.render("", clips: clip, frame: 3)
        #expect(try lab.render([copy, copy].joined(separator: ", "), clips: clip, frame: 3) == before)

        // In one half all is changed: the other half is what it was, but for the samples that both
        // have a share in.
        let half = try Self.lab(filter: "x>=61")
        try half.file("noise.mp4", Self.noise)
        let after = try half.render(copy, clips: clip, frame: 3)
        for plane in 0..<3 {
            for y in 0..<before.rows(plane) {
                for x in 0..<(plane == 0 ? 61 : 30) { #expect(after[plane, x, y] == before[plane, x, y]) }
            }
            #expect(after.distance(to: before, plane) > 50)
        }
    }

    @Test func `a layer with a filter that changes nothing is the layer`() throws {
        let lab = try Self.lab(filter: "0")
        try lab.file("noise.mp4", Self.noise)
        try lab.image("disc.png", 60, 40) { x, y in
            [x * 4, 255 - x * 3, y * 6, (x - 30) * (x - 30) + (y - 20) * (y - 20) < 350 ? 255 : 0]
        }
        for content in ["\"media\": \"noise.mp4\"", "\"image\": \"disc.png\", \"width\": 60"] {
            let copy = "{\"kind\": \"filter\", \"effect\": \"org.test.copies\"}"
            func layer(_ count: Int) throws -> Samples {
                let effects = Array(repeating: copy, count: count).joined(separator: ", ")
                return try lab.render(
                    "{\"kind\": \"layer\", \(content), \"effects\": [\(effects)]}", clips: nil, frame: 3)
            }
            #expect(try layer(1) == layer(3), "\(content)")
        }
    }

    // MARK: Masks

    /// A mask belongs to what is seen of a layer: where `fill` or a crop cuts off, a circle stays a
    /// circle.
    @Test func `a mask lies over what is shown`() throws {
        let lab = try CompositionLab()
        try lab.image("wide.png", 160, 40) { _, _ in [255, 255, 255, 255] }
        try lab.image("circle.png", 64, 64) { x, y in
            [255, 255, 255, (2 * x - 63) * (2 * x - 63) + (2 * y - 63) * (2 * y - 63) < 3600 ? 255 : 0]
        }
        func layer(_ options: String) throws -> Samples {
            try lab.render(
                "{\"kind\": \"layer\", \"image\": \"wide.png\", \"mask\": \"circle.png\", \"position\": [60, 40], \(options)}"
            )
        }
        let wanted = try layer("\"size\": [60, 60], \"mode\": \"stretch\"")
        for options in [
            "\"size\": [60, 60], \"mode\": \"fill\"", "\"size\": [60, 60], \"mode\": \"fill\", \"focus\": [0.1, 0.5]",
            "\"size\": [60, 60], \"crop\": [0.5, 0, 0.25, 1]",
            "\"size\": [60, 60], \"mode\": \"fill\", \"flip\": \"horizontal\"",
            "\"size\": [60, 60], \"mode\": \"fill\", \"rotate\": 90",
        ] {
            #expect(try layer(options).distance(to: wanted, 0) <= 1, "\(options)")
        }
    }
}
