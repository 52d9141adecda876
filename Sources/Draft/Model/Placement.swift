import Values

/// Where a picture lies on a canvas, and what of it is shown. Everything that has numbers may
/// change with time.
///
/// A *length* is canvas pixels, or a sum of canvas pixels and a share of the canvas' width or
/// height: so it may move evenly from 24 pixels to half of the canvas. A value of n lengths has n
/// components, their pixels, or 2 n, pixels and share of each.
public struct Placement: Hashable, Sendable, Codable {
    /// The point of the canvas where the anchor lies: two lengths, x and y.
    public var position: Animated
    /// A point of the picture, from (0, 0), its top left corner, to (1, 1). The picture turns about
    /// it.
    public var anchor: Point
    /// The sides, one length each, before ``scale``. A side that is nil follows from the other one
    /// and the picture's shape; where both are, the picture is as large as the canvas allows.
    public var width: Animated?
    public var height: Animated?
    /// A factor on both sides; above 0.
    public var scale: Animated
    /// The point of the picture that `fill` keeps in the middle, as far as it can.
    public var focus: Point
    /// Degrees, clockwise, about the anchor.
    public var rotation: Animated
    /// Quarters of a turn, clockwise, 0 … 3, that the picture itself is turned by before anything
    /// else here.
    public var quarterTurns: Int
    /// Left and right, or top and bottom, change places after the quarter turns.
    public var isFlippedAcross: Bool
    public var isFlippedDown: Bool
    /// The part of the picture that is shown: left, top, width and height, as shares of its own.
    public var crop: Animated
    /// 0…1, multiplied with the picture's own alpha.
    public var opacity: Animated
    /// The corners' radius: one length, whose share is of the placed picture's shorter side; half
    /// of that side at most counts.
    public var cornerRadius: Animated

    public struct Point: Hashable, Sendable, Codable {
        public var x: Double
        public var y: Double

        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        public static let middle = Point(x: 0.5, y: 0.5)
    }

    /// In the middle of the canvas, as large as it allows.
    public init() {
        position = .constant([0, 0.5, 0, 0.5])
        anchor = .middle
        scale = .constant(1)
        focus = .middle
        rotation = .constant(0)
        quarterTurns = 0
        isFlippedAcross = false
        isFlippedDown = false
        crop = .constant([0, 0, 1, 1])
        opacity = .constant(1)
        cornerRadius = .constant(0)
    }
}

/// A picture's place at one moment.
public struct PlacedPicture: Hashable, Sendable {
    /// In canvas pixels, before the turn.
    public var left: Double
    public var top: Double
    public var width: Double
    public var height: Double
    /// What is shown of the picture, in its own pixels.
    public var sourceLeft: Double
    public var sourceTop: Double
    public var sourceWidth: Double
    public var sourceHeight: Double
    /// The point of the canvas that the picture turns about.
    public var pivotX: Double
    public var pivotY: Double
    /// Whole turns, clockwise, in [0, 1).
    public var turn: Double
    public var isFlippedAcross: Bool
    public var isFlippedDown: Bool
    public var opacity: Double
    /// In canvas pixels, at most half of the shorter side.
    public var cornerRadius: Double
}

extension Placement {
    /// Sides of a placed picture, in pixels: what is outside counts as the nearest.
    public static let sideRange = 0.01...65_536
    /// The coordinates of positions, in pixels from the canvas' corner: what is outside counts as
    /// the nearest.
    public static let positionRange = -1_000_000.0...1_000_000

    /// The place at a time.
    /// - Parameters:
    ///   - picture: its size, in pixels of its own, after the quarter turns; at least 1×1.
    ///   - pixelAspect: the width of such a pixel for a height of 1.
    ///   - mode: how the picture takes the rectangle of the sides: `fit` leaves its shape and may
    ///     be smaller, `fill` cuts off what is too much, `stretch` changes its shape.
    public func placed(
        at time: Time, on canvas: Canvas.Size, picture: (width: Int, height: Int), pixelAspect: Double = 1,
        mode: ContentMode
    ) -> PlacedPicture {
        var shown = shownPart(at: time, of: picture)
        let shape = shown.width * pixelAspect / shown.height
        let (boxWidth, boxHeight) = box(at: time, on: canvas, shape: shape)
        var (width, height) = (boxWidth, boxHeight)
        switch mode {
        case .stretch: break
        case .fit:
            width = min(boxWidth, boxHeight * shape)
            height = min(boxHeight, boxWidth / shape)
        case .fill:
            let (across, down) = (min(1, boxWidth / boxHeight / shape), min(1, boxHeight / boxWidth * shape))
            shown.x += keeping(focus.x, across, of: shown.width, from: shown.x, in: Double(picture.width))
            shown.y += keeping(focus.y, down, of: shown.height, from: shown.y, in: Double(picture.height))
            shown.width *= across
            shown.height *= down
        }
        width = Self.sideRange.nearest(to: width)
        height = Self.sideRange.nearest(to: height)
        let place = position.value(at: time)
        let x = Self.positionRange.nearest(to: Self.length(0, of: 2, in: place, of: Double(canvas.width)))
        let y = Self.positionRange.nearest(to: Self.length(1, of: 2, in: place, of: Double(canvas.height)))
        let turns = rotation.scalar(at: time) / 360
        let shorter = min(width, height)
        return PlacedPicture(
            left: x - anchor.x * width, top: y - anchor.y * height, width: width, height: height, sourceLeft: shown.x,
            sourceTop: shown.y, sourceWidth: shown.width, sourceHeight: shown.height, pivotX: x, pivotY: y,
            turn: turns.isFinite ? turns - turns.rounded(.down) : 0, isFlippedAcross: isFlippedAcross,
            isFlippedDown: isFlippedDown, opacity: (0...1).nearest(to: opacity.scalar(at: time)),
            cornerRadius: (0...shorter / 2).nearest(
                to: Self.length(0, of: 1, in: cornerRadius.value(at: time), of: shorter)))
    }

    /// The crop in the picture's pixels: at least one, and none beyond the picture.
    private func shownPart(at time: Time, of picture: (width: Int, height: Int))
        -> (x: Double, y: Double, width: Double, height: Double)
    {
        let numbers = crop.value(at: time)
        guard numbers.count == 4 else { return (0, 0, Double(picture.width), Double(picture.height)) }
        func part(_ start: Double, _ length: Double, of whole: Int) -> (Double, Double) {
            let whole = Double(whole)
            let first = (0...(whole - 1)).nearest(to: start * whole)
            return (first, (1...(whole - first)).nearest(to: (start + length) * whole - first))
        }
        let (x, width) = part(numbers[0], numbers[2], of: picture.width)
        let (y, height) = part(numbers[1], numbers[3], of: picture.height)
        return (x, y, width, height)
    }

    /// The rectangle that the picture may take.
    private func box(at time: Time, on canvas: Canvas.Size, shape: Double) -> (width: Double, height: Double) {
        let factor = scale.scalar(at: time)
        func side(_ length: Animated?, of whole: Int) -> Double? {
            length.map { Self.sideRange.nearest(to: Self.length(0, of: 1, in: $0.value(at: time), of: Double(whole))) }
        }
        let sides = (side(width, of: canvas.width), side(height, of: canvas.height))
        let (w, h) =
            switch sides {
            case (let w?, let h?): (w, h)
            case (let w?, nil): (w, w / shape)
            case (nil, let h?): (h * shape, h)
            case (nil, nil): (Double(canvas.width), Double(canvas.height))
            }
        return (Self.sideRange.nearest(to: w * factor), Self.sideRange.nearest(to: h * factor))
    }

    /// How far the kept share of a length begins after its start, so that `focus`, a share of the
    /// whole picture, is in its middle.
    private func keeping(_ focus: Double, _ share: Double, of length: Double, from start: Double, in whole: Double)
        -> Double
    {
        let kept = share * length
        return (0...(length - kept)).nearest(to: focus * whole - start - kept / 2)
    }

    /// Length `number` of `count` in pixels; 0 where the components are of neither form.
    private static func length(_ number: Int, of count: Int, in components: [Double], of whole: Double) -> Double {
        switch components.count {
        case count: components[number]
        case 2 * count: components[2 * number] + components[2 * number + 1] * whole
        default: 0
        }
    }
}

extension ClosedRange<Double> {
    /// Returns the nearest number in the range; the lower bound for NaN.
    fileprivate func nearest(to value: Double) -> Double {
        value > lowerBound ? Swift.min(value, upperBound) : lowerBound
    }
}
