import Composition
import Draft
import TestSupport
import Testing
import Values

@testable import Text
@testable import Workers

/// Cues as pictures.
@Suite struct SubtitleDrawingTests {
    private static let canvas = Canvas.Size(width: 640, height: 360)
    private func seconds(_ value: Double) -> Time { Time(seconds: value) ?? .zero }
    private func cue(_ text: String, _ start: Double = 0, _ end: Double = 1) -> SubtitleCue {
        SubtitleCue(seconds(start), seconds(end), text)
    }

    @Test func `cues together are one text, the first one at the edge`() {
        var top = cue("t")
        top.place = .init(.top)
        let look = Subtitles(path: "x.srt")
        let titles = CueTexts.texts([cue("a"), top, cue("b"), cue("c")], look, on: Self.canvas).map(\.title)
        #expect(titles.map(\.text) == ["c\nb\na", "t"])
        #expect(titles.map(\.anchorShares.y) == [1, 0])
        let two = CueTexts.texts([top, top], look, on: Self.canvas).map(\.title)
        #expect(two.map(\.text) == ["t\nt"])
    }

    @Test func `everything at once is drawn in part`() {
        let cues = Array(repeating: cue(String(repeating: "word ", count: 20)), count: 100_000)
        let titles = CueTexts.texts(cues, Subtitles(path: "x.srt"), on: Self.canvas).map(\.title)
        #expect(titles.count == 1 && titles[0].text.utf8.count <= CueTexts.longest + 1000)
    }

    /// A part of a render has a cue no longer than it shows it.
    @Test func `a word is lit as far as the next one in every part of a cue's time`() throws {
        var look = Subtitles(path: "x.vtt")
        look.highlight = Color(red: 255, green: 0, blue: 0)
        var cue = cue("one two")
        cue.words = [.init(start: .zero, offset: 0), .init(start: seconds(0.5), offset: 4)]
        func picture() throws -> TitleBitmap {
            let titles = CueTexts.texts([cue], look, on: Self.canvas).map(\.title)
            return try MovingTitle(try #require(titles.first), canvas: Self.canvas).bitmap(at: seconds(0.2))
        }
        let whole = try picture()
        cue.end = seconds(0.25)
        #expect(try picture() == whole)
    }

    @Test func `a usual look follows the canvas`() {
        let title = Subtitles(path: "x.srt").title("a", nil, on: Canvas.Size(width: 1920, height: 1080))
        #expect(title.size == 60 && title.outlineWidth == 4 && title.margin.y == 54 && title.width == 1920 - 108)
    }

    // MARK: ASS

    private static let header = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 640
        PlayResY: 360
        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, Bold, Italic, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
        Style: Default,Sans,40,&H000000FF,&H00000000,&H00000000,0,0,1,2,0,2,10,10,20,1

        """

    private func event(_ text: String, _ start: Double, _ end: Double) -> SubtitleCue {
        var cue = cue(text, start, end)
        cue.event = "0,Default,,0,0,0,"
        return cue
    }

    private func renderer() throws -> Box {
        guard let ass = ASSRenderer(header: Self.header, fonts: "", canvas: Self.canvas) else {
            throw TitleError(.drawing, "start libass", Title(""), reason: "it does not start")
        }
        return Box(ass)
    }

    private final class Box {
        private var ass: ASSRenderer
        init(_ ass: consuming ASSRenderer) { self.ass = ass }
        func render(_ cues: [SubtitleCue], at time: Time) -> TitleBitmap? { ass.render(cues, at: time) }
    }

    @Test func `an event has its colour and its place`() throws {
        let box = try renderer()
        let bitmap = try #require(box.render([event("HHHH", 0, 2)], at: seconds(1)))
        #expect(bitmap.y > 280 && bitmap.y + bitmap.height <= 345 && abs(bitmap.x + bitmap.width / 2 - 320) < 40)
        let red = stride(from: 0, to: bitmap.rgba.count, by: 4).count {
            bitmap.rgba[$0] > 200 && bitmap.rgba[$0 + 1] < 30 && bitmap.rgba[$0 + 3] > 200
        }
        #expect(red > 300)
        #expect(box.render([event("HHHH", 0, 2)], at: seconds(1.5)) == nil, "nothing has changed")
        #expect(try #require(box.render([], at: seconds(3))).isEmpty)
    }

    /// The same picture at a time, whatever was drawn before it.
    @Test func `a picture depends on what is shown, not on what was`() throws {
        let events = [
            event("one", 0, 2), event("two", 1, 4), event("{\\fad(500,500)}three", 3, 6),
            event("{\\k50}fo{\\k50}ur", 3, 6),
        ]
        func shown(_ time: Double) -> [SubtitleCue] { events.filter { $0.isShown(at: seconds(time)) } }
        let walked = try renderer()
        var last = TitleBitmap.empty
        for tenth in 0..<60 {
            let time = Double(tenth) / 10
            if let next = walked.render(shown(time), at: seconds(time)) { last = next }
            guard tenth % 7 == 0 else { continue }
            let fresh = try renderer()
            let alone = fresh.render(shown(time), at: seconds(time)) ?? .empty
            #expect(alone == last, "at \(time) s")
        }
    }

    private static let oddCodes = [
        "{\\pos(1e9,1e9)}x", "{\\frz1e300}x", "{\\p1}m 0 0 l 99999999 0 99999999 99999999", "{\\fs100000}x",
        "{\\blur99999}x",
    ]

    /// The subtitles that draw the largest pictures.
    @Suite struct Sweep {
        @Test(arguments: oddCodes.dropFirst(3)) func `large codes draw something or nothing`(text: String) throws {
            try SubtitleDrawingTests().`odd codes draw something or nothing`(text: text)
        }
    }

    @Test(arguments: oddCodes.prefix(3))
    func `odd codes draw something or nothing`(text: String) throws {
        let bitmap = try renderer().render([event(text, 0, 1)], at: .zero) ?? .empty
        #expect(bitmap.width <= 640 && bitmap.height <= 360)
    }

    // MARK: Bitmaps

    @Test func `bitmaps lie one over another`() {
        func bitmap(_ x: Int, _ rgba: [UInt8]) -> TitleBitmap {
            TitleBitmap(x: x, y: 2, width: 2, height: 1, rgba: rgba + rgba)
        }
        let both = TitleBitmap(stack: [bitmap(0, [255, 0, 0, 255]), .empty, bitmap(1, [0, 0, 255, 128])])
        #expect((both.x, both.y, both.width, both.height) == (0, 2, 3, 1))
        #expect(Array(both.rgba[0..<4]) == [255, 0, 0, 255])
        #expect(Array(both.rgba[4..<8]) == [127, 0, 128, 255])
        #expect(Array(both.rgba[8..<12]) == [0, 0, 255, 128])
        #expect(TitleBitmap(stack: []) == .empty)
    }
}
