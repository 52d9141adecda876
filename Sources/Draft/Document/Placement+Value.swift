import Values

extension Placement {
    enum Flip: String, CaseIterable { case horizontal, vertical, both }

    /// Reads `position`, with `margin` and `anchor`, which depend on it.
    mutating func readPosition(_ fields: inout FieldReader) throws(Problem) {
        let margin = try fields.value("margin").map { (value) throws(Problem) in
            guard case .array = value else { return try fields.length(value, "margin") }
            throw fields.problem(
                "‘margin’ is \(value.forPeople), but must be one length for both directions; for two, "
                    + "position = { \"100%-40\", \"100%-20\" } with an ‘anchor’ lies 40 pixels from the right and 20 from the bottom"
            )
        }
        guard let value = fields.value("position") else {
            if margin != nil { throw fields.problem("has a ‘margin’ without a ‘position’ such as \"bottom_right\"") }
            anchor = try CanvasPosition.read(&fields) ?? anchor
            return
        }
        // The edge that a name means is that of the picture, too.
        var implied = Point.middle
        position = try fields.lengths(value, "position") { (value) throws(Problem) in
            let (x, y) = try CanvasPosition.axes(of: value, fields)
            (implied.x, implied.y) = (x.edge ?? 0.5, y.edge ?? 0.5)
            return [x.length(margin), y.length(margin)]
        }
        anchor = try CanvasPosition.read(&fields) ?? (position.isConstant ? implied : .middle)
    }

    /// Reads `size`, `width` and `height`, which exclude each other.
    mutating func readSides(_ fields: inout FieldReader) throws(Problem) {
        width = try fields.animatedLength("width")
        height = try fields.animatedLength("height")
        guard let value = fields.value("size") else { return }
        guard width == nil, height == nil else {
            throw fields.problem("has a ‘size’ and a side of its own; give ‘size’, or ‘width’ and ‘height’")
        }
        if case .array(let items) = value, items.count == 1 {
            // `{ "30%", nil }` of a script, too.
            if case .array = items[0] {
            } else {
                width = .constant(Length.components(of: [try fields.length(items[0], "size")]))
                return
            }
        }
        let both = try fields.lengths(value, "size") { (value) throws(Problem) in
            guard case .array(let items) = value, items.count == 2 else {
                throw fields.wrong(
                    "size", "{ width, height }, or { width } alone, each \(FieldReader.lengthForm)", value)
            }
            return [try fields.length(items[0], "size"), try fields.length(items[1], "size")]
        }
        (width, height) = (both.part(0, of: 2), both.part(1, of: 2))
    }

    /// How the picture is mirrored; nil: not at all.
    var flip: Flip? {
        switch (isFlippedAcross, isFlippedDown) {
        case (true, true): .both
        case (true, false): .horizontal
        case (false, true): .vertical
        case (false, false): nil
        }
    }
}

extension FieldReader {
    /// Degrees as quarters of a turn, 0 … 3.
    mutating func quarterTurns(_ key: String) throws(Problem) -> Int? {
        guard let degrees = try number(key) else { return nil }
        guard let quarters = Int(exactly: degrees / 90), (-4...4).contains(quarters) else {
            throw problem(
                "‘\(key)’ is \(Value.text(of: degrees)), but must be 90, 180 or 270 degrees, clockwise; "
                    + "‘rotation’ turns by any angle, within the rectangle that the picture has")
        }
        return (quarters + 4) % 4
    }
}

extension Placement.Point {
    var value: Value { .array([.number(x), .number(y)]) }

    /// `{ x, y }` in 0 … 1 of the picture.
    init(reading value: Value, _ key: String, _ fields: FieldReader) throws(Problem) {
        guard case .array(let items) = value, items.count == 2, case .number(let x) = items[0],
            case .number(let y) = items[1], (0...1).contains(x), (0...1).contains(y)
        else { throw fields.wrong(key, "{ x, y }, shares of the picture in 0 … 1", value) }
        self.init(x: x, y: y)
    }
}

extension Animated {
    /// Length `number` of a value that has `count` of them.
    fileprivate func part(_ number: Int, of count: Int) -> Animated {
        func part(_ components: [Double]) -> [Double] {
            components.count == count ? [components[number]] : Array(components[2 * number..<2 * number + 2])
        }
        return switch self {
        case .constant(let components): .constant(part(components))
        case .keyframes(let keys):
            .keyframes(keys.map { Keyframe(time: $0.time, value: part($0.value), easing: $0.easing) })
        case .function: self
        }
    }
}
