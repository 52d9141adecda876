import Values

/// The reader of `position` and `anchor`, with the names of ``Anchor``.
enum CanvasPosition {
    /// A coordinate of a position, as it is said.
    enum Axis {
        /// A side, or the middle: 0, 0.5 or 1.
        case named(Double)
        case length(Length)

        var edge: Double? { if case .named(let share) = self { share } else { nil } }

        /// - Parameter margin: how far from a side that is named.
        func length(_ margin: Length?) -> Length {
            switch self {
            case .length(let length): return length
            case .named(let share):
                let sign = share == 0 ? 1.0 : share == 1 ? -1 : 0
                // Never −0, which a document does not keep.
                return Length(pixels: 0 + sign * (margin?.pixels ?? 0), share: share + sign * (margin?.share ?? 0))
            }
        }
    }

    private static let across = ["left": 0.0, "center": 0.5, "right": 1.0]
    private static let down = ["top": 0.0, "center": 0.5, "bottom": 1.0]

    private static let names = Anchor.allCases.map(\.rawValue)

    private static func point(named name: String) -> Placement.Point? {
        Anchor(rawValue: name).map { Placement.Point(x: $0.x, y: $0.y) }
    }

    /// The two coordinates of a `position`.
    static func axes(of value: Value, _ fields: FieldReader) throws(Problem) -> (x: Axis, y: Axis) {
        switch value {
        case .string(let name):
            guard let point = point(named: name) else {
                throw fields.problem(
                    "‘position’ is \(Value.quoted(name))\(suggestion(for: name, in: names, otherNames: .anchors))")
            }
            return (.named(point.x), .named(point.y))
        case .array(let items) where items.count == 2:
            return (try axis(items[0], across, fields), try axis(items[1], down, fields))
        default:
            throw fields.wrong(
                "position",
                "a name such as \"bottom_right\", or { x, y }, each \(FieldReader.lengthForm), or \"left\", \"center\", \"right\" and \"top\", \"center\", \"bottom\"",
                value)
        }
    }

    private static func axis(_ value: Value, _ names: [String: Double], _ fields: FieldReader) throws(Problem) -> Axis {
        if case .string(let name) = value, let share = names[name] { return .named(share) }
        if case .string(let name) = value, Length(name) == nil {
            throw fields.problem(
                "‘position’ has \(Value.quoted(name))\(suggestion(for: name, in: names.keys.sorted(), otherNames: .sides))"
            )
        }
        return .length(try fields.length(value, "position"))
    }

    /// `anchor`: a name, or `{ x, y }` in 0 … 1 of the picture.
    static func read(_ fields: inout FieldReader) throws(Problem) -> Placement.Point? {
        guard let value = fields.value("anchor") else { return nil }
        if case .string(let name) = value {
            guard let point = point(named: name) else {
                throw fields.problem(
                    "‘anchor’ is \(Value.quoted(name))\(suggestion(for: name, in: names, otherNames: .anchors))")
            }
            return point
        }
        return try Placement.Point(reading: value, "anchor", fields)
    }
}
