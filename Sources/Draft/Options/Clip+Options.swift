import Values

extension Clip {
    static let options: OptionTable<Clip> = {
        var options = identity
        options += times.map { $0.only(for: .playing) }
        options += sounds.map { $0.only(for: .playing) }
        options += overhangs.map { $0.only(for: .playing) }
        options += modes
        options += places
        options += backdrops
        options += joined
        return OptionTable(plain: Clip(path: ""), options)
    }()

    private static let identity: [DeclaredOption<Clip>] = [
        .text("id", \.id, also: "name label", "your name for the clip, unique in the list"),
        DeclaredOption(
            "duration", .seconds, also: "length len dur", usually: "",
            "for an image: its length (required); for a clip, in place of `speed`: the length to which its range is stretched, including freezes and all passes",
            read: { (clip, fields) throws(Problem) in try clip.readDuration(&fields) },
            value: { clip, _ in clip.wishedDuration.map { Value.string($0.description) } }
        ).unset { _ in nil },
    ]

    /// What plays in time.
    private static let times: [DeclaredOption<Clip>] = [
        DeclaredOption<Clip>(
            "range", .timeRange, usually: "all",
            "`{ start, duration }` of the source, before speed; anything past the end of the media is cut off",
            read: { (clip, fields) throws(Problem) in clip.content = .media(range: try fields.range("range")) },
            value: { clip, _ in clip.wishedRange?.value }),
        .part(
            "freeze", .either([.list(.seconds, 2...2), .list(.list(.seconds, 2...2))]), \.timing.freezes,
            also: "freeze_frame hold still pause stop time_freeze", usually: "none",
            "`{ at, seconds }` or a list of them: the picture at `at` freezes for so long, in silence",
            read: { (fields, name) throws(Problem) in try fields.value(name).map(fields.freezes) },
            value: { (freezes: [Freeze], _) in Value.array(freezes.map(\.value)) }),
        .part(
            "loop", .whole(Timing.loopRange), \.timing.loop, also: "loops looping repeat_count times stream_loop",
            usually: "1", "the number of passes through the range, 1 … 10000",
            read: { (fields, name) throws(Problem) in
                let loop = try fields.int(name)
                if let loop, !Timing.loopRange.contains(loop) { throw fields.problem(Clip.problem(ofLoop: loop)) }
                return loop
            }, value: { loop, _ in loop.map { Value.number(Double($0)) } }
        ).unset { (clip: Clip) in Value.number(Double(clip.timing.passes)) },
        .flag(
            "ping_pong", \.timing.isPingPong, also: "pingpong boomerang bounce mirror",
            "plays every second pass backwards; without `loop` there are two passes"),
        .choice(
            "frames", \.timing.frames, .frameMixing,
            also: "interpolation interpolate blending frame_blending minterpolate frame_mixing",
            "`\"blend\"` mixes neighbouring frames in slow motion"),
        DeclaredOption(
            "speed", .either([.fraction, .animated(.number(SpeedCurve.range))]),
            also: "rate playback_rate tempo factor velocity playback_speed speedx",
            "0.01 … 100, or the keys of a [speed curve](speed.md#speed-ramp); the pitch is kept",
            read: { (clip, fields) throws(Problem) in try clip.readSpeed(&fields) },
            value: { clip, _ in clip.timing.speed?.value ?? clip.speed.value },
            differs: { $0.speed != $1.speed || $0.timing.speed != $1.timing.speed }),
        .flag(
            "reverse", \.isReversed, also: "reversed backwards backward",
            "plays picture and sound of the range backwards"),
    ]

    private static let sounds: [DeclaredOption<Clip>] = ClipSound.options.options.map { $0.lifted(\Clip.sound) }

    private static let overhangs: [DeclaredOption<Clip>] = [
        .length(
            "sound_lead", \.soundLead, also: "lead j_cut jcut audio_lead pre_roll preroll split_edit audio_before",
            "seconds by which the sound starts [before the picture](sound.md#sound-beside-its-picture)"),
        .length(
            "sound_tail", \.soundTail, also: "tail l_cut lcut audio_tail post_roll postroll overhang audio_after",
            "seconds by which the sound ends after the picture"),
        .track(
            "audio_track", \.audioTrack, also: "stream audio_stream", usually: "the file's default",
            "the sound track that plays, of several: a number from 1, or a language such as `\"eng\"`"),
    ]

    private static let modes: [DeclaredOption<Clip>] = [
        .choice(
            "mode", \.mode, .modes, also: "fit resize_mode object_fit content_mode scale_mode scaling",
            "how the picture fits its size: `fit` (all of it is visible), `fill` (cropped) or `stretch`"
        ).only(for: [.playing, .image, .imageLayer, .generatedLayer])
    ]

    private static let places: [DeclaredOption<Clip>] = Placement.options.options.map { option in
        option.lifted(
            { (clip: Clip) -> Placement in clip.placement ?? Placement() },
            { (clip: inout Clip, placement: Placement) in
                clip.placement = placement == Placement() ? nil : placement
            }
        ).only(for: .placed)
    }

    private static let backdrops: [DeclaredOption<Clip>] = [
        .part(
            "background", .either([.choice(["blur"]), .color]), \.backdrop, usually: "the draft's",
            "what fills the canvas beside the picture: a colour, which may be translucent over the draft's background; or `\"blur\"`: the clip's own picture, blurred",
            read: { (fields, name) throws(Problem) in try Backdrop(reading: &fields, name) },
            value: { backdrop, _ in backdrop?.value }
        ).only(for: [.media, .image])
    ]

    private static let joined: [DeclaredOption<Clip>] = [
        .part(
            "transition", .reference("transition"), \.transition, usually: "none",
            "the [transition](transitions.md) from the clip before it: `{ kind, seconds }`, or the seconds alone for a dissolve",
            read: { (fields, name) throws(Problem) in
                guard let value = fields.value(name) else { return nil }
                guard fields.use.isDisjoint(with: .layers) else { throw fields.problem(Layer.transitionRefusal) }
                return try Transition(
                    reading: value, object: fields.object, origin: fields.origin, folder: fields.folder)
            }, value: { transition, writer in transition?.value(in: writer.folder) }),
        .effects(
            "effects", \.effects, also: "effect filter filters fx vf lut look",
            "the clip's own [effects](effects.md#effects-of-one-clip), in the clip's time: a list of `{ \"lut\", { image = \"look.png\" } }` or, in short, `{ \"lut\", image = \"look.png\" }`. Picture effects act on the whole canvas, including bars. [Sound effects](sound.md#sound-effects) act after `speed`, and before `volume` and fades. An image has no sound effects"
        ),
    ]

    // MARK: What scripts ask

    /// The options' names, for property access and for suggestions.
    public static let optionNames = options.names
    /// The options that an image does not have.
    public static let mediaOptionNames = options.names(of: .media).filter { !options.names(of: .image).contains($0) }
    /// The options of a generated clip in the short form, besides its parameters.
    public static let generatedOptionNames = options.names(of: .generated) + ["params"]

    /// What a script reads of the options that are not given; null where that is nothing.
    public var unsetValues: [String: Value] { Self.options.unsetValues(of: self, as: uses) }

    /// The kind of this object among those that have a clip's options. It does not know whether it
    /// is a layer's.
    var uses: ObjectUse {
        switch content {
        case .media, .draft: .playing
        case .image: [.image, .imageLayer]
        case .generated: [.generated, .generatedLayer]
        case .color: .colorLayer
        }
    }

    /// The wished range of what it plays.
    public var wishedRange: TimeRange? {
        switch content {
        case .media(let range), .draft(_, let range): range
        case .image, .generated, .color: nil
        }
    }
}

extension Layer {
    /// What a layer's clip lacks on the main track.
    static let clipOptionNames = Clip.options.names(of: .layers)
    /// The options of a layer whose content a plugin makes, in the short form, besides its
    /// parameters.
    public static let generatedOptionNames =
        Clip.options.names(of: .generatedLayer) + options.names + ["params"]
}
