import CPango
import Draft

/// Makes a title's letters as small as its box needs them.
enum TitleFit {
    /// Bytes: it is laid out a dozen times.
    static let longestText = 5_000

    /// The size in pixels: the title's own where the text fits, else the largest that does, to a
    /// hundredth, and at least 1.
    ///
    /// With a height the text is wrapped, and no word is broken; without one every paragraph stays
    /// a line.
    static func size(
        of title: Title, _ text: TitleText, _ styles: borrowing TitleStyles, _ map: OpaquePointer, _ canvas: Canvas.Size
    ) -> Double {
        let width = title.wrapWidth(on: canvas)
        var trial = title
        func fits(_ size: Double) -> Bool {
            trial.size = size
            let fonts = TitleFonts(for: trial, language: text.language, map: map)
            let lines = TitleLines(
                text.text, width: title.height == nil ? 1 << 20 : width, fonts: fonts, portion: text.text.count + 1,
                styles: styles, wrap: PANGO_WRAP_WORD)
            return lines.lines.allSatisfy { $0.width <= Double(width) }
                && lines.height(spacing: title.lineSpacing) <= Double(title.height ?? .max)
        }
        if fits(title.size) { return title.size }
        // In hundredths, so that the search ends on the same number wherever it begins.
        var (low, high) = (100, Int(title.size * 100))
        while low < high {
            let middle = (low + high + 1) / 2
            if fits(Double(middle) / 100) { low = middle } else { high = middle - 1 }
        }
        return Double(low) / 100
    }
}
