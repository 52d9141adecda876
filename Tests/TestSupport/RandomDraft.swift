import Draft
import Values

/// Random drafts over an invented catalog, legal and illegal ones, small enough for ten thousand of
/// them. Every object has an id (`c0`, `c0e1`, `a0`, `e2`), so that a test can tell in a plan what
/// it came from.
public struct RandomDraft {
    public var random: SplitMix64

    public init(_ random: SplitMix64) { self.random = random }

    public static let catalog: Catalog = {
        let length = { (seconds: Double) in Time(seconds: seconds) ?? .zero }
        func media(_ seconds: Double, picture: Bool = true, sound: Double? = nil) -> MediaInfo {
            MediaInfo(
                kind: .media, format: "mov",
                identity: FileIdentity(size: 1, modified: 2, digest: "\(seconds)\(picture)"),
                video: !picture
                    ? nil
                    : VideoStreamInfo(
                        codec: "h264", width: 640, height: 360, rotation: 0, frameRate: Rational(30), start: .zero,
                        duration: length(seconds), bitRate: 1_000_000, hasAlpha: false),
                audio: sound.map {
                    AudioStreamInfo(
                        codec: "aac", sampleRate: 44_100, channels: 2, start: .zero, duration: length($0),
                        bitRate: 128_000)
                })
        }
        func image(_ width: Int, _ height: Int) -> MediaInfo {
            var info = media(0)
            info.kind = .image
            info.format = "png_pipe"
            info.video?.width = width
            info.video?.height = height
            info.identity.digest = "\(width)x\(height)"
            return info
        }
        let font = MediaInfo(kind: .data, format: "", identity: FileIdentity(size: 9, modified: 9, digest: "f"))
        return Catalog(
            media: [
                "/m/sound.mp4": .found(media(10, sound: 10.02)), "/m/silent.mp4": .found(media(7.3)),
                "/m/odd.webm": .found(media(3.33371234, sound: 3.1)), "/m/short.mp4": .found(media(0.5, sound: 0.5)),
                "/m/music.m4a": .found(media(20, picture: false, sound: 20)), "/m/photo.jpg": .found(image(1000, 750)),
                "/m/look.png": .found(image(512, 512)), "/m/emoji.png": .found(image(128, 128)),
                "/m/broken.mp4": .unreadable("‘/m/broken.mp4’ is not a media file"),
            ],
            data: ["/m/font.ttf": .found(font)], fonts: ["/m/font.ttf": .found(font)],
            effects: [
                effect("org.test.pure", .pure), effect("org.test.sequential", .sequential), around, join, warm, echo,
                source("org.test.made", .pure),
                source("org.test.grown", .sequential),
            ])
    }()

    /// An audio filter.
    private static let echo: EffectDescriptor = {
        var echo = effect("org.test.echo", .sequential)
        echo.kind = .audioFilter
        echo.formats = ["pcmf32_planar"]
        return echo
    }()

    private static func source(_ id: String, _ state: EffectDescriptor.State) -> EffectDescriptor {
        var source = effect(id, state)
        source.kind = .source
        return source
    }

    /// Sees two frames before its own and three after it.
    private static let around: EffectDescriptor = {
        var effect = RandomDraft.effect("org.test.around", .pure)
        (effect.reachBefore, effect.reachAfter) = (2, 3)
        return effect
    }()

    private static let join: EffectDescriptor = {
        var effect = RandomDraft.effect("org.test.join", .pure)
        effect.kind = .transition
        return effect
    }()

    /// Exact after five frames.
    private static let warm: EffectDescriptor = {
        var effect = RandomDraft.effect("org.test.warm", .warmUp)
        effect.warmUp = 5
        return effect
    }()

    public static func effect(
        _ id: String, _ state: EffectDescriptor.State, _ parameters: [ParameterDescriptor] = [amount]
    )
        -> EffectDescriptor
    {
        EffectDescriptor(
            id: id, kind: .filter, name: id, version: "1.0", vendor: "Test", license: "MIT", help: "", state: state,
            warmUp: 0,
            parameters: parameters, path: "/plugins/\(id).so", digest: "digest of \(id)")
    }

    public static let amount = ParameterDescriptor(
        id: "amount", kind: .double, label: "Amount", unit: "", help: "", isAnimatable: true, minimum: 0, maximum: 1,
        initial: [0.5], initialText: "", choices: [])

    public static let rates = [
        Rational(24000, 1001), Rational(25), Rational(30000, 1001), Rational(30), Rational(60), Rational(7),
        Rational(24),
    ]

    // MARK: Values

    public mutating func time(_ seconds: ClosedRange<Double>) -> Time {
        let value = Double.random(in: seconds, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Time(frame: Int(value * 30), rate: Rational(30))
        case 1: return Time(seconds: (value * 10).rounded() / 10) ?? .zero
        case 2: return Time(frame: Int(value * 30000 / 1001), rate: Rational(30000, 1001))
        default: return Time(seconds: value) ?? .zero
        }
    }

    /// A time that is longer than zero.
    public mutating func length(_ seconds: ClosedRange<Double>) -> Time { max(time(seconds), Time(flicks: 23_520_000)) }

    public mutating func range(within seconds: Double) -> TimeRange {
        TimeRange(start: time(0...seconds), duration: length(0...max(0.1, seconds)))
    }

    public mutating func speed() -> Rational {
        if random.chance(1, in: 40) { return random.pick([Rational(1, 100), Rational(100), Rational(1, 7)]) }
        return random.pick([
            .one, .one, Rational(1, 2), Rational(3, 4), Rational(3, 2), Rational(2), Rational(7, 11), Rational(13, 10),
            Rational(30000, 30030),
        ])
    }

    public mutating func animated(_ bounds: ClosedRange<Double> = 0...1) -> Animated {
        guard random.chance(1, in: 3) else {
            return .constant((Double.random(in: bounds, using: &random) * 64).rounded() / 64)
        }
        var time = self.time(0...1)
        let keys = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let key = Keyframe(
                time: time, value: [Double.random(in: bounds, using: &random)], easing: random.pick(Easing.named))
            time += length(0...1)
            return key
        }
        return .keyframes(keys)
    }

    // MARK: Objects

    public mutating func picture() -> PictureEffect {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .lut(Look(path: "/m/look.png", intensity: animated()))
        case 1:
            let rect = Rect(x: Int.random(in: -50...600, using: &random), y: 10, width: 64, height: 64)
            var sticker = Sticker(path: "/m/emoji.png", rect: rect, opacity: animated())
            if case .keyframes(let keys) = animated(-20...600) {
                sticker.rect = .keyframes(
                    keys.map {
                        Keyframe(time: $0.time, value: [$0.value[0], 10.5, 64, $0.value[0] + 40], easing: $0.easing)
                    })
            }
            return .sticker(sticker)
        case 2:
            var title = Title(random.pick(["Hello", "“Grüße”\n\t\\", "مرحبا 👋"]))
            title.opacity = animated()
            title.size = Double(Int.random(in: 8...80, using: &random))
            if random.chance(1, in: 2) {
                (title.x, title.y) = (.pixels(Int.random(in: -9...99, using: &random)), .center)
            }
            if random.chance(1, in: 3) {
                (title.outlineWidth, title.outlineColor) = (2.5, Color(red: 1, green: 2, blue: 3, alpha: 4))
            }
            if random.chance(1, in: 3) { (title.fontFile, title.font) = ("/m/font.ttf", "") }
            if random.chance(1, in: 3) { (title.width, title.alignment) = (300, .right) }
            return .title(title)
        case 3: return .filter(PluginEffect(effectID: "org.test.pure", parameters: ["amount": .numbers(animated())]))
        case 4:
            return .filter(PluginEffect(effectID: "org.test.around", parameters: ["amount": .numbers(animated())]))
        case 5: return .filter(PluginEffect(effectID: "org.test.warm"))
        case 6:
            let rect =
                random.chance(1, in: 2)
                ? nil : Rect(x: Int.random(in: -50...600, using: &random), y: -3, width: 63, height: 41)
            return .overlay(SourceOverlay(generator(), rect: rect, opacity: animated()))
        default: return .filter(PluginEffect(effectID: "org.test.sequential"))
        }
    }

    public mutating func generator() -> PluginEffect {
        let id = random.chance(1, in: 3) ? "org.test.grown" : "org.test.made"
        return PluginEffect(effectID: id, parameters: ["amount": .numbers(animated())])
    }

    public mutating func clip(_ index: Int) -> Clip {
        var clip: Clip
        if random.chance(1, in: 6) {
            clip = Clip(generator(), duration: length(0.05...3), id: "c\(index)")
        } else if random.chance(1, in: 4) {
            clip = Clip(path: "/m/photo.jpg", content: .image(duration: length(0.05...3)), id: "c\(index)")
        } else {
            let path = random.pick(["/m/sound.mp4", "/m/silent.mp4", "/m/odd.webm", "/m/short.mp4"])
            let range = random.chance(1, in: 3) ? nil : range(within: path == "/m/short.mp4" ? 0.4 : 3)
            clip = Clip(path: path, content: .media(range: range), id: "c\(index)")
            clip.speed = speed()
            clip.isReversed = random.chance(1, in: 4)
            clip.volume = animated(0...2)
            if random.chance(1, in: 6) { clip.fadeIn = time(0...0.3) }
            if random.chance(1, in: 6) { clip.fadeOut = time(0...0.3) }
        }
        if clip.generator == nil { clip.mode = random.pick(ContentMode.allCases) }
        if index > 0, random.chance(2, in: 5) {
            let plugin = PluginEffect(effectID: "org.test.join", parameters: ["amount": .numbers(animated())])
            let kind = random.chance(1, in: 4) ? .plugin(plugin) : random.pick(Transition.Kind.builtIn)
            clip.transition = Transition(kind, duration: length(0.05...0.7))
        }
        if random.chance(1, in: 5) {
            clip.effects = (0..<Int.random(in: 1...2, using: &random)).map { number in
                let range = random.chance(1, in: 2) ? nil : range(within: 0.5)
                return Effect(.picture(picture()), range: range, id: "c\(index)e\(number)")
            }
        }
        return clip
    }

    public mutating func audio(_ index: Int) -> AudioClip {
        let path = random.pick(["/m/music.m4a", "/m/sound.mp4", "/m/odd.webm"])
        var clip = AudioClip(path: path, startTime: time(0...4), id: "a\(index)")
        if random.chance(2, in: 3) { clip.range = range(within: path == "/m/odd.webm" ? 1.4 : 4) }
        if random.chance(1, in: 2) { clip.speed = speed() }
        clip.volume = animated(0...1)
        clip.keepsPitch = random.chance(1, in: 2)
        clip.loops = random.chance(1, in: 3)
        if random.chance(1, in: 3) { clip.fadeOut = time(0...0.5) }
        if random.chance(1, in: 3) { clip.fadeIn = time(0...0.5) }
        if random.chance(1, in: 3) {
            let filter = PluginEffect(effectID: "org.test.echo", parameters: ["amount": .numbers(animated())])
            let range = random.chance(1, in: 2) ? nil : range(within: 0.5)
            clip.effects = [Effect(.sound(filter), range: range, id: "a\(index)e0")]
        }
        return clip
    }

    public mutating func effect(_ index: Int) -> Effect {
        let range = random.chance(1, in: 5) ? nil : range(within: 4)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return Effect(.speed(speed()), range: range, id: "e\(index)")
        case 1: return Effect(.repeat(Int.random(in: 1...4, using: &random)), range: range, id: "e\(index)")
        default: return Effect(.picture(picture()), range: range, id: "e\(index)")
        }
    }

    /// A place on the canvas, of which anything may change with time.
    /// - Parameter side: the canvas's, about.
    public mutating func placement(side: Double = 600) -> Placement {
        var placement = Placement()
        func animated(_ count: Int, _ bounds: ClosedRange<Double>) -> Animated {
            func value() -> [Double] {
                (0..<count).map { _ in (Double.random(in: bounds, using: &random) * 64).rounded() / 64 }
            }
            guard random.chance(1, in: 3) else { return .constant(value()) }
            let (first, second) = (value(), value())
            return .keyframes([
                Keyframe(time: .zero, value: first, easing: random.pick(Easing.named)),
                Keyframe(time: length(0.1...1), value: second),
            ])
        }
        if random.chance(2, in: 3) { placement.position = animated(2, -side / 12...side) }
        if random.chance(1, in: 3) {
            placement.anchor = .init(x: random.pick([0, 0.5, 1]), y: random.pick([0, 0.25]))
        }
        if random.chance(2, in: 3) { placement.width = animated(1, side / 60...side * 0.7) }
        if random.chance(1, in: 3) { placement.height = animated(1, side / 60...side / 2) }
        if random.chance(1, in: 3) { placement.scale = animated(1, 0.25...2) }
        if random.chance(1, in: 3) { placement.rotation = animated(1, -400...400) }
        placement.quarterTurns = random.pick([0, 0, 1, 2, 3])
        (placement.isFlippedAcross, placement.isFlippedDown) = (random.chance(1, in: 4), random.chance(1, in: 4))
        if random.chance(1, in: 3) { placement.crop = animated(4, 0.125...0.5) }
        if random.chance(1, in: 3) { placement.opacity = animated(1, 0...1) }
        if random.chance(1, in: 3) { placement.cornerRadius = animated(1, 0...side / 12) }
        return placement
    }

    /// The entrances that pictures have.
    private static let entrances = Entrance.Kind.allCases.filter { $0 != .type }

    /// A layer, which an entry of the effect list is.
    /// - Parameter side: the canvas's, about.
    public mutating func layer(_ index: Int, side: Double = 600) -> Effect {
        var clip = clip(0)
        while clip.generator != nil { clip = self.clip(0) }
        (clip.id, clip.transition) = (nil, nil)
        clip.effects = clip.effects.filter { $0.plugin == nil }
        for number in clip.effects.indices { clip.effects[number].id = "e\(index)e\(number)" }
        clip.placement = random.chance(4, in: 5) ? placement(side: side) : nil
        if clip.placement == Placement() { clip.placement = nil }
        var layer = Layer(clip, at: time(0...2))
        if clip.isImage, random.chance(1, in: 3) {
            layer.isOpenEnded = true
            layer.clip.content = .image(duration: .longest)
        }
        layer.blend = random.pick(BlendMode.allCases)
        if random.chance(1, in: 3) {
            layer.mask = Mask(
                path: random.pick(["/m/emoji.png", "/m/short.mp4"]), kind: random.pick(Mask.Kind.allCases),
                isInverted: random.chance(1, in: 2))
        }
        if random.chance(1, in: 2) {
            layer.enter = Entrance(random.pick(Self.entrances), duration: length(0.05...0.5))
        }
        if random.chance(1, in: 2) {
            layer.leave = Entrance(
                random.pick(Self.entrances), duration: length(0.05...0.5), easing: random.pick(Easing.named))
        }
        if random.chance(1, in: 4) {
            var shadow = LayerShadow(Color(red: 0, green: 40, blue: 80, alpha: 200))
            shadow.offset = .keyframes([
                Keyframe(time: .zero, value: [0, 2]),
                Keyframe(time: length(0.5...2), value: [Double.random(in: -20...20, using: &random), 5]),
            ])
            shadow.blur = .constant([random.pick([0, 3, 8])])
            layer.shadow = shadow
        }
        return Effect(.layer(layer), id: "e\(index)")
    }

    /// - Parameter illegal: whether deliberate mistakes are mixed in; ranges that do not fit come
    ///   about anyway.
    public mutating func draft(illegal: Bool = true) -> Draft {
        var draft = Draft(
            canvas: Canvas(size: Canvas.Size(width: 640, height: 360), frameRate: random.pick(Self.rates)))
        draft.clips = (0..<Int.random(in: 1...5, using: &random)).map { clip($0) }
        if random.chance(1, in: 2) { draft.audio = (0..<Int.random(in: 1...2, using: &random)).map { audio($0) } }
        draft.effects = (0..<Int.random(in: 0...6, using: &random)).map { effect($0) }
        if let last = draft.effects.indices.last, !draft.effects[last].isTimeEffect, random.chance(1, in: 3) {
            (draft.effects[last].range, draft.effects[last].isPassThrough) = (nil, true)
        }
        if random.chance(1, in: 4) { draft.timeRange = range(within: 5) }
        if illegal, random.chance(1, in: 12) { spoil(&draft) }
        return draft
    }

    private mutating func spoil(_ draft: inout Draft) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: draft.clips[0].transition = Transition(duration: length(0...1))
        case 1: draft.clips[0].path = random.pick(["/m/broken.mp4", "/m/nowhere.mp4", "/m/music.m4a"])
        case 2: draft.clips[0].speed = random.pick([.zero, Rational(-1), Rational(101), Rational(1, 101)])
        case 3: draft.effects.append(Effect(.speed(random.pick([.zero, Rational(-2), Rational(1000)])), id: "e6"))
        case 4: draft.effects.append(Effect(.repeat(random.pick([0, -1, 10_001, .max])), id: "e6"))
        case 5: (draft.clips, draft.audio, draft.effects) = ([], [], [])
        case 6: draft.clips.append(draft.clips[0])
        default: draft.effects.append(Effect(.picture(.filter(PluginEffect(effectID: "org.test.unknown"))), id: "e6"))
        }
    }
}
