extension TimelineBuilder {
    mutating func check(_ effect: Effect, of clip: Clip, _ clipName: String, _ index: Int) {
        let object = "\(clipName), \(name(effect, index))"
        refusePassThrough(effect, object)
        guard case .picture(let picture) = effect.kind else {
            report(
                object, "changes time, so it belongs in the draft's effect list; a clip has a ‘speed’ of its own",
                effect.origin)
            return
        }
        if !clip.isMedia, catalog.isSound(effect) {
            let what = clip.isImage ? "an image" : "what is generated"
            report(object, "changes sound, and \(what) has none; leave it out", effect.origin)
        }
        check(picture, object, effect.origin)
    }

    mutating func check(_ effect: Effect, ofAudio clip: String, _ index: Int) {
        let object = "\(clip), \(name(effect, index))"
        refusePassThrough(effect, object)
        if let reason = effect.unfitnessForAudio { return report(object, reason, effect.origin) }
        guard let filter = effect.filter else { return }
        check(filter, as: [.audioFilter], object, effect.origin)
    }

    private mutating func refusePassThrough(_ effect: Effect, _ object: String) {
        guard effect.isPassThrough else { return }
        report(object, Effect.misplacedPassThrough, effect.origin)
    }

    mutating func check(_ picture: PictureEffect, _ object: String, _ origin: Origin?) {
        switch picture {
        case .lut(let look):
            check(look.intensity, "intensity", 0...1, object, origin)
            guard let info = readable(DraftFile(look.path), object, origin) else { return }
            if let reason = Look.unfitness(of: info) { report(object, "‘\(look.path)’ \(reason)", origin) }
        case .sticker(let sticker):
            check(sticker.opacity, "opacity", 0...1, object, origin)
            if let problem = sticker.rect.keyValues.lazy.compactMap(Sticker.problem).first {
                report(object, problem, origin)
            }
            guard let info = readable(DraftFile(sticker.path), object, origin) else { return }
            if info.video == nil { report(object, "‘\(sticker.path)’ has no picture", origin) }
        case .title(let title):
            check(title.opacity, "opacity", 0...1, object, origin)
            for file in picture.files { _ = readable(file, object, origin) }
        case .filter(let filter): check(filter, as: [.filter, .audioFilter], object, origin)
        case .overlay(let overlay):
            check(overlay.opacity, "opacity", 0...1, object, origin)
            check(overlay.source, as: [.source], object, origin, over: overlay.rect?.size ?? draft.size(catalog))
            if let formats = catalog.effect(overlay.source.effectID)?.formats, formats == ["yuv420p8"] {
                report(
                    object, "‘\(overlay.source.effectID)’ makes pictures without alpha; use it as a clip (add_source)",
                    origin)
            }
        }
    }

    mutating func check(
        _ effect: PluginEffect, as kinds: [EffectDescriptor.Kind], _ object: String, _ origin: Origin?,
        over rectangle: Canvas.Size? = nil
    ) {
        note(DraftPluginUse(effect: effect, overlaySize: rectangle, object: object, origin: origin))
        for message in problems(of: effect, as: kinds) { report(object, message, origin) }
        for file in effect.files { _ = readable(file, object, origin) }
    }

    /// Why a plugin's effect cannot be used on this canvas.
    private func problems(of effect: PluginEffect, as kinds: [EffectDescriptor.Kind]) -> [String] {
        var problems = effect.problems(as: kinds, catalog.effects)
        let isPicture = catalog.effect(effect.effectID)?.kind != .audioFilter
        if draft.canvas.color.isHDR, isPicture, let formats = catalog.effect(effect.effectID)?.formats,
            !formats.contains("rgbaf32")
        {
            problems.append(
                "the canvas is \(draft.canvas.color.name), but ‘\(effect.effectID)’ works with 8 bits only "
                    + "(\(formats.joined(separator: ", "))); leave it out, or the canvas's ‘color’ at \"sdr\"")
        }
        return problems
    }

    mutating func check(
        _ animated: Animated, _ key: String, _ allowed: ClosedRange<Double>, _ object: String, _ origin: Origin?
    ) {
        for value in animated.keyValues {
            guard value.count == 1, allowed.contains(value[0]) else {
                let found = value.count == 1 ? Value.text(of: value[0]) : "a list of \(value.count) numbers"
                let bounds = "\(Value.text(of: allowed.lowerBound)) and \(Value.text(of: allowed.upperBound))"
                report(object, "‘\(key)’ is \(found), but must lie between \(bounds)", origin)
                return
            }
        }
    }

    /// Identifiers are the caller's names for things: two things of one list never share one.
    mutating func checkIDs() {
        checkIDs("clip", draft.clips.map { ($0.id, $0.origin) })
        checkIDs("audio", draft.audio.map { ($0.id, $0.origin) })
        checkIDs("effect", draft.effects.map { ($0.id, $0.origin) })
    }

    private mutating func checkIDs(_ list: String, _ objects: [(id: String?, origin: Origin?)]) {
        var seen: [String: Int] = [:]
        for (index, object) in objects.enumerated() {
            guard let id = object.id else { continue }
            if let first = seen[id] {
                report("\(list) \(index + 1)", "has the id ‘\(id)’, as \(list) \(first + 1) has", object.origin)
            } else {
                seen[id] = index
            }
        }
    }

    mutating func checkCanvas() {
        let size = draft.canvas.size ?? Canvas.Size(width: 16, height: 16)
        let sides = [size.width, size.height]
        if !sides.allSatisfy(Canvas.sizeRange.contains) || !sides.allSatisfy({ $0 % 2 == 0 }) {
            report("draft", "the size is \(size), but each side must be even and lie between 16 and 8192 pixels", nil)
        }
        if let reason = draft.canvas.frameRate.flatMap(Canvas.problem(ofFrameRate:)) { report("draft", reason, nil) }
    }
}

extension Look {
    /// Why a file cannot be a look-up table; nil where it can.
    static func unfitness(of info: MediaInfo) -> String? {
        if info.kind == .cube { return nil }
        let rule = "a look-up image is 512×512 pixels (8×8 tiles of 64×64) or a Hald image (8×8, 27×27, 64×64, …)"
        guard info.kind == .image, let picture = info.video else {
            return "is not a look-up table; \(rule), or a .cube file"
        }
        let side = picture.width
        let isHald = (2...16).contains { $0 * $0 * $0 == side }
        guard side == picture.height, isHald else { return "is \(picture.width)×\(picture.height) pixels; \(rule)" }
        return nil
    }
}

extension Effect {
    /// Why an audio clip cannot have it, as far as that can be said without its plugin; nil where it can.
    public var unfitnessForAudio: String? {
        if isTimeEffect {
            return "changes time, so it belongs in the draft's effect list; an audio clip has a ‘speed’ of its own"
        }
        return filter == nil
            ? "changes the picture, and an audio clip has none; put it into a clip's ‘effects’ or the draft's effect list"
            : nil
    }
}

extension PluginEffect {
    /// Why no such effect of one of these kinds can be used: it is not there, is of another kind, or its values are not what
    /// its descriptor says. Sentences without a subject.
    /// - Parameter kinds: filters are among them where the main track is, and only there.
    /// - Parameter others: ids of effects that are not described, for “did you mean”.
    public func problems(
        as kinds: [EffectDescriptor.Kind], _ effects: [EffectDescriptor], others: @autoclosure () -> [String] = []
    ) -> [String] {
        guard let descriptor = effects.first(where: { $0.id == effectID }) else {
            let builtIn =
                switch kinds {
                case [.transition]: Transition.Kind.builtIn.map(\.name)
                case [.source]: [String]()
                default: Effect.builtInKinds
                }
            let names = builtIn + effects.filter { kinds.contains($0.kind) }.map(\.id)
            return ["no plugin has an effect ‘\(effectID)’\(suggestion(for: effectID, in: names, others: others()))"]
        }
        guard kinds.contains(descriptor.kind) else {
            let wanted = kinds.map(\.forPeople).joined(separator: " or ")
            return ["‘\(effectID)’ is \(descriptor.kind.forPeople), but \(wanted) is needed"]
        }
        if descriptor.isKeyed, kinds.contains(.filter) {
            return [
                "‘\(effectID)’ is keyed by the sound of the main track, which it would be a part of here; put it into the "
                    + "‘effects’ of an audio clip (add_audio)"
            ]
        }
        if let refusal = descriptor.refusal { return ["‘\(effectID)’ cannot be used: \(refusal)"] }
        let names = descriptor.offeredParameters.map(\.id)
        return parameters.sorted { $0.key < $1.key }.compactMap { key, value in
            guard let parameter = descriptor.parameters.first(where: { $0.id == key }) else {
                return "has no parameter ‘\(key)’\(suggestion(for: key, in: names))"
            }
            return parameter.refusal(of: value).map { "‘\(key)’ \($0)" }
        }
    }
}
