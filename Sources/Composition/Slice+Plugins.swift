import Values

extension Slice {
    /// The paths of the libraries of the effects that act in it.
    public var libraries: Set<String> {
        Set(instructions.flatMap(\.uses).compactMap { effects[$0.effect].plugin?.path })
            .union((drafts ?? []).flatMap(\.libraries))
    }

    /// An effect in it may make another picture each time.
    var isUncertain: Bool {
        effects.contains { $0.plugin?.isUncertain == true } || drafts?.contains(where: \.isUncertain) == true
    }

    /// The same frames without a plugin's effect, wherever the slice uses it: the picture passes
    /// through, a transition becomes a dissolve, and a generated clip shows the background. What is
    /// warmed up or looked around for stays as it was.
    /// - Parameters:
    ///   - id: the effect's; empty: all effects of the library.
    ///   - library: its path.
    /// - Returns: nil where the slice does not use it.
    public func leavingOut(_ id: String, of library: String) -> Slice? {
        let unwanted = Set(
            effects.indices.filter { index in
                guard let effect = effects[index].content.plugin, effects[index].plugin?.path == library else {
                    return false
                }
                return id.isEmpty || effect.effectID == id
            })
        var slice = self
        for index in slice.instructions.indices { slice.instructions[index].leaveOut(unwanted) }
        slice.drafts = drafts?.map { $0.leavingOut(id, of: library) ?? $0 }
        return slice.instructions == instructions && slice.drafts == drafts ? nil : slice
    }
}

extension Instruction {
    /// - Parameter unwanted: numbers of effects.
    fileprivate mutating func leaveOut(_ unwanted: Set<Int>) {
        effects.removeAll { unwanted.contains($0.effect) }
        self = mapClips { clip in
            var clip = clip
            clip.effects.removeAll { unwanted.contains($0.effect) }
            if let use = clip.generator, unwanted.contains(use.effect) { clip.generator = nil }
            return clip
        }
        if case .effect(let number)? = transition?.style, unwanted.contains(number) {
            transition?.style = .builtIn(.dissolve)
        }
    }
}

extension SoundMix {
    /// The paths of the libraries of the filters that act in it.
    public var libraries: Set<String> {
        Set(actingUses.map { processing.filters[$0.filter].plugin.path }).union((drafts ?? []).flatMap(\.libraries))
    }

    /// The same sound without a plugin's effect, wherever it is used: the sound goes past it.
    /// - Parameters:
    ///   - id: the effect's; empty: all effects of the library.
    ///   - library: its path.
    /// - Returns: nil where the job does not use it.
    public func leavingOut(_ id: String, of library: String) -> SoundMix? {
        var job = self
        let unwanted = numbers(of: id, of: library)
        let removed = processing.main.indices.filter { unwanted.contains(processing.main[$0].filter) }
        job.processing.main.removeAll { unwanted.contains($0.filter) }
        for index in job.processing.voices.indices {
            if let entry = job.processing.voices[index].entry {
                let left = entry - removed.count { $0 < entry }
                job.processing.voices[index].entry = left > 0 ? left : nil
            }
            job.processing.voices[index].filters.removeAll { unwanted.contains($0.filter) }
        }
        job.drafts = drafts?.map { $0.leavingOut(id, of: library) ?? $0 }
        return job.processing == processing && job.drafts == drafts ? nil : job
    }

    /// Returns from where to where in the output the effect is used; nil where it is not.
    public func range(of id: String, of library: String) -> TimeRange? {
        let numbers = numbers(of: id, of: library)
        let uses = actingUses.filter { numbers.contains($0.filter) }
        let ranges = uses.flatMap(\.stretches).map(\.range)
        return ranges.dropFirst().reduce(ranges.first) { $0?.union($1) }?.shifted(by: placeTime)
    }

    private func numbers(of id: String, of library: String) -> Set<Int> {
        Set(
            processing.filters.indices.filter { index in
                let filter = processing.filters[index]
                return filter.plugin.path == library && (id.isEmpty || filter.filter.effectID == id)
            })
    }
}
