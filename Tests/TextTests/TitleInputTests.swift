import Draft
import Foundation
import TestSupport
import Testing

@testable import Text

/// Invalid texts and font files.
@Suite struct TitleInputTests {
    @Test func controlCharactersAreNotDrawn() throws {
        let plain = try TitleProbe("abc\nd").bitmap
        #expect(try TitleProbe("a\u{0}b\u{1}\u{7F}c\r\nd").bitmap == plain)
        #expect(try TitleProbe("abc\rd").bitmap == plain)
        #expect(try TitleProbe("\u{FEFF}abc\u{2028}d").bitmap == plain)
    }

    @Test func brokenUTF8IsVisible() throws {
        let broken = String(decoding: [0x61, 0xFF, 0x62], as: UTF8.self)
        #expect(try TitleProbe(broken).ink().pixels > TitleProbe("ab").ink().pixels)
    }

    @Test(arguments: ["", " ", "\n\n", "\u{0}", "\u{200B}\u{202E}"])
    func aTextWithoutInkIsEmpty(text: String) throws {
        #expect(try TitleProbe(text).bitmap.isEmpty || TitleProbe(text).ink().pixels == 0)
    }

    @Test func marksOnOneLetterAreBounded() {
        let text = TitleText("a" + String(repeating: "\u{301}", count: 40_000) + "b").text
        #expect(text.unicodeScalars.count == 32)
    }

    @Test(arguments: [("lorem ipsum ", 3_000), ("あ", 30_000), ("ab\n", 10_000), ("\u{202B}a\u{202A}b", 2_000)])
    func longTextsTakeNoMoreThanTheCanvas(unit: String, count: Int) throws {
        let bitmap = try TitleProbe(String(repeating: unit, count: count)) {
            ($0.size, $0.x, $0.y) = (20, .pixels(0), .pixels(0))
        }.bitmap
        #expect(bitmap.x >= 0 && bitmap.y >= 0 && bitmap.x + bitmap.width <= 640 && bitmap.y + bitmap.height <= 360)
        #expect(bitmap.rgba.contains { $0 > 127 })
    }

    /// Lines that are broken in portions are those that Pango makes of the whole.
    @Test(arguments: [
        "The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor jugs.\n\nSphinx of black quartz.",
        "אבג דהו זחט יכל מנס עפצ קרש תאב גדה וזח טיכ למנ\nabc אבג דהו def זחט 123 יכל",
        "日本語の文章は単語の間に空白を入れない。改行はどこでもよい。",
    ])
    func portionsBreakWhereTheWholeDoes(text: String) throws {
        var title = Title(text)
        title.size = 20
        var maps = TitleFontMaps()
        let fonts = TitleFonts(for: title, language: "en", map: try maps.map(for: title))
        let whole = TitleLines(text, width: 160, fonts: fonts, portion: text.count + 1).lines.map(\.width)
        try #require(whole.count > 3)
        for portion in [1, 7, 30, 50] {
            let parts = TitleLines(text, width: 160, fonts: fonts, portion: portion).lines.map(\.width)
            #expect(parts == whole, "\(portion) characters at a time")
        }
    }

    @Test func hugeLettersAreDrawnWithinTheCanvas() throws {
        let probe = try TitleProbe("M") { ($0.size, $0.outlineWidth) = (4096, 100) }
        #expect(probe.bitmap.width <= 640 && probe.bitmap.height <= 360)
        #expect(probe.ink().pixels > 0)
    }

    // MARK: Font files

    private static let serif = fontFile(family: "DejaVu Serif") ?? fontFile(family: "Noto Serif")

    @Test(.enabled(if: serif != nil, "neither DejaVu Serif nor Noto Serif is installed"))
    func aFontFileIsUsedUnderItsOwnName() throws {
        let file = try #require(Self.serif)
        let system = try TitleProbe("Illicit").bitmap
        let own = try TitleProbe("Illicit") { ($0.fontFile, $0.font) = (file, "") }.bitmap
        #expect(own != system)
        // A copy elsewhere, which no system configuration knows, gives the same picture.
        try TemporaryFolder.with { folder in
            let copy = try folder.write(Data(contentsOf: URL(fileURLWithPath: file)), to: "my font.ttf")
            #expect(try TitleProbe("Illicit") { ($0.fontFile, $0.font) = (copy, "") }.bitmap == own)
        }
        // It is not left behind for the next title.
        #expect(try TitleProbe("Illicit").bitmap == system)
    }

    @Test(.enabled(if: serif != nil, "neither DejaVu Serif nor Noto Serif is installed"))
    func aFontFileMayBeAskedForInBold() throws {
        let file = try #require(Self.serif)
        let plain = try TitleProbe("Illicit") { ($0.fontFile, $0.font, $0.size) = (file, "", 100) }
        let bold = try TitleProbe("Illicit") { ($0.fontFile, $0.font, $0.size) = (file, "Bold", 100) }
        #expect(plain.ink().pixels > 0 && bold.ink().pixels > 0)
        #expect(plain.bitmap != bold.bitmap)
    }

    @Test func fontFilesThatCannotBeUsedAreNamed() throws {
        try TemporaryFolder.with { folder in
            func failure(_ path: String) -> TitleError? {
                do {
                    _ = try TitleProbe("Hello") { $0.fontFile = path }
                    return nil
                } catch { return error as? TitleError }
            }
            let missing = folder.file("missing.ttf")
            #expect(failure(missing)?.code == .fontNotFound)
            #expect(
                failure(missing)?.description
                    == "title ‘Hello’: cannot load the font ‘\(missing)’: there is no such file")
            #expect(failure(folder.path)?.code == .fontNotFound)
            let text = try folder.write("not a font", to: "text.ttf")
            #expect(failure(text)?.code == .notAFont)
            let empty = try folder.write("", to: "empty.ttf")
            #expect(failure(empty)?.code == .notAFont)
            #expect(failure("/dev/null")?.code == .fontUnreadable)
        }
    }

    @Test func valuesOutsideTheLimitsAreErrors() {
        let edits: [@Sendable (inout Title) -> Void] = [
            { $0.size = 0 }, { $0.size = .nan }, { $0.size = 5000 }, { $0.width = 0 }, { $0.width = 1 << 40 },
            { $0.outlineWidth = -1 }, { $0.outlineWidth = .infinity },
            { $0.text = String(repeating: "a", count: 100_001) },
        ]
        for edit in edits {
            let error = #expect(throws: TitleError.self) { try TitleProbe("Hello", edit) }
            #expect(error?.code == .invalidTitle)
        }
    }

    @Test func aFontThatIsNotInstalledIsReplaced() throws {
        #expect(try TitleProbe("Hello") { $0.font = "No Such Family At All Bold 900" }.ink().pixels > 0)
    }
}
