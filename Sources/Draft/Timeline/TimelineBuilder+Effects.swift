import Values

extension TimelineBuilder {
    /// What plugins may do in the effect list, and in a main track's clip.
    static let mainTrackKinds: [EffectDescriptor.Kind] = [.filter, .audioFilter]

    /// - Parameter owner: the clip's name in problems.
    mutating func checkEffect(_ number: Int, of clip: Clip, _ owner: String) {
        let effect = clip.effects[number]
        let object = "\(owner), \(effect.name(number))"
        refusePassThrough(effect, object)
        if let reason = clip.refusal(of: effect) { report(object, reason, effect.origin) }
        switch effect.kind {
        case .speed, .repeat: break
        case .picture(.subtitles(let subtitles)) where subtitles.form == .track:
            report(object, "a track of the file belongs in the draft's effect list, not to a clip", effect.origin)
        case .picture(let picture): check(picture, as: Self.mainTrackKinds, object, effect)
        case .sound(let filter):
            check(filter, of: effect, as: Self.mainTrackKinds, object)
        case .layer: report(object, Effect.misplacedLayer, effect.origin)
        }
    }

    /// - Parameter owner: the clip's name in problems.
    mutating func checkEffect(_ number: Int, of clip: AudioClip, _ owner: String) {
        let effect = clip.effects[number]
        let object = "\(owner), \(effect.name(number))"
        refusePassThrough(effect, object)
        if let reason = effect.unfitnessForAudio { return report(object, reason, effect.origin) }
        switch effect.kind {
        case .picture(let picture): check(picture, as: [.audioFilter], object, effect)
        case .sound(let filter): check(filter, of: effect, as: [.audioFilter], object)
        case .speed, .repeat, .layer: break
        }
    }

    private mutating func refusePassThrough(_ effect: Effect, _ object: String) {
        guard effect.isPassThrough else { return }
        report(object, Effect.misplacedPassThrough, effect.origin)
    }

    /// - Parameters:
    ///   - kinds: what a plugin may do in its place.
    ///   - entry: the one that the picture's effect is.
    mutating func check(
        _ picture: PictureEffect, as kinds: [EffectDescriptor.Kind], _ object: String, _ entry: Effect
    ) {
        let origin = entry.origin
        switch picture {
        case .lut(let look):
            check(look.intensity, "intensity", 0...1, object, entry.origin(of: "intensity"))
            guard let info = readable(DraftFile(look.path), object, origin) else { return }
            if let reason = Look.unfitness(of: info) { report(object, "‘\(look.path)’ \(reason)", origin) }
        case .sticker(let sticker):
            check(sticker.opacity, "opacity", 0...1, object, entry.origin(of: "opacity"))
            if let problem = sticker.rect.keyValues.lazy.compactMap(Sticker.problem).first {
                report(object, problem, entry.origin(of: "rect"))
            }
            guard let info = readable(DraftFile(sticker.path), object, origin) else { return }
            if info.video == nil { report(object, "‘\(sticker.path)’ has no picture", origin) }
            warnOfPlace(sticker.rect, object, entry)
        case .title(let title):
            check(title.opacity, "opacity", 0...1, object, entry.origin(of: "opacity"))
            checkMotion(title, object, entry)
            for file in picture.files { _ = readable(file, object, origin) }
            if !warnOfPlace(title, object, entry) { warnOfOverhang(title, object, entry) }
            warnOfFont(title, object, entry)
            warnOfNoText(title, object, entry)
            warnOfMarkup(title, object, entry)
        case .subtitles(let subtitles): check(subtitles, object, entry)
        case .filter(let filter): check(filter, as: kinds, saying: .filter, object, origin)
        case .overlay(let overlay):
            check(overlay.opacity, "opacity", 0...1, object, entry.origin(of: "opacity"))
            check(overlay.source, as: [.source], object, origin)
            if let rect = overlay.rect { warnOfPlace(.constant(rect.numbers.map(Double.init)), object, entry) }
            if let formats = catalog.effect(overlay.source.effectID)?.formats, formats == ["yuv420p8"] {
                report(
                    object, "‘\(overlay.source.effectID)’ makes pictures without alpha; use it as a clip (add_source)",
                    origin)
            }
        }
    }

    /// An entry that changes sound.
    /// - Parameter kinds: what a plugin may do in this place.
    mutating func check(
        _ filter: PluginEffect, of entry: Effect, as kinds: [EffectDescriptor.Kind], _ object: String
    ) {
        check(filter, as: kinds, saying: .audioFilter, hasKey: !entry.keys.isEmpty, object, entry.origin)
        checkKeys(entry, object)
    }

    /// - Parameters:
    ///   - kinds: what a plugin may do in this place.
    ///   - kind: what the entry says that it does, where an entry says that.
    ///   - hasKey: the entry names what keys it.
    mutating func check(
        _ effect: PluginEffect, as kinds: [EffectDescriptor.Kind], saying kind: EffectDescriptor.Kind? = nil,
        hasKey: Bool = false, _ object: String, _ origin: Origin?
    ) {
        // The nearest of all names takes a while to find.
        if isFull, catalog.effect(effect.effectID) == nil { return report(object, "", origin) }
        for message in effect.problems(as: kinds, saying: kind, hasKey: hasKey, catalog.effects) {
            report(object, message, origin)
        }
        if kind != .audioFilter, let reason = unfitnessForCanvas(effect) { report(object, reason, origin) }
        for file in effect.files { _ = readable(file, object, origin) }
        warnOfExpected(effect, object, origin)
    }

    /// Why a plugin's effect on pictures cannot be used on this canvas; nil where it can.
    private func unfitnessForCanvas(_ effect: PluginEffect) -> String? {
        guard draft.canvas.color.isHDR, let descriptor = catalog.effect(effect.effectID),
            descriptor.kind != .audioFilter, !descriptor.formats.contains("rgbaf32")
        else { return nil }
        return "the canvas is \(draft.canvas.color.name), but ‘\(effect.effectID)’ works with 8 bits only "
            + "(\(descriptor.formats.joined(separator: ", "))); leave it out, or the canvas's ‘color’ at \"sdr\""
    }

    mutating func check(
        _ animated: Animated, _ key: String, _ allowed: ClosedRange<Double>, _ object: String, _ origin: Origin?
    ) {
        guard let value = animated.keyValues.first(where: { $0.count != 1 || !allowed.contains($0[0]) }) else { return }
        let bounds = "between \(Value.text(of: allowed.lowerBound)) and \(Value.text(of: allowed.upperBound))"
        let problem =
            value.count == 1
            ? "is \(Value.text(of: value[0])), but must lie \(bounds)"
            : "is a list of \(value.count) numbers, but must be one number \(bounds), or keyframes such as { { 0, 1 }, { 2, 0.5 } }"
        report(object, "‘\(key)’ \(problem)", origin)
    }

    mutating func checkSound(of clip: some Sounding, _ object: String) {
        ClipSound.options.checkRanges(of: clip.sound) { check($1, $0, $2, object, clip.origin(of: $0)) }
        warnOfLoudness(clip.sound.volume, object, clip.origin(of: "volume"))
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
            report(
                "draft", "the size is \(size), but each side must be even and lie between 16 and 8192 pixels",
                draft.origin)
        }
        if let reason = draft.canvas.frameRate.flatMap(Canvas.problem(ofFrameRate:)) {
            report("draft", reason, draft.origin)
        }
        if !isNested, let background = draft.canvas.wishedBackground, background.alpha < 255 {
            report(
                "draft",
                "the ‘background’ is \(background), which is not opaque, but a rendered picture has no transparency; "
                    + "choose an opaque colour, or show the draft in another one",
                draft.backgroundOrigin ?? draft.origin)
        }
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
