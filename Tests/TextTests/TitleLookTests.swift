import Draft
import TestSupport
import Testing
import Values

@testable import Text

/// Properties of a title beyond plain text in the middle.
@Suite struct TitleLookTests {
    private static let blue = Color(red: 0, green: 0, blue: 255)

    // MARK: Places

    @Test func `one line and two lines stand on the same base line at the bottom`() throws {
        func bottom(_ text: String, _ edit: (inout Title) -> Void = { _ in }) throws -> Int {
            try TitleProbe(text) {
                ($0.size, $0.y, $0.margin) = (40, .end, .init(x: 0, y: 30))
                edit(&$0)
            }.ink().bottom
        }
        let base = try bottom("HOH")
        #expect(base < 360 - 30 && base > 360 - 30 - 20)
        for text in ["HH\nHH", "gjpq\nHH", "日本\nHH", "HH 🎬\nHOH", "ÅÂ\nmm\nHH"] {
            #expect(abs(try bottom(text) - base) <= 1, "\(text)")
        }
        #expect(abs(try bottom("<span size='200%'>H</span>\nHH") { $0.isMarkup = true } - base) <= 1)
        #expect(try bottom("gj") > base, "descenders hang below")
    }

    @Test(arguments: Anchor.allCases)
    func `the anchor lies at the position`(anchor: Anchor) throws {
        let probe = try TitleProbe("H") {
            ($0.x, $0.y, $0.anchor) = (.pixels(320), .pixels(180), anchor)
            $0.size = 40
            ($0.background, $0.backgroundPadding) = (Self.blue, .init(x: 0, y: 0))
        }
        let box = probe.bitmap
        #expect(abs(Double(box.x) + anchor.x * Double(box.width) - 320) <= 1)
        // The line's own height counts at the bottom, which is rounded to its base line.
        #expect(abs(Double(box.y) + anchor.y * Double(box.height) - 180) <= 2)
    }

    @Test func `edges, percents and margins`() throws {
        func box(_ x: Title.Coordinate, _ y: Title.Coordinate) throws -> TitleBitmap {
            try TitleProbe("H") {
                ($0.x, $0.y, $0.margin) = (x, y, .init(x: 20, y: 10))
                $0.size = 40
                ($0.background, $0.backgroundPadding) = (Self.blue, .init(x: 5, y: 5))
            }.bitmap
        }
        let corner = try box(.start, .start)
        #expect((corner.x, corner.y) == (20, 10))
        let far = try box(.end, .end)
        #expect(far.x + far.width == 620 && abs(far.y + far.height - 350) <= 2)
        let quarter = try box(.share(0.25), .share(0.5))
        #expect(quarter.x + quarter.width / 2 == 160 && abs(quarter.y + quarter.height / 2 - 180) <= 1)
    }

    // MARK: Fitting

    @Test func `a text is made to fit its box`() throws {
        let text = "Donaudampfschifffahrtsgesellschaft and more"
        func ink(_ edit: (inout Title) -> Void) throws -> TitleProbe.Ink {
            try TitleProbe(text) {
                ($0.size, $0.width, $0.isFitted) = (80, 300, true)
                edit(&$0)
            }.ink()
        }
        let line = try ink { _ in }
        #expect(line.width <= 302 && line.width > 280 && line.height < 40)
        let block = try ink { ($0.height, $0.font) = (120, "Sans Bold") }
        #expect(block.width <= 302 && block.height <= 120 && block.height > line.height)
        let small = try TitleProbe("Hi") { ($0.size, $0.width, $0.isFitted) = (40, 300, true) }
        #expect(try small.bitmap == TitleProbe("Hi") { ($0.size, $0.width) = (40, 300) }.bitmap)
        #expect(throws: TitleError.self) { try TitleProbe(String(repeating: "a", count: 9000)) { $0.isFitted = true } }
    }

    // MARK: Markup and spacing

    @Test func `markup colours and shapes parts of the text`() throws {
        let probe = try TitleProbe("HH <span color='#ff0000'>HH</span> <b>HH</b>") {
            ($0.isMarkup, $0.size) = (true, 60)
        }
        let red = probe.ink { $0[3] > 200 && $0[1] < 50 }
        let white = probe.ink { $0[3] > 200 && $0[1] > 200 }
        #expect(red.pixels > 500 && white.left < red.left && white.right > red.right)
        let plain = try TitleProbe("HH HH HH") { $0.size = 60 }
        #expect(probe.ink().width > plain.ink().width)
        #expect(try TitleProbe("a &lt; b") { $0.isMarkup = true }.bitmap == TitleProbe("a < b").bitmap)
        #expect(try TitleProbe("<i></i>x") { $0.isMarkup = true }.bitmap == TitleProbe("x").bitmap)
    }

    @Test func `lines beside letters`() throws {
        let plain = try TitleProbe("HH") { $0.size = 60 }.ink()
        let under = try TitleProbe("<u>HH</u>") { ($0.isMarkup, $0.size) = (true, 60) }.ink()
        #expect(under.bottom > plain.bottom && under.pixels > plain.pixels)
        let struck = try TitleProbe("<s>HH</s>") { ($0.isMarkup, $0.size) = (true, 60) }.ink()
        #expect(struck.bottom == plain.bottom && struck.pixels > plain.pixels)
        let marked = try TitleProbe("a<span background='blue'> H </span>") { ($0.isMarkup, $0.size) = (true, 60) }
        #expect(marked.ink { $0[2] > 200 && $0[0] < 50 }.pixels > 500)
    }

    @Test func `what Pango does not take is told of`() {
        let error = #expect(throws: TitleError.self) {
            try TitleProbe("<span weight='very'>x</span>") { $0.isMarkup = true }
        }
        #expect(error?.code == .invalidTitle && error?.description.contains("<span weight=\"very\">") == true)
    }

    /// Long text goes through Pango in portions; its styles go with it.
    @Test func `markup of long texts stays in its place`() throws {
        let words = (0..<400).map { $0 == 300 ? "<span color='#ff0000'>HHHH</span>" : "word" }.joined(separator: " ")
        let probe = try TitleProbe(words) { ($0.isMarkup, $0.size, $0.width) = (true, 10, 640) }
        let red = probe.ink { $0[3] > 128 && $0[1] < 80 }
        #expect(red.pixels > 10 && red.width < 60 && red.height < 12)
        let plain = try TitleProbe(words.replacing("<span color='#ff0000'>", with: "").replacing("</span>", with: "")) {
            ($0.size, $0.width) = (10, 640)
        }
        #expect(probe.ink().bands.count == plain.ink().bands.count)
    }

    @Test func `letters and lines are spaced`() throws {
        let plain = try TitleProbe("HHHH\nHH") { $0.size = 40 }.ink()
        let wide = try TitleProbe("HHHH\nHH") { ($0.size, $0.letterSpacing) = (40, 10) }.ink()
        #expect((28...42).contains(wide.width - plain.width))
        let high = try TitleProbe("HHHH\nHH") { ($0.size, $0.lineSpacing) = (40, 2) }.ink()
        #expect(high.height - plain.height > 35 && high.pixels == plain.pixels)
    }

    // MARK: Fill, shadow, box

    @Test func `a gradient runs over the box`() throws {
        func colors(_ angle: Double) throws -> (first: [UInt8], last: [UInt8]) {
            let probe = try TitleProbe("HHHH") {
                $0.size = 80
                $0.gradient = .init([Color(red: 255, green: 0, blue: 0), Self.blue], angle: angle)
            }
            let ink = probe.ink()
            let dots = (0..<360).flatMap { y in (0..<640).map { ($0, y) } }.filter { probe.pixel($0.0, $0.1)[3] == 255 }
            let along = { (x: Int, y: Int) in angle == 0 ? x : y }
            let low = try #require(dots.min { along($0.0, $0.1) < along($1.0, $1.1) })
            let high = try #require(dots.max { along($0.0, $0.1) < along($1.0, $1.1) })
            #expect(ink.pixels > 1000)
            return (probe.pixel(low.0, low.1), probe.pixel(high.0, high.1))
        }
        for angle in [0.0, 90] {
            let (first, last) = try colors(angle)
            #expect(first[0] > 150 && first[2] < 110 && last[2] > 150 && last[0] < 110, "\(angle): \(first) \(last)")
        }
    }

    @Test func `a shadow is the shape elsewhere, and soft`() throws {
        func probe(_ blur: Double) throws -> TitleProbe {
            try TitleProbe("I") {
                $0.size = 100
                $0.shadow = .init(Color(red: 255, green: 0, blue: 0), offset: .init(x: 60, y: 20), blur: blur)
            }
        }
        let plain = try TitleProbe("I") { $0.size = 100 }.ink()
        let hard = try probe(0).ink { $0[3] > 127 && $0[1] < 50 }
        #expect(hard.left == plain.left + 60 && hard.top == plain.top + 20 && hard.pixels == plain.pixels)
        let soft = try probe(30)
        let around = soft.ink { $0[3] > 5 && $0[1] < 50 }
        #expect(around.left < hard.left - 10 && around.bottom > hard.bottom + 10)
        #expect(soft.ink { $0[1] > 200 && $0[3] > 127 }.pixels == plain.pixels, "the letter lies above")
        // Off the canvas the letter throws its shadow nevertheless.
        let outside = try TitleProbe("III") {
            ($0.x, $0.y, $0.size) = (.pixels(-200), .pixels(100), 100)
            $0.shadow = .init(.black, offset: .init(x: 250, y: 0), blur: 2)
        }
        #expect(outside.ink().pixels > 500)
    }

    @Test func `blurring keeps the sum and stays within its reach`() {
        let (width, height) = (64, 48)
        for box in [2, 3, 6, 9] {
            var bytes = [UInt8](repeating: 0, count: width * height)
            for y in 20..<28 { for x in 30..<36 { bytes[y * width + x] = 255 } }
            let before = bytes.reduce(0) { $0 + Int($1) }
            bytes.withUnsafeMutableBufferPointer {
                TitleShadow.blur($0.baseAddress!, width: width, height: height, stride: width, box: box)
            }
            let after = bytes.reduce(0) { $0 + Int($1) }
            #expect(abs(after - before) < before / 20, "\(box)")
            let reach = box * 3 / 2 + 2
            for y in 0..<height {
                for x in 0..<width where bytes[y * width + x] > 0 {
                    #expect((20 - reach..<28 + reach).contains(y) && (30 - reach..<36 + reach).contains(x))
                }
            }
        }
    }

    @Test func `a box has padding and round corners`() throws {
        let probe = try TitleProbe("HOH") {
            ($0.size, $0.background) = (40, Self.blue)
            ($0.backgroundPadding, $0.backgroundRadius) = (.init(x: 30, y: 20), 15)
        }
        let (box, bare) = (probe.bitmap, try TitleProbe("HOH") { ($0.size, $0.background) = (40, Self.blue) }.bitmap)
        #expect(box.width == bare.width + 40 && box.height == bare.height + 30)
        #expect(probe.pixel(box.x, box.y)[3] == 0 && probe.pixel(box.x + 15, box.y)[3] == 255)
        #expect(probe.pixel(box.x + 5, box.y + 5) == [0, 0, 255, 255])
    }
}
