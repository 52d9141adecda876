import Draft
import Values

extension Composer {
    /// The sound of the main track's clips, in the order of the clips and then of time.
    mutating func clipSound(_ tracks: Tracks, end: Time) -> [SoundSpan] {
        let strips = Dictionary(grouping: tracks.strips.joined(), by: \.clip)
        let fades = Dictionary(grouping: tracks.overlaps, by: \.clip).mapValues { TimeMap($0.map(\.clock)) }
        var spans: [SoundSpan] = []
        for placed in timeline.clips where placed.info?.audio != nil && placed.clip.isMedia {
            let overhang = timeline.overhang(ofClip: placed.index)
            let (heard, clocks) =
                overhang == .none
                ? (
                    TimeMap(strips[placed.index, default: []].map(\.heard)),
                    TimeMap(strips[placed.index, default: []].map(\.local))
                )
                : (timeline.sound(ofClip: placed.index), timeline.soundClock(ofClip: placed.index))
            guard !heard.pieces.isEmpty, let file = number(ofContent: placed, placed.clip.audioTrack) else { continue }
            let pieces = heard.coalesced().pieces.filter { $0.timeline.start < end }
            let filters = placed.clip.effects.indices.compactMap { number in
                filter(
                    placed.clip.effects[number], timeline.range(ofEffect: number, ofClip: placed.index),
                    timeline.soundClock(ofEffect: number, ofClip: placed.index), on: .init(placed))
            }
            for (number, piece) in pieces.enumerated() {
                guard let clock = clocks.piece(at: piece.timeline.start) else { continue }
                if number == 0 || pieces[number - 1].timeline.end < piece.timeline.start {
                    addVoice(of: placed.clip.id, isMain: true, filters, in: pieces[number...].run)
                }
                // What is heard before a transition does not come with it, nor go with it what is
                // heard after.
                let sides = [(placed.index, true, overhang.lead), (placed.index + 1, false, overhang.tail)]
                for run in placed.runs(piece) where run.range.start < end {
                    let crossfades = sides.filter { $0.2 == .zero }.compactMap { index, rises, _ in
                        // One for each side: what was joined into one span may still be two pieces
                        // of the transition.
                        fades[index]?.pieces(in: run.range).first.map {
                            SoundSpan.Crossfade(clock: $0, duration: timeline.clips[index].overlap, rises: rises)
                        }
                    }
                    let gain = SoundSpan.Gain(
                        placed.clip.sound, clock: clock, length: placed.timeline.duration,
                        lead: overhang.lead == .zero ? nil : overhang.lead,
                        tail: overhang.tail == .zero ? nil : overhang.tail, crossfades: crossfades)
                    spans.append(SoundSpan(run, file: file, voice: processing.voices.count - 1, gain: gain))
                }
            }
        }
        return spans
    }

    /// Music and voices, which lie on the final timeline: one span for each pass of a loop.
    mutating func musicSound(end: Time) -> [SoundSpan] {
        var spans: [SoundSpan] = []
        let final = timeline.maps[timeline.maps.count - 1]
        for placed in timeline.audio where placed.clip.startTime < timeline.duration {
            let clip = placed.clip
            guard let file = number(of: DraftFile(clip.path), clip.audioTrack) else { continue }
            // What reaches past the draft's end is cut off, so a fade-out ends there.
            let range = TimeRange(start: clip.startTime, duration: timeline.heardDuration(ofAudio: placed.index))
            guard let clock = timeline.local(ofAudio: placed.index).pieces.first else { continue }
            let filters = clip.effects.indices.compactMap { number in
                filter(
                    clip.effects[number], timeline.range(ofEffect: number, ofAudio: placed.index),
                    timeline.local(ofEffect: number, ofAudio: placed.index), on: .init(placed))
            }
            addVoice(of: clip.id, isMain: false, filters, in: clock.timeline)
            for pass in 0..<placed.passCount(duration: timeline.duration) {
                let start = placed.start(ofPass: pass)
                let stop = min(range.end, clip.loops ? placed.start(ofPass: pass + 1) : range.end)
                let playing = Piece(
                    timeline: TimeRange(from: start, to: stop), contentStart: placed.range.start, speed: clip.speed)
                for piece in final.then(TimeMap([playing])).pieces where piece.timeline.start < end {
                    spans.append(
                        SoundSpan(
                            file: file, voice: processing.voices.count - 1, map: piece, keepsPitch: clip.keepsPitch,
                            gain: .init(
                                clip.sound, clock: clock, length: range.duration)))
                }
            }
        }
        return spans
    }

    /// The effect list's audio filters, and between which of them layers come in. All voices are
    /// there.
    mutating func addMainFilters() {
        var places: [Int] = []
        for number in draft.effects.indices {
            let placed = filter(
                draft.effects[number], timeline.range(ofEffect: number), timeline.local(ofEffect: number),
                on: draft.effects[number].range.map { .init($0.duration) })
            guard let placed, !placed.clock.pieces.isEmpty else { continue }
            processing.main.append(use(placed, placed.clock.pieces))
            places.append(number)
        }
        for (voice, layer) in layerVoices {
            let before = places.count { $0 < layer }
            if before > 0 { processing.voices[voice].entry = before }
        }
    }

    // MARK: Filters

    /// An audio filter that may be heard, before it is known where.
    struct Placed {
        var effect: Effect
        var filter: PluginEffect
        var plugin: EffectDescriptor
        var length: Time
        var clock: TimeMap
        var seedName: String?
    }

    /// nil for effects of the picture and of time.
    mutating func filter(
        _ effect: Effect, _ range: TimeRange, _ clock: TimeMap, on place: SeedNames.Place? = nil
    ) -> Placed? {
        guard case .sound(let filter) = effect.kind, let plugin = catalog.effect(filter.effectID) else { return nil }
        return Placed(
            effect: effect, filter: filter, plugin: plugin, length: range.duration, clock: clock,
            seedName: seedNames.name(of: filter, on: place))
    }

    private mutating func use(_ placed: Placed, _ clock: some Sequence<Piece>) -> AudioFilterUse {
        let filter = AudioFilter(
            id: placed.effect.id, filter: placed.filter, files: placed.filter.files.compactMap { number(of: $0) },
            plugin: PluginUse(placed.plugin), seedName: placed.seedName)
        let index = filterIndex[filter] ?? processing.filters.count
        if index == processing.filters.count {
            processing.filters.append(filter)
            filterIndex[filter] = index
        }
        let key = placed.effect.keys.isEmpty ? nil : placed.effect.keys.compactMap { keyNumbers[$0] }
        return AudioFilterUse(filter: index, length: placed.length, key: key, clock: clock)
    }

    /// - Parameter id: the clip's, the audio clip's or the layer's.
    mutating func addVoice(of id: String?, isMain: Bool, _ filters: [Placed], in run: TimeRange) {
        var voice = SoundVoice(isMain: isMain, keyNumber: id.flatMap { keyNumbers[$0] })
        for filter in filters {
            let clock = filter.clock.pieces(in: run)
            if !clock.isEmpty { voice.filters.append(use(filter, clock)) }
        }
        processing.voices.append(voice)
    }
}

extension Draft {
    /// Numbers for the ids that filters name as what keys them, in the order of first use.
    var keyNumbers: [String: Int] {
        var numbers: [String: Int] = [:]
        let lists =
            clips.map(\.effects) + audio.map(\.effects) + effects.compactMap { $0.layer?.clip.effects } + [effects]
        for id in lists.joined().flatMap(\.keys) where numbers[id] == nil { numbers[id] = numbers.count }
        return numbers
    }
}

extension ArraySlice<Piece> {
    /// How far the first piece and those that adjoin it on the timeline reach.
    fileprivate var run: TimeRange {
        guard let first else { return .zero }
        var end = first.timeline.end
        for piece in dropFirst() {
            guard piece.timeline.start <= end else { break }
            end = piece.timeline.end
        }
        return TimeRange(from: first.timeline.start, to: end)
    }
}
