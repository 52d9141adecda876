import Values

/// Where the sound is cut into runs, which are mixed apart.
///
/// A cut may lie wherever nothing carries state over it: in silence, between voices, and within a
/// voice that is played at its own speed without a filter, since its samples are addressed by
/// index. What a time-stretcher or a filter makes stays in one run.
///
/// Cuts follow content, as those of the picture do (``Segmentation``): they lie at *edges*, where
/// spans begin or end, and at *marks*, which are places in what a span plays. So an edit moves cuts
/// near it and nowhere else. Silence that is long enough lies between runs.
struct SoundSegmentation {
    /// Seconds between two marks: long enough that the second that a decoder runs in does not
    /// matter, short enough that many workers share a long sound and an edit mixes little.
    static let usualSeconds = 20

    private let schedule: SoundSchedule
    private var mix: SoundMix { schedule.mix }
    /// Samples between two marks.
    private let usual: Int

    init(_ schedule: SoundSchedule, seconds: Double = Double(Self.usualSeconds)) {
        self.schedule = schedule
        usual = max(40, Int(seconds * Double(schedule.mix.sampleRate)))
    }

    /// Returns the samples of each run, in order; what lies between them is silent.
    func runs() -> [Range<Int>] {
        let audible = schedule.audibleStretches(closing: usual / 40)
        guard mix.isMovable else { return audible.isEmpty ? [] : [mix.samples] }
        let (edges, marks) = (edges(), marks())
        return audible.flatMap { stretch in
            var cuts = SortedFrames([stretch.lowerBound, stretch.upperBound])
            take(edges, in: stretch, shortest: usual / 4, &cuts)
            take(marks, in: stretch, shortest: usual * 3 / 4, &cuts)
            return zip(cuts.frames, cuts.frames.dropFirst()).map { $0..<$1 }
        }
    }

    /// Cuts at the weightiest places first, each where no cut is nearer than `shortest` samples.
    private func take(_ places: [CutPlace], in stretch: Range<Int>, shortest: Int, _ cuts: inout SortedFrames) {
        let first = firstIndex(in: places) { $0.frame > stretch.lowerBound }
        let inside = places[first...].prefix { $0.frame < stretch.upperBound }
        for place in inside.sorted(by: { $0.outweighs($1) }) where schedule.stretch(around: place.frame) == nil {
            if cuts.distance(to: place.frame) >= max(1, shortest) { cuts.insert(place.frame) }
        }
    }

    // MARK: Places

    /// The samples with which spans and stretches of filters begin, or before which they end, in
    /// order.
    private func edges() -> [CutPlace] {
        var found: [Int: CutPlace] = [:]
        func note(_ samples: Range<Int>, _ lot: UInt64) {
            for (sample, begins) in [(samples.lowerBound, true), (samples.upperBound, false)] {
                found[sample, default: CutPlace(frame: sample)].count += 1
                found[sample]?.beginnings += begins ? 1 : 0
                // A sum does not depend on the order.
                found[sample]?.lot &+= begins ? lot : ~lot
            }
        }
        for voice in schedule.voices {
            for span in voice.spans { note(span.samples, lot(of: span, at: Int64(mix.firstSource(of: span)))) }
        }
        for use in mix.processing.main {
            let name = CutPlace.hash(mix.processing.filters[use.filter].filter.effectID)
            for stretch in use.stretches {
                note(mix.samples(of: stretch, in: mix.samples), CutPlace.mixed(name, use.length.flicks))
            }
        }
        return found.values.sorted { $0.frame < $1.frame }
    }

    /// The samples at which what a span plays passes a multiple of ``usual`` samples, in order.
    private func marks() -> [CutPlace] {
        var places: [CutPlace] = []
        for voice in schedule.voices {
            for span in voice.spans where mix.isPlain(span.span) {
                let (start, count) = (Int64(mix.firstSource(of: span)), Int64(span.samples.count))
                let isReversed = span.span.map.isReversed
                let played = isReversed ? start - count...start : start...start + count
                for number in multiples(of: Int64(usual), from: played.lowerBound, to: played.upperBound) {
                    let distance = abs(number * Int64(usual) - start)
                    places.append(
                        CutPlace(
                            frame: span.samples.lowerBound + Int(distance), lot: lot(of: span, at: number)))
                }
            }
        }
        return places.sorted { $0.frame < $1.frame }
    }

    private func lot(of span: ScheduledSpan, at place: Int64) -> UInt64 {
        CutPlace.mixed(CutPlace.hash(mix.files[span.span.file].info.identity.digest), place)
    }
}
