import Values

/// Text, laid out by Pango. Its box is as wide as `width`, else as the longest line; left and right
/// are the picture's own, for right-to-left text too.
public struct Title: Hashable, Sendable, Codable {
    public enum Alignment: String, Hashable, Sendable, Codable, CaseIterable { case left, center, right }

    /// A coordinate of the text's box on the canvas.
    public enum Coordinate: Hashable, Sendable, Codable {
        /// From the left or top.
        case pixels(Int)
        case center
        /// A share of the canvas' width or height, from the left or top.
        case share(Double)
        /// The canvas' left or top edge, a margin away.
        case start
        /// Its right or bottom edge, a margin away.
        case end
    }

    public var text: String
    /// The text has markup: see ``TitleMarkup``.
    public var isMarkup: Bool
    /// A family or Pango font description without a size, e.g. `Serif Bold`.
    public var font: String
    /// A font file to be used for this title: it wins over an installed font of the same name, and
    /// its family becomes the default of `font`.
    public var fontFile: String?
    /// The font's size (em) in canvas pixels.
    public var size: Double
    public var color: Color
    public var x: Coordinate
    public var y: Coordinate
    /// The point of the box that lies at (x, y); nil: of each coordinate the nearest, so that the
    /// box lies on the canvas.
    public var anchor: Anchor?
    /// Pixels between the box and the edges that `x` and `y` name.
    public var margin: Pair
    /// Lines are wrapped at this many pixels; nil: the canvas' width.
    public var width: Int?
    /// Where the text is made to fit: pixels that its box may be high.
    public var height: Int?
    /// The letters are made smaller until the text is no wider than `width` and no higher than
    /// `height`.
    public var isFitted: Bool
    public var alignment: Alignment
    /// Pixels more between letters.
    public var letterSpacing: Double
    /// From line to line, in heights of a line.
    public var lineSpacing: Double
    public var outlineColor: Color
    /// Pixels on each side of the glyphs' edge; 0: no outline.
    public var outlineWidth: Double
    /// Fills the letters in the place of ``color``, over the text's box; nil: none.
    public var gradient: Gradient?
    public var shadow: Shadow?
    /// Behind the text's box; clear: none.
    public var background: Color
    /// By how many pixels the background reaches beyond the box; nil: 1/4 em at the sides and 1/8
    /// em above and below.
    public var backgroundPadding: Pair?
    /// The radius of the background's corners, in pixels.
    public var backgroundRadius: Double
    /// 0…1.
    public var opacity: Animated
    public var enter: Entrance?
    /// At its end.
    public var leave: Entrance?
    /// When it ends, on its own clock, where it has a leaving: put in where that is known.
    public var end: Time?
    public var path: Path?
    /// Words that have the colour ``highlight`` while they are said.
    public var spoken: [Spoken]
    public var highlight: Color

    public init(_ text: String) {
        self.text = text
        isMarkup = false
        font = "Sans"
        size = 48
        color = .white
        x = .center
        y = .center
        margin = Pair(x: 0, y: 0)
        isFitted = false
        alignment = .center
        letterSpacing = 0
        lineSpacing = 1
        outlineColor = .black
        outlineWidth = 0
        background = .clear
        backgroundRadius = 0
        opacity = .constant(1)
        spoken = []
        highlight = Self.usualHighlight
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

extension Title {
    /// What it asks of its fonts, its markup's among them.
    var fonts: [TitleFont] {
        let spans = isMarkup ? (try? TitleMarkup(text))?.fonts ?? [] : []
        return ([font] + spans).map { TitleFont($0, file: fontFile) }
    }
}

extension Draft {
    /// The fonts that its titles ask for, each once.
    public var fonts: Set<TitleFont> {
        Set(
            uses.flatMap { use -> [TitleFont] in
                switch use.content {
                case .picture(.title(let title)): title.fonts
                case .picture(.subtitles(let subtitles)) where subtitles.form == .picture: subtitles.style.fonts
                default: []
                }
            })
    }
}
