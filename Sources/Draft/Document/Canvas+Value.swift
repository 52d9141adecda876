extension Canvas {
    /// `size = { 1280, 720 }`, or `aspect = { 9, 16 }` with `max` (the longer side); `fps`; `background`; `color`.
    public init(reading fields: inout FieldReader) throws(Problem) {
        self.init()
        if let wished = try fields.integers("size", count: 2, form: "{ width, height } in pixels") {
            size = Size(width: wished[0], height: wished[1])
        }
        if let aspect = try fields.list("aspect") {
            guard case .number(let width)? = aspect.first, case .number(let height)? = aspect.last, aspect.count == 2,
                width > 0, height > 0, width / height < 100, height / width < 100
            else { throw fields.problem("‘aspect’ must be { width, height } such as { 9, 16 }") }
            guard size == nil else { throw fields.problem("give ‘size’ or ‘aspect’, not both") }
            let maximum = try fields.int("max") ?? 1280
            guard Canvas.sizeRange.contains(maximum) else {
                throw fields.problem("‘max’ is \(maximum), but must lie between 16 and 8192 pixels")
            }
            size = Canvas.size(aspectWidth: width, aspectHeight: height, maximum: maximum)
        }
        frameRate = try fields.rational("fps")
        background = try fields.color("background") ?? background
        color = try fields.choice("color", ColorSystem.self, otherNames: .colorSystems) ?? color
        if let size { try check(size, fields) }
        if let reason = frameRate.flatMap(Canvas.problem(ofFrameRate:)) { throw fields.problem(reason) }
    }

    private func check(_ size: Size, _ fields: FieldReader) throws(Problem) {
        guard Canvas.sizeRange.contains(size.width), Canvas.sizeRange.contains(size.height) else {
            throw fields.problem("the size is \(size), but each side must lie between 16 and 8192 pixels")
        }
        guard size.width % 2 == 0, size.height % 2 == 0 else {
            let even = Size(width: size.width & ~1, height: size.height & ~1)
            throw fields.problem("the size is \(size), but both numbers must be even; \(even) would do")
        }
    }

    func write(to writer: inout FieldWriter) {
        if let size { writer.put("size", .array([.number(Double(size.width)), .number(Double(size.height))])) }
        writer.put("fps", frameRate?.value)
        if background != .black { writer.put("background", background.description) }
        if color != .sdr { writer.put("color", color.rawValue) }
    }
}
