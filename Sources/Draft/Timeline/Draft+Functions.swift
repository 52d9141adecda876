import Values

extension Draft {
    /// The draft with every function of time replaced by keyframes, one at every output frame that
    /// shows the object, so that workers never run a script.
    /// - Parameter sample: calls function number `function` with the object's own time in seconds.
    /// - Throws: ``Problems`` of a draft that has no timeline, or what `sample` throws.
    public func replacingFunctions(
        _ catalog: Catalog, sample: (_ function: Int, _ seconds: Double, _ object: String) throws(Problem) -> [Double]
    ) throws -> Draft {
        try replacingFunctions(catalog, isNested: false, sample: sample)
    }

    private func replacingFunctions(
        _ catalog: Catalog, isNested: Bool,
        sample: (_ function: Int, _ seconds: Double, _ object: String) throws(Problem) -> [Double]
    ) throws -> Draft {
        guard hasFunctions else { return self }
        let timeline = try Timeline(self, catalog: catalog, isNested: isNested)
        var result = self
        // Those of a draft in it at each frame of its own.
        try result.changeNested { draft, place in
            try draft.replacingFunctions(catalog, isNested: true) {
                (function: Int, seconds: Double, object: String) throws(Problem) -> [Double] in
                try sample(function, seconds, DraftPlace.name("\(place)", inside: object))
            }
        }
        try result.changeOwnUses { use in
            let place = use.place
            try use.changeValues { key, animated in
                guard case .function(let id) = animated else { return }
                var keys: [Keyframe] = []
                for time in timeline.sampleTimes(of: place) {
                    let value = try sample(id, time.seconds, place.description)
                    guard value.allSatisfy(\.isFinite), !value.isEmpty,
                        keys.first.map({ $0.value.count == value.count }) ?? true
                    else {
                        throw Problem(
                            place.description,
                            "the function of time of ‘\(key)’ gave no number at \(time.forPeople) s",
                            origin: origin(of: place))
                    }
                    keys.append(Keyframe(time: time, value: value))
                }
                animated = .keyframes(keys)
            }
        }
        return result
    }

    public var hasFunctions: Bool {
        uses.contains { $0.values.contains { if case .function = $0.value { true } else { false } } }
    }

    /// The functions that give a plugin's colours, by their numbers, in order.
    public func colorFunctions(_ catalog: Catalog) -> [Int] {
        var found = Set<Int>()
        for effect in uses.compactMap(\.plugin) {
            for parameter in catalog.effect(effect.effectID)?.parameters ?? [] where parameter.kind == .color {
                if case .numbers(.function(let id))? = effect.parameters[parameter.id] { found.insert(id) }
            }
        }
        return found.sorted()
    }
}

extension Timeline {
    /// The object's own times at all output frames that show it, each once, in order; zero alone
    /// where none does.
    fileprivate func sampleTimes(of place: DraftPlace) -> [Time] {
        let map: TimeMap
        switch place {
        case .clip(let index): map = local(ofClip: index)
        case .effect(let index): map = local(ofEffect: index)
        case .clipEffect(let index, let clip): map = local(ofEffect: index, ofClip: clip)
        case .layerEffect(let index, let layer): map = local(ofEffect: index, ofLayer: layer)
        case .transition(let clip): map = transition(intoClip: clip)
        case .audio(let index): map = local(ofAudio: index)
        case .audioEffect(let index, let audio): map = local(ofEffect: index, ofAudio: audio)
        case .inside: map = TimeMap([])
        }
        var times = Set<Time>()
        for piece in map.pieces {
            var frame = max(0, piece.timeline.start.frameIndex(rate: frameRate))
            while frame < frameCount, Time(frame: frame, rate: frameRate) < piece.timeline.end {
                let time = Time(frame: frame, rate: frameRate)
                // What is rendered may end in the first half of its last frame.
                let middle = min(Time(middleOfFrame: frame, rate: frameRate), rendered.duration - Time(flicks: 1))
                if piece.timeline.contains(middle) { times.insert(max(.zero, piece.content(at: time))) }
                frame += 1
            }
        }
        return times.isEmpty ? [.zero] : times.sorted()
    }
}
