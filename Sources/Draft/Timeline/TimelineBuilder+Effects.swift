extension TimelineBuilder {
    mutating func check(_ effect: Effect, ofClip clip: String, _ index: Int) {
        let object = "\(clip), \(name(effect, index))"
        guard case .picture(let picture) = effect.kind else {
            report(
                object, "changes time, so it belongs in the draft's effect list; a clip has a ‘speed’ of its own",
                effect.origin)
            return
        }
        check(picture, object, effect.origin)
    }

    mutating func check(_ picture: PictureEffect, _ object: String, _ origin: Origin?) {
        switch picture {
        case .lut(let look):
            check(look.intensity, "intensity", 0...1, object, origin)
            guard let info = readable(look.path, object, origin) else { return }
            if let reason = Look.unfitness(of: info) { report(object, "‘\(look.path)’ \(reason)", origin) }
        case .sticker(let sticker):
            check(sticker.opacity, "opacity", 0...1, object, origin)
            guard let info = readable(sticker.path, object, origin) else { return }
            if info.video == nil { report(object, "‘\(sticker.path)’ has no picture", origin) }
        case .title(let title):
            check(title.opacity, "opacity", 0...1, object, origin)
        case .filter(let filter):
            for message in problems(of: filter, as: .filter) { report(object, message, origin) }
        }
    }

    /// Why a plugin's effect cannot be used on this canvas.
    func problems(of effect: ExternalFilter, as kind: EffectDescriptor.Kind) -> [String] {
        var problems = effect.problems(as: kind, catalog.effects)
        if draft.canvas.color.isHDR, let formats = catalog.effect(effect.effectID)?.formats, !formats.contains("rgbaf32") {
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

extension ExternalFilter {
    /// Why no such effect of this kind can be used: it is not there, is of another kind, or its values are not what its
    /// descriptor says. Sentences without a subject.
    public func problems(as kind: EffectDescriptor.Kind, _ effects: [EffectDescriptor]) -> [String] {
        guard let descriptor = effects.first(where: { $0.id == effectID }) else {
            let builtIn = kind == .transition ? Transition.Kind.builtIn.map(\.name) : Effect.builtInKinds
            let names = builtIn + effects.filter { $0.kind == kind }.map(\.id)
            return ["no plugin has an effect ‘\(effectID)’\(suggestion(for: effectID, in: names))"]
        }
        guard descriptor.kind == kind else { return ["‘\(effectID)’ is \(descriptor.kind.forPeople), but \(kind.forPeople) is needed"] }
        let names = descriptor.parameters.map(\.id)
        return parameters.sorted { $0.key < $1.key }.compactMap { key, value in
            guard let parameter = descriptor.parameters.first(where: { $0.id == key }) else {
                return "has no parameter ‘\(key)’\(suggestion(for: key, in: names))"
            }
            return parameter.refusal(of: value).map { "‘\(key)’ \($0)" }
        }
    }
}
