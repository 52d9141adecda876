import Draft
import TestSupport
import Testing
import Values

@testable import Text

@Suite struct TitleRasterizerTests {
    @Test func aCentredTitleHasItsInkInTheMiddle() throws {
        // A word that is its own mirror image, so that its ink lies in the middle of its box.
        let ink = try TitleProbe("HOH") { $0.size = 100 }.ink()
        #expect(ink.pixels > 1000)
        #expect(abs((ink.left + ink.right + 1) - 640) <= 2)
        #expect(ink.height > 60 && ink.height < 90)
        #expect(ink.top > 100 && ink.bottom < 260)
    }

    @Test func pixelsPlaceTheBoxAndTheBackgroundShowsIt() throws {
        let probe = try TitleProbe("HOH") {
            ($0.x, $0.y, $0.size) = (.pixels(100), .pixels(60), 40)
            $0.background = Color(red: 0, green: 0, blue: 255)
        }
        let bare = try TitleProbe("HOH") { ($0.x, $0.y, $0.size) = (.pixels(100), .pixels(60), 40) }
        #expect(probe.bitmap.x == 90 && probe.bitmap.y == 55, "a quarter and an eighth of the size beyond the box")
        #expect(probe.pixel(90, 55) == [0, 0, 255, 255])
        #expect(
            probe.pixel(probe.bitmap.x + probe.bitmap.width - 1, probe.bitmap.y + probe.bitmap.height - 1) == [
                0, 0, 255, 255,
            ])
        #expect(bare.ink().left >= 100 && bare.ink().left <= 108)
        let white = probe.ink { $0[0] > 127 }
        #expect(white.left == bare.ink().left && white.pixels == bare.ink().pixels)
    }

    @Test(arguments: [(1, 600), (2, 260), (4, 130)])
    func linesWrapAtTheWidth(lines: Int, width: Int) throws {
        let probe = try TitleProbe("HHHH HHHH HHHH HHHH") {
            ($0.size, $0.width) = (40, width)
            $0.font = "DejaVu Sans, Noto Sans"
        }
        #expect(probe.ink().bands.count == lines)
        #expect(probe.ink().width <= width)
    }

    @Test func withoutAWidthLinesWrapAtTheCanvas() throws {
        let probe = try TitleProbe(String(repeating: "H", count: 60)) { $0.size = 40 }
        #expect(probe.ink().bands.count > 2)
        #expect(probe.ink().left >= 0 && probe.ink().right < 640)
    }

    @Test func alignmentIsThePicturesOwnAlsoForRightToLeftText() throws {
        for text in ["HHHHHH\nHH", "הההההה\nהה"] {
            func edges(_ alignment: Title.Alignment) throws -> (left: Int, right: Int, shortLeft: Int, shortRight: Int)
            {
                let probe = try TitleProbe(text) { ($0.size, $0.alignment) = (40, alignment) }
                let bands = probe.ink().bands
                try #require(bands.count == 2)
                let (long, short) = (probe.span(of: bands[0]), probe.span(of: bands[1]))
                return (long.left, long.right, short.left, short.right)
            }
            let (left, right, center) = (try edges(.left), try edges(.right), try edges(.center))
            #expect(abs(left.left - left.shortLeft) <= 1 && left.right - left.shortRight > 40)
            #expect(abs(right.right - right.shortRight) <= 1 && right.shortLeft - right.left > 40)
            #expect(abs((center.left + center.right) - (center.shortLeft + center.shortRight)) <= 3)
        }
    }

    @Test(
        .enabled(if: hasFont(for: "םוו"), "no font with Hebrew letters is installed"),
        .enabled(if: hasFont(for: "سا"), "no font with Arabic letters is installed"))
    func rightToLeftTextBeginsAtTheRight() throws {
        // A wide first letter, then narrow ones: more ink in the right half, where a left-to-right
        // word has it at the left.
        for text in ["םווו", "سااا"] {
            let ink = try TitleProbe(text) { $0.size = 100 }.ink()
            let middle = (ink.left + ink.right) / 2
            let right = ink.columns.filter { $0.key > middle }.values.reduce(0, +)
            let first = try TitleProbe(String(text.prefix(1))) { $0.size = 100 }.ink()
            #expect(first.pixels > 0 && ink.pixels > first.pixels)
            let tail = ink.columns.filter { $0.key > ink.right - first.width * 2 / 3 }.values.max() ?? 0
            #expect(right > 0 && tail > 0)
            let end = try TitleProbe(String(text.suffix(1))) { $0.size = 100 }.ink()
            // The last letter is one upright stroke: it stands at the left end.
            let leftmost = (ink.left..<ink.left + max(end.width, 4)).compactMap { ink.columns[$0] }.max() ?? 0
            #expect(Double(leftmost) > Double(end.columns.values.max() ?? 0) * 0.8)
        }
    }

    @Test(.enabled(if: hasFont(for: "日本語한국어中文"), "no font with Chinese, Japanese and Korean characters is installed"))
    func chineseJapaneseAndKoreanHaveInk() throws {
        for text in ["日本語の字", "한국어", "中文"] {
            let ink = try TitleProbe(text) { $0.size = 60 }.ink()
            // A missing character is a box around its code: hardly any ink.
            #expect(ink.pixels > text.count * 500)
            #expect(ink.width > text.count * 50)
        }
    }

    @Test(.enabled(if: hasFont(for: "直の"), "no Japanese font is installed"))
    func kanaMakeHanCharactersJapanese() throws {
        #expect(TitleText("直線の").language == "ja")
        #expect(TitleText("直線").language == "zh-cn")
        #expect(TitleText("漢字 한국").language == "ko")
        #expect(TitleText("Hello").language == "en")
    }

    @Test(.enabled(if: hasFont(for: "😀", colors: true), "no font with colour emoji is installed"))
    func emojiKeepTheirColours() throws {
        let probe = try TitleProbe("😀") {
            $0.size = 120
            $0.color = Color(red: 0, green: 0, blue: 255)
            $0.outlineWidth = 5
        }
        let yellow = probe.ink { $0[0] > 180 && $0[1] > 130 && $0[2] < 120 && $0[3] > 200 }
        #expect(yellow.pixels > 4000)
        #expect(probe.ink { $0[2] > 200 && $0[0] < 50 }.pixels == 0)
    }

    @Test func anOutlineWidensTheInkOnEachSide() throws {
        let bare = try TitleProbe("HOH") { $0.size = 100 }.ink()
        let probe = try TitleProbe("HOH") {
            ($0.size, $0.outlineWidth) = (100, 6)
            $0.outlineColor = Color(red: 255, green: 0, blue: 0)
        }
        let ink = probe.ink()
        #expect((5...7).contains(bare.left - ink.left) && (5...7).contains(ink.right - bare.right))
        #expect((5...7).contains(bare.top - ink.top) && (5...7).contains(ink.bottom - bare.bottom))
        // The letters themselves stay as they are.
        let white = probe.ink { $0[1] > 127 && $0[3] > 127 }
        #expect(white.left == bare.left && white.right == bare.right)
        #expect(probe.pixel(ink.left + 2, (ink.top + ink.bottom) / 2) == [255, 0, 0, 255])
    }

    @Test func aTranslucentColourIsStraightAndTheOutlineDoesNotShineThrough() throws {
        let probe = try TitleProbe("I") {
            ($0.size, $0.outlineWidth, $0.font) = (200, 10, "Sans Bold")
            $0.color = Color(red: 200, green: 100, blue: 50, alpha: 128)
            $0.outlineColor = Color(red: 0, green: 0, blue: 255)
        }
        let ink = probe.ink()
        let center = probe.pixel((ink.left + ink.right) / 2, (ink.top + ink.bottom) / 2)
        #expect(center[3] == 128)
        #expect(abs(Int(center[0]) - 200) <= 1 && abs(Int(center[1]) - 100) <= 1 && abs(Int(center[2]) - 50) <= 1)
    }

    @Test func theSizeIsInPixels() throws {
        let (small, large) = (try TitleProbe("H") { $0.size = 50 }.ink(), try TitleProbe("H") { $0.size = 200 }.ink())
        #expect(abs(large.height - small.height * 4) <= 4)
        // The capitals of nearly every text face are two thirds to three quarters of the em high.
        #expect((120...160).contains(large.height))
    }

    @Test func whatLiesOutsideTheCanvasIsCutOff() throws {
        let probe = try TitleProbe("Offside") { ($0.size, $0.x, $0.y) = (200, .pixels(-100), .pixels(250)) }
        let bitmap = probe.bitmap
        #expect(bitmap.x >= 0 && bitmap.y > 250 && bitmap.x + bitmap.width <= 640 && bitmap.y + bitmap.height == 360)
        #expect(probe.ink().left == 0)
        #expect(bitmap.rgba.count == bitmap.width * bitmap.height * 4)
        #expect(try TitleProbe("Gone") { $0.y = .pixels(5000) }.bitmap == .empty)
        #expect(try TitleProbe("Gone") { $0.x = .pixels(-100_000) }.bitmap == .empty)
    }

    @Test func theSameTitleIsTheSameBytes() async throws {
        let draw: @Sendable () throws -> TitleBitmap = {
            try TitleProbe("Ünïcode ﷽ مرحبا 日本 😀\nline") {
                ($0.size, $0.outlineWidth) = (33.3, 1.5)
                $0.background = Color(red: 1, green: 2, blue: 3, alpha: 99)
            }.bitmap
        }
        let first = try draw()
        try await withThrowingTaskGroup(of: TitleBitmap.self) { group in
            for _ in 0..<8 { group.addTask { try draw() } }
            for try await bitmap in group { #expect(bitmap == first) }
        }
    }
}
