import Values

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
    /// A constant size is rounded to whole pixels side by side. An animated one moves by its
    /// centre, and has even sides: then the centre is a whole pixel whatever the sides are, and
    /// neither trembles when the other is rounded another way.
    public func rect(at time: Time) -> Rect {
        let numbers = rect.value(at: time)
        guard numbers.count == 4 else { return Rect(x: 0, y: 0, width: 1, height: 1) }
        func whole(_ number: Double) -> Int { Int(number.rounded()) }
        if standsStill {
            return Rect(x: whole(numbers[0]), y: whole(numbers[1]), width: whole(numbers[2]), height: whole(numbers[3]))
        }
        let (width, height) = (max(2, 2 * whole(numbers[2] / 2)), max(2, 2 * whole(numbers[3] / 2)))
        return Rect(
            x: whole(numbers[0] + numbers[2] / 2) - width / 2, y: whole(numbers[1] + numbers[3] / 2) - height / 2,
            width: width, height: height)
    }

    /// The rectangle is the same at all times.
    private var standsStill: Bool {
        let values = rect.keyValues
        return values.allSatisfy { $0 == values[0] }
    }

    /// The same for a part of its own time, without what has no say there.
    public func trimmed(to range: TimeRange) -> Sticker {
        var part = self
        part.rect = rect.settled(in: range)
        part.opacity = opacity.settled(in: range)
        // What only rests for a while lies on the pixels on which it came to rest: a frame must not
        // depend on the part that it is made in.
        if part.rect.isConstant, !standsStill {
            part.rect = .constant(rect(at: range.start).numbers.map(Double.init))
        }
        return part
    }
}
