extension Title {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let text = try fields.string("text") else { throw fields.problem("needs a ‘text’") }
        guard text.utf8.count <= 100_000 else { throw fields.problem("the text is longer than 100000 bytes") }
        self.init(text)
        isMarkup = try fields.bool("markup") ?? false
        if isMarkup {
            do throws(TitleMarkup.Defect) {
                _ = try TitleMarkup(text)
            } catch {
                throw fields.problem("its markup: \(error)")
            }
        }
        try readPath(&fields)
        try readStyle(&fields)
        try readMotion(&fields)
    }

    /// A position that changes with time.
    private mutating func readPath(_ fields: inout FieldReader) throws(Problem) {
        guard let value = fields.value("position") else { return }
        var isAnimated = false
        if case .function = value { isAnimated = true }
        if case .array(let items) = value, case .array? = items.first { isAnimated = true }
        guard isAnimated else { return }
        path = Path(
            position: try fields.lengths(value, "position") { (value) throws(Problem) in
                let (x, y) = try CanvasPosition.axes(of: value, fields)
                return [x.length(nil), y.length(nil)]
            })
    }

    /// Everything but the text.
    mutating func readStyle(_ fields: inout FieldReader) throws(Problem) {
        fontFile = try fields.path("font_file")
        font = try fields.string("font") ?? (fontFile == nil ? font : "")
        size = try fields.number("size") ?? size
        guard size >= 1, size <= 4096 else {
            throw fields.problem("the size is \(Value.text(of: size)), but must lie between 1 and 4096 pixels")
        }
        color = try fields.color("color") ?? color
        try readPlace(&fields)
        alignment = try fields.choice("align", Alignment.self) ?? alignment
        letterSpacing = try fields.number("letter_spacing", -1000...1000, "pixels") ?? letterSpacing
        lineSpacing = try fields.number("line_spacing", 0.1...10, "heights of a line") ?? lineSpacing
        outlineColor = try fields.color("outline_color") ?? outlineColor
        outlineWidth = try fields.number("outline_width") ?? outlineWidth
        guard outlineWidth >= 0, outlineWidth <= 100 else {
            throw fields.problem(
                "the outline is \(Value.text(of: outlineWidth)) pixels wide, but must lie between 0 and 100")
        }
        gradient = try Gradient(reading: &fields)
        shadow = try Shadow(reading: &fields)
        background = try fields.color("background") ?? background
        backgroundPadding = try fields.pair("background_padding", 0...1000) ?? backgroundPadding
        backgroundRadius = try fields.number("background_radius", 0...8192, "pixels") ?? backgroundRadius
        opacity = try fields.animated("opacity") ?? opacity
    }

    private mutating func readPlace(_ fields: inout FieldReader) throws(Problem) {
        if let position = fields.value("position"), path == nil {
            switch position {
            case .string(let name):
                guard let place = Anchor(rawValue: name) else {
                    let names = Anchor.allCases.map(\.rawValue)
                    let hint = suggestion(for: name, in: names, otherNames: .anchors)
                    throw fields.problem("‘position’ is \(Value.quoted(name))\(hint)")
                }
                (x, y) = (Coordinate(share: place.x), Coordinate(share: place.y))
            case .array(let both) where both.count == 2:
                x = try Coordinate(reading: both[0], Coordinate.across, fields)
                y = try Coordinate(reading: both[1], Coordinate.down, fields)
            default:
                throw fields.wrong(
                    "position", "\"center\", or { x, y } in pixels, of which either may be \"center\"", position)
            }
        }
        anchor = try fields.choice("anchor", Anchor.self) ?? anchor
        margin = try fields.pair("margin", -100_000...100_000) ?? margin
        width = try fields.int("width") ?? width
        if let width, !(1...16384).contains(width) {
            throw fields.problem("the width is \(width), but must lie between 1 and 16384 pixels")
        }
        height = try fields.int("height") ?? height
        if let height, !(1...16384).contains(height) {
            throw fields.problem("the height is \(height), but must lie between 1 and 16384 pixels")
        }
        isFitted = try fields.bool("fit") ?? (height != nil)
    }

    func write(to writer: inout FieldWriter) {
        writer.put("text", text)
        if isMarkup { writer.put("markup", .bool(true)) }
        writer.put("size", size)
        writeStyle(to: &writer, unlike: Title(text))
        if let position = path?.position { writer.put("position", position.value(ofLengths: 2)) }
        writeMotion(to: &writer)
    }

    /// Everything but the text and the size.
    /// - Parameter plain: what needs no writing.
    func writeStyle(to writer: inout FieldWriter, unlike plain: Title) {
        writer.put("font_file", path: fontFile)
        if font != (fontFile == nil ? plain.font : "") { writer.put("font", font) }
        if color != plain.color { writer.put("color", color.description) }
        if x != plain.x || y != plain.y {
            writer.put("position", .array([x.value(Coordinate.across), y.value(Coordinate.down)]))
        }
        if anchor != plain.anchor { writer.put("anchor", anchor?.rawValue) }
        if margin != plain.margin { writer.put("margin", margin.value) }
        if width != plain.width { writer.put("width", width) }
        if height != plain.height { writer.put("height", height) }
        if isFitted != (height != nil) { writer.put("fit", .bool(isFitted)) }
        if alignment != plain.alignment { writer.put("align", alignment.rawValue) }
        if letterSpacing != plain.letterSpacing { writer.put("letter_spacing", letterSpacing) }
        if lineSpacing != plain.lineSpacing { writer.put("line_spacing", lineSpacing) }
        if outlineColor != plain.outlineColor { writer.put("outline_color", outlineColor.description) }
        if outlineWidth != plain.outlineWidth { writer.put("outline_width", outlineWidth) }
        if let gradient {
            writer.put("gradient", .array(gradient.colors.map { .string($0.description) }))
            if gradient.angle != 90 { writer.put("gradient_angle", gradient.angle) }
        }
        if let shadow {
            writer.put("shadow_color", shadow.color.description)
            writer.put("shadow_offset", shadow.offset.value)
            writer.put("shadow_blur", shadow.blur)
        }
        if background != plain.background { writer.put("background", background.description) }
        writer.put("background_padding", backgroundPadding?.value)
        if backgroundRadius != plain.backgroundRadius { writer.put("background_radius", backgroundRadius) }
        if opacity != plain.opacity { writer.put("opacity", opacity.value) }
    }
}

extension Title.Gradient {
    fileprivate init?(reading fields: inout FieldReader) throws(Problem) {
        let angle = try fields.number("gradient_angle", -360...360, "degrees")
        guard let list = try fields.list("gradient") else {
            if angle != nil { throw fields.problem("has a ‘gradient_angle’, but no ‘gradient’") }
            return nil
        }
        guard (2...16).contains(list.count) else {
            let count = list.count == 1 ? "1 colour" : "\(list.count) colours"
            throw fields.problem("‘gradient’ has \(count), but must have 2 to 16")
        }
        var colors: [Color] = []
        for item in list {
            guard case .string(let text) = item else { throw fields.wrong("gradient", "a list of colours", item) }
            guard let color = Color(text) else { throw fields.problem("‘gradient’ \(Color.refusal(of: text))") }
            colors.append(color)
        }
        self.init(colors, angle: angle ?? 90)
    }
}

extension Title.Shadow {
    fileprivate init?(reading fields: inout FieldReader) throws(Problem) {
        let color = try fields.color("shadow_color")
        let offset = try fields.pair("shadow_offset", -1000...1000)
        let blur = try fields.number("shadow_blur", 0...200, "pixels")
        guard color != nil || offset != nil || blur != nil else { return nil }
        self.init(color ?? Color(red: 0, green: 0, blue: 0, alpha: 160))
        self.offset = offset ?? self.offset
        self.blur = blur ?? self.blur
    }
}

extension Title.Pair {
    var value: Value { x == y ? .number(x) : .array([.number(x), .number(y)]) }
}

extension FieldReader {
    /// A number within bounds.
    mutating func number(
        _ key: String, _ bounds: ClosedRange<Double>, _ unit: String
    ) throws(Problem) -> Double? {
        guard let number = try number(key) else { return nil }
        guard bounds.contains(number) else {
            throw problem(
                "‘\(key)’ is \(Value.text(of: number)), but must lie between \(Value.text(of: bounds.lowerBound)) and "
                    + "\(Value.text(of: bounds.upperBound)) \(unit)")
        }
        return number
    }

    /// Pixels: one number for both directions, or `{ across, down }`.
    mutating func pair(_ key: String, _ bounds: ClosedRange<Double>) throws(Problem) -> Title.Pair? {
        guard let value = value(key) else { return nil }
        let pair: Title.Pair
        switch value {
        case .number(let both): pair = Title.Pair(x: both, y: both)
        default:
            guard case .array(let items) = value, items.count == 2, case .number(let x) = items[0],
                case .number(let y) = items[1]
            else { throw wrong(key, "a number of pixels, or { across, down }", value) }
            pair = Title.Pair(x: x, y: y)
        }
        guard bounds.contains(pair.x), bounds.contains(pair.y) else {
            throw problem(
                "‘\(key)’ is \(value.forPeople), but must lie between \(Value.text(of: bounds.lowerBound)) and "
                    + "\(Value.text(of: bounds.upperBound)) pixels")
        }
        return pair
    }
}

extension Title.Coordinate {
    static let across = (start: "left", end: "right")
    static let down = (start: "top", end: "bottom")

    /// The coordinate of one of the nine places.
    fileprivate init(share: Double) { self = share == 0 ? .start : share == 1 ? .end : .center }

    fileprivate init(
        reading value: Value, _ names: (start: String, end: String), _ fields: FieldReader
    ) throws(Problem) {
        switch value {
        case .string("center"): self = .center
        case .string(names.start): self = .start
        case .string(names.end): self = .end
        case .string(let text) where Self.share(text) != nil: self = .share(Self.share(text) ?? 0)
        case .number(let x) where x == x.rounded() && x.magnitude <= 100_000: self = .pixels(Int(x))
        default:
            throw fields.problem(
                "‘position’ has \(value.forPeople), but must be a whole number of pixels, \"center\", \"\(names.start)\", "
                    + "\"\(names.end)\" or percents such as \"25%\"")
        }
    }

    /// `"25%"`
    private static func share(_ text: String) -> Double? {
        guard text.last == "%", let percents = Double(text.dropLast()), percents.magnitude <= 10_000 else { return nil }
        return percents / 100
    }

    fileprivate func value(_ names: (start: String, end: String)) -> Value {
        switch self {
        case .center: "center"
        case .pixels(let x): .number(Double(x))
        case .share(let share): .string(Value.text(of: (share * 1e8).rounded() / 1e6) + "%")
        case .start: .string(names.start)
        case .end: .string(names.end)
        }
    }
}
