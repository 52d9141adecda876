extension Clip {
    /// - Parameters:
    ///   - path: absolute.
    ///   - isLayer: of a layer, which has no transition; an image without a ‘duration’ has the longest.
    ///   - value: the options in the full form: see ``ShortForm``.
    ///   - folder: where relative paths start; nil: there are none.
    ///   - mediaDuration: where it is known, `duration` may be given for a media clip instead of `speed`.
    public init(
        path: String, isImage: Bool, isLayer: Bool = false, reading value: Value, object: String, origin: Origin? = nil,
        folder: String?, mediaDuration: Time? = nil
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        self.init(path: path, id: try fields.string("id"))
        self.origin = origin
        if isImage {
            content = .image(
                duration: isLayer && fields.value("duration") == nil
                    ? .longest : try Self.duration(&fields, of: "an image"))
            if let key = fields.given(Self.mediaOptionNames).first { throw fields.problem("an image has no ‘\(key)’") }
            fields.ignoreNull(Self.mediaOptionNames)
        } else {
            content = .media(range: try fields.range("range"))
            try readTiming(&fields)
            try readSpeed(&fields, mediaDuration: mediaDuration)
            isReversed = try fields.bool("reverse") ?? isReversed
            sound.volume = try fields.animated("volume") ?? sound.volume
            sound.fadeIn = try fields.length("fade_in") ?? sound.fadeIn
            sound.fadeOut = try fields.length("fade_out") ?? sound.fadeOut
            soundLead = try fields.length("sound_lead") ?? soundLead
            soundTail = try fields.length("sound_tail") ?? soundTail
            audioTrack = try fields.track("audio_track")
        }
        mode = try fields.choice("mode", ContentMode.self, otherNames: .modes) ?? mode
        placement = try Placement(reading: &fields)
        if isLayer {
            fields.know(Layer.optionNames)
            if fields.value("transition") != nil {
                throw fields.problem(Layer.transitionRefusal)
            }
        } else {
            backdrop = try Backdrop(reading: &fields)
        }
        try readLooks(&fields, folder)
        try fields.finish(otherNames: isLayer ? .layer : .clip)
    }

    /// A layer of one colour.
    /// - Parameter value: the options.
    public init(
        color: Color, reading value: Value, object: String, origin: Origin? = nil, folder: String?
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        let id = try fields.string("id")
        self.init(color, duration: try Self.layerDuration(&fields))
        (self.id, self.origin) = (id, origin)
        if let key = fields.given(Self.mediaOptionNames + ["mode"]).first {
            throw fields.problem("a colour has no ‘\(key)’")
        }
        fields.ignoreNull(Self.mediaOptionNames + ["mode"])
        placement = try Placement(reading: &fields)
        try readLooks(&fields, folder)
        try fields.finish(otherNames: .layer)
    }

    /// The longest where none is given.
    private static func layerDuration(_ fields: inout FieldReader) throws(Problem) -> Time {
        fields.value("duration") == nil ? .longest : try duration(&fields, of: "a layer")
    }

    /// A clip whose content a plugin's source makes.
    /// - Parameters:
    ///   - source: the source's id.
    ///   - isLayer: of a layer, which has a place; without a ‘duration’ it has the longest.
    ///   - value: the options in the full form, `parameters` among them: see ``ShortForm``.
    ///   - folder: where relative paths start; nil: there are none.
    public init(
        source: String, isLayer: Bool = false, reading value: Value, object: String,
        origin: Origin? = nil,
        folder: String?
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        let id = try fields.string("id")
        let duration =
            isLayer ? try Self.layerDuration(&fields) : try Self.duration(&fields, of: "a generated clip")
        self.init(try PluginEffect(source, reading: &fields), duration: duration, id: id)
        self.origin = origin
        if isLayer {
            mode = try fields.choice("mode", ContentMode.self, otherNames: .modes) ?? mode
            placement = try Placement(reading: &fields)
        }
        try readLooks(&fields, folder)
        try fields.finish(hint: PluginEffect.parametersHint, otherNames: isLayer ? .layer : .clip)
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
    private mutating func readLooks(_ fields: inout FieldReader, _ folder: String?) throws(Problem) {
        if let value = fields.value("transition") {
            transition = try Transition(reading: value, object: fields.object, origin: origin, folder: folder)
        }
        for (index, item) in (try fields.list("effects") ?? []).enumerated() {
            let name = "\(fields.object), effect \(index + 1)"
            effects.append(try Effect(readingOwn: item, object: name, origin: origin, folder: folder))
        }
    }

    private mutating func readSpeed(_ fields: inout FieldReader, mediaDuration: Time?) throws(Problem) {
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
            guard let mediaDuration else {
                throw fields.problem("give ‘speed’ instead of ‘duration’: the media is not known yet")
            }
            guard duration > .zero else {
                throw fields.problem("‘duration’ is \(duration.forPeople) s, but must be longer than 0")
            }
            speed = try self.speed(lasting: duration, sourceRange(mediaDuration: mediaDuration).duration, fields)
        }
        guard Clip.speedRange.contains(speed) else {
            throw fields.problem(
                Clip.problem(ofSpeed: speed) + (speed < .zero ? "; ‘reverse = true’ plays it backwards" : ""))
        }
    }

    /// The options that would make this clip again, without its path or the id of its source, in the full form.
    /// - Parameter folder: where relative paths are to start; nil: paths are absolute.
    public func value(in folder: String? = nil) -> Value {
        var writer = FieldWriter(folder: folder)
        writer.put("id", id)
        switch content {
        case .image(let duration), .color(_, let duration): writer.put("duration", duration)
        case .generated(let source, let duration):
            writer.put("duration", duration)
            source.writeParameters(to: &writer)
        case .media(let range), .draft(_, let range):
            writer.put("range", range)
            if speed != .one { writer.put("speed", speed.value) }
            if isReversed { writer.put("reverse", .bool(true)) }
            writeTiming(to: &writer)
            if sound.volume != .constant(1) { writer.put("volume", sound.volume.value) }
            if sound.fadeIn != .zero { writer.put("fade_in", sound.fadeIn) }
            if sound.fadeOut != .zero { writer.put("fade_out", sound.fadeOut) }
            if soundLead != .zero { writer.put("sound_lead", soundLead) }
            if soundTail != .zero { writer.put("sound_tail", soundTail) }
            writer.put("audio_track", audioTrack?.value)
        }
        if mode != .fit, color == nil { writer.put("mode", mode.rawValue) }
        placement?.write(to: &writer)
        writer.put("background", backdrop?.value)
        writer.put("transition", transition?.value(in: folder))
        if !effects.isEmpty { writer.put("effects", .array(effects.map { $0.value(in: folder) })) }
        return writer.value
    }

    /// The sentence for a speed that is none.
    static func problem(ofSpeed speed: Rational) -> String {
        "the speed is \(Value.text(of: speed.doubleValue)), but must lie between 0.01 and 100"
    }

    /// The options that an image does not have.
    public static let mediaOptionNames =
        [
            "range", "speed", "reverse", "volume", "fade_in", "fade_out", "sound_lead", "sound_tail", "audio_track",
        ] + timingNames

    /// The options' names, for property access and for suggestions.
    public static let optionNames =
        [
            "id", "range", "speed", "reverse", "freeze", "loop", "ping_pong", "frames", "duration", "volume", "fade_in",
            "fade_out", "sound_lead", "sound_tail",
            "audio_track", "mode",
            "transition", "effects", "background",
        ] + Placement.optionNames
}

extension Clip.Backdrop {
    init?(reading fields: inout FieldReader) throws(Problem) {
        guard let value = fields.value("background") else { return nil }
        if value == "blur" {
            self = .blur
        } else {
            if case .string(let name) = value, Color(name) == nil, nearestName(to: name, in: ["blur"]) != nil {
                throw fields.problem("‘background’ is \(Value.quoted(name)); did you mean ‘blur’?")
            }
            guard case .string = value, let color = try fields.color("background") else {
                throw fields.wrong("background", "\"blur\" or a colour", value)
            }
            self = .color(color)
        }
    }

    var value: Value {
        switch self {
        case .blur: "blur"
        case .color(let color): .string(color.description)
        }
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
