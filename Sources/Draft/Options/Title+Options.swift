import Values

extension Title {
    static let options = OptionTable(plain: Title(""), words + styling(mayMove: true) + motions)

    /// What subtitles have as well.
    static let style = OptionTable(plain: Title(""), styling(mayMove: false))

    private static let words: [DeclaredOption<Title>] = [
        DeclaredOption(
            "text", .text, also: "content string caption label", usually: "",
            "the text",
            read: { (title, fields) throws(Problem) in
                guard let text = try fields.string("text") else { throw fields.problem("needs a ‘text’") }
                guard text.utf8.count <= 100_000 else {
                    throw fields.problem("the text is longer than 100000 bytes")
                }
                title.text = text
            }, value: { title, _ in .string(title.text) }),
        DeclaredOption(
            "markup", .flag, usually: "false", "the text contains [markup](text.md#markup)",
            read: { (title, fields) throws(Problem) in
                title.isMarkup = try fields.bool("markup") ?? false
                guard title.isMarkup else { return }
                do throws(TitleMarkup.Defect) {
                    _ = try TitleMarkup(title.text)
                } catch {
                    throw fields.problem("its markup: \(error)")
                }
            }, value: { title, _ in .bool(title.isMarkup) }, differs: { $0.isMarkup != $1.isMarkup }),
    ]

    private static func styling(mayMove: Bool) -> [DeclaredOption<Title>] {
        letters + [position(mayMove: mayMove)] + place + shape
    }

    private static let letters: [DeclaredOption<Title>] = [
        .file(
            "font_file", \.fontFile, also: "fontfile ttf font_path", usually: "none",
            "a font file to use for this title (TrueType, OpenType, Type 1); relative to the script"),
        DeclaredOption(
            "font", .text, also: "font_family fontname family typeface font_name",
            "a family or a Pango description without a size: `\"Serif Bold Italic\"`",
            read: { (title, fields) throws(Problem) in
                title.font = try fields.string("font") ?? (title.fontFile == nil ? title.font : "")
            }, value: { title, _ in .string(title.font) },
            differs: { $0.font != ($0.fontFile == nil ? $1.font : "") }),
        DeclaredOption(
            "size", .number(1...4096), also: "font_size fontsize text_size", "the font's size (em), 1 … 4096",
            read: { (title, fields) throws(Problem) in
                if let share = fields.value("size").flatMap(FieldReader.percents) {
                    throw fields.problem(
                        "‘size’ is \(Value.quoted(share.text)), but must be a number of pixels; \(share.text) of the canvas' height is "
                            + "draft.size[2] * \(share.factor)")
                }
                title.size = try fields.number("size") ?? title.size
                guard title.size >= 1, title.size <= 4096 else {
                    throw fields.problem(
                        "the size is \(Value.text(of: title.size)), but must lie between 1 and 4096 pixels")
                }
            }, value: { title, _ in .number(title.size) }),
        .color(
            "color", \.color, also: "colour fill text_color font_color fontcolor foreground",
            "a colour, or a name such as `\"tomato\"`"),
    ]

    /// - Parameter mayMove: whether the position may change with time.
    private static func position(mayMove: Bool) -> DeclaredOption<Title> {
        DeclaredOption(
            "position", .reference("title_position"), also: "x y left top pos place location anchor",
            usually: "`\"center\"`",
            "the place of the text's box: one of the nine names of `anchor`, or `{ x, y }`, where x and y are each a number of pixels, a share of the canvas such as `\"25%\"`, `\"center\"`, or an edge (`\"left\"`, `\"right\"`, `\"top\"`, `\"bottom\"`)",
            read: { (title, fields) throws(Problem) in try title.readPosition(&fields, mayMove: mayMove) },
            value: { title, _ in title.path?.position?.value(ofLengths: 2) ?? title.positionValue },
            differs: { $0.x != $1.x || $0.y != $1.y || $0.path?.position != nil })
    }

    private static let place: [DeclaredOption<Title>] = [
        .choice(
            "anchor", \.anchor, usually: "from `position`",
            "the point of the box that lies at `position`: `top_left`, `top`, `top_right`, `left`, `center`, `right`, `bottom_left`, `bottom`, `bottom_right`. Without an anchor, a position in pixels is that of the box's left (top) edge, `\"center\"` and a share are that of its centre, and an edge is that of the same edge of the box"
        ),
        .part(
            "margin", .reference("pair"), \.margin,
            "pixels between the box, including its background, and the edges that `position` names; a number or `{ across, down }`",
            read: { (fields, name) throws(Problem) in try fields.pair(name, -100_000...100_000) },
            value: { margin, _ in margin.value }),
        side(
            "width", \.width, also: "max_width wrap box_width w", usually: "the available room",
            "the width at which lines are wrapped; by default, the room that `position` and `anchor` leave on the canvas"
        ),
        side(
            "height", \.height, also: "max_height box_height h", usually: "none",
            "the greatest height of the text with `fit`; a `height` alone implies `fit`"),
        DeclaredOption(
            "fit", .flag, also: "autoshrink shrink auto_size autofit",
            "makes the letters smaller until the text fits into `width` and `height`, without breaking a word. Without `height`, lines are not wrapped",
            read: { (title, fields) throws(Problem) in
                title.isFitted = try fields.bool("fit") ?? (title.height != nil)
            }, value: { title, _ in .bool(title.isFitted) },
            differs: { title, _ in title.isFitted != (title.height != nil) }),
        .choice(
            "align", \.alignment, .alignments, also: "text_align alignment halign justify", "`left`, `center`, `right`"),
    ]

    private static let shape: [DeclaredOption<Title>] = [
        .number(
            "letter_spacing", \.letterSpacing, in: -1000...1000, "pixels", also: "tracking kerning spacing",
            "additional pixels between letters"),
        .number(
            "line_spacing", \.lineSpacing, in: 0.1...10, "heights of a line", also: "line_height leading",
            "the distance between lines, in heights of a line"),
        .color(
            "outline_color", \.outlineColor, also: "stroke stroke_color border_color bordercolor",
            "the colour of the outline"),
        DeclaredOption(
            "outline_width", .number(0...100), also: "stroke_width border_width border borderw outline",
            "the width of the outline, in pixels on each side of a glyph's edge",
            read: { (title, fields) throws(Problem) in
                title.outlineWidth = try fields.number("outline_width") ?? title.outlineWidth
                guard title.outlineWidth >= 0, title.outlineWidth <= 100 else {
                    throw fields.problem(
                        "the outline is \(Value.text(of: title.outlineWidth)) pixels wide, but must lie between 0 and 100"
                    )
                }
            }, value: { title, _ in .number(title.outlineWidth) }, differs: { $0.outlineWidth != $1.outlineWidth }),
        DeclaredOption(
            "gradient_angle", .number(-360...360), usually: "90",
            "degrees: 0 runs from left to right, 90 from top to bottom",
            read: { _, _ in }, value: { title, _ in title.gradient.map { .number($0.angle) } },
            differs: { title, _ in title.gradient?.angle != 90 }
        ).unset { _ in 90 },
        DeclaredOption(
            "gradient", .list(.color, 2...16), usually: "none",
            "2 … 16 colours that fill the letters, across all lines",
            read: { (title, fields) throws(Problem) in title.gradient = try Gradient(reading: &fields) },
            value: { title, _ in title.gradient.map { .array($0.colors.map { .string($0.description) }) } }),
        DeclaredOption(
            "shadow_color", .color, also: "shadow drop_shadow text_shadow", usually: "none",
            "the colour of the shadow; any shadow option adds a shadow (`\"#000000a0\"`)",
            read: { (title, fields) throws(Problem) in title.shadow = try Shadow(reading: &fields) },
            value: { title, _ in title.shadow.map { .string($0.color.description) } }),
        DeclaredOption(
            "shadow_offset", .reference("pair"), also: "shadow_x shadow_y", usually: "`{ 2, 2 }`",
            "pixels to the right and down", read: { _, _ in }, value: { title, _ in title.shadow?.offset.value }),
        DeclaredOption(
            "shadow_blur", .number(0...200), usually: "4", "the width of its soft edge in pixels", read: { _, _ in },
            value: { title, _ in title.shadow.map { .number($0.blur) } }),
        .color(
            "background", \.background, also: "bg background_color box boxcolor bg_color", usually: "none",
            "a colour behind the lines, as wide as the longest line"),
        .part(
            "background_padding", .reference("pair"), \.backgroundPadding, also: "padding box_padding",
            usually: "a quarter of `size` across, an eighth down",
            "the pixels by which the background extends beyond the lines: a number or `{ across, down }`",
            read: { (fields, name) throws(Problem) in try fields.pair(name, 0...1000) },
            value: { padding, _ in padding?.value }),
        .number(
            "background_radius", \.backgroundRadius, in: 0...8192, "pixels",
            also: "radius corner_radius border_radius", "the corner radius of the background"),
        .animated("opacity", \.opacity, in: 0...1, also: "alpha transparency", "0 … 1; animated"),
    ]

    private static let motions: [DeclaredOption<Title>] = [
        .part(
            "enter", .reference("entrance"), \.enter,
            also: "animate_in intro appear in_animation entrance fade_in fadein", usually: "none",
            "the [entrance](text.md#motion-of-text) at the start of the range: a name, or `{ name, seconds, { easing = …, by = …, stagger = … } }`",
            read: { (fields, name) throws(Problem) in
                try Entrance(reading: &fields, name, units: Entrance.Unit.allCases)
            }, value: { entrance, _ in entrance?.value }),
        .part(
            "leave", .reference("entrance"), \.leave,
            also: "animate_out outro disappear out_animation exit fade_out fadeout", usually: "none",
            "the exit at the end of the range, in the same form",
            read: { (fields, name) throws(Problem) in
                try Entrance(reading: &fields, name, units: Entrance.Unit.allCases)
            }, value: { entrance, _ in entrance?.value }),
        DeclaredOption(
            "scale", .animated(.number(0.001...1000)), also: "zoom", "a factor on the size, about the anchor; animated",
            read: { (title, fields) throws(Problem) in
                guard let scale = try fields.animated("scale") else { return }
                title.path = title.path ?? Path()
                title.path?.scale = scale
            }, value: { title, _ in title.path?.scale.value ?? 1 },
            differs: { title, _ in title.path.map { $0.scale != .constant(1) } ?? false }),
        DeclaredOption(
            "rotation", .animated(.number(-1e9...1e9)), also: "rotate angle",
            "degrees clockwise about the anchor; animated",
            read: { (title, fields) throws(Problem) in
                guard let rotation = try fields.animated("rotation") else { return }
                title.path = title.path ?? Path()
                title.path?.rotation = rotation
            }, value: { title, _ in title.path?.rotation.value ?? 0 },
            differs: { title, _ in title.path.map { $0.rotation != .constant(0) } ?? false }),
        .color(
            "highlight", \.highlight, also: "highlight_color karaoke",
            "the colour of a word while it is spoken"),
        DeclaredOption(
            "words", .list(.list(.seconds, 2...2)), also: "word_timings timings", usually: "none",
            "`{ { from, to }, … }`: when each word is spoken, in seconds of the title's own time; the first pair is for the first word",
            read: { (title, fields) throws(Problem) in try title.readWords(&fields) },
            value: { title, _ in .array(title.spoken.map(\.value)) }, differs: { $0.spoken != $1.spoken }),
    ]

    private static func side(
        _ name: String, _ path: WritableKeyPath<Title, Int?> & Sendable, also: String, usually: String, _ help: String
    ) -> DeclaredOption<Title> {
        .part(
            name, .whole(1...16384), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in
                let side = try fields.int(name)
                if let side, !(1...16384).contains(side) {
                    throw fields.problem("the \(name) is \(side), but must lie between 1 and 16384 pixels")
                }
                return side
            }, value: { side, _ in side.map { .number(Double($0)) } })
    }

    /// What a script reads of the options that are not given; null where that is nothing.
    public static let unsetValues = options.unsetValues()
}
