/// What has a sound of its own that can key filters, or that keyed filters can act on.
enum SoundOwner: Hashable {
    case clip(Int)
    case audio(Int)
    /// An entry of the effect list.
    case layer(Int)
    /// The main track's mix with the layers, on which the effect list acts.
    case main
}

extension Draft {
    /// A filter that may be keyed, where it is, and whose sound it acts on.
    struct KeyedUse {
        var place: DraftPlace
        var owner: SoundOwner
        var effect: Effect
    }

    /// The plugins' filters that are keyed.
    func keyedUses(_ catalog: Catalog) -> [KeyedUse] {
        places.compactMap { place in
            let (owner, effect): (SoundOwner, Effect)
            switch place {
            case .clipEffect(let index, let clip): (owner, effect) = (.clip(clip), clips[clip].effects[index])
            case .audioEffect(let index, let clip): (owner, effect) = (.audio(clip), audio[clip].effects[index])
            case .effect(let index): (owner, effect) = (.main, effects[index])
            case .layerEffect(let index, let layer):
                guard let own = effects[layer].layer?.clip.effects[index] else { return nil }
                (owner, effect) = (.layer(layer), own)
            case .clip, .audio, .transition, .inside: return nil
            }
            guard let id = effect.plugin?.effectID, catalog.effect(id)?.isKeyed == true else { return nil }
            return KeyedUse(place: place, owner: owner, effect: effect)
        }
    }

    /// The clips, audio clips and layers with an id.
    func soundOwners(called id: String) -> [SoundOwner] {
        clips.indices.filter { clips[$0].id == id }.map(SoundOwner.clip)
            + audio.indices.filter { audio[$0].id == id }.map(SoundOwner.audio)
            + effects.indices.filter { effects[$0].id == id && effects[$0].layer != nil }.map(SoundOwner.layer)
    }

    /// The ids that a filter's key may be.
    var soundIDs: [String] {
        clips.compactMap(\.id) + audio.compactMap(\.id) + effects.filter { $0.layer != nil }.compactMap(\.id)
    }

    /// What keys a filter: those that it names, else the main track.
    func keys(of use: KeyedUse) -> [SoundOwner] {
        guard !use.effect.keys.isEmpty else { return [.main] }
        return use.effect.keys.flatMap { soundOwners(called: $0) }
    }
}
