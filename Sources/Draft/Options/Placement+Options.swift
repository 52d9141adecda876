import Values

extension Placement {
    static let options = OptionTable(plain: Placement(), place + shape)

    private static let place: [DeclaredOption<Placement>] = [
        DeclaredOption(
            "position",
            .either([.choice(Anchor.allCases.map(\.rawValue)), .animated(.list(.reference("coordinate"), 2...2))]),
            also: "x y left top pos place location", usually: "`\"center\"`",
            "the place of the `anchor` on the canvas: one of nine names (`\"top_left\"`, `\"top\"`, …, `\"center\"`, …, `\"bottom_right\"`), or `{ x, y }`, where x and y are each a length or a name (`\"left\"`, `\"center\"`, `\"right\"`; `\"top\"`, `\"center\"`, `\"bottom\"`); animated",
            read: { (placement, fields) throws(Problem) in try placement.readPosition(&fields) },
            value: { placement, _ in placement.position.value(ofLengths: 2) }, differs: { $0.position != $1.position }
        ).animating(in: nil, { $0.position }, { $0.position = $1 }).unset { _ in nil },
        DeclaredOption(
            "margin", .length, usually: "0", "a length: the distance from the canvas edges that `position` names",
            read: { _, _ in }, value: { _, _ in nil }),
        DeclaredOption(
            "anchor", .either([.choice(Anchor.allCases.map(\.rawValue)), .list(.number(0...1), 2...2)]),
            usually: "as `position`",
            "the point of the picture that lies at `position`: one of the nine names, or `{ x, y }` in 0 … 1. If `position` has no names, the default is `\"center\"`. The picture rotates about this point",
            read: { _, _ in }, value: { placement, _ in placement.anchor.value }, differs: { $0.anchor != $1.anchor }
        ).unset { _ in nil },
        DeclaredOption(
            "size", .animated(.list(.length, 1...2)), also: "w h dimensions resize rect", usually: "the canvas",
            "`{ width, height }`, lengths; `{ width }` alone keeps the shape; animated",
            read: { (placement, fields) throws(Problem) in try placement.readSides(&fields) },
            value: { _, _ in nil }),
        side("width", \.width),
        side("height", \.height),
    ]

    private static let shape: [DeclaredOption<Placement>] = [
        .animated("scale", \.scale, in: 0.0001...1000, also: "zoom", "a factor on the size; animated"),
        .animated(
            "rotation", \.rotation, in: -1e300...1e300, also: "angle rot rotate_by",
            "degrees clockwise about the anchor, for the placed picture; animated"),
        .part(
            "rotate", .number(-360...360), \.quarterTurns, usually: "0",
            "90, 180 or 270 degrees clockwise: turns the picture itself, before the other options",
            read: { (fields, name) throws(Problem) in try fields.quarterTurns(name) },
            value: { (turns: Int, _) in Value.number(Double(turns) * 90) }
        ).unset { _ in nil },
        DeclaredOption(
            "flip", .choice(Flip.allCases.map(\.rawValue)), also: "mirror hflip vflip", usually: "none",
            "`\"horizontal\"`, `\"vertical\"` or `\"both\"`: mirrors the picture",
            read: { (placement, fields) throws(Problem) in
                guard let flip = try fields.choice("flip", Flip.self, otherNames: .flips) else { return }
                (placement.isFlippedAcross, placement.isFlippedDown) = (flip != .vertical, flip != .horizontal)
            }, value: { placement, _ in placement.flip.map { .string($0.rawValue) } }),
        .animated(
            "crop", \.crop, also: "ken_burns kenburns", usually: "all",
            "the visible part of the picture, `{ left, top, width, height }` in 0 … 1; animated"
        ).shaped(.animated(.list(.number(0...1), 4...4))).unset { _ in nil },
        .part(
            "focus", .list(.number(0...1), 2...2), \.focus, usually: "`{ 0.5, 0.5 }`",
            "the point of the picture that `fill` keeps as close to the centre as possible",
            read: { (fields, name) throws(Problem) in
                guard let value = fields.value(name) else { return nil }
                return try Point(reading: value, name, fields)
            }, value: { point, _ in point.value }
        ).unset { _ in nil },
        .animated(
            "opacity", \.opacity, in: 0...1, also: "alpha transparency", "0 … 1; animated"),
        DeclaredOption(
            "corner_radius", .animated(.length), also: "radius border_radius rounded round corners", usually: "0",
            "a length; a share refers to the shorter side of the picture; animated",
            read: { (placement, fields) throws(Problem) in
                placement.cornerRadius = try fields.animatedLength("corner_radius") ?? placement.cornerRadius
            }, value: { placement, _ in placement.cornerRadius.value(ofLengths: 1) },
            differs: { $0.cornerRadius != $1.cornerRadius }
        ).animating(in: nil, { $0.cornerRadius }, { $0.cornerRadius = $1 }).unset { _ in nil },
    ]

    /// The options' names.
    public static let optionNames = options.names

    /// A side by itself, which ``readSides(_:)`` reads.
    private static func side(
        _ name: String, _ path: WritableKeyPath<Placement, Animated?> & Sendable
    ) -> DeclaredOption<Placement> {
        DeclaredOption(
            name, .animated(.length), usually: "from `size`", "one side, a length; animated", read: { _, _ in },
            value: { placement, _ in placement[keyPath: path]?.value(ofLengths: 1) },
            differs: { $0[keyPath: path] != $1[keyPath: path] }
        ).animating(in: nil, { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    /// Calls `change` with the name of every value that may change with time, and the value.
    public mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        try Self.options.changeValues(of: &self, change)
    }
}
