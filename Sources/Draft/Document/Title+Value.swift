import Values

extension Title {
    init(reading fields: inout FieldReader) throws(Problem) {
        self.init("")
        try Self.options.read(&self, from: &fields)
    }

    func write(to writer: inout FieldWriter) { Self.options.write(self, to: &writer) }

    /// Reads a place or, where the text may move, a position that changes with time.
    mutating func readPosition(_ fields: inout FieldReader, mayMove: Bool) throws(Problem) {
        guard let position = fields.value("position") else { return }
        if mayMove, position.isAnimated {
            path = Path(
                position: try fields.lengths(position, "position") { (value) throws(Problem) in
                    let (x, y) = try CanvasPosition.axes(of: value, fields)
                    return [x.length(nil), y.length(nil)]
                })
            return
        }
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

    var positionValue: Value { .array([x.value(Coordinate.across), y.value(Coordinate.down)]) }
}

extension Value {
    /// Whether it is a function or keyframes.
    fileprivate var isAnimated: Bool {
        switch self {
        case .function: true
        case .array(let items): if case .array? = items.first { true } else { false }
        default: false
        }
    }
}

extension Title.Gradient {
    init?(reading fields: inout FieldReader) throws(Problem) {
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
    init?(reading fields: inout FieldReader) throws(Problem) {
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
            if case .string(let text) = value,
                let advice = OtherNames.sides.advice(for: text, in: ["center", names.start, names.end])
            {
                throw fields.problem("‘position’ has \(Value.quoted(text))\(advice)")
            }
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
