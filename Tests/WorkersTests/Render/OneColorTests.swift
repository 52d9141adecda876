import Draft
import Foundation
import TestSupport
import Testing

@testable import Workers

/// One colour over itself is not seen, however it is drawn: no filter leaves a rim at an edge of
/// alpha.
@Suite(.waits) struct OneColorTests {
    /// Shapes of alpha, 0…255: with a hard edge, a soft one, noise, stripes and a single pixel.
    private static let shapes: [(name: String, alpha: @Sendable (Int, Int) -> Int)] = [
        ("disc", { x, y in (x - 30) * (x - 30) + (y - 20) * (y - 20) < 350 ? 255 : 0 }),
        ("soft", { x, y in max(0, min(255, 380 - ((x - 30) * (x - 30) + (y - 20) * (y - 20)))) }),
        ("noise", { x, y in (x * 7919 + y * 104_729) % 251 }),
        ("stripes", { x, y in (x + y / 3) % 3 == 0 ? 255 : 0 }),
        ("speck", { x, y in x == 31 && y == 17 ? 255 : 0 }),
        ("full", { _, _ in 255 }),
    ]

    /// A lab with each shape in a colour, once with the same colour below what is transparent, and
    /// once with others.
    private static func lab(_ color: [Int], plugins: [String] = []) throws -> CompositionLab {
        let lab = try CompositionLab { _ in plugins }
        for (name, alpha) in shapes {
            try lab.image(name + ".png", 60, 40) { x, y in color + [alpha(x, y)] }
            try lab.image(name + "-other.png", 60, 40) { x, y in
                let alpha = alpha(x, y)
                return (alpha > 0 ? color : [(x * 31) % 256, 255, (y * 17) % 256]) + [alpha]
            }
        }
        try lab.image("opaque.png", 61, 43) { _, _ in color + [255] }
        try lab.file(
            "alpha.mov",
            ["-loop", "1", "-framerate", "10", "-i", lab.folder.file("soft-other.png"), "-t", "2", "-c:v", "qtrle"])
        try lab.file(
            "plain.mp4",
            [
                "-loop", "1", "-framerate", "10", "-i", lab.folder.file("opaque.png"), "-t", "2", "-vf",
                "scale=out_color_matrix=bt709:out_range=tv,crop=60:42,format=yuv444p", "-c:v", "libx264", "-qp", "0",
                "-colorspace", "bt709",
            ])
        try lab.file(
            "alpha.webm",
            [
                "-loop", "1", "-framerate", "10", "-i", lab.folder.file("disc.png"), "-t", "2", "-vf",
                "scale=out_color_matrix=bt709:out_range=tv,format=yuva420p", "-c:v", "libvpx-vp9", "-lossless", "1",
                "-colorspace", "bt709",
            ])
        return lab
    }

    private static func hex(_ color: [Int]) -> String {
        "\"#" + color.map { String(format: "%02x", $0) }.joined() + "\""
    }

    /// An entry of an effect list in the colour, at any place, size, turn and opacity.
    private static func entry(_ color: [Int], _ random: inout SplitMix64, isNested: Bool = false) -> String {
        func number(_ range: ClosedRange<Double>) -> String {
            String(format: "%.3f", Double.random(in: range, using: &random))
        }
        let shape =
            shapes[Int.random(in: 0..<shapes.count, using: &random)].name + random.pick(["", "-other"]) + ".png"
        var options: [String] = []
        if random.chance(1, in: 2) { options.append("\"opacity\": \(number(0.1...1))") }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let rect = [-20...60, -15...40, 5...100, 5...70].map { Int.random(in: $0, using: &random) }
            return "{\"kind\": \"sticker\", \"image\": \"\(random.pick([shape, "alpha.mov"]))\", \"rect\": \(rect)"
                + options.map { ", " + $0 }.joined() + "}"
        case 1:
            let text = random.pick(["Wow", "o", "X\\nY"])
            let style = random.chance(1, in: 2) ? ", \"outline_color\": \(hex(color)), \"outline_width\": 2" : ""
            return "{\"kind\": \"title\", \"text\": \"\(text)\", \"size\": \(Int.random(in: 9...60, using: &random)), "
                + "\"color\": \(hex(color))\(style)" + options.map { ", " + $0 }.joined() + "}"
        default: break
        }
        options.append("\"width\": \(number(3...140))")
        options.append("\"position\": [\(number(-10...130)), \(number(-10...90))]")
        if random.chance(2, in: 3) { options.append("\"rotation\": \(number(-180...180))") }
        if random.chance(1, in: 4) {
            options.append("\"corner_radius\": \"\(Int.random(in: 5...50, using: &random))%\"")
        }
        if random.chance(1, in: 4) { options.append("\"crop\": [0.1, 0.2, \(number(0.3...0.9)), 0.7]") }
        if random.chance(1, in: 5) { options.append("\"mask\": \"\(shape)\"") }
        if random.chance(1, in: 5) { options.append("\"enter\": [\"\(random.pick(["blur", "fade", "zoom"]))\", 1]") }
        let content: String
        switch Int.random(in: 0..<5, using: &random) {
        case 0: content = "\"color\": \(hex(color)), \"size\": [\(number(3...120)), \(number(3...80))]"
        case 1: content = "\"media\": \"plain.mp4\""
        case 2: content = "\"media\": \"\(random.pick(["alpha.mov", "alpha.webm"]))\""
        case 3 where !isNested:
            let inner = (0..<Int.random(in: 1...2, using: &random)).map { _ in entry(color, &random, isNested: true) }
            content =
                "\"draft\": {\"canvas\": {\"size\": [90, 70], \"fps\": 10}, \"duration\": 2, \"effects\": [\(inner.joined(separator: ", "))]}"
        default: content = "\"image\": \"\(shape)\""
        }
        if content.contains("\"color\"") { options.removeAll { $0.hasPrefix("\"width\"") } }
        return "{\"kind\": \"layer\", \(content), " + options.joined(separator: ", ") + "}"
    }

    private func check(_ count: Int, system: String) throws {
        let cases = Seed.cases(count)
        var random = SplitMix64(seed: Seed.announced(for: "one colour over itself, \(system)", cases: cases))
        let colors = [[128, 128, 128], [230, 40, 30], [20, 90, 200], [255, 255, 255], [3, 3, 3]]
        for color in colors {
            let lab = try Self.lab(color)
            let canvas = ", \"color\": \"\(system)\", \"background\": \(Self.hex(color))"
            let ground = try lab.render("", canvas: canvas)
            let tolerances = try tolerances(lab, color, system, ground)
            for number in 0..<max(1, cases / colors.count) {
                let count = Int.random(in: 1...3, using: &random)
                let effects = (0..<count).map { _ in Self.entry(color, &random) }.joined(separator: ", ")
                let shown = try lab.render(effects, canvas: canvas, frame: Int.random(in: 0..<10, using: &random))
                for plane in 0..<3 {
                    #expect(
                        shown.distance(to: ground, plane) <= tolerances[plane],
                        "\(number), \(system), plane \(plane): \(shown.ranges[plane]), not \(ground.ranges[plane]): \(effects)"
                    )
                }
            }
        }
    }

    /// Returns how far codes of each plane may be from those of `ground`.
    private func tolerances(
        _ lab: CompositionLab, _ color: [Int], _ system: String, _ ground: Samples
    ) throws -> [Int] {
        // On a canvas of HDR a layer of video is of SDR: a code of it is four of the canvas',
        // more near PQ's black.
        let neighbours = try (system == "sdr" ? [] : [-1, 1]).map { step in
            let near = color.map { min(255, max(0, $0 + step)) }
            return try lab.render("", canvas: ", \"color\": \"\(system)\", \"background\": \(Self.hex(near))")
        }
        return (0..<3).map { plane in
            system == "sdr" ? 1 : 4 + (neighbours.map { $0.distance(to: ground, plane) }.max() ?? 0)
        }
    }

    /// The edge of a letter has faint pixels, whose colours are imprecise. If the draft is
    /// converted, opaque pixels must not take on a part of them.
    private func checkTitles(_ inner: String, _ system: String, _ colors: [[Int]]) throws {
        for color in colors {
            let lab = try Self.lab(color)
            let canvas = ", \"color\": \"\(system)\", \"background\": \(Self.hex(color))"
            let tolerances = try tolerances(lab, color, system, lab.render("", canvas: canvas))
            // From HDR to SDR, colours are mapped to darker ones.
            let below =
                "{\"kind\": \"layer\", \"draft\": {\"canvas\": {\"size\": [400, 400], \"fps\": 10, \"color\": \"\(inner)\", "
                + "\"background\": \(Self.hex(color))}, \"duration\": 2}}"
            let ground = try lab.render(below, canvas: canvas)
            for (size, place) in [(52, "[46.327, 24.881]"), (52, "[60, 40]"), (31, "[61, 41]"), (20, "[59.5, 39.25]")] {
                let title =
                    "{\"kind\": \"title\", \"text\": \"o\", \"size\": \(size), \"color\": \(Self.hex(color)), "
                    + "\"outline_color\": \(Self.hex(color)), \"outline_width\": 2}"
                let draft =
                    "{\"canvas\": {\"size\": [90, 70], \"fps\": 10, \"color\": \"\(inner)\"}, \"duration\": 2, "
                    + "\"effects\": [\(title)]}"
                let layer = "{\"kind\": \"layer\", \"draft\": \(draft), \"position\": \(place)}"
                let shown = try lab.render(below + ", " + layer, canvas: canvas)
                for plane in 0..<3 {
                    #expect(
                        shown.distance(to: ground, plane) <= tolerances[plane],
                        "plane \(plane): \(shown.ranges[plane]), not \(ground.ranges[plane]): \(layer)")
                }
            }
        }
    }

    @Test(arguments: [("sdr", "hlg"), ("pq", "sdr")])
    func `a title in a draft of other colours is not seen over its own`(inner: String, system: String) throws {
        try checkTitles(inner, system, [[20, 90, 200]])
    }

    @Test func `one colour over itself is not seen`() throws { try check(15, system: "sdr") }

    @Test func `effects leave no rim at an edge of alpha`() throws { try checkRims("soft", [[200, 40, 60]]) }

    /// More places and colours, and PQ.
    @Suite struct Sweep {
        @Test(arguments: [("sdr", "hlg"), ("sdr", "pq"), ("hlg", "sdr"), ("pq", "sdr"), ("pq", "hlg")])
        func `a title in a draft of other colours is not seen over its own`(inner: String, system: String) throws {
            try OneColorTests().checkTitles(inner, system, [[128, 128, 128], [20, 90, 200], [230, 40, 30]])
        }

        @Test(arguments: ["disc", "soft", "noise"])
        func `effects leave no rim at an edge of alpha`(shape: String) throws {
            try OneColorTests().checkRims(shape, [[128, 128, 128], [200, 40, 60], [224, 172, 140]])
        }

        @Test func `one colour over itself is not seen`() throws { try OneColorTests().check(1500, system: "sdr") }

        @Test(arguments: ["hlg", "pq"])
        func `one colour over itself is not seen on HDR`(system: String) throws {
            try OneColorTests().check(1500, system: system)
        }
    }

    /// A clip of the main track with alpha over a background of its colour.
    @Test func `a clip with alpha is not seen over its colour`() throws {
        for color in [[128, 128, 128], [230, 40, 30]] {
            let lab = try Self.lab(color)
            let canvas = ", \"background\": \(Self.hex(color))"
            let ground = try lab.render("", canvas: canvas)
            let draft =
                "\"draft\": {\"canvas\": {\"size\": [60, 40], \"fps\": 10}, \"duration\": 2, \"effects\": "
                + "[{\"kind\": \"layer\", \"image\": \"disc.png\", \"width\": 50, \"rotation\": 20}]}"
            for clip in [
                "\"image\": \"disc.png\", \"duration\": 2", "\"media\": \"alpha.mov\"", "\"media\": \"alpha.webm\"",
                draft,
            ] {
                for mode in ["fit", "fill", "stretch"] {
                    let shown = try lab.render("", canvas: canvas, clips: "{\(clip), \"mode\": \"\(mode)\"}")
                    for plane in 0..<3 {
                        #expect(shown.distance(to: ground, plane) <= 1, "\(clip), \(mode): \(shown.ranges)")
                    }
                }
            }
        }
    }

    /// Effects that look at neighbours meet the colour that is seen, not the one that is hidden.
    private func checkRims(_ shape: String, _ colors: [[Int]]) throws {
        let library = try #require(PluginFixture.shipped("effects"), "libcutroom_plugin_effects.so is not built")
        for color in colors {
            let lab = try Self.lab(color, plugins: [library])
            let canvas = ", \"background\": \(Self.hex(color))"
            let ground = try lab.render("", canvas: canvas)
            // What moves pixels works in premultiplied bytes, which say little of a faint pixel's
            // colour.
            for (effect, tolerance) in [
                ("\"org.cutroom.sharpen\", \"parameters\": {\"amount\": 2, \"radius\": 4}", 1),
                ("\"org.cutroom.blur\", \"parameters\": {\"radius\": 6}", 1),
                ("\"org.cutroom.transform\", \"parameters\": {\"zoom\": 1.3, \"angle\": 17}", 8),
                ("\"org.cutroom.shake\", \"parameters\": {\"amplitude\": 20, \"rotation\": 20}", 8),
                ("\"org.cutroom.kaleidoscope\"", 8),
            ] {
                for place in ["\"width\": 60", "\"width\": 97.3, \"rotation\": 11"] {
                    let layer =
                        "{\"kind\": \"layer\", \"image\": \"\(shape)-other.png\", \(place), \"position\": [61.5, 40.25], "
                        + "\"effects\": [{\"kind\": \"filter\", \"effect\": \(effect)}]}"
                    let shown = try lab.render(layer, canvas: canvas)
                    for plane in 0..<3 {
                        #expect(shown.distance(to: ground, plane) <= tolerance, "\(effect), \(place): \(shown.ranges)")
                    }
                }
            }
        }
    }
}
