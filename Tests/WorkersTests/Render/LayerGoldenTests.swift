import Composition
import Draft
import Foundation
import Media
import TestSupport
import Testing

@testable import Workers

/// Frames of layers, moving titles and subtitles are known (``GoldenFile``): the means of fields of
/// 8×8 pixels.
@Suite(.waits) struct LayerGoldenTests {
    private static let size = Canvas.Size(width: 96, height: 64)

    /// A name, an entry of the effect list as a document has it, and the frames that are looked at,
    /// at ten a second.
    private typealias Case = (name: String, effect: String, frames: [Int])

    private static let layers: [Case] = [
        ("placement", logo("\"position\": [70.5, 20.25], \"width\": 30"), [0]),
        (
            "share and margin",
            logo("\"width\": \"40%\", \"position\": [\"100%-8\", \"100%-8\"], \"anchor\": \"bottom_right\""), [0]
        ),
        ("stretch", logo("\"size\": [90, 12], \"mode\": \"stretch\""), [0]),
        ("fill and focus", photo("\"size\": [80, 20], \"mode\": \"fill\", \"focus\": [0.5, 0]"), [0]),
        (
            "turned and mirrored",
            photo("\"width\": 40, \"rotate\": 90, \"flip\": \"vertical\", \"crop\": [0.1, 0.2, 0.5, 0.6]"), [0]
        ),
        ("rotation", logo("\"width\": 50, \"rotation\": [[0, 0], [2, 360, \"linear\"]]"), [0, 3, 7]),
        ("a zoom", photo("\"scale\": [[0, 1, \"ease_in_out_back\"], [2, 2]]"), [0, 3, 10, 19]),
        ("round corners", photo("\"width\": 60, \"corner_radius\": \"30%\", \"opacity\": 0.8"), [0]),
        ("an alpha mask", photo("\"width\": 70, \"mask\": \"matte.png\""), [0]),
        (
            "a luma mask",
            photo("\"width\": 70, \"mask\": {\"image\": \"logo.png\", \"kind\": \"luma\", \"invert\": true}"), [0]
        ),
    ]
    /// Drafts in drafts: see-through, at their own rates, of other shapes, in one another.
    private static let drafts: [Case] = [
        ("a draft", draft(page, "\"width\": 60, \"rotation\": 20, \"opacity\": 0.8"), [0, 6]),
        ("a draft with a ground", draft(frame(logo("\"width\": 40"), background: "white"), "\"width\": 60"), [0]),
        ("a fast draft backwards", draft(page, "\"width\": 80, \"speed\": 1.5, \"reverse\": true"), [1, 8]),
        (
            "a draft in a draft",
            draft(frame(draft(page, "\"width\": \"70%\"")), "\"blend\": \"screen\", \"corner_radius\": 8"), [2, 9]
        ),
        (
            "a draft with a shadow",
            draft(page, "\"width\": 60, \"shadow_color\": \"black\", \"shadow_offset\": [4, 4], \"shadow_blur\": 3"),
            [0]
        ),
    ]
    private static let page = frame(logo("\"position\": [[0, [0, 24]], [2, [64, 24]]], \"width\": 40"))

    /// A draft of two seconds with one entry, four frames a second.
    private static func frame(_ effect: String, background: String? = nil) -> String {
        let ground = background.map { ", \"background\": \"\($0)\"" } ?? ""
        return "\"canvas\": {\"size\": [64, 48], \"fps\": 4\(ground)}, \"duration\": 2, \"effects\": [\(effect)]"
    }
    private static func draft(_ content: String, _ options: String) -> String {
        "{\"kind\": \"layer\", \"draft\": {\(content)}, \(options)}"
    }
    private static let blends: [Case] = BlendMode.allCases.map {
        ("blend \($0.rawValue)", logo("\"blend\": \"\($0.rawValue)\", \"opacity\": 0.75"), [0])
    }
    private static let entrances: [Case] = Entrance.Kind.allCases.filter { $0 != .type }.map {
        (
            "enter and leave: \($0.rawValue)",
            logo("\"width\": 50, \"enter\": [\"\($0.rawValue)\", 0.8], \"leave\": [\"\($0.rawValue)\", 0.8]"),
            [2, 5, 16]
        )
    }
    private static let texts: [Case] = [
        ("karaoke", title("\"words\": [[0.2, 0.8], [0.8, 1.1], [1.1, 2]], \"highlight\": \"red\""), [0, 5, 12]),
        (
            "letters slide",
            title("\"enter\": {\"kind\": \"slide_up\", \"duration\": 0.5, \"by\": \"letter\", \"stagger\": 0.1}"),
            [2, 8]
        ),
        ("typed", title("\"enter\": [\"type\", 1.5]"), [4, 10]),
        ("on a path", title("\"position\": [[0, [20, 20]], [2, [80, 50]]], \"rotation\": [[0, 0], [2, 90]]"), [0, 10]),
        (
            "subtitles", "{\"kind\": \"subtitles\", \"file\": \"talk.srt\", \"size\": 12, \"font\": \"DejaVu Sans\"}",
            [3, 9, 18]
        ),
        ("ASS", "{\"kind\": \"subtitles\", \"file\": \"talk.ass\"}", [1, 5, 15]),
    ]

    private static func logo(_ options: String) -> String { layer("logo.png", options) }
    private static func photo(_ options: String) -> String { layer("photo.png", options) }
    private static func layer(_ file: String, _ options: String) -> String {
        "{\"kind\": \"layer\", \"image\": \"\(file)\", \(options)}"
    }
    private static func title(_ options: String) -> String {
        "{\"kind\": \"title\", \"text\": \"Row your boat\", \"font\": \"DejaVu Sans Bold\", \"size\": 13, \(options)}"
    }

    /// The same floats everywhere, but for what the last digit makes of a code.
    @Test func `layers have their known means`() throws {
        try check(Self.layers + Self.drafts + Self.blends + Self.entrances, "layers", within: 1)
    }

    /// Versions of FreeType and Pango draw a little differently.
    @Test(.enabled(if: fontFile(family: "DejaVu Sans") != nil, "DejaVu Sans is not installed"))
    func `texts that move have their known means`() throws { try check(Self.texts, "texts", within: 6) }

    private func check(_ cases: [Case], _ name: String, within tolerance: Int) throws {
        let folder = try TemporaryFolder()
        let catalog = try Self.catalog(in: folder)
        let worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
        var found: [String] = []
        for entry in cases {
            let text =
                "{\"cutroom\": 2, \"canvas\": {\"size\": [96, 64], \"fps\": 10}, \"effects\": [\(entry.effect)],"
                + "\"clips\": [{\"image\": \"under.png\", \"duration\": 2}]}"
            let draft = try Draft(document: Data(text.utf8), file: entry.name, folder: folder.path)
            let slice = Slice(try Composition(draft, catalog: catalog), frames: 0..<20)
            let graph = try PictureGraph(slice, firstFrame: 0, worker.supplies)
            defer { graph.close() }
            for frame in entry.frames {
                let picture = try graph.frame(frame)
                if let album = GoldenFile.album {
                    try Self.ppm(picture).write(to: URL(fileURLWithPath: "\(album)/\(entry.name) \(frame).ppm"))
                }
                let means = Self.means(picture).map { String(format: "%02x", $0) }.joined()
                found.append("\(entry.name), frame \(frame)|\(means)")
            }
        }
        for (line, golden) in zip(found, try GoldenFile("Render/Fixtures/\(name)").known(found)) {
            let (ours, wanted) = (line.split(separator: "|"), golden.split(separator: "|"))
            try #require(ours[0] == wanted[0])
            let pairs = zip(GoldenFile.bytes(ours[1]), GoldenFile.bytes(wanted[1]))
            #expect(pairs.allSatisfy { abs($0 - $1) <= tolerance }, "\(ours[0]): \(ours[1]), not \(wanted[1])")
        }
    }

    // MARK: Files

    private static func catalog(in folder: TemporaryFolder) throws -> Catalog {
        func image(_ name: String, _ width: Int, _ height: Int, _ pixel: (Int, Int) -> [Int]) throws {
            let raw = Data((0..<width * height).flatMap { pixel($0 % width, $0 / width).map { UInt8($0) } })
            try FFmpeg.run([
                "-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", "\(width)x\(height)", "-i",
                try folder.write(raw, to: name + ".raw"), folder.file(name),
            ])
        }
        try image("under.png", 96, 64) { [255 - 2 * $0, 40 + 3 * $1, 2 * $0 + $1 / 2, 255] }
        // Squares that tell their places.
        try image("photo.png", 120, 90) { x, y in
            (x / 15 + y / 15) % 2 == 0 ? [x * 2, y * 2, 60, 255] : [230, 240 - x, 120 + y, 255]
        }
        // A disc whose alpha falls from its middle, in a half that is red and one that is blue.
        try image("logo.png", 60, 40) { x, y in
            let distance = (x - 30) * (x - 30) + (y - 20) * (y - 20)
            return (x < 30 ? [230, 40, 30] : [30, 60, 220]) + [distance < 400 ? 255 - distance / 4 : 0]
        }
        try image("matte.png", 16, 12) { x, y in [255, 255, 255, 17 * x] }
        try folder.write(
            "1\n0:00.2 --> 0:01.2\n<i>One</i> line\n\n2\n0:00.7 --> 0:01.5\nTwo\nlines\n", to: "talk.srt")
        try folder.write(
            "[Script Info]\nScriptType: v4.00+\nPlayResX: 96\nPlayResY: 64\n[V4+ Styles]\n"
                + "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, Bold, BorderStyle, Outline, Shadow, Alignment\n"
                + "Style: Default,DejaVu Sans,18,&H0000FFFF,&H00FF0000,1,1,1,0,2\n[Events]\n"
                + "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
                + "Dialogue: 0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\fad(400,0)\\k50}ka{\\k50}ra{\\k50}oke\n",
            to: "talk.ass")
        var catalog = Catalog()
        for name in ["under.png", "photo.png", "logo.png", "matte.png", "talk.srt", "talk.ass"] {
            catalog.media[folder.file(name)] = .found(try Probe.probe(path: folder.file(name)))
        }
        return catalog
    }

    // MARK: Pictures

    /// The means of 12 × 8 fields of each plane.
    private static func means(_ picture: Picture) -> [Int] {
        (0..<3).flatMap { plane -> [Int] in
            let side = plane == 0 ? 8 : 4
            return (0..<96).map { field in
                let (x, y) = (field % 12 * side, field / 12 * side)
                let sum = (0..<side * side).reduce(0) {
                    $0 + Int(picture.plane(plane)[(y + $1 / side) * picture.stride(plane) + x + $1 % side])
                }
                return (sum + side * side / 2) / (side * side)
            }
        }
    }

    private static func ppm(_ picture: Picture) -> Data {
        var data = Data("P6 96 64 255\n".utf8)
        for index in 0..<96 * 64 {
            let (x, y) = (index % 96, index / 96)
            func sample(_ plane: Int) -> Double {
                Double(
                    picture.plane(plane)[(plane == 0 ? y : y / 2) * picture.stride(plane) + (plane == 0 ? x : x / 2)])
            }
            let (e, b, r) = ((sample(0) - 16) / 219, (sample(1) - 128) / 224, (sample(2) - 128) / 224)
            for value in [e + 1.5748 * r, e - 0.1873 * b - 0.4681 * r, e + 1.8556 * b] {
                data.append(UInt8(min(255, max(0, value * 255)).rounded()))
            }
        }
        return data
    }
}
