import Values

extension Clip {
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - isLayer: whether it is a layer's clip, which has no transition; an image without a
    ///     ‘duration’ is as long as
    ///     can be there.
    ///   - value: the options in the full form: see ``ShortForm``.
    ///   - folder: where relative paths start; nil: there are none.
    ///   - mediaDuration: where it is known, `duration` may be given for a media clip instead of
    ///     `speed`.
    public init(
        path: String, isImage: Bool, isLayer: Bool = false, reading value: Value, object: String, origin: Origin? = nil,
        folder: String?, mediaDuration: Time? = nil
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        fields.mediaDuration = mediaDuration
        if isImage {
            fields.use = isLayer ? .imageLayer : .image
            fields.lack = FieldReader.Lack(what: "an image", of: isLayer ? .mediaLayer : .media)
        } else {
            fields.use = isLayer ? .mediaLayer : .media
        }
        self.init(path: path, content: isImage ? .image(duration: .zero) : .media(range: nil))
        try read(&fields)
    }

    /// A layer of one colour.
    /// - Parameter value: the options.
    public init(
        color: Color, reading value: Value, object: String, origin: Origin? = nil, folder: String?
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        fields.use = .colorLayer
        fields.lack = FieldReader.Lack(what: "a colour", of: .mediaLayer)
        self.init(color, duration: .zero)
        try read(&fields)
    }

    /// A clip whose content a plugin's source makes.
    /// - Parameters:
    ///   - source: the source's id.
    ///   - isLayer: whether it is a layer's clip, which has a place; without a ‘duration’ it is as
    ///     long as can be.
    ///   - value: the options in the full form, `parameters` among them: see ``ShortForm``.
    ///   - folder: where relative paths start; nil: there are none.
    public init(
        source: String, isLayer: Bool = false, reading value: Value, object: String,
        origin: Origin? = nil,
        folder: String?
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        fields.use = isLayer ? .generatedLayer : .generated
        self.init(try PluginEffect(source, reading: &fields), duration: .zero)
        try read(&fields, hint: PluginEffect.parametersHint)
    }

    private mutating func read(_ fields: inout FieldReader, hint: String? = nil) throws(Problem) {
        origin = fields.origin
        let isLayer = fields.isLayer
        try Self.options.read(&self, from: &fields)
        // A layer's own options are read elsewhere.
        if isLayer { fields.know(Layer.optionNames) }
        try fields.finish(hint: hint, otherNames: isLayer ? .layer : .clip)
    }

    /// Reads the length of what has none of its own; that of media is read with its speed.
    mutating func readDuration(_ fields: inout FieldReader) throws(Problem) {
        switch content {
        case .media, .draft: _ = fields.value("duration")
        case .image: content = .image(duration: try Self.duration(&fields, of: "an image"))
        case .generated(let source, _):
            content = .generated(source, duration: try Self.duration(&fields, of: "a generated clip"))
        case .color(let color, _): content = .color(color, duration: try Self.duration(&fields, of: "a layer"))
        }
    }

    /// The longest for a layer without one.
    private static func duration(_ fields: inout FieldReader, of what: String) throws(Problem) -> Time {
        guard let duration = try fields.time("duration") else {
            if fields.isLayer { return .longest }
            if let lack = fields.lack, !fields.given(["range"]).isEmpty {
                throw fields.problem(lack.refusal(of: "range"))
            }
            throw fields.problem("\(what) needs a ‘duration’ in seconds")
        }
        guard duration > .zero else {
            throw fields.problem("‘duration’ is \(duration.forPeople) s, but must be longer than 0")
        }
        return duration
    }

    /// Reads the speed, as a number, as a curve, or from the `duration` that it gives.
    mutating func readSpeed(_ fields: inout FieldReader) throws(Problem) {
        switch fields.value("speed") {
        case .array?, .function?:
            timing.speed = try fields.animated("speed")
            if let problem = timing.speed.flatMap(Clip.problem(ofCurve:)) { throw fields.problem(problem) }
        default: break
        }
        let duration = try fields.time("duration")
        if timing.speed != nil {
            guard duration == nil else {
                throw fields.problem("give ‘speed’ as a curve or ‘duration’, not both: the curve decides the length")
            }
        } else if let wished = try fields.rational("speed") {
            speed = wished
            guard duration == nil else {
                throw fields.problem("give ‘speed’ or ‘duration’, not both: each decides the other")
            }
        } else if let duration {
            guard let mediaDuration = fields.mediaDuration else {
                throw fields.problem("give ‘speed’ instead of ‘duration’: the media is not known yet")
            }
            guard duration > .zero else {
                throw fields.problem("‘duration’ is \(duration.forPeople) s, but must be longer than 0")
            }
            speed = try self.speed(lasting: duration, sourceRange(mediaDuration: mediaDuration).duration, fields)
            if timing.isPlain, fields.given(["range"]).isEmpty { stretch = duration }
        }
        guard Clip.speedRange.contains(speed) else {
            throw fields.problem(
                Clip.problem(ofSpeed: speed) + (speed < .zero ? "; ‘reverse = true’ plays it backwards" : ""))
        }
    }

    /// Keeps what is known of the speed's reason when a property was set, because reading the clip
    /// again sees the speed alone.
    public mutating func keepStretch(of old: Clip, setting property: String) {
        guard !["duration", "speed", "range", "freeze", "loop", "ping_pong"].contains(property) else { return }
        stretch = old.stretch
    }

    /// The options that would make this clip again, without its path or the id of its source, in
    /// the full form.
    /// - Parameter folder: where relative paths are to start; nil: paths are absolute.
    public func value(in folder: String? = nil) -> Value {
        var writer = FieldWriter(folder: folder)
        generator?.writeParameters(to: &writer)
        Self.options.write(self, to: &writer, as: uses)
        return writer.value
    }

    /// The sentence for a speed that is none.
    static func problem(ofSpeed speed: Rational) -> String {
        "the speed is \(Value.text(of: speed.doubleValue)), but must lie between 0.01 and 100"
    }
}

extension Clip.Backdrop {
    init?(reading fields: inout FieldReader, _ key: String) throws(Problem) {
        guard let value = fields.value(key) else { return nil }
        if value == "blur" {
            self = .blur
        } else {
            if case .string(let name) = value, Color(name) == nil, Self.isLikeBlur(name) {
                throw fields.problem("‘\(key)’ is \(Value.quoted(name)); did you mean ‘blur’?")
            }
            guard case .string = value, let color = try fields.color(key) else {
                throw fields.wrong(key, "\"blur\" or a colour", value)
            }
            self = .color(color)
        }
    }

    /// Whether a text that is neither was meant as ``blur``.
    static func isLikeBlur(_ name: String) -> Bool {
        nearestName(to: name, in: ["blur"]) != nil || OtherNames.backdrops.name(for: name) != nil
    }

    var value: Value {
        switch self {
        case .blur: "blur"
        case .color(let color): .string(color.description)
        }
    }
}

extension FieldReader {
    /// Whether it reads the options of a layer's clip.
    var isLayer: Bool { use.isSubset(of: .layers) }
}
