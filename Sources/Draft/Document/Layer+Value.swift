import Values

extension Layer {
    /// The names of its content in a document, and in a table of options.
    public static let contentNames = ["media", "image", "source", "color"]
    public static let transitionRefusal =
        "is a layer, which has no ‘transition’; ‘enter’ and ‘leave’ say how it comes and goes"

    /// - Parameters:
    ///   - clip: the content, read already, with ``Time/longest`` as its duration where what stands
    ///     has none.
    ///   - fields: of the layer's own options.
    init(_ clip: Clip, reading fields: inout FieldReader) throws(Problem) {
        self.init(clip)
        if clip.wishedDuration == .longest { isOpenEnded = true }
        try Self.options.read(&self, from: &fields)
    }
}

extension Mask {
    /// A path, `{ path, kind }`, or a table with `image`, `kind` and `invert`.
    init(reading value: Value, _ fields: FieldReader) throws(Problem) {
        var table: [String: Value]
        switch value {
        case .string: table = ["image": value]
        case .array(let items) where (1...2).contains(items.count):
            table = ["image": items[0]]
            if items.count == 2, case .object(let options) = items[1] {
                table.merge(options) { first, _ in first }
            } else if items.count == 2 {
                table["kind"] = items[1]
            }
        case .object(let options): table = options
        default: throw fields.wrong("mask", "a path, or { path, \"luma\" }", value)
        }
        var reader = try fields.reader(of: .object(table), "mask")
        guard let path = try reader.path("image") else {
            throw reader.problem("needs an image or a video: mask = { \"matte.mp4\", \"luma\" }")
        }
        self.init(
            path: path, kind: try reader.choice("kind", Kind.self, otherNames: .masks) ?? .alpha,
            isInverted: try reader.bool("invert") ?? false)
        try reader.finish(otherNames: .mask)
    }

    /// Returns what makes the shape that was named in the place of a file; an empty text if it is
    /// none.
    public static func advice(onMissing path: String) -> String {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        return switch name {
        case "circle", "ellipse", "round", "rounded", "oval":
            "; corner_radius = \"50%\" with mode = \"fill\" and a square ‘size’ makes a circle"
        case "square", "rectangle", "rect", "box": "; ‘crop’ and ‘size’ make a rectangle"
        default: ""
        }
    }

    func value(in folder: String?) -> Value {
        var writer = FieldWriter(folder: folder)
        writer.put("image", path: path)
        if kind != .alpha { writer.put("kind", kind.rawValue) }
        if isInverted { writer.put("invert", .bool(true)) }
        return writer.value
    }
}

extension Effect {
    public static let layerKind = "layer"

    /// A layer from its clip, which is read already, and its own options.
    /// - Parameter own: a table of ``Layer/optionNames`` and `id`.
    public init(layer clip: Clip, reading own: Value, object: String, origin: Origin?, folder: String?) throws(Problem)
    {
        var fields = try FieldReader(own, object: object, origin: origin, folder: folder)
        let id = try fields.string("id")
        let layer = try Layer(clip, reading: &fields)
        try fields.finish(otherNames: .layer)
        self.init(.layer(layer), id: id, origin: origin)
    }

    /// A layer as a document has it, with its content: `media`, `image`, `draft`, `source` or
    /// `color`.
    init(layer table: [String: Value], object: String, origin: Origin?, folder: String?, level: Int) throws(Problem) {
        var (own, rest) = ([String: Value](), table)
        for key in Layer.optionNames + ["id"] { own[key] = rest.removeValue(forKey: key) }
        if let tree = rest.removeValue(forKey: NestedDraft.key) {
            try NestedDraft.refuseFiles(beside: rest, object, origin)
            let nested = try NestedDraft(reading: tree, object: object, origin: origin, folder: folder, level: level)
            let clip = try Clip(
                nested, isLayer: true, reading: .object(rest), object: object, origin: origin, folder: folder)
            try self.init(layer: clip, reading: .object(own), object: object, origin: origin, folder: folder)
            return
        }
        let contents = Layer.contentNames.compactMap { name in
            rest.removeValue(forKey: name).map { (name, $0) }
        }
        guard contents.count == 1, case (let name, .string(let text)) = contents[0] else {
            throw Problem(
                object, "needs one of ‘media’ or ‘image’, the path of its file, ‘draft’, ‘source’ and ‘color’",
                origin: origin)
        }
        let clip: Clip
        switch name {
        case "source":
            clip = try Clip(
                source: text, isLayer: true, reading: .object(rest), object: object, origin: origin,
                folder: folder)
        case "color":
            clip = try Clip(
                color: try Color(reading: text, object, origin), reading: .object(rest), object: object,
                origin: origin,
                folder: folder)
        default:
            if let reason = urlRefusal(text) { throw Problem(object, reason, origin: origin) }
            clip = try Clip(
                path: folder.map { absolutePath(text, in: $0) } ?? text, isImage: name == "image",
                isLayer: true,
                reading: .object(rest), object: object, origin: origin, folder: folder)
        }
        guard clip.transition == nil else {
            throw Problem(object, Layer.transitionRefusal, origin: origin)
        }
        try self.init(
            layer: clip, reading: .object(own), object: object, origin: origin, folder: folder)
    }
}

extension Effect.Kind {
    /// The fields of a layer and of its clip.
    static func write(_ layer: Layer, to writer: inout FieldWriter) {
        writer.put("kind", Effect.layerKind)
        for (key, value) in layer.clip.value(in: writer.folder).fields where key != "id" { writer.put(key, value) }
        if layer.isOpenEnded { writer.remove("duration") }
        switch layer.clip.content {
        case .generated(let source, _): writer.put("source", source.effectID)
        case .color(let color, _): writer.put("color", color.description)
        case .image: writer.put("image", path: layer.clip.path)
        case .media: writer.put("media", path: layer.clip.path)
        case .draft(let nested, _): writer.put(NestedDraft.key, nested.draft.tree(in: writer.folder))
        }
        Layer.options.write(layer, to: &writer)
    }
}

extension Color {
    /// - Throws: where the text is no colour.
    public init(reading text: String, _ object: String, _ origin: Origin?) throws(Problem) {
        guard let color = Color(text) else {
            throw Problem(object, "‘color’ \(Color.refusal(of: text))", origin: origin)
        }
        self = color
    }
}
