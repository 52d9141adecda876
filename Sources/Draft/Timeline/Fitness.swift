import Values

extension Effect {
    /// Why an audio clip cannot have it, as far as that can be said without its plugin; nil where
    /// it can.
    public var unfitnessForAudio: String? {
        switch kind {
        case .speed, .repeat:
            "changes time, so it belongs in the draft's effect list; an audio clip has a ‘speed’ of its own"
        // A plugin's filter is refused for what its plugin says that it is.
        case .sound, .picture(.filter): nil
        case .layer: "is a layer, which is for the draft's effect list"
        case .picture:
            "changes the picture, and an audio clip has none; put it into a clip's ‘effects’ or the draft's effect list"
        }
    }
}

extension Clip {
    /// Why no entry that changes sound can be in its own list; nil where one can.
    public var unfitnessForSound: String? {
        isMedia
            ? nil
            : "changes sound, and \(isImage ? "an image" : color != nil ? "a colour" : "what is generated") has none; leave it out"
    }
}

extension PluginEffect {
    /// Why no such effect of one of these kinds can be used: it is not there, is of another kind,
    /// or its values are not what its descriptor says. Sentences without a subject.
    /// - Parameters:
    ///   - kinds: filters are among them where the main track is, and only there.
    ///   - said: the kind that the entry itself says, where it does.
    ///   - hasKey: the entry names what keys it.
    ///   - others: ids of effects that are not described, for “did you mean”.
    public func problems(
        as kinds: [EffectDescriptor.Kind], saying said: EffectDescriptor.Kind? = nil, hasKey: Bool = false,
        _ effects: [EffectDescriptor], others: @autoclosure () -> [String] = []
    ) -> [String] {
        guard let descriptor = effects.first(where: { $0.id == effectID }) else {
            let builtIn =
                switch kinds {
                case [.transition]: Transition.Kind.builtIn.map(\.name)
                case [.source]: [String]()
                default: Effect.builtInKinds
                }
            let names = builtIn + effects.filter { kinds.contains($0.kind) }.map(\.id)
            return [
                "no plugin has an effect ‘\(effectID)’\(suggestion(for: effectID, in: names, others: others(), otherNames: .effects))"
            ]
        }
        guard kinds.contains(descriptor.kind) else {
            let wanted = kinds.map(\.forPeople).joined(separator: " or ")
            return ["‘\(effectID)’ is \(descriptor.kind.forPeople), but \(wanted) is needed"]
        }
        if let said, said != descriptor.kind {
            return [
                "‘\(effectID)’ is \(descriptor.kind.forPeople), but the entry's kind is ‘\(said.rawValue)’; "
                    + "make that ‘\(descriptor.kind.rawValue)’"
            ]
        }
        if descriptor.isKeyed, !hasKey, kinds.contains(.filter) {
            return [
                "‘\(effectID)’ is keyed by the sound of the main track, which it would be a part of here; put it into the "
                    + "‘effects’ of an audio clip (add_audio), or name what is to key it with ‘key’, the id of a clip or an audio clip"
            ]
        }
        if let refusal = descriptor.refusal { return ["‘\(effectID)’ cannot be used: \(refusal)"] }
        // Filters have a range; what makes or joins clips has not.
        let isFilter = [.filter, .audioFilter].contains(descriptor.kind)
        let names =
            descriptor.offeredParameters.map(\.id) + (descriptor.isKeyed ? ["key"] : []) + (isFilter ? ["range"] : [])
        let otherNames = isFilter ? OtherNames.effect(effectID) : nil
        return parameters.sorted { $0.key < $1.key }.compactMap { key, value in
            guard let parameter = descriptor.parameters.first(where: { $0.id == key }) else {
                return "has no parameter ‘\(key)’\(suggestion(for: key, in: names, otherNames: otherNames))"
            }
            return parameter.refusal(of: value).map { "‘\(key)’ \($0)" }
        }
    }
}
