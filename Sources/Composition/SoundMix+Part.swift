import Draft
import Values

extension SoundSchedule {
    /// Returns the part of the mix that makes the samples of `range`, with times and numbers of its
    /// own.
    ///
    /// Mixed alone it gives the samples that the whole mix has there, bit for bit. It knows neither
    /// its place nor what lies beyond it, except for where a gain or a filter depends on that.
    /// - Precondition: the mix may be cut at both ends of the range (``SoundSegmentation``).
    func part(_ range: Range<Int>) -> SoundMix {
        guard mix.isMovable else { return mix }
        var part = MixPart(self, range)
        return part.make()
    }
}

/// The builder of a part of a mix.
private struct MixPart {
    private let schedule: SoundSchedule
    private var whole: SoundMix { schedule.mix }
    /// What is heard.
    private let range: Range<Int>
    /// What is mixed for that: more where filters are cut.
    private let needed: Range<Int>
    private let rate: Rational
    /// In the order in which they are added up.
    private let voices: [VoiceSchedule]
    private var files: [Int: Int] = [:]
    private var filters: [Int: Int] = [:]
    private var keys: [Int: Int] = [:]
    private var chains: [Int: Int] = [:]
    /// The whole mix's sample that is the part's time zero.
    private var origin = 0
    private var part: SoundMix

    init(_ schedule: SoundSchedule, _ range: Range<Int>) {
        (self.schedule, self.range) = (schedule, range)
        let mix = schedule.mix
        rate = Rational(Int64(mix.sampleRate))
        needed = schedule.needed(for: range)
        voices = schedule.voices(in: needed).sorted { $0.number < $1.number }
        part = SoundMix(
            spans: [], processing: SoundProcessing(), files: [], frameRate: mix.frameRate, channels: mix.channels,
            sampleRate: mix.sampleRate, sampleCount: range.count)
        part.isMeasured = mix.isMeasured
    }

    mutating func make() -> SoundMix {
        let spans = voices.map { voice in voice.spans.map { settled($0) } }
        let all = spans.joined()
        let changes = all.contains { !$0.span.gain.isFlat }
        let own = voices.map { voice in voice.voice.filters.compactMap { acting($0, in: voice.samples) } }
        var main = whole.processing.main.map { acting($0, in: needed) }
        let entries = voices.contains { $0.voice.entry != nil }
        if !entries { main.removeAll { $0 == nil } }
        let isFiltered = !own.joined().isEmpty || main.contains { $0 != nil }
        // A gain that changes is evaluated on a grid, so it begins at a point of it.
        let isOnGrid = all.contains { !$0.span.gain.isFlat && $0.samples.lowerBound < needed.lowerBound }
        let begin = isOnGrid ? needed.lowerBound.down(to: SoundMix.gainGrid) : needed.lowerBound
        origin = begin.down(to: isFiltered ? SoundMix.filterGrid : changes ? SoundMix.gainGrid : 1)
        part.place = whole.place + origin
        part.firstSample = range.lowerBound - origin
        part.leadSamples = begin < range.lowerBound ? range.lowerBound - begin : nil

        let keyed = Set((own.joined() + main.compactMap(\.self)).compactMap(\.key).joined())
        for (number, voice) in voices.enumerated() {
            var copy = voice.voice
            copy.filters = own[number].map { moved($0) }
            copy.keyNumber = voice.voice.keyNumber.flatMap { keyed.contains($0) ? key($0) : nil }
            part.processing.voices.append(copy)
            for span in spans[number] { add(span, voice: number, from: begin) }
        }
        for (number, use) in main.enumerated() {
            // Between filters that do not act here layers may still come in.
            var idle = whole.processing.main[number]
            idle.stretches = []
            part.processing.main.append(moved(use ?? idle))
        }
        return part
    }

    // MARK: Spans

    /// Trims a span to the range, as far as it may be cut, and its gain to what has a say there.
    private func settled(_ scheduled: ScheduledSpan) -> ScheduledSpan {
        var result = scheduled
        guard whole.isPlain(scheduled.span) else {
            result.span.gain = scheduled.span.gain.settled(in: times(scheduled.samples))
            return result
        }
        let reach = needed.lowerBound.down(to: SoundMix.gainGrid)..<needed.upperBound.up(to: SoundMix.gainGrid)
        result.span.gain = scheduled.span.gain.settled(in: times(scheduled.samples.clamped(to: reach)))
        result.samples = scheduled.samples.clamped(to: result.span.gain.isFlat ? needed : reach)
        return result
    }

    private func times(_ samples: Range<Int>) -> TimeRange {
        TimeRange(from: Time(frame: samples.lowerBound, rate: rate), to: Time(frame: samples.upperBound, rate: rate))
    }

    /// Lets a span that may be cut begin with the first one of `samples`, at the source's sample
    /// that is heard there.
    private mutating func trim(_ span: inout SoundSpan, to samples: Range<Int>) {
        let scheduled = ScheduledSpan(samples: span.map.timeline.samples(rate: whole.sampleRate), span: span)
        let (start, played) = (whole.firstSource(of: scheduled), samples.lowerBound - scheduled.samples.lowerBound)
        var position = span.map.isReversed ? start - played : start + played
        if let number = whole.files[span.file].draft {
            // A draft contributes only its sound.
            let draft = schedule.drafts[number]
            let inner = draft.part(draft.cuttable(around: position..<position + samples.count))
            position -= inner.place - draft.mix.place
            var file = whole.files[span.file]
            part.drafts = (part.drafts ?? []) + [inner]
            file.draft = (part.drafts?.count ?? 1) - 1
            (file.info.audio, file.info.audioTracks) = (nil, [])
            part.files.append(file)
            span.file = part.files.count - 1
        } else {
            span.file = file(span.file)
        }
        span.map = Piece(
            timeline: times(samples), contentStart: Time(frame: position, rate: rate), speed: span.map.speed)
        span.keepsPitch = true
    }

    private mutating func add(_ settled: ScheduledSpan, voice: Int, from begin: Int) {
        var span = settled.span
        span.voice = voice
        if whole.isPlain(span) {
            // All that sound at the beginning begin there, so that they are added up in the order
            // of the whole mix.
            let first = span.map.timeline.samples(rate: whole.sampleRate).lowerBound
            trim(&span, to: max(begin, first)..<settled.samples.upperBound)
        } else {
            span.file = file(span.file)
        }
        span.chain = span.chain.map { Self.number($0, in: &chains) }
        span.map = moved(span.map)
        span.tempo = span.tempo.map { $0.map { moved($0) } }
        span.gain.clock = span.gain.needsClock ? moved(span.gain.clock) : .atRest
        for index in span.gain.crossfades.indices {
            span.gain.crossfades[index].clock = moved(span.gain.crossfades[index].clock)
        }
        let offset = Time(frame: origin, rate: rate)
        let edges = span.gain.edges
        span.gain.edges?.start = edges?.start.map { $0 - offset }
        span.gain.edges?.end = edges?.end.map { $0 - offset }
        part.spans.append(span)
    }

    private func moved(_ piece: Piece) -> Piece {
        var piece = piece
        piece.timeline = piece.timeline.shifted(by: -Time(frame: origin, rate: rate))
        return piece
    }

    // MARK: Filters

    /// Returns the use with the stretches that lie in what is mixed; nil where there are none.
    private func acting(_ use: AudioFilterUse, in extent: Range<Int>) -> AudioFilterUse? {
        var use = use
        use.stretches.removeAll { !whole.samples(of: $0, in: extent).overlaps(needed) }
        return use.stretches.isEmpty ? nil : use
    }

    private mutating func moved(_ use: AudioFilterUse) -> AudioFilterUse {
        var use = use
        use.filter = filter(use.filter)
        use.key = use.key.map { $0.map { key($0) } }
        for index in use.stretches.indices { use.stretches[index].clock = use.stretches[index].clock.map { moved($0) } }
        return use
    }

    // MARK: Numbers

    private static func number(_ old: Int, in numbers: inout [Int: Int]) -> Int {
        if let new = numbers[old] { return new }
        numbers[old] = numbers.count
        return numbers.count - 1
    }

    private mutating func key(_ old: Int) -> Int { Self.number(old, in: &keys) }

    private mutating func file(_ old: Int) -> Int {
        if let new = files[old] { return new }
        var file = whole.files[old]
        if let number = file.draft, let draft = whole.drafts?[number] {
            part.drafts = (part.drafts ?? []) + [draft]
            file.draft = (part.drafts?.count ?? 1) - 1
        }
        part.files.append(file)
        files[old] = part.files.count - 1
        return part.files.count - 1
    }

    private mutating func filter(_ old: Int) -> Int {
        if let new = filters[old] { return new }
        var filter = whole.processing.filters[old]
        filter.files = filter.files.map { file($0) }
        part.processing.filters.append(filter)
        filters[old] = part.processing.filters.count - 1
        return part.processing.filters.count - 1
    }
}

extension SoundSpan.Gain {
    /// It is the same at all times.
    public var isFlat: Bool {
        !needsClock && crossfades.isEmpty && edges == nil
    }

    /// It depends on the clip's own time.
    fileprivate var needsClock: Bool {
        !sound.volume.isConstant || sound.pan?.isConstant == false || sound.fadeIn > .zero || sound.fadeOut > .zero
    }

    /// Returns the gain with nothing in it that has no say from the start of `range` to its end,
    /// both included.
    fileprivate func settled(in range: TimeRange) -> SoundSpan.Gain {
        var gain = self
        let ends = [clock.content(at: range.start), clock.content(at: range.end)].sorted()
        if sound.fadeIn > .zero, ends[0] + (lead ?? .zero) >= sound.fadeIn { gain.sound.fadeIn = .zero }
        if sound.fadeOut > .zero, length + (tail ?? .zero) - ends[1] >= sound.fadeOut { gain.sound.fadeOut = .zero }
        if gain.sound.fadeIn == .zero { gain.lead = nil }
        if gain.sound.fadeOut == .zero { (gain.tail, gain.length) = (nil, .zero) }
        let reach = TimeRange(from: ends[0], to: ends[1] + Time(flicks: 1))
        gain.sound.volume = sound.volume.settled(in: reach)
        gain.sound.pan = sound.pan?.settled(in: reach)
        gain.crossfades.removeAll { $0.clock.timeline.start > range.end || $0.clock.timeline.end < range.start }
        if let start = edges?.start, range.start - start >= SoundSpan.SoftEdges.length { gain.edges?.start = nil }
        if let end = edges?.end, end - range.end >= SoundSpan.SoftEdges.length { gain.edges?.end = nil }
        if gain.edges == SoundSpan.SoftEdges() { gain.edges = nil }
        if gain.needsClock { gain.clock = clock.continued(to: range) }
        return gain
    }
}

extension SoundSpan.SoftEdges {
    /// How long sound takes to come or go where it breaks off: 3 ms, too short for an ear to hear
    /// it come, too long to click.
    public static let length = Time(flicks: 3 * Time.flicksPerSecond / 1000)
}
