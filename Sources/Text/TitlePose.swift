import CPango
import Draft
import Values

/// Where a part of a title is painted, and how.
struct TitlePose {
    /// From where it was drawn to where it is.
    var matrix: cairo_matrix_t
    var opacity: Double
    /// The visible part, in layout coordinates; nil: all.
    var uncovered: (left: Double, top: Double, right: Double, bottom: Double)?
    /// The standard deviation of its blur, in pixels of the drawing.
    var blur: Double
    /// From where it was laid out to where it is.
    private var place: cairo_matrix_t

    /// - Parameters:
    ///   - box: of what has the pose.
    ///   - edges: of all that has the pose and is drawn, for what is uncovered bit by bit.
    ///   - whole: of all of the title, on which ways depend.
    ///   - place: of the title as a whole.
    init(
        _ pose: EntrancePose, of box: TitleArea, edges: TitleArea, in whole: TitleArea, _ canvas: Canvas.Size,
        _ place: cairo_matrix_t
    ) {
        opacity = min(1, max(0, pose.opacity))
        matrix = place
        self.place = place
        let across = pose.across * Double(pose.across > 0 ? canvas.width - whole.left : whole.right)
        let down = pose.down * Double(pose.down > 0 ? canvas.height - whole.top : whole.bottom)
        // The way is the canvas's, what turns and grows is the part.
        var way = cairo_matrix_t()
        cairo_matrix_init_translate(&way, across, down)
        var here = matrix
        cairo_matrix_multiply(&matrix, &here, &way)
        if pose.scale != 1 || pose.turn != 0 {
            let middle = (x: Double(box.left + box.right) / 2, y: Double(box.top + box.bottom) / 2)
            cairo_matrix_translate(&matrix, middle.x, middle.y)
            cairo_matrix_rotate(&matrix, pose.turn * 2 * .pi)
            // Nothing at all has no inverse.
            cairo_matrix_scale(&matrix, max(1e-3, pose.scale), max(1e-3, pose.scale))
            cairo_matrix_translate(&matrix, -middle.x, -middle.y)
            if pose.scale < 2e-3 { opacity = 0 }
        }
        if pose.uncovered != [0, 0, 1, 1] {
            func along(_ share: Double, _ low: Int, _ high: Int) -> Double { Double(low) + share * Double(high - low) }
            uncovered = (
                along(pose.uncovered[0], edges.left, edges.right), along(pose.uncovered[1], edges.top, edges.bottom),
                along(pose.uncovered[2], edges.left, edges.right), along(pose.uncovered[3], edges.top, edges.bottom)
            )
            if pose.uncovered[0] >= pose.uncovered[2] || pose.uncovered[1] >= pose.uncovered[3] { opacity = 0 }
        }
        blur = pose.blur * Double(min(box.width, box.height))
        self.place = matrix
    }

    /// A blur of less is none.
    var isBlurred: Bool { blur >= 0.3 }
    /// How far a blur spreads on the canvas, in whole pixels.
    var spread: Int { blur > 0 ? Int(((blur * 4 + 4) * matrix.scale).rounded(.up)) : 0 }

    /// The same place, with nothing that is done to the picture there.
    var bare: TitlePose {
        var pose = sharp(opacity: 1)
        pose.uncovered = nil
        return pose
    }

    var unblurred: TitlePose { sharp(opacity: opacity) }

    /// The same without a blur.
    func sharp(opacity: Double) -> TitlePose {
        var pose = self
        (pose.blur, pose.opacity) = (0, opacity)
        return pose
    }

    /// The pose of a picture that was drawn where it is on the canvas.
    var drawnInPlace: TitlePose {
        var pose = self
        (pose.blur, pose.matrix) = (blur * matrix.scale, .identity)
        return pose
    }

    /// Cuts off what is covered.
    func clip(_ cairo: OpaquePointer) {
        guard let part = uncovered else { return }
        var before = cairo_matrix_t()
        cairo_get_matrix(cairo, &before)
        var place = place
        cairo_transform(cairo, &place)
        cairo_rectangle(cairo, part.left, part.top, part.right - part.left, part.bottom - part.top)
        cairo_clip(cairo)
        cairo_set_matrix(cairo, &before)
    }

    /// Whole pixels that cover an area where it is painted.
    func bounds(of area: TitleArea) -> TitleArea {
        guard !area.isEmpty, opacity > 0 else { return .nothing }
        let spread = blur > 0 ? Int(blur * 4) + 4 : 0
        var (left, top, right, bottom) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        for (x, y) in [
            (area.left - spread, area.top - spread), (area.right + spread, area.top - spread),
            (area.left - spread, area.bottom + spread), (area.right + spread, area.bottom + spread),
        ] {
            var (x, y) = (Double(x), Double(y))
            withUnsafePointer(to: matrix) { cairo_matrix_transform_point($0, &x, &y) }
            (left, top) = (min(left, x), min(top, y))
            (right, bottom) = (max(right, x), max(bottom, y))
        }
        func whole(_ value: Double) -> Int { Int(min(1e6, max(-1e6, value))) }
        return TitleArea(
            left: whole(left.rounded(.down)) - 1, top: whole(top.rounded(.down)) - 1,
            right: whole(right.rounded(.up)) + 1, bottom: whole(bottom.rounded(.up)) + 1)
    }
}

extension Title {
    /// The matrix of its ``Draft/Title/Path`` at a time.
    /// - Parameter box: where it was laid out.
    func placing(_ box: TitleArea, on canvas: Canvas.Size, at time: Time) -> cairo_matrix_t {
        var matrix = cairo_matrix_t()
        cairo_matrix_init_identity(&matrix)
        guard let path else { return matrix }
        let shares =
            anchor.map { ($0.x, $0.y) } ?? (path.position == nil ? (anchorShares.x, anchorShares.y) : (0.5, 0.5))
        let pivot = (
            x: Double(box.left) + shares.0 * Double(box.right - box.left),
            y: Double(box.top) + shares.1 * Double(box.bottom - box.top)
        )
        var point = pivot
        if let lengths = path.position?.value(at: time) {
            func length(_ number: Int, _ whole: Int) -> Double {
                lengths.count >= 4
                    ? lengths[2 * number] + lengths[2 * number + 1] * Double(whole)
                    : number < lengths.count ? lengths[number] : 0
            }
            point = (length(0, canvas.width), length(1, canvas.height))
        }
        func held(_ value: Double, _ bound: Double) -> Double { value.isFinite ? min(bound, max(-bound, value)) : 0 }
        cairo_matrix_translate(&matrix, held(point.x, 1e6), held(point.y, 1e6))
        let turns = path.rotation.scalar(at: time) / 360
        cairo_matrix_rotate(&matrix, held(turns - turns.rounded(.down), 1) * 2 * .pi)
        let scale = max(1e-3, held(path.scale.scalar(at: time), 1000))
        cairo_matrix_scale(&matrix, scale, scale)
        cairo_matrix_translate(&matrix, -pivot.x, -pivot.y)
        return matrix
    }
}

extension cairo_matrix_t {
    static var identity: cairo_matrix_t { cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0) }

    /// Nothing is turned or scaled.
    var isMovement: Bool { xx == 1 && yy == 1 && xy == 0 && yx == 0 }
    /// It leads from whole pixels to whole pixels.
    var isIntegral: Bool { isMovement && x0 == x0.rounded() && y0 == y0.rounded() }
    /// The factor on lengths of what is turned and scaled alike in both directions.
    var scale: Double { abs(xx * yy - xy * yx).squareRoot() }
}
