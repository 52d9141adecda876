extension Draft {
    /// Everything that the draft uses, in the order of ``places``, what the drafts in it use among
    /// it.
    public var uses: [DraftUse] {
        places.flatMap { place in
            let inner = nested(at: place)?.draft.uses ?? []
            return (content(at: place).map { [DraftUse($0, at: place)] } ?? [])
                + inner.map { DraftUse($0.content, at: .inside(place, $0.place)) }
        }
    }

    /// The same without that of the drafts in it.
    var ownUses: [DraftUse] { places.compactMap { place in content(at: place).map { DraftUse($0, at: place) } } }

    /// Lets `change` put other files, plugins or values in the place of each of ``uses``.
    public mutating func changeUses(_ change: (inout DraftUse) throws -> Void) rethrows {
        try changeNested { inner, place in
            var draft = inner
            try draft.changeUses { use in
                var seen = DraftUse(use.content, at: .inside(place, use.place))
                try change(&seen)
                use.content = seen.content
            }
            return draft
        }
        try changeOwnUses(change)
    }

    /// The same without those of the drafts in it.
    mutating func changeOwnUses(_ change: (inout DraftUse) throws -> Void) rethrows {
        for place in places {
            guard let content = content(at: place) else { continue }
            var use = DraftUse(content, at: place)
            try change(&use)
            put(use.content, at: place)
        }
    }

    /// nil where nothing there has a file, a plugin or a value that may change: a built-in
    /// transition, a change of time.
    func content(at place: DraftPlace) -> DraftUse.Content? {
        switch place {
        case .clip(let index): return .clip(clips[index])
        case .transition(let clip): return clips[clip].transition?.plugin.map { .transition($0) }
        case .audio(let index): return .file(DraftFile(audio[index].path), sound: audio[index].sound)
        case .clipEffect(let index, let clip): return clips[clip].effects[index].use
        case .audioEffect(let index, let clip): return audio[clip].effects[index].use
        case .effect(let index): return effects[index].use
        case .layerEffect(let index, let layer): return effects[layer].layer?.clip.effects[index].use
        case .inside(let holder, let inner): return nested(at: holder)?.draft.content(at: inner)
        }
    }

    private mutating func put(_ content: DraftUse.Content, at place: DraftPlace) {
        switch (place, content) {
        case (.clip(let index), .clip(let clip)): clips[index] = clip
        case (.transition(let clip), .transition(let effect)): clips[clip].transition?.kind = .plugin(effect)
        case (.audio(let index), .file(let file, let sound)):
            (audio[index].path, audio[index].sound) = (file.path, sound)
        case (.clipEffect(let index, let clip), _): clips[clip].effects[index].put(content)
        case (.audioEffect(let index, let clip), _): audio[clip].effects[index].put(content)
        case (.effect(let index), _): effects[index].put(content)
        case (.layerEffect(let index, let layer), _):
            guard case .layer(var changed) = effects[layer].kind else { return }
            changed.clip.effects[index].put(content)
            effects[layer].kind = .layer(changed)
        default: break
        }
    }

    /// Every file that the draft names, each once, in the order of first use.
    public var files: [DraftFile] {
        var seen = Set<DraftFile>()
        return uses.flatMap(\.files).filter { seen.insert($0).inserted }
    }

    /// The ids of the plugins' effects that the draft names, each once, in the order of first use.
    public var pluginIDs: [String] {
        var seen = Set<String>()
        return uses.compactMap { $0.plugin?.effectID }.filter { seen.insert($0).inserted }
    }
}

extension Effect {
    /// nil where the entry changes time.
    fileprivate var use: DraftUse.Content? {
        switch kind {
        case .speed, .repeat: nil
        case .picture(let effect): .picture(effect)
        case .sound(let effect): .sound(effect)
        case .layer(let layer): .layer(layer)
        }
    }

    fileprivate mutating func put(_ content: DraftUse.Content) {
        switch content {
        case .picture(let effect): kind = .picture(effect)
        case .sound(let effect): kind = .sound(effect)
        case .layer(let layer): kind = .layer(layer)
        case .clip, .file, .transition: break
        }
    }
}
