import Values

extension Layer {
    /// The options that are the layer's own; the others are its clip's.
    static let options = OptionTable(plain: Layer(Clip(path: "")), own + LayerShadow.options)

    private static let own: [DeclaredOption<Layer>] = [
        .length(
            "at", \.start, also: "start time begin from start_time delay when",
            "its start, on the timeline that the earlier entries have made"),
        .choice(
            "blend", \.blend, .blends, also: "blend_mode mix_blend_mode mixblend",
            "how the layer blends with the picture below: `multiply`, `screen`, `overlay`, `darken`, `lighten`, `color_dodge`, `color_burn`, `hard_light`, `soft_light`, `difference`, `exclusion` (the W3C's *Compositing and Blending*), `plus_lighter`"
        ),
        .part(
            "enter", .reference("entrance"), \.enter,
            also: "fade_in_video appear animation_in transition_in intro", usually: "none",
            "the [entrance](layers.md#entrances-and-exits): a name, or `{ name, seconds }` (0.5), or `{ name, seconds, { easing = \"ease_out_back\" } }`",
            read: { (fields, name) throws(Problem) in try Entrance(reading: &fields, name) },
            value: { entrance, _ in entrance?.value }),
        .part(
            "leave", .reference("entrance"), \.leave, also: "disappear exit transition_out outro", usually: "none",
            "the exit, in the same form",
            read: { (fields, name) throws(Problem) in try Entrance(reading: &fields, name) },
            value: { entrance, _ in entrance?.value }),
        .part(
            "mask", .reference("mask"), \.mask, usually: "none",
            "an image or a video that decides where the layer is visible: `\"matte.png\"` by its alpha, `{ \"matte.mp4\", \"luma\" }` where it is bright, `{ \"matte.mp4\", { kind = \"luma\", invert = true } }` where it is dark. It is stretched over the visible part of the layer's picture, after `crop` or `mode = \"fill\"`, and plays with it; if it is shorter, its last picture stays",
            read: { (fields, name) throws(Problem) in
                guard let value = fields.value(name) else { return nil }
                return try Mask(reading: value, fields)
            }, value: { mask, writer in mask?.value(in: writer.folder) }),
    ]

    public static let optionNames = options.names

    /// What a script reads of the options that are not given; null where that is nothing.
    public static let unsetValues = options.unsetValues()
}

extension LayerShadow {
    /// The options of a layer's shadow. Any of them makes one.
    fileprivate static let options: [DeclaredOption<Layer>] = [
        part(
            "shadow_color", .color, also: "shadow drop_shadow box_shadow", usually: "none",
            "the colour of the shadow of the visible layer, turned and rounded like the layer; any shadow option adds a shadow (`\"#000000a0\"`)",
            read: { (shadow, fields) throws(Problem) in
                guard let color = try fields.color("shadow_color") else { return false }
                shadow.color = color
                return true
            }, value: { .string($0.color.description) }),
        part(
            "shadow_offset", .animated(.list(.number(offsetRange), 1...2)), also: "shadow_x shadow_y",
            usually: "`{ 2, 2 }`", "pixels to the right and down, -1000 … 1000; animated",
            read: { (shadow, fields) throws(Problem) in
                guard let offset = try fields.animated("shadow_offset") else { return false }
                shadow.offset = offset
                return true
            }, value: { $0.offset.value }),
        part(
            "shadow_blur", .animated(.number(blurRange)), also: "shadow_size shadow_radius shadow_softness",
            usually: "4", "the width of its soft edge in pixels, 0 … 200; animated",
            read: { (shadow, fields) throws(Problem) in
                guard let blur = try fields.animated("shadow_blur") else { return false }
                shadow.blur = blur
                return true
            }, value: { $0.blur.value }),
    ]

    /// - Parameter read: changes a shadow, and returns whether the option is given.
    private static func part(
        _ name: String, _ form: OptionForm, also: String, usually: String, _ help: String,
        read: @escaping @Sendable (inout LayerShadow, inout FieldReader) throws(Problem) -> Bool,
        value: @escaping @Sendable (LayerShadow) -> Value
    ) -> DeclaredOption<Layer> {
        DeclaredOption(
            name, form, also: also, usually: usually, help,
            read: { (layer, fields) throws(Problem) in
                var shadow = layer.shadow ?? LayerShadow()
                if try read(&shadow, &fields) { layer.shadow = shadow }
            }, value: { layer, _ in layer.shadow.map(value) })
    }
}
