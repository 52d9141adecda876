import Draft
import TestSupport
import Testing

@testable import Text

/// Which fonts are there, and what is drawn where one is not.
@Suite struct TitleFontSearchTests {
    private static let dejaVu = fontFile(family: "DejaVu Serif")

    @Test(arguments: ["", "Sans", "sans bold 12", "Serif Italic", "Monospace", "No Such Font, Sans", "system-ui"])
    func `what every system has is there`(name: String) {
        #expect(TitleRasterizer.substitute(for: TitleFont(name)) == nil)
    }

    @Test(.enabled(if: dejaVu != nil, "DejaVu Serif is not installed"))
    func `an installed family is there in any case and style`() {
        for name in ["DejaVu Serif", "dejavu serif", "DejaVu Serif Bold Italic", "No Such Font, DejaVu Serif"] {
            #expect(TitleRasterizer.substitute(for: TitleFont(name)) == nil, "\(name)")
        }
    }

    @Test func `another family has one in its place`() throws {
        for name in ["No Such Font", "No Such Font Bold", "Bookmann"] {
            let substitute = try #require(TitleRasterizer.substitute(for: TitleFont(name)), "\(name)")
            #expect(!substitute.isEmpty && TitleRasterizer.substitute(for: TitleFont(substitute)) == nil)
        }
        #expect(TitleRasterizer.substitute(for: TitleFont("No Such Font", file: "/nowhere.ttf")) == nil)
    }

    /// A font that only the title's own file has.
    @Test(.enabled(if: dejaVu != nil, "DejaVu Serif is not installed"))
    func `a title's own font file counts`() throws {
        let file = try #require(Self.dejaVu)
        #expect(TitleRasterizer.substitute(for: TitleFont("", file: file)) == nil)
        #expect(TitleRasterizer.substitute(for: TitleFont(TitleFontMaps.ownFamily)) != nil)
        #expect(TitleRasterizer.substitute(for: TitleFont(TitleFontMaps.ownFamily, file: file)) == nil)
    }
}
