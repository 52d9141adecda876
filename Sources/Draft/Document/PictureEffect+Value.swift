import Values

extension Look {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let path = try fields.path("image") else {
            let others = fields.given(["file", "path", "lut", "cube", "look", "src", "filename"])
            let instead = others.isEmpty ? "" : ", in place of \(others.map { "‘\($0)’" }.joined(separator: ", "))"
            throw fields.problem("needs an ‘image’: a look-up image or a .cube file\(instead)")
        }
        self.init(path: path, intensity: try fields.animated("intensity") ?? .constant(1))
    }

    func write(to writer: inout FieldWriter) {
        writer.put("image", path: path)
        if intensity != .constant(1) { writer.put("intensity", intensity.value) }
    }
}

extension Sticker {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let path = try fields.path("image") else { throw fields.problem("needs an ‘image’") }
        guard let rect = try fields.animated("rect") else {
            let others = fields.given([
                "x", "y", "left", "top", "position", "pos", "width", "height", "w", "h", "size", "scale",
            ])
            let instead = others.isEmpty ? "" : ", in place of \(others.map { "‘\($0)’" }.joined(separator: ", "))"
            throw fields.problem("needs a ‘rect’: \(Rect.form)\(instead)")
        }
        for numbers in rect.keyValues {
            if let problem = Self.problem(ofRect: numbers) { throw fields.problem(problem) }
        }
        self.init(path: path, rect: rect, opacity: try fields.animated("opacity") ?? .constant(1))
    }

    func write(to writer: inout FieldWriter) {
        writer.put("image", path: path)
        writer.put("rect", rect.value)
        if opacity != .constant(1) { writer.put("opacity", opacity.value) }
    }
}

extension SourceOverlay {
    init(reading fields: inout FieldReader) throws(Problem) {
        // Its pictures are made at this size, so it is bounded as the canvas is.
        let rect = try Rect(reading: &fields, largest: Canvas.sizeRange.upperBound)
        let opacity = try fields.animated("opacity")
        self.init(try PluginEffect(reading: &fields), rect: rect, opacity: opacity ?? .constant(1))
    }

    func write(to writer: inout FieldWriter) {
        writer.put("rect", rect?.value)
        if opacity != .constant(1) { writer.put("opacity", opacity.value) }
        source.write(to: &writer)
    }
}

extension Rect {
    fileprivate static let form = "{ left, top, width, height } in pixels"

    /// From `rect`; nil where there is none.
    fileprivate init?(reading fields: inout FieldReader, largest: Int) throws(Problem) {
        guard let rect = try fields.integers("rect", count: 4, form: Self.form) else { return nil }
        guard (1...largest).contains(rect[2]), (1...largest).contains(rect[3]) else {
            throw fields.problem(
                "the rectangle is \(rect[2])×\(rect[3]) pixels, but must be 1×1 to \(largest)×\(largest)")
        }
        guard rect[0].magnitude <= 100_000, rect[1].magnitude <= 100_000 else {
            throw fields.problem(
                "the rectangle's corner is (\(rect[0]), \(rect[1])), but must lie within 100000 pixels of the canvas")
        }
        self.init(x: rect[0], y: rect[1], width: rect[2], height: rect[3])
    }

    fileprivate var value: Value { .array([x, y, width, height].map { .number(Double($0)) }) }
}
