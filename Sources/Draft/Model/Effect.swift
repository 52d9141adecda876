/// One entry of a draft's effect list, or of a clip's own.
public struct Effect: Hashable, Sendable {
    public var id: String?
    public var kind: Kind
    /// On the timeline that all entries before this one have made; nil: all of it. In a clip's own list: in the clip's time.
    public var range: TimeRange?
    /// It acts on the whole timeline after everything else, whatever is added later. There is at most one, the list's last; not a
    /// bypass.
    public var isPassThrough: Bool
    public var origin: Origin?

    public init(
        _ kind: Kind, range: TimeRange? = nil, isPassThrough: Bool = false, id: String? = nil, origin: Origin? = nil
    ) {
        self.kind = kind
        self.range = range
        self.isPassThrough = isPassThrough
        self.id = id
        self.origin = origin
    }

    public enum Kind: Hashable, Sendable {
        /// Plays the range `factor` times as fast; the factor multiplies the clips' own speeds.
        case speed(Rational)
        /// Plays the range this many times in all.
        case `repeat`(Int)
        /// Changes the picture or, where it is a plugin's audio filter, the sound; not the time.
        case picture(PictureEffect)
    }

    /// How many times a range may play in all.
    public static let countRange = 1...10_000

    /// Why it cannot be the pass-through effect, as far as that is its own affair; empty where it can or is not one.
    var passThroughProblems: [String] {
        guard isPassThrough else { return [] }
        var problems: [String] = []
        if isTimeEffect {
            problems.append("changes time, so it cannot be the ‘pass_through’ effect, which acts after that")
        }
        if let range {
            problems.append(
                "has the range \(range), but a ‘pass_through’ effect acts on the whole timeline; leave one out")
        }
        return problems
    }

    /// Of an entry of a clip's own list.
    static let misplacedPassThrough = "has ‘pass_through’, which is for an entry of the draft's effect list"

    public var isTimeEffect: Bool { if case .picture = kind { false } else { true } }

    public var kindName: String {
        switch kind {
        case .speed: "speed"
        case .repeat: "repeat"
        case .picture(let effect): effect.name
        }
    }

    /// Where this effect came from does not make it another effect.
    public static func == (a: Effect, b: Effect) -> Bool {
        a.id == b.id && a.kind == b.kind && a.range == b.range && a.isPassThrough == b.isPassThrough
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(kind)
        hasher.combine(range)
        hasher.combine(isPassThrough)
    }
}

public enum PictureEffect: Hashable, Sendable, Codable {
    case lut(Look)
    case sticker(Sticker)
    case title(Title)
    /// A plugin's: of the picture or, where its descriptor says so, of the sound.
    case filter(PluginEffect)
    /// What a plugin's source makes, over the picture.
    case overlay(SourceOverlay)

    public var name: String {
        switch self {
        case .lut: "lut"
        case .sticker: "sticker"
        case .title: "title"
        case .filter(let filter): filter.effectID
        case .overlay(let overlay): overlay.source.effectID
        }
    }

    /// The plugin's effect that does it, whatever its kind.
    public var plugin: PluginEffect? {
        switch self {
        case .filter(let filter): filter
        case .overlay(let overlay): overlay.source
        default: nil
        }
    }

    /// Puts another effect, or other values, in the place of ``plugin``.
    mutating func setPlugin(_ effect: PluginEffect) {
        switch self {
        case .filter: self = .filter(effect)
        case .overlay(var overlay):
            overlay.source = effect
            self = .overlay(overlay)
        default: break
        }
    }
}

/// A colour look from a look-up table.
public struct Look: Hashable, Sendable, Codable {
    /// A 512×512 tile image, a Hald image or a `.cube` file.
    public var path: String
    /// 0 (the picture as it is) … 1 (all of the look).
    public var intensity: Animated

    public init(path: String, intensity: Animated = .constant(1)) {
        self.path = path
        self.intensity = intensity
    }
}

/// An image, still or animated, stretched to a rectangle of the canvas.
public struct Sticker: Hashable, Sendable, Codable {
    public var path: String
    /// Left, top, width and height in canvas pixels; it may lie partly outside. See ``rect(at:)``.
    public var rect: Animated
    /// 0…1, multiplied with the image's own alpha.
    public var opacity: Animated

    public init(path: String, rect: Rect, opacity: Animated = .constant(1)) {
        self.init(path: path, rect: .constant(rect.numbers.map(Double.init)), opacity: opacity)
    }

    public init(path: String, rect: Animated, opacity: Animated = .constant(1)) {
        self.path = path
        self.rect = rect
        self.opacity = opacity
    }
}

extension Sticker {
    public static let sideRange = 1.0...16384
    public static let cornerRange = -100_000.0...100_000

    /// What is wrong with a rectangle's numbers; nil where nothing is.
    static func problem(ofRect numbers: [Double]) -> String? {
        func text(_ number: Double) -> String { Value.text(of: number) }
        guard numbers.count == 4 else {
            return "the rectangle has \(numbers.count) numbers, but must have four: left, top, width and height"
        }
        guard sideRange.contains(numbers[2]), sideRange.contains(numbers[3]) else {
            return "the rectangle is \(text(numbers[2]))×\(text(numbers[3])) pixels, but must be 1×1 to 16384×16384"
        }
        guard cornerRange.contains(numbers[0]), cornerRange.contains(numbers[1]) else {
            return
                "the rectangle's corner is (\(text(numbers[0])), \(text(numbers[1]))), but must lie within 100000 pixels of the canvas"
        }
        return nil
    }

    /// The pixels that the image is stretched to.
    ///
    /// What does not change is taken to whole pixels side by side. What does change moves by its centre, and has even sides: then
    /// the centre is a whole pixel whatever the sides are, and neither trembles when the other is rounded another way.
    public func rect(at time: Time) -> Rect {
        let numbers = rect.value(at: time)
        guard numbers.count == 4 else { return Rect(x: 0, y: 0, width: 1, height: 1) }
        func whole(_ number: Double) -> Int { Int(number.rounded()) }
        if rect.isConstant {
            return Rect(x: whole(numbers[0]), y: whole(numbers[1]), width: whole(numbers[2]), height: whole(numbers[3]))
        }
        let (width, height) = (max(2, 2 * whole(numbers[2] / 2)), max(2, 2 * whole(numbers[3] / 2)))
        return Rect(
            x: whole(numbers[0] + numbers[2] / 2) - width / 2, y: whole(numbers[1] + numbers[3] / 2) - height / 2,
            width: width, height: height)
    }
}

/// A plugin's source, made at a rectangle's size and laid over the picture there.
public struct SourceOverlay: Hashable, Sendable, Codable {
    public var source: PluginEffect
    /// Left, top, width and height in canvas pixels; it may lie partly outside. nil: the canvas.
    public var rect: Rect?
    /// 0…1, multiplied with the source's own alpha.
    public var opacity: Animated

    public init(_ source: PluginEffect, rect: Rect? = nil, opacity: Animated = .constant(1)) {
        self.source = source
        self.rect = rect
        self.opacity = opacity
    }
}

public struct Rect: Hashable, Sendable, Codable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    var numbers: [Int] { [x, y, width, height] }
    public var size: Canvas.Size { Canvas.Size(width: width, height: height) }
}

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

/// A plugin's effect with the values of its parameters.
public struct PluginEffect: Hashable, Sendable, Codable {
    public var effectID: String
    public var parameters: [String: ParameterValue]

    public init(effectID: String, parameters: [String: ParameterValue] = [:]) {
        self.effectID = effectID
        self.parameters = parameters
    }
}

/// What a script gave for a parameter; the descriptor decides what it must be.
public enum ParameterValue: Hashable, Sendable, Codable {
    /// Numbers: one, or as many as the parameter has components. A switch is 0 or 1.
    case numbers(Animated)
    /// A text, the name of an enumeration's value or a colour such as `#ff8800`.
    case text(String)
    /// A file: see ``EffectHolder/resolveFiles(in:_:)``.
    case path(String)
}
