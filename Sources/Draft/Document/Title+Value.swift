extension Title {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let text = try fields.string("text") else { throw fields.problem("needs a ‘text’") }
        guard text.utf8.count <= 100_000 else { throw fields.problem("the text is longer than 100000 bytes") }
        self.init(text)
        fontFile = try fields.path("font_file")
        font = try fields.string("font") ?? (fontFile == nil ? font : "")
        size = try fields.number("size") ?? size
        guard size >= 1, size <= 4096 else {
            throw fields.problem("the size is \(size), but must lie between 1 and 4096 pixels")
        }
        color = try fields.color("color") ?? color
        if let position = fields.value("position"), position != "center" {
            guard case .array(let both) = position, both.count == 2 else {
                throw fields.wrong(
                    "position", "\"center\", or { x, y } in pixels, of which either may be \"center\"", position)
            }
            x = try Coordinate(reading: both[0], fields)
            y = try Coordinate(reading: both[1], fields)
        }
        width = try fields.int("width")
        if let width, !(1...16384).contains(width) {
            throw fields.problem("the width is \(width), but must lie between 1 and 16384 pixels")
        }
        alignment = try fields.choice("align", Alignment.self) ?? alignment
        outlineColor = try fields.color("outline_color") ?? outlineColor
        outlineWidth = try fields.number("outline_width") ?? outlineWidth
        guard outlineWidth >= 0, outlineWidth <= 100 else {
            throw fields.problem("the outline is \(outlineWidth) pixels wide, but must lie between 0 and 100")
        }
        background = try fields.color("background") ?? background
        opacity = try fields.animated("opacity") ?? opacity
    }

    func write(to writer: inout FieldWriter) {
        let plain = Title(text)
        writer.put("text", text)
        writer.put("font_file", path: fontFile)
        if font != (fontFile == nil ? plain.font : "") { writer.put("font", font) }
        writer.put("size", size)
        if color != plain.color { writer.put("color", color.description) }
        if x != plain.x || y != plain.y { writer.put("position", .array([x.value, y.value])) }
        writer.put("width", width)
        if alignment != plain.alignment { writer.put("align", alignment.rawValue) }
        if outlineColor != plain.outlineColor { writer.put("outline_color", outlineColor.description) }
        if outlineWidth != plain.outlineWidth { writer.put("outline_width", outlineWidth) }
        if background != plain.background { writer.put("background", background.description) }
        if opacity != plain.opacity { writer.put("opacity", opacity.value) }
    }
}

extension Title.Coordinate {
    init(reading value: Value, _ fields: FieldReader) throws(Problem) {
        switch value {
        case .string("center"): self = .center
        case .number(let x) where x == x.rounded() && x.magnitude <= 100_000: self = .pixels(Int(x))
        default:
            throw fields.problem(
                "‘position’ has \(value.forPeople), but must be a whole number of pixels or \"center\"")
        }
    }

    var value: Value {
        switch self {
        case .center: "center"
        case .pixels(let x): .number(Double(x))
        }
    }
}
