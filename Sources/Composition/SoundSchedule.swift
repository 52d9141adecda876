import Values

/// A span, and the samples of the mix during which it is heard.
public struct ScheduledSpan: Sendable {
    /// Never empty.
    public var samples: Range<Int>
    public var span: SoundSpan
}

/// A voice of a mix, and when it sounds.
public struct VoiceSchedule: Sendable {
    /// The voice's number in the mix: its place in the sum.
    public var number: Int
    public var voice: SoundVoice
    /// In the order of time; not empty.
    public var spans: [ScheduledSpan]

    public var samples: Range<Int> { spans[0].samples.lowerBound..<spans[spans.count - 1].samples.upperBound }
}

extension SoundMix {
    /// The voices that are heard, in the order of their first sample. They are added up in the
    /// order of their numbers, which a cut does not change.
    public var voiceSchedules: [VoiceSchedule] {
        var spans: [Int: [ScheduledSpan]] = [:]
        for span in self.spans {
            let samples = span.map.timeline.samples(rate: sampleRate)
            if !samples.isEmpty { spans[span.voice, default: []].append(ScheduledSpan(samples: samples, span: span)) }
        }
        return spans.map { number, spans in
            VoiceSchedule(number: number, voice: processing.voices[number], spans: spans)
        }.sorted { ($0.samples.lowerBound, $0.number) < ($1.samples.lowerBound, $1.number) }
    }
}

/// A mix with what has to be known of it to cut it: when its voices sound, and where nothing may be
/// cut.
final class SoundSchedule: Sendable {
    let mix: SoundMix
    /// In the order of their first sample.
    let voices: [VoiceSchedule]
    /// Their samples.
    private let extents: [Range<Int>]
    /// The stretches inside which the mix may not be cut, in order and apart: what one
    /// time-stretcher or one filter plays, and what a draft's own mix may not be cut inside.
    let whole: [Range<Int>]
    /// Those of the mix's drafts.
    let drafts: [SoundSchedule]
    /// See ``SoundMix/readOnce(_:)``.
    private let readOnce: [Range<Int>]
    /// What filters that may be cut have to hear beyond a run's ends.
    let margin: SoundMargin
    /// The stretches of filters that may be cut, in order and apart.
    private let elastic: [Range<Int>]

    init(_ mix: SoundMix) {
        self.mix = mix
        voices = mix.voiceSchedules
        extents = voices.map(\.samples)
        drafts = (mix.drafts ?? []).map(SoundSchedule.init)
        let margin = SoundMargin(of: mix)
        self.margin = margin
        let elastic = mix.stretches(of: voices) { mix.isElastic($0, margin) }.joined(closing: 0)
        self.elastic = elastic
        readOnce = mix.readOnce(voices)
        let whole = mix.wholeStretches(voices, drafts, margin) + readOnce
        // A filter that is warmed up must not do so on half of what carries state.
        let near = whole.flatMap { stretch in
            let wide = margin.mirrored(around: stretch)
            return rangesOverlapping(wide, in: elastic).map { $0.clamped(to: wide) }
        }
        self.whole = (whole + near).joined(closing: 0)
    }

    /// Returns what has to be mixed for the samples of `range` to be what they are in the whole
    /// mix.
    func needed(for range: Range<Int>) -> Range<Int> {
        let first = max(mix.firstSample, surroundings(of: range.lowerBound).lowerBound)
        // Past the end of the mix sound may go on, which filters look at.
        let isAtEnd = range.upperBound >= mix.samples.upperBound && !mix.actingUses.isEmpty
        return first..<(isAtEnd ? margin.pastEnd(range.upperBound) : surroundings(of: range.upperBound).upperBound)
    }

    /// Returns what filters have to hear on both sides of a cut; nothing where it lies inside no
    /// stretch of any.
    private func surroundings(of cut: Int) -> Range<Int> {
        rangeAround(cut, in: elastic) == nil ? cut..<cut : margin.around(cut..<cut)
    }

    /// Returns the voices that sound in `range`, each with the spans that do.
    func voices(in range: Range<Int>) -> [VoiceSchedule] {
        extents.indices.lazy.filter { self.extents[$0].overlaps(range) }.compactMap { number in
            var voice = self.voices[number]
            let first = firstIndex(in: voice.spans) { $0.samples.upperBound > range.lowerBound }
            let end = firstIndex(in: voice.spans) { $0.samples.lowerBound >= range.upperBound }
            guard first < end else { return nil }
            if end - first < voice.spans.count { voice.spans = Array(voice.spans[first..<end]) }
            return voice
        }
    }

    /// Returns the stretch without a cut that a sample lies within.
    func stretch(around sample: Int) -> Range<Int>? { rangeAround(sample, in: whole) }

    /// Returns the smallest range with `range` in it at whose ends the mix may be cut.
    func cuttable(around range: Range<Int>) -> Range<Int> {
        guard mix.isMovable else { return mix.samples }
        let range = range.clamped(to: mix.samples)
        let first = stretch(around: range.lowerBound)?.lowerBound ?? range.lowerBound
        let end = stretch(around: range.upperBound)?.upperBound ?? range.upperBound
        return first..<max(first, end)
    }

    /// Returns the stretches in which something may be heard, and what lies between those of a file
    /// that is read once. They are in order; gaps of up to `gap` samples do not count.
    func audibleStretches(closing gap: Int) -> [Range<Int>] {
        let main = mix.processing.main.flatMap { use in use.stretches.map { mix.samples(of: $0, in: mix.samples) } }
        let heard = (extents + readOnce).map { $0.clamped(to: mix.samples) }
        return (heard + main).joined(closing: gap + 1)
    }
}

extension SoundMix {
    /// Every sample has an exact time, so that times can be counted from any of them.
    var isMovable: Bool { Time.flicksPerSecond.isMultiple(of: Int64(sampleRate)) }

    /// A span that is played as it is, sample by sample, so that it may be cut anywhere.
    func isPlain(_ span: SoundSpan) -> Bool {
        guard span.tempo == nil, span.chain == nil, !startsOver(span) else { return false }
        return span.map.speed == .one || span.map.speed == Rational(-1) && files[span.file].draft == nil
    }

    fileprivate func startsOver(_ span: SoundSpan) -> Bool { files[span.file].info.audio?.startsOver == true }

    /// Returns, for each file that is decoded from its start, the samples from where it is first
    /// heard to where it is last. They are in one run: each run would decode it anew.
    fileprivate func readOnce(_ voices: [VoiceSchedule]) -> [Range<Int>] {
        var found: [Int: Range<Int>] = [:]
        for span in voices.flatMap(\.spans) where startsOver(span.span) {
            found[span.span.file] = (found[span.span.file] ?? span.samples).union(span.samples)
        }
        return Array(found.values)
    }

    /// The samples of a filter's stretch, as far as there is something that it acts on.
    func samples(of stretch: AudioFilterUse.Stretch, in extent: Range<Int>) -> Range<Int> {
        stretch.range.samples(rate: sampleRate).clamped(to: extent)
    }

    /// A filter whose stretches are cut.
    func isElastic(_ use: AudioFilterUse, _ margin: SoundMargin) -> Bool {
        processing.filters[use.filter].plugin.isElastic && margin.isSmall
    }

    /// Returns the samples of the stretches of some filters.
    fileprivate func stretches(
        of voices: [VoiceSchedule], where isWanted: (AudioFilterUse) -> Bool
    ) -> [Range<Int>] {
        func found(_ uses: [AudioFilterUse], in extent: Range<Int>) -> [Range<Int>] {
            uses.filter(isWanted).flatMap { use in use.stretches.map { samples(of: $0, in: extent) } }
        }
        return voices.flatMap { found($0.voice.filters, in: $0.samples) } + found(processing.main, in: samples)
    }

    /// See ``SoundSchedule/whole``.
    fileprivate func wholeStretches(
        _ voices: [VoiceSchedule], _ drafts: [SoundSchedule], _ margin: SoundMargin
    ) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var chains: [Int: Range<Int>] = [:]
        for voice in voices {
            for span in voice.spans {
                if let chain = span.span.chain {
                    chains[chain] = (chains[chain] ?? span.samples).union(span.samples)
                } else if !isPlain(span.span) {
                    found.append(span.samples)
                } else if let draft = files[span.span.file].draft {
                    let shift = span.samples.lowerBound - firstSource(of: span)
                    found += drafts[draft].whole.map {
                        ($0.lowerBound + shift..<$0.upperBound + shift).clamped(to: span.samples)
                    }
                }
            }
        }
        found += chains.values
        found += stretches(of: voices) { !isElastic($0, margin) }
        return found.joined(closing: 0)
    }

    /// The sample of its source with which a span begins, where it is played at its own speed.
    func firstSource(of span: ScheduledSpan) -> Int {
        let rate = Rational(Int64(sampleRate))
        return span.span.map.content(at: Time(frame: span.samples.lowerBound, rate: rate)).rounded(rate: rate)
    }
}

extension Range<Int> {
    fileprivate func union(_ other: Range<Int>) -> Range<Int> {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}

extension [Range<Int>] {
    /// Returns the ranges in order, with those as one that have less than `gap` between them; 0
    /// leaves ranges apart that only touch. Empty ones are left out.
    fileprivate func joined(closing gap: Int) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) })
        where !range.isEmpty {
            if let last = joined.last, range.lowerBound - last.upperBound < gap {
                joined[joined.count - 1] = last.union(range)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

/// Returns the range that begins before a sample and ends after it; the ranges are in order and
/// apart.
private func rangeAround(_ sample: Int, in ranges: [Range<Int>]) -> Range<Int>? {
    let index = firstIndex(in: ranges) { $0.upperBound > sample }
    return index < ranges.count && ranges[index].lowerBound < sample ? ranges[index] : nil
}

/// Returns those of the ranges, which are in order and apart, that overlap another one.
private func rangesOverlapping(_ other: Range<Int>, in ranges: [Range<Int>]) -> ArraySlice<Range<Int>> {
    let first = firstIndex(in: ranges) { $0.upperBound > other.lowerBound }
    return ranges[first...].prefix { $0.lowerBound < other.upperBound }
}
