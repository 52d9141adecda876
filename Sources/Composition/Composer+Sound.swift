import Draft

extension Composer {
    /// The sound of the main track's clips, in the order of the clips and then of time.
    mutating func clipSound(_ tracks: Tracks, end: Time) -> [SoundSpan] {
        let strips = Dictionary(grouping: tracks.strips.joined(), by: \.clip)
        let fades = Dictionary(grouping: tracks.overlaps, by: \.clip).mapValues { TimeMap($0.map(\.clock)) }
        var spans: [SoundSpan] = []
        for placed in timeline.clips where placed.info.audio != nil && !placed.clip.isImage {
            guard let strips = strips[placed.index], let source = source(placed.clip.path, placed.clip.audioTrack) else { continue }
            let clocks = TimeMap(strips.map(\.local))
            for piece in TimeMap(strips.map(\.source)).coalesced().pieces where piece.timeline.start < end {
                guard let clock = clocks.piece(at: piece.timeline.start) else { continue }
                let crossfades = [(placed.index, true), (placed.index + 1, false)].compactMap { index, rises in
                    // One for each side: what was joined into one span may still be two pieces of the transition.
                    fades[index]?.pieces(in: piece.timeline).first.map {
                        SoundSpan.Crossfade(clock: $0, duration: timeline.clips[index].overlap, rises: rises)
                    }
                }
                spans.append(
                    SoundSpan(
                        source: source, map: piece, keepsPitch: true,
                        gain: .init(
                            volume: placed.clip.volume, clock: clock, length: placed.timeline.duration,
                            fadeIn: placed.clip.fadeIn,
                            fadeOut: placed.clip.fadeOut, crossfades: crossfades)))
            }
        }
        return spans
    }

    /// Music and voices, which lie on the final timeline: one span for each pass of a loop.
    mutating func musicSound(end: Time) -> [SoundSpan] {
        var spans: [SoundSpan] = []
        let final = timeline.layers[timeline.layers.count - 1]
        for placed in timeline.audio where placed.clip.startTime < timeline.duration {
            let clip = placed.clip
            guard let source = source(clip.path, clip.audioTrack) else { continue }
            // What reaches past the draft's end is cut off, so a fade-out ends there.
            let rest = timeline.duration - clip.startTime
            let heard = clip.loops ? rest : min(rest, placed.passDuration)
            let range = TimeRange(start: clip.startTime, duration: heard)
            guard let clock = final.then(TimeMap([Piece(timeline: range, contentStart: .zero)])).pieces.first else {
                continue
            }
            for pass in 0..<placed.passCount(duration: timeline.duration) {
                let start = placed.start(ofPass: pass)
                let stop = min(range.end, clip.loops ? placed.start(ofPass: pass + 1) : range.end)
                let playing = Piece(
                    timeline: TimeRange(from: start, to: stop), contentStart: placed.range.start, speed: clip.speed)
                for piece in final.then(TimeMap([playing])).pieces where piece.timeline.start < end {
                    spans.append(
                        SoundSpan(
                            source: source, map: piece, keepsPitch: clip.keepsPitch,
                            gain: .init(
                                volume: clip.volume, clock: clock, length: heard, fadeIn: clip.fadeIn,
                                fadeOut: clip.fadeOut,
                                crossfades: [])))
                }
            }
        }
        return spans
    }
}
