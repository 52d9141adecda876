import Draft
import Values

extension Clip {
    /// The look of a clip of the main track that says more than a mode: a place, or what is behind
    /// it.
    var look: LayerLook? {
        ownPlacement == nil && backdrop == nil ? nil : LayerLook(placement ?? Placement(), mode: mode)
    }
}

extension Composer {
    /// The sound of layers, in the order of the effect list and then of time.
    mutating func layerSound(end: Time) -> [SoundSpan] {
        var spans: [SoundSpan] = []
        for (index, placed) in timeline.layers.sorted(by: { $0.key < $1.key }) {
            let clip = placed.clip
            guard clip.isMedia, placed.info?.audio != nil,
                let file = number(ofContent: placed, clip.audioTrack)
            else { continue }
            let filters = clip.effects.indices.compactMap { number in
                filter(
                    clip.effects[number], timeline.range(ofEffect: number, ofLayer: index),
                    timeline.local(ofEffect: number, ofLayer: index), on: .init(placed))
            }
            for clock in timeline.local(ofEffect: index).pieces where clock.timeline.start < end {
                addVoice(of: draft.effects[index].id, isMain: true, filters, in: clock.timeline)
                layerVoices[processing.voices.count - 1] = index
                let map = Piece(
                    timeline: clock.timeline, contentStart: placed.piece.content(at: clock.contentStart),
                    speed: clock.speed * placed.piece.speed)
                for run in placed.runs(map) where run.range.start < end {
                    let gain = SoundSpan.Gain(clip.sound, clock: clock, length: placed.timeline.duration)
                    spans.append(SoundSpan(run, file: file, voice: processing.voices.count - 1, gain: gain))
                }
            }
        }
        return spans
    }
}
