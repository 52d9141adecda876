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
        try result.forEachAnimated { animated, place in
            guard case .function(let id) = animated else { return }
            var keys: [Keyframe] = []
            for time in timeline.sampleTimes(of: place) {
                let value = try sample(id, time.seconds, place.name)
                guard value.allSatisfy(\.isFinite), !value.isEmpty,
                    keys.first.map({ $0.value.count == value.count }) ?? true
                else {
                    throw Problem(place.name, "its function of time gave no number at \(time.forPeople) s")
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

    mutating func forEachAnimated(_ body: (inout Animated, AnimatedPlace) throws -> Void) rethrows {
        for i in clips.indices {
            try body(&clips[i].volume, .clip(i))
            if case .generated(var source, let duration) = clips[i].content {
                try source.forEachAnimated { try body(&$0, .clip(i)) }
                clips[i].content = .generated(source, duration: duration)
            }
            if case .plugin(var effect)? = clips[i].transition?.kind {
                try effect.forEachAnimated { try body(&$0, .transition(i)) }
                clips[i].transition?.kind = .plugin(effect)
            }
            for j in clips[i].effects.indices {
                try clips[i].effects[j].kind.forEachAnimated { try body(&$0, .clipEffect(j, clip: i)) }
            }
        }
        for i in audio.indices {
            try body(&audio[i].volume, .audio(i))
            for j in audio[i].effects.indices {
                try audio[i].effects[j].kind.forEachAnimated { try body(&$0, .audioEffect(j, audio: i)) }
            }
        }
        for i in effects.indices { try effects[i].kind.forEachAnimated { try body(&$0, .effect(i)) } }
    }
}

extension Effect.Kind {
    fileprivate mutating func forEachAnimated(_ body: (inout Animated) throws -> Void) rethrows {
        guard case .picture(var picture) = self else { return }
        switch picture {
        case .lut(var look):
            try body(&look.intensity)
            picture = .lut(look)
        case .sticker(var sticker):
            try body(&sticker.rect)
            try body(&sticker.opacity)
            picture = .sticker(sticker)
        case .title(var title):
            try body(&title.opacity)
            picture = .title(title)
        case .filter(var filter):
            try filter.forEachAnimated(body)
            picture = .filter(filter)
        case .overlay(var overlay):
            try overlay.source.forEachAnimated(body)
            try body(&overlay.opacity)
            picture = .overlay(overlay)
        }
        self = .picture(picture)
    }
}

extension ExternalFilter {
    fileprivate mutating func forEachAnimated(_ body: (inout Animated) throws -> Void) rethrows {
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard case .numbers(var animated) = value else { continue }
            try body(&animated)
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
