import CKernels
import Draft
import Values

/// A picture's place with what its entrance and leaving make of it.
struct LayerPlace {
    var placed: PlacedPicture
    /// The part that is uncovered, in canvas pixels before the turn.
    var uncovered: ck_round_rect
    /// Standard deviation in canvas pixels.
    var blur = 0.0

    private let canvas: Canvas.Size
    private let shadow: LayerShadow.Cast?

    init(
        _ placed: PlacedPicture, _ poses: [EntrancePose], on canvas: Canvas.Size,
        shadow: LayerShadow.Cast? = nil
    ) {
        self.placed = placed
        self.canvas = canvas
        self.shadow = shadow
        uncovered = ck_round_rect(
            left: -.infinity, top: -.infinity, right: .infinity, bottom: .infinity, radius: 0)
        for pose in poses { take(pose) }
    }

    private mutating func take(_ pose: EntrancePose) {
        placed.opacity *= pose.opacity
        blur = max(blur, pose.blur * min(placed.width, placed.height))
        placed.turn += pose.turn
        placed.turn -= placed.turn.rounded(.down)
        grow(by: pose.scale)
        // Just outside of the canvas, turned as it is, and its shadow too.
        var reach = bounds
        if let cast = shadow?.reach {
            (reach.left, reach.right) = (reach.left - cast.left, reach.right + cast.right)
            (reach.top, reach.bottom) = (reach.top - cast.top, reach.bottom + cast.bottom)
        }
        let across = pose.across > 0 ? Double(canvas.width) - reach.left : reach.right
        let down = pose.down > 0 ? Double(canvas.height) - reach.top : reach.bottom
        move(pose.across * max(0, across), pose.down * max(0, down))
        let (left, top) = (placed.left, placed.top)
        uncovered.left = max(
            uncovered.left, pose.uncovered[0] > 0 ? left + pose.uncovered[0] * placed.width : -.infinity)
        uncovered.top = max(uncovered.top, pose.uncovered[1] > 0 ? top + pose.uncovered[1] * placed.height : -.infinity)
        uncovered.right = min(
            uncovered.right, pose.uncovered[2] < 1 ? left + pose.uncovered[2] * placed.width : .infinity)
        uncovered.bottom = min(
            uncovered.bottom, pose.uncovered[3] < 1 ? top + pose.uncovered[3] * placed.height : .infinity)
    }

    private mutating func grow(by factor: Double) {
        guard factor != 1 else { return }
        // About the middle of the picture as it lies, turned or not.
        let (middleX, middleY) = point(placed.left + placed.width / 2, placed.top + placed.height / 2)
        placed.width *= factor
        placed.height *= factor
        placed.cornerRadius *= factor
        (placed.left, placed.top) = (middleX - placed.width / 2, middleY - placed.height / 2)
        (placed.pivotX, placed.pivotY) = (middleX, middleY)
    }

    private mutating func move(_ x: Double, _ y: Double) {
        placed.left += x
        placed.top += y
        placed.pivotX += x
        placed.pivotY += y
    }

    /// Where a point of the picture lies when it is turned.
    func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let (sine, cosine) = (PortableMath.sinPi(2 * placed.turn), PortableMath.cosPi(2 * placed.turn))
        let (dx, dy) = (x - placed.pivotX, y - placed.pivotY)
        return (placed.pivotX + dx * cosine - dy * sine, placed.pivotY + dx * sine + dy * cosine)
    }

    private var bounds: (left: Double, top: Double, right: Double, bottom: Double) {
        let corners = [
            point(placed.left, placed.top), point(placed.left + placed.width, placed.top),
            point(placed.left, placed.top + placed.height),
            point(placed.left + placed.width, placed.top + placed.height),
        ]
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        return (xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
    }

    /// The pixels of the canvas that it may touch, and those beside the canvas whose shadow may;
    /// nil for none.
    var touched: (x: Range<Int>, y: Range<Int>)? {
        let (reach, around) = (bounds, 3 * blur)
        // A shadow comes from the other side.
        let cast = shadow?.reach ?? (left: 0, right: 0, top: 0, bottom: 0)
        return PixelRange.pair(
            reach.left - around, reach.right + around, reach.top - around, reach.bottom + around,
            (
                -cast.right...Double(canvas.width) + cast.left,
                -cast.bottom...Double(canvas.height) + cast.top
            ))
    }

    /// The pixels that it has before it is turned, as far as the canvas shows any of them; nil for
    /// none.
    var drawn: (x: Range<Int>, y: Range<Int>)? {
        guard let touched else { return nil }
        var (xs, ys) = ([Double](), [Double]())
        let (sine, cosine) = (PortableMath.sinPi(-2 * placed.turn), PortableMath.cosPi(-2 * placed.turn))
        for x in [touched.x.lowerBound, touched.x.upperBound] {
            for y in [touched.y.lowerBound, touched.y.upperBound] {
                let (dx, dy) = (Double(x) - placed.pivotX, Double(y) - placed.pivotY)
                xs.append(placed.pivotX + dx * cosine - dy * sine)
                ys.append(placed.pivotY + dx * sine + dy * cosine)
            }
        }
        // A pixel more, which a turn asks for beside what it shows; a blur needs what lies around.
        let around = placed.turn == 0 ? 3 * blur : 2 + 3 * blur
        let window = (
            (xs.min() ?? 0) - around...(xs.max() ?? 0) + around, (ys.min() ?? 0) - around...(ys.max() ?? 0) + around
        )
        let margin = placed.turn == 0 ? 3 * blur : 1 + 3 * blur
        return PixelRange.pair(
            placed.left - margin, placed.left + placed.width + margin, placed.top - margin,
            placed.top + placed.height + margin, window)
    }
}

private enum PixelRange {
    /// The whole pixels of a rectangle within a window; nil where there are none.
    static func pair(
        _ left: Double, _ right: Double, _ top: Double, _ bottom: Double,
        _ window: (ClosedRange<Double>, ClosedRange<Double>)
    ) -> (x: Range<Int>, y: Range<Int>)? {
        func range(_ low: Double, _ high: Double, _ window: ClosedRange<Double>) -> Range<Int>? {
            let (from, to) = (max(low, window.lowerBound).rounded(.down), min(high, window.upperBound).rounded(.up))
            return from < to ? Int(from)..<Int(to) : nil
        }
        guard let x = range(left, right, window.0), let y = range(top, bottom, window.1) else { return nil }
        return (x, y)
    }
}
