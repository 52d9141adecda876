extension Clip {
    /// - Parameters:
    ///   - path: absolute.
    ///   - plugins: what is known of them, as for ``Effect/init(kind:reading:object:origin:plugins:)``.
    ///   - mediaDuration: where it is known, `duration` may be given for a media clip instead of `speed`.
    public init(
        path: String, isImage: Bool, reading value: Value, object: String, origin: Origin? = nil,
        plugins: [EffectDescriptor] = [], mediaDuration: Time? = nil
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin)
        self.init(path: path, id: try fields.string("id"))
        self.origin = origin
        if isImage {
            content = .image(duration: try Self.duration(&fields, of: "an image"))
            for key in ["range", "speed", "reverse", "volume", "fade_in", "fade_out", "audio_track"]
            where fields.value(key) != nil {
                throw fields.problem("an image has no ‘\(key)’")
            }
        } else {
            content = .media(range: try fields.range("range"))
            try readSpeed(&fields, mediaDuration: mediaDuration)
            isReversed = try fields.bool("reverse") ?? isReversed
            volume = try fields.animated("volume") ?? volume
            fadeIn = try fields.length("fade_in") ?? fadeIn
            fadeOut = try fields.length("fade_out") ?? fadeOut
            audioTrack = try fields.track("audio_track")
        }
        mode = try fields.choice("mode", ContentMode.self) ?? mode
        try readLooks(&fields, plugins)
        try fields.finish()
    }

    /// A clip whose content a plugin's source makes; its parameters are beside the options, or in `params`.
    /// - Parameter source: the source's id.
    public init(
        source: String, reading value: Value, object: String, origin: Origin? = nil, plugins: [EffectDescriptor] = []
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin)
        let id = try fields.string("id")
        let duration = try Self.duration(&fields, of: "a generated clip")
        self.init(PluginEffect(effectID: source), duration: duration, id: id)
        self.origin = origin
        try readLooks(&fields, plugins)
        let effect = PluginEffect(effectID: source, parameters: try PluginEffect.parameters(&fields))
        content = .generated(effect, duration: duration)
    }

    private static func duration(_ fields: inout FieldReader, of what: String) throws(Problem) -> Time {
        guard let duration = try fields.time("duration") else {
            throw fields.problem("\(what) needs a ‘duration’ in seconds")
        }
        guard duration > .zero else {
            throw fields.problem("‘duration’ is \(duration.forPeople) s, but must be longer than 0")
        }
        return duration
    }

    /// The transition and the clip's own effects.
    private mutating func readLooks(_ fields: inout FieldReader, _ plugins: [EffectDescriptor]) throws(Problem) {
        if let value = fields.value("transition") {
            transition = try Transition(reading: value, object: fields.object, origin: origin)
        }
        for (index, item) in (try fields.list("effects") ?? []).enumerated() {
            let name = "\(fields.object), effect \(index + 1)"
            effects.append(try Effect(readingOwn: item, object: name, origin: origin, plugins: plugins))
        }
    }

    private mutating func readSpeed(_ fields: inout FieldReader, mediaDuration: Time?) throws(Problem) {
        let wished = try fields.rational("speed")
        let duration = try fields.time("duration")
        if let wished {
            speed = wished
            guard duration == nil else {
                throw fields.problem("give ‘speed’ or ‘duration’, not both: each decides the other")
            }
        } else if let duration {
            guard let mediaDuration else {
                throw fields.problem("give ‘speed’ instead of ‘duration’: the media is not known yet")
            }
            guard duration > .zero else {
                throw fields.problem("‘duration’ is \(duration.forPeople) s, but must be longer than 0")
            }
            speed = Rational(sourceRange(mediaDuration: mediaDuration).duration.flicks, duration.flicks)
        }
        guard Clip.speedRange.contains(speed) else {
            throw fields.problem("the speed is \(speed), but must lie between 0.01 and 100")
        }
    }

    /// The options that would make this clip again, without its path or the id of its source.
    public var value: Value {
        var writer = FieldWriter()
        writer.put("id", id)
        switch content {
        case .image(let duration): writer.put("duration", duration)
        case .generated(let source, let duration):
            writer.put("duration", duration)
            source.write(to: &writer, beside: Self.generatedNames)
        case .media(let range):
            writer.put("range", range)
            if speed != .one { writer.put("speed", speed.value) }
            if isReversed { writer.put("reverse", .bool(true)) }
            if volume != .constant(1) { writer.put("volume", volume.value) }
            if fadeIn != .zero { writer.put("fade_in", fadeIn) }
            if fadeOut != .zero { writer.put("fade_out", fadeOut) }
            writer.put("audio_track", audioTrack?.value)
        }
        if mode != .fit, generator == nil { writer.put("mode", mode.rawValue) }
        writer.put("transition", transition?.value)
        if !effects.isEmpty { writer.put("effects", .array(effects.map(\.value))) }
        return writer.value
    }

    /// The options' names, for property access and for suggestions.
    public static let optionNames = [
        "id", "range", "speed", "reverse", "duration", "volume", "fade_in", "fade_out", "audio_track", "mode",
        "transition", "effects",
    ]
    /// Those of a generated clip, besides its parameters.
    public static let generatedOptionNames = ["id", "duration", "transition", "effects", "params"]
    /// What a generated clip's parameters cannot be called beside its options: those, and what else scripts and documents read.
    private static let generatedNames = Set(
        generatedOptionNames + ["source", "index", "path", "kind", "start", "source_range"])
}

extension Transition {
    /// `{ "dissolve", 0.5 }`, `{ kind = "dissolve", duration = 0.5 }`, or a duration alone for a dissolve. A plugin's has its
    /// parameters beside: `{ kind = "org.cutroom.circle", duration = 0.5, softness = 0.1 }`.
    init(reading value: Value, object: String, origin: Origin?) throws(Problem) {
        var table: [String: Value]
        switch value {
        case .array(let items) where items.count == 2: table = ["kind": items[0], "duration": items[1]]
        case .number, .string: table = ["duration": value]
        case .object(let fields): table = fields
        default:
            throw Problem(
                object,
                "‘transition’ is \(value.forPeople), but must be { kind, seconds } such as { \"dissolve\", 0.5 }",
                origin: origin)
        }
        var fields = try FieldReader(.object(table), object: "\(object), transition", origin: origin)
        let name = try fields.string("kind") ?? "dissolve"
        guard let duration = try fields.time("duration") else { throw fields.problem("needs a ‘duration’ in seconds") }
        guard duration > .zero else {
            throw fields.problem("lasts \(duration.forPeople) s, but must last longer than 0")
        }
        if let kind = Kind(named: name) {
            self.init(kind, duration: duration)
        } else if name.contains(".") {
            self.init(
                .plugin(PluginEffect(effectID: name, parameters: try PluginEffect.parameters(&fields))),
                duration: duration)
        } else {
            throw fields.problem(
                "‘kind’ is \(Value.quoted(name))\(suggestion(for: name, in: Kind.builtIn.map(\.name)))")
        }
        try fields.finish()
    }

    /// `{ kind, duration }`, or a table where a plugin's has parameters.
    var value: Value {
        guard case .plugin(let effect) = kind, !effect.parameters.isEmpty else {
            return .array([.string(kind.name), .string(duration.description)])
        }
        var writer = FieldWriter()
        writer.put("kind", kind.name)
        writer.put("duration", duration.description)
        writer.put("params", .object(effect.parameters.mapValues(\.value)))
        return writer.value
    }
}

extension FieldReader {
    /// A length of time that is not negative.
    mutating func length(_ key: String) throws(Problem) -> Time? {
        guard let time = try time(key) else { return nil }
        guard time >= .zero else { throw problem("‘\(key)’ is \(time.forPeople) s, but must not be negative") }
        return time
    }
}
