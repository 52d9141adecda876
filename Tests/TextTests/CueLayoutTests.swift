import Draft
import TestSupport
import Testing

@testable import Text

/// Where cues lie that are shown together.
@Suite struct CueLayoutTests {
    private static let canvas = Canvas.Size(width: 640, height: 360)

    private func titles(_ vtt: [(settings: String, text: String)], _ edit: (inout Subtitles) -> Void = { _ in }) throws
        -> [Title]
    {
        var look = Subtitles(path: "x.vtt")
        edit(&look)
        let cues = vtt.map { "00:00.000 --> 00:01.000 \($0.settings)\n\($0.text)\n" }
        let file = try SubtitleFile("WEBVTT\n\n" + cues.joined(separator: "\n"), format: .webVTT)
        return try CueLayout.titles(file.cues, look, on: Self.canvas)
    }

    private func areas(_ vtt: [(settings: String, text: String)], _ edit: (inout Subtitles) -> Void = { _ in }) throws
        -> [TitleArea]
    {
        try titles(vtt, edit).map { title in
            var bare = title
            (bare.outlineWidth, bare.shadow) = (0, nil)
            let bitmap = try TitleRasterizer.render(bare, canvas: Self.canvas)
            let ink = TitleProbe(bitmap, canvas: Self.canvas).ink { $0[3] > 30 }
            return TitleArea(left: ink.left, top: ink.top, right: ink.right + 1, bottom: ink.bottom + 1)
        }
    }

    /// From line to line at the usual size.
    private func step() throws -> Int {
        let title = Subtitles(path: "x.vtt").title("x", nil, on: Self.canvas)
        return Int(try TitleRasterizer.measure(title, canvas: Self.canvas).lineHeight.rounded(.up))
    }

    @Test func `lines are steps of the line's height, from either edge`() throws {
        let step = try step()
        let bottom = try areas([("", "HOH")])[0]
        for line in 0..<8 {
            let top = try areas([("line:\(line)", "HOH")])[0]
            #expect(top.top - step * line == (try areas([("line:0", "HOH")])[0]).top)
            let low = try areas([("line:-\(line + 1)", "HOH")])[0]
            #expect(low.bottom == bottom.bottom - step * line)
        }
        #expect(try areas([("line:0", "HOH")])[0].top >= 18)
        // Two lines begin in the line that is named, as far as they find room.
        #expect(abs(try areas([("line:-3", "HOH\nHOH")])[0].bottom - bottom.bottom + step) <= 1)
        #expect(abs(try areas([("line:-1", "HOH\nHOH")])[0].bottom - bottom.bottom) <= 1)
        #expect(try areas([("line:900", "HOH")])[0].bottom <= 360 - 18 + 1)
        #expect(try areas([("line:-900", "HOH")])[0].top >= 18 - 1)
        #expect(try areas([("line:2.4", "HOH")]) == (try areas([("line:2", "HOH")])))
        #expect(try areas([("line:x", "HOH")])[0] == bottom)
    }

    @Test func `cues that ask for one place lie beside one another, the first where it asks`() throws {
        let step = try step()
        let (down, up) = (
            try areas([("line:1", "HOH"), ("line:1", "HOH")]), try areas([("", "HOH"), ("line:-1", "HOH")])
        )
        #expect(down.count == 2 && down[1].top == down[0].top + step)
        #expect(up.count == 2 && up[1].bottom == up[0].bottom - step)
        #expect(up[0].bottom == (try areas([("", "HOH")])[0].bottom))
        // At the edge the way turns.
        let rest = Array(repeating: "HOH", count: (360 - 2 * 18) / step - 2).joined(separator: "\n")
        let turned = try areas([("line:-2", "HOH"), ("line:-2", rest), ("line:-2", "HOH")])
        #expect(turned.count == 3 && turned[2].bottom == turned[0].bottom + step)
    }

    @Test func `the place bounds the width`() throws {
        let words = String(repeating: "word ", count: 20)
        let right = try areas([("position:60% align:start", words)])[0]
        #expect(right.left >= 384 - 1 && right.right <= 640)
        let left = try areas([("position:30%,line-right align:end", words)])[0]
        #expect(left.left >= 0 && left.right <= 193)
    }

    /// For each value of `line`, and for random cues: no ink of two cues in one place, and all of
    /// them on the canvas.
    @Test func `no two cues ever overlap`() throws {
        let seed = Seed.announced(for: "CueLayoutTests", cases: 150)
        let lines = (-14...14).map { "line:\($0)" } + stride(from: 0, through: 100, by: 10).map { "line:\($0)%" }
        func check(_ cues: [(settings: String, text: String)], _ hasBox: Bool, _ context: String) throws {
            let boxes = try areas(cues) { if hasBox { $0.style.background = .black } }
            for (index, box) in boxes.enumerated() {
                #expect(box.left >= 0 && box.top >= 0 && box.right <= 640 && box.bottom <= 360, "\(context): \(box)")
                for other in boxes.dropFirst(index + 1) {
                    #expect(box.intersection(other).isEmpty, "\(context): \(box) and \(other)")
                }
            }
        }
        for line in lines {
            for other in [line, "", "line:0", "line:-1", "line:-2", "line:50%", "line:1 align:start"] {
                try check([(line, "Ågjy"), (other, "Ågjy")], line.hasSuffix("0%"), "\(line) and \(other)")
            }
        }
        // A column of words that is as high as the canvas finds no room.
        let words = "some more words than fit into a short line of this picture"
        try check([("line:-7", words), ("line:40% position:92% align:start", words)], false, "a column")
        for index in 0..<150 {
            var random = SplitMix64.forCase(index, of: seed)
            let cues = (0..<Int.random(in: 2...6, using: &random)).map { _ in
                let settings = [
                    Bool.random(using: &random) ? "" : lines.randomElement(using: &random)!,
                    Bool.random(using: &random) ? "" : "position:\(Int.random(in: 0...100, using: &random))%",
                    ["", "align:start", "align:end", "align:left"].randomElement(using: &random)!,
                ]
                let text = ["Ågjy", "two\nlines", "some more words than fit into a short line of this picture"]
                return (settings.joined(separator: " "), text.randomElement(using: &random)!)
            }
            try check(cues, index % 3 == 0, "case \(index) of CUTROOM_SEED=\(seed): \(cues)")
        }
    }

    @Test func `many cues at once take a bounded time, and those without room are left out`() throws {
        let many = try titles(Array(repeating: ("line:-2", "HOH"), count: 500))
        #expect((8...16).contains(many.count))
        #expect(try titles(Array(repeating: ("", "HOH"), count: 3)).count == 1)
    }

    @Test func `marks of SubRip at the top and at the bottom do not meet`() throws {
        let text = (0..<14).map { "line \($0)" }.joined(separator: "\\N")
        let file = try SubtitleFile(
            "00:00:00,000 --> 00:00:01,000\n{\\an8}top\n\n00:00:00,000 --> 00:00:01,000\n{\\an2}\(text)\n",
            format: .subRip)
        let titles = try CueLayout.titles(file.cues, Subtitles(path: "x.srt"), on: Self.canvas)
        #expect(titles.count <= 2 && !titles.isEmpty)
    }
}
