import Draft
import TestSupport
import Testing
import Values

@testable import Text

/// How wide texts and their backgrounds are, and what of them is on the canvas.
@Suite struct TitleBoxTests {
    private static let blue = Color(red: 0, green: 0, blue: 255)
    private static let texts = [
        "HOH", "HOH and HOHOHO and HOH", "HOHOHO\nHO", "הההההה\nהה", "Hxx עברית H", "HO\n\nHOHO",
    ]

    // MARK: Backgrounds

    @Test(arguments: Title.Alignment.allCases, texts)
    func `a background hugs its text, however wide lines may be`(alignment: Title.Alignment, text: String) throws {
        for width in [150, 300, 560] {
            func probe(_ edit: (inout Title) -> Void) throws -> TitleProbe {
                try TitleProbe(text) {
                    ($0.size, $0.width, $0.alignment, $0.x) = (40, width, alignment, .pixels(30))
                    edit(&$0)
                }
            }
            let ink = try probe { _ in }.ink()
            let boxed = try probe { ($0.background, $0.backgroundPadding) = (Self.blue, .init(x: 12, y: 6)) }
            let box = boxed.ink { $0[2] > 200 && $0[3] > 200 }
            // Letters stand a little within their advance.
            #expect((12 - 4...12 + 8).contains(ink.left - box.left), "\(width): \(ink.left) in \(box.left)")
            #expect((12 - 4...12 + 8).contains(box.right - ink.right), "\(width): \(ink.right) in \(box.right)")
            // The letters stay where they are without a background.
            #expect(boxed.ink { $0[0] > 127 }.left == ink.left)
        }
    }

    @Test func `moving text has the background that it has at rest, a gradient lies on the text, spaces keep the box`()
        throws
    {
        func title(_ text: String) -> Title {
            var title = Title(text)
            (title.size, title.width, title.background) = (40, 500, Self.blue)
            return title
        }
        var moving = title("HOH")
        moving.path = .init()
        let canvas = TitleProbe.canvas
        let rest = try TitleRasterizer.render(title("HOH"), canvas: canvas)
        let moved = try MovingTitle(moving, canvas: canvas).bitmap(at: .zero)
        let (still, shown) = (TitleProbe(rest).ink(), TitleProbe(moved).ink())
        #expect(still.width == shown.width && still.left == shown.left && still.width < 200)
        #expect(try TitleRasterizer.render(title("  "), canvas: canvas).width == 520)
        let probe = try TitleProbe("HHHH") {
            ($0.size, $0.width, $0.alignment) = (60, 600, .left)
            $0.gradient = .init([Color(red: 255, green: 0, blue: 0), Self.blue], angle: 0)
        }
        #expect(probe.ink { $0[3] > 250 && $0[2] > 200 }.pixels > 100, "the last letter is blue")
    }

    @Test func `the background of a cue hugs it`() throws {
        var look = Subtitles(path: "x.srt")
        look.style.background = Self.blue
        let titles = CueTexts.texts(
            [SubtitleCue(.zero, Time(flicks: 10), "Short")], look, on: TitleProbe.canvas
        ).map(\.title)
        let bitmap = try TitleRasterizer.render(try #require(titles.first), canvas: TitleProbe.canvas)
        #expect(bitmap.width < 100 && abs(bitmap.x + bitmap.width / 2 - 320) <= 1)
    }

    // MARK: Room

    private static let long = String(repeating: "word ", count: 60)

    @Test(
        arguments: [
            (Title.Coordinate.pixels(400), nil, 0.0), (.pixels(60), nil, 0), (.pixels(600), Anchor.topRight, 0),
            (.pixels(200), .topRight, 0), (.pixels(200), .top, 0), (.pixels(560), .top, 0), (.share(0.25), nil, 0),
            (.share(0.9), .right, 0), (.start, nil, 30), (.end, nil, 30), (.center, nil, 0), (.center, .left, 0),
        ] as [(Title.Coordinate, Anchor?, Double)])
    func `lines are wrapped where the canvas ends`(x: Title.Coordinate, anchor: Anchor?, margin: Double) throws {
        for hasBox in [false, true] {
            var title = Title(Self.long)
            (title.size, title.x, title.y, title.anchor) = (12, x, .start, anchor)
            title.margin = .init(x: margin, y: 0)
            title.font = "DejaVu Sans, Noto Sans"
            if hasBox { (title.background, title.backgroundPadding) = (Self.blue, .init(x: 10, y: 0)) }
            let canvas = Canvas.Size(width: 640, height: 4000)
            let extent = try TitleRasterizer.measure(title, canvas: canvas)
            let box = hasBox ? TitleLayout.panel(behind: extent.text, title) : extent.text
            #expect(box.left >= 0 && box.right <= 640, "\(box)")
            // No more is taken away than has to be.
            #expect(max(640 - box.right, 0) <= 90 || box.left <= 90 || x == .start || x == .end, "\(box)")
            let lit = try TitleRasterizer.render(title, canvas: canvas)
            #expect(lit.x >= 0 && lit.x + lit.width <= 640)
        }
    }

    @Test func `without room for a letter lines are as wide as the canvas`() throws {
        var title = Title("words")
        (title.size, title.x) = (48, .pixels(620))
        #expect(title.wrapWidth(on: TitleProbe.canvas) == 640)
        title.x = .pixels(-300)
        #expect(title.wrapWidth(on: TitleProbe.canvas) == 640)
        (title.x, title.width) = (.pixels(500), 400)
        #expect(title.wrapWidth(on: TitleProbe.canvas) == 400, "what is asked for counts")
    }

    // MARK: Leaving the canvas

    private func overhang(_ text: String, _ edit: (inout Title) -> Void) throws -> PlacedTitle.Overhang? {
        var title = Title(text)
        title.size = 40
        edit(&title)
        var draft = Draft(canvas: Canvas(size: TitleProbe.canvas))
        draft.effects = [Effect(.picture(.title(title)))]
        let placed = try #require(draft.placedTitles(Catalog()).first)
        return TitleRasterizer.overhang(of: placed)
    }

    @Test func `what leaves the canvas is measured, and nothing else`() throws {
        #expect(try overhang("Hello") { _ in } == nil)
        #expect(try overhang("\u{2800}\u{3164}") { _ in } == nil, "letters without ink")
        #expect(try overhang("jf") { ($0.x, $0.y) = (.pixels(0), .pixels(0)) } == nil, "letters reach over their edges")
        #expect(try overhang("Hello") { ($0.outlineWidth, $0.x) = (30, .pixels(0)) } == nil)
        let right = try #require(try overhang("HHHHHHHH") { ($0.width, $0.x) = (400, .pixels(500)) })
        #expect(right.right > 100 && right.left == 0 && right.top == 0 && right.bottom == 0 && !right.isAll)
        let low = try #require(try overhang("H\nH\nH") { $0.y = .pixels(300) })
        #expect((40...120).contains(low.bottom) && low.right == 0)
        let grown = try #require(try overhang("HHHHHH") { $0.path = .init(scale: .constant(5)) })
        #expect(grown.left > 0 && abs(grown.left - grown.right) <= 6 && grown.top == 0)
        // Turned upright it is higher than the canvas.
        let turned = try #require(try overhang("HHHHHHHHHHHHHH") { $0.path = .init(rotation: .constant(90)) })
        #expect(turned.top > 0 && turned.bottom > 0 && turned.left == 0)
        #expect(try #require(try overhang("Gone") { $0.y = .pixels(900) }).isAll)
    }
}
