/// What has a sound of its own that can key filters, or that keyed filters can act on.
enum SoundOwner: Hashable {
    case clip(Int)
    case audio(Int)
    /// The main track's mix, on which the effect list acts.
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
            case .clip, .audio, .transition: return nil
            }
            guard let id = effect.plugin?.effectID, catalog.effect(id)?.isKeyed == true else { return nil }
            return KeyedUse(place: place, owner: owner, effect: effect)
        }
    }

    /// The clips and audio clips with an id.
    public func soundOwners(called id: String) -> (clips: [Int], audio: [Int]) {
        (clips.indices.filter { clips[$0].id == id }, audio.indices.filter { audio[$0].id == id })
    }

    /// What keys a filter: those that it names, else the main track.
    func keys(of use: KeyedUse) -> [SoundOwner] {
        guard !use.effect.keys.isEmpty else { return [.main] }
        return use.effect.keys.flatMap { id in
            let owners = soundOwners(called: id)
            return owners.clips.map(SoundOwner.clip) + owners.audio.map(SoundOwner.audio)
        }
    }
}
