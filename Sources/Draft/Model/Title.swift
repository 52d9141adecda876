/// Text, laid out by Pango. Its box is as wide as `width`, else as the longest line; left and right are the picture's own, for
/// right-to-left text too.
public struct Title: Hashable, Sendable, Codable {
    public enum Alignment: String, Hashable, Sendable, Codable, CaseIterable { case left, center, right }

    /// A coordinate of the text's box: pixels from the left or top, or centred on the canvas.
    public enum Coordinate: Hashable, Sendable, Codable { case pixels(Int), center }

    public var text: String
    /// A family or Pango font description without a size, e.g. `Serif Bold`.
    public var font: String
    /// A font file to be used for this title: it wins over an installed font of the same name, and its family becomes the
    /// default of `font`.
    public var fontFile: String?
    /// The font's size (em) in canvas pixels.
    public var size: Double
    public var color: Color
    public var x: Coordinate
    public var y: Coordinate
    /// Lines are wrapped at this many pixels; nil: the canvas' width.
    public var width: Int?
    public var alignment: Alignment
    public var outlineColor: Color
    /// Pixels on each side of the glyphs' edge; 0: no outline.
    public var outlineWidth: Double
    /// Behind the text's box, reaching beyond it by 1/4 em at the sides and 1/8 em above and below; clear: none.
    public var background: Color
    /// 0…1.
    public var opacity: Animated

    public init(_ text: String) {
        self.text = text
        font = "Sans"
        size = 48
        color = .white
        x = .center
        y = .center
        alignment = .center
        outlineColor = .black
        outlineWidth = 0
        background = .clear
        opacity = .constant(1)
    }
}

/// What a title asks of its font.
public struct TitleFont: Hashable, Sendable, Codable {
    /// See ``Title/font``.
    public var name: String
    /// See ``Title/fontFile``.
    public var file: String?

    public init(_ name: String, file: String? = nil) {
        self.name = name
        self.file = file
    }
}

extension Draft {
    /// The fonts that its titles ask for, each once.
    public var fonts: Set<TitleFont> {
        Set(
            uses.compactMap { use in
                if case .picture(.title(let title)) = use.content {
                    TitleFont(title.font, file: title.fontFile)
                } else {
                    nil
                }
            })
    }
}
