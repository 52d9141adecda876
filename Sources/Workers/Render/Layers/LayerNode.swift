import CKernels
import Composition
import Draft
import Media
import Values

/// A layer's picture at its place on the canvas.
///
/// It is sampled from the content's own pixels, at the place to the part of a pixel, by a filter
/// for the current scale; a turn comes after that, at the same scale. Only what the canvas shows is
/// made.
final class LayerNode: Node {
    /// The most pixels of a picture that go into one of the canvas: the kernel's bound.
    private static let smallest = 4096.0

    let content = Switch<LayerPicture>()
    let mask = Switch<LayerPicture>()
    private let look: LayerLook
    private let clock: EffectClock
    private let canvas: Canvas.Size
    private let color: ColorSystem
    /// What was drawn last, for a still picture that lies still.
    private var last:
        (
            picture: LayerPicture, mask: LayerPicture?, place: PlacedPicture, shadow: LayerShadow.Cast?,
            layer: PaintedLayer
        )?
    private lazy var shadowColor = Result { try look.shadow.map { try ShadowColor($0.color, color) } }

    /// - Parameters:
    ///   - look: in the time of `clock`.
    ///   - color: the canvas's.
    init(_ look: LayerLook, _ clock: EffectClock, _ canvas: Canvas.Size, _ color: ColorSystem) {
        self.look = look
        self.clock = clock
        self.canvas = canvas
        self.color = color
    }

    func frame(_ number: Int) throws -> PaintedLayer? {
        // Invisible frames are requested, too: a source with state counts on every frame.
        guard let time = clock.moment(number)?.time, let picture = try content.frame(number) else { return nil }
        let isTurned = look.placement.quarterTurns % 2 == 1
        let placed = look.placement.placed(
            at: time, on: canvas,
            picture: isTurned ? (picture.height, picture.width) : (picture.width, picture.height),
            pixelAspect: isTurned ? 1 / picture.pixelAspect : picture.pixelAspect, mode: look.mode)
        let poses = look.poses(at: time)
        let shadow = look.shadow?.cast(at: time)
        let place = LayerPlace(placed, poses, on: canvas, shadow: shadow)
        guard place.placed.opacity > 0, place.placed.width >= Placement.sideRange.lowerBound,
            place.placed.height >= Placement.sideRange.lowerBound, let touched = place.touched, let drawn = place.drawn
        else { return nil }
        let covering = look.mask == nil ? nil : try mask.frame(number)
        if poses.isEmpty, let last, last.picture.identity == picture.identity, last.place == placed,
            last.mask?.identity == covering?.identity, last.shadow == shadow
        {
            return last.layer
        }
        let upright = try draw(picture, covering, place, drawn)
        var (made, x, y) = (upright, drawn.x.lowerBound, drawn.y.lowerBound)
        if place.placed.turn != 0 {
            made = upright.turned(
                width: touched.x.count, height: touched.y.count, place.map(of: touched, from: drawn))
            (x, y) = (touched.x.lowerBound, touched.y.lowerBound)
        }
        if let shadow, let color = try shadowColor.get() {
            guard let both = try made.casting(shadow, color, at: x, y, on: canvas) else { return nil }
            (made, x, y) = both
        }
        let layer = PaintedLayer(
            content: .placed(made, look.blend), x: x, y: y, opacity: place.placed.opacity)
        if poses.isEmpty, picture.isKept { last = (picture, covering, placed, shadow, layer) }
        return layer
    }

    func close() { last = nil }

    /// The picture before its turn.
    /// - Parameter pixels: of the canvas.
    private func draw(
        _ picture: LayerPicture, _ mask: LayerPicture?, _ place: LayerPlace, _ pixels: (x: Range<Int>, y: Range<Int>)
    ) throws -> PremultipliedPicture {
        let placed = place.placed
        func line(
            _ pixels: Range<Int>, _ start: Double, _ length: Double, _ source: Double, _ shown: Double, isFlipped: Bool
        ) -> SampleLine {
            // A picture that is a speck is sampled about its middle.
            let scale = min(Self.smallest, shown / length)
            let line = SampleLine(
                count: pixels.count, scale: scale,
                first: source + (Double(pixels.lowerBound) + 0.5 - start) * scale - 0.5)
            guard isFlipped else { return line }
            // Mirrored about the middle of what is shown.
            var mirrored = line
            mirrored.first = 2 * source + shown - 1 - line.first - Double(line.count - 1) * scale
            mirrored.isReversed = true
            return mirrored
        }
        let isTurned = look.placement.quarterTurns % 2 == 1
        // The pixels of a picture of which a part, in its own pixels after the quarter turns, is
        // stretched over the layer.
        func draw(
            _ stretched: LayerPicture, _ part: (left: Double, top: Double, width: Double, height: Double)
        ) throws -> PremultipliedPicture {
            var across = line(
                pixels.x, placed.left, placed.width, part.left, part.width, isFlipped: placed.isFlippedAcross)
            var down = line(
                pixels.y, placed.top, placed.height, part.top, part.height, isFlipped: placed.isFlippedDown)
            // Columns and rows of the picture after its quarter turns to those of the picture
            // itself.
            switch look.placement.quarterTurns {
            case 1: (across, down) = (down, across.reversed(in: stretched.height))
            case 2: (across, down) = (across.reversed(in: stretched.width), down.reversed(in: stretched.height))
            case 3: (across, down) = (down.reversed(in: stretched.width), across)
            default: break
            }
            return try PremultipliedPicture(
                stretched, across: across, down: down, isTransposed: isTurned, color: color)
        }
        let made = try draw(
            picture, (placed.sourceLeft, placed.sourceTop, placed.sourceWidth, placed.sourceHeight))
        if let mask, let use = look.mask {
            // All of the mask lies over what is shown of the picture, however much is cut off.
            let size = (width: Double(mask.width), height: Double(mask.height))
            let (width, height) = isTurned ? (size.height, size.width) : (size.width, size.height)
            made.mask(try draw(mask, (0, 0, width, height)), use)
        }
        var shape = place.uncovered
        shape.left = max(shape.left, placed.left) - Double(pixels.x.lowerBound)
        shape.right = min(shape.right, placed.left + placed.width) - Double(pixels.x.lowerBound)
        shape.top = max(shape.top, placed.top) - Double(pixels.y.lowerBound)
        shape.bottom = min(shape.bottom, placed.top + placed.height) - Double(pixels.y.lowerBound)
        if placed.cornerRadius > 0 {
            made.keep(
                ck_round_rect(
                    left: placed.left - Double(pixels.x.lowerBound), top: placed.top - Double(pixels.y.lowerBound),
                    right: placed.left + placed.width - Double(pixels.x.lowerBound),
                    bottom: placed.top + placed.height - Double(pixels.y.lowerBound), radius: placed.cornerRadius))
        }
        made.keep(shape)
        if place.blur > 0.3 { try made.blur(place.blur) }
        return made
    }
}

extension LayerPlace {
    /// Pixels of the canvas to those of the picture before its turn.
    fileprivate func map(of touched: (x: Range<Int>, y: Range<Int>), from drawn: (x: Range<Int>, y: Range<Int>))
        -> ck_affine
    {
        let (sine, cosine) = (PortableMath.sinPi(-2 * placed.turn), PortableMath.cosPi(-2 * placed.turn))
        // The middle of the first pixel.
        let (dx, dy) = (
            Double(touched.x.lowerBound) + 0.5 - placed.pivotX, Double(touched.y.lowerBound) + 0.5 - placed.pivotY
        )
        return ck_affine(
            a: cosine, b: -sine,
            c: placed.pivotX + dx * cosine - dy * sine - Double(drawn.x.lowerBound) - 0.5, d: sine, e: cosine,
            f: placed.pivotY + dx * sine + dy * cosine - Double(drawn.y.lowerBound) - 0.5)
    }
}

extension LayerPicture {
    /// Which picture it is.
    var identity: ObjectIdentifier {
        switch pixels {
        case .rgba(let picture), .canvas(let picture): ObjectIdentifier(picture)
        case .floats(let floats): ObjectIdentifier(floats)
        }
    }

    /// Nothing writes into it.
    var isKept: Bool { if case .floats = pixels { false } else { !isReused } }
}
