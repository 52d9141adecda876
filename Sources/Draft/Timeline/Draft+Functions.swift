extension Draft {
    /// The draft with every function of time replaced by keyframes, one at every output frame that shows the object, so
    /// that workers never run a script.
    /// - Parameter sample: calls function number `function` with the object's own time in seconds.
    /// - Throws: ``Problems`` of a draft that has no timeline, or what `sample` throws.
    public func replacingFunctions(
        _ catalog: Catalog, sample: (_ function: Int, _ seconds: Double, _ object: String) throws(Problem) -> [Double]
    ) throws -> Draft {
        guard hasFunctions else { return self }
        let timeline = try Timeline(self, catalog: catalog)
        var result = self
        try result.forEachAnimated { animated, use in
            guard case .function(let id) = animated else { return }
            let place = use.place
            var keys: [Keyframe] = []
            for time in timeline.sampleTimes(of: place) {
                let value = try sample(id, time.seconds, place.name)
                guard value.allSatisfy(\.isFinite), !value.isEmpty,
                    keys.first.map({ $0.value.count == value.count }) ?? true
                else {
                    throw Problem(
                        place.name, "the function of time of ‘\(use.key)’ gave no number at \(time.forPeople) s",
                        origin: origin(of: place))
                }
                keys.append(Keyframe(time: time, value: value))
            }
            animated = .keyframes(keys)
        }
        return result
    }

    public var hasFunctions: Bool {
        var copy = self
        var found = false
        copy.forEachAnimated { animated, _ in if case .function = animated { found = true } }
        return found
    }

    /// The functions that give a plugin's colours, by their numbers, in order.
    public func colorFunctions(_ catalog: Catalog) -> [Int] {
        var copy = self
        var found = Set<Int>()
        copy.forEachAnimated { animated, use in
            guard case .function(let id) = animated, let effect = use.effectID.flatMap(catalog.effect) else { return }
            if effect.parameters.contains(where: { $0.id == use.key && $0.kind == .color }) { found.insert(id) }
        }
        return found.sorted()
    }

    /// Whose value it is, and what it is called there.
    struct AnimatedUse {
        var place: AnimatedPlace
        var key: String
        /// Where it is a parameter.
        var effectID: String?
    }

    private func origin(of place: AnimatedPlace) -> Origin? {
        switch place {
        case .clip(let index), .transition(let index): clips[index].origin
        case .audio(let index): audio[index].origin
        case .effect(let index): effects[index].origin
        case .clipEffect(let index, let clip): clips[clip].effects[index].origin ?? clips[clip].origin
        case .audioEffect(let index, let clip): audio[clip].effects[index].origin ?? audio[clip].origin
        }
    }

    enum AnimatedPlace {
        case clip(Int)
        case audio(Int)
        case effect(Int)
        case clipEffect(Int, clip: Int)
        case audioEffect(Int, audio: Int)
        /// Into this clip.
        case transition(Int)

        var name: String {
            switch self {
            case .clip(let index): "clip \(index + 1)"
            case .audio(let index): "audio \(index + 1)"
            case .effect(let index): "effect \(index + 1)"
            case .clipEffect(let index, let clip): "clip \(clip + 1), effect \(index + 1)"
            case .audioEffect(let index, let audio): "audio \(audio + 1), effect \(index + 1)"
            case .transition(let clip): "clip \(clip + 1), transition"
            }
        }
    }

    mutating func forEachAnimated(_ body: (inout Animated, AnimatedUse) throws -> Void) rethrows {
        for i in clips.indices {
            try body(&clips[i].volume, AnimatedUse(place: .clip(i), key: "volume"))
            if case .generated(var source, let duration) = clips[i].content {
                try source.forEachAnimated(.clip(i), body)
                clips[i].content = .generated(source, duration: duration)
            }
            if case .plugin(var effect)? = clips[i].transition?.kind {
                try effect.forEachAnimated(.transition(i), body)
                clips[i].transition?.kind = .plugin(effect)
            }
            for j in clips[i].effects.indices {
                try clips[i].effects[j].kind.forEachAnimated(.clipEffect(j, clip: i), body)
            }
        }
        for i in audio.indices {
            try body(&audio[i].volume, AnimatedUse(place: .audio(i), key: "volume"))
            for j in audio[i].effects.indices {
                try audio[i].effects[j].kind.forEachAnimated(.audioEffect(j, audio: i), body)
            }
        }
        for i in effects.indices { try effects[i].kind.forEachAnimated(.effect(i), body) }
    }
}

extension Effect.Kind {
    fileprivate mutating func forEachAnimated(
        _ place: Draft.AnimatedPlace, _ body: (inout Animated, Draft.AnimatedUse) throws -> Void
    ) rethrows {
        guard case .picture(var picture) = self else { return }
        func use(_ key: String) -> Draft.AnimatedUse { Draft.AnimatedUse(place: place, key: key) }
        switch picture {
        case .lut(var look):
            try body(&look.intensity, use("intensity"))
            picture = .lut(look)
        case .sticker(var sticker):
            try body(&sticker.rect, use("rect"))
            try body(&sticker.opacity, use("opacity"))
            picture = .sticker(sticker)
        case .title(var title):
            try body(&title.opacity, use("opacity"))
            picture = .title(title)
        case .filter(var filter):
            try filter.forEachAnimated(place, body)
            picture = .filter(filter)
        case .overlay(var overlay):
            try overlay.source.forEachAnimated(place, body)
            try body(&overlay.opacity, use("opacity"))
            picture = .overlay(overlay)
        }
        self = .picture(picture)
    }
}

extension PluginEffect {
    fileprivate mutating func forEachAnimated(
        _ place: Draft.AnimatedPlace, _ body: (inout Animated, Draft.AnimatedUse) throws -> Void
    ) rethrows {
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard case .numbers(var animated) = value else { continue }
            try body(&animated, Draft.AnimatedUse(place: place, key: key, effectID: effectID))
            parameters[key] = .numbers(animated)
        }
    }
}

extension Timeline {
    /// The object's own times at all output frames that show it, each once, in order; zero alone where none does.
    fileprivate func sampleTimes(of place: Draft.AnimatedPlace) -> [Time] {
        let map: TimeMap
        switch place {
        case .clip(let index): map = local(ofClip: index)
        case .effect(let index): map = local(ofEffect: index)
        case .clipEffect(let index, let clip): map = local(ofEffect: index, ofClip: clip)
        case .transition(let clip): map = transition(intoClip: clip)
        case .audio(let index): map = local(ofAudio: index)
        case .audioEffect(let index, let audio): map = local(ofEffect: index, ofAudio: audio)
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
