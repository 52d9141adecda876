import Draft
import Synchronization
import Values

/// Draws titles. The flow: text → fonts → lines → pixels, each step a file beside this one:
/// ``TitleText`` cleans the text, ``TitleFonts`` finds the fonts, ``TitleLines`` breaks the lines,
/// ``TitleLayout`` places them, and ``TitlePainter`` draws what is on the canvas.
///
/// The same title on the same canvas with the same fonts installed is the same bytes. A title's
/// ``Title/opacity`` changes with time and is applied when the bitmap is composed; everything else
/// about it is in the bitmap.
package enum TitleRasterizer {
    /// Pango's objects are not safe to share among threads, and a title is drawn once per segment
    /// at most.
    private static let fontMaps = Mutex(TitleFontMaps())

    /// To be called once, before the process has a second thread.
    package static func prepareProcess() { TitleFonts.ignoreLocale() }

    /// Draws `title` as it lies on a canvas of this size. May be called from any thread; calls wait
    /// for each other.
    /// - Returns: ``TitleBitmap/empty`` where nothing of the title is on the canvas.
    /// - Throws: where the font file is missing or no font, or the title cannot be laid out. A
    ///   family that is not installed is no error: fontconfig puts the nearest one in its place.
    package static func render(_ title: Title, canvas: Canvas.Size) throws(TitleError) -> TitleBitmap {
        try prepared(title, canvas) { title, text, map throws(TitleError) in
            guard !text.text.isEmpty else { return .empty }
            let styles = try TitleStyles(text, letterSpacing: title.letterSpacing, of: title)
            let fonts = TitleFonts(for: title, language: text.language, map: map)
            let layout = TitleLayout(title, text, fonts: fonts, styles: styles, canvas: canvas)
            return try TitlePainter.paint(title, layout)
        }
    }

    /// Lays a title out without drawing it.
    static func measure(_ title: Title, canvas: Canvas.Size) throws(TitleError) -> TitleExtent {
        try prepared(title, canvas) { title, text, map throws(TitleError) in
            let styles = try TitleStyles(text, letterSpacing: title.letterSpacing, of: title)
            let fonts = TitleFonts(for: title, language: text.language, map: map)
            let layout = TitleLayout(title, text, fonts: fonts, styles: styles, canvas: canvas, isWhole: true)
            return TitleExtent(
                text: layout.extent, lines: text.text.isEmpty ? 0 : layout.lineCount,
                lineHeight: fonts.usualLine.height)
        }
    }

    /// Checks a title and finds its fonts and its size, and lays it out with `body`, in turn with
    /// other titles.
    static func prepared<Result>(
        _ title: Title, _ canvas: Canvas.Size,
        _ body: (Title, TitleText, _ map: OpaquePointer) throws(TitleError) -> Result
    ) throws(TitleError) -> Result {
        try fontMaps.withLock { maps throws(TitleError) -> Unsent<Result> in
            let text = try self.text(of: title)
            try check(title, text, canvas)
            let map = try maps.map(for: title)
            var title = title
            if title.isFitted, !text.text.isEmpty {
                let styles = try TitleStyles(text, letterSpacing: title.letterSpacing, of: title)
                title.size = TitleFit.size(of: title, text, styles, map, canvas)
            }
            return Unsent(value: try body(title, text, map))
        }.value
    }

    /// What touches Pango's objects besides.
    static func inTurn<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try fontMaps.withLock { _ throws(Failure) -> Unsent<Result> in Unsent(value: try body()) }.value
    }

    /// What leaves the lock belongs to the caller alone.
    private struct Unsent<Value>: @unchecked Sendable { var value: Value }

    private static func text(of title: Title) throws(TitleError) -> TitleText {
        guard title.isMarkup else { return TitleText(title.text) }
        do throws(TitleMarkup.Defect) {
            return TitleText(try TitleMarkup(title.text))
        } catch {
            throw TitleError(.invalidTitle, "read its markup", title, reason: "\(error)")
        }
    }

    /// See ``TitleFontMaps/substitute(for:)``.
    package static func substitute(for font: TitleFont) -> String? { fontMaps.withLock { $0.substitute(for: font) } }

    /// Why a font file cannot be used; nil where it can.
    package static func refusal(ofFont file: String) -> String? { fontMaps.withLock { $0.refusal(ofFont: file) } }

    /// The document's own limits (`Title.init(reading:)`), and what a canvas can be.
    private static func check(_ title: Title, _ text: TitleText, _ canvas: Canvas.Size) throws(TitleError) {
        func failure(_ reason: String) -> TitleError { TitleError(.invalidTitle, "lay it out", title, reason: reason) }
        guard title.size >= 1, title.size <= 4096 else {
            throw failure("its size is \(title.size) pixels, but must lie between 1 and 4096")
        }
        guard title.width.map({ (1...16384).contains($0) }) ?? true else {
            throw failure("its width is \(title.width ?? 0) pixels, but must lie between 1 and 16384")
        }
        guard title.outlineWidth >= 0, title.outlineWidth <= 100 else {
            throw failure("its outline is \(title.outlineWidth) pixels wide, but must lie between 0 and 100")
        }
        guard (1...16384).contains(canvas.width), (1...16384).contains(canvas.height) else {
            throw failure("the canvas is \(canvas), which is not a picture's size")
        }
        guard text.text.utf8.count <= 100_000 else { throw failure("its text is longer than 100000 bytes") }
        guard !title.isFitted || text.text.utf8.count <= TitleFit.longestText else {
            throw failure("a text that is made to fit may have \(TitleFit.longestText) bytes")
        }
    }
}
