import Composition
import Values

/// Makes the samples of a mix's spans: each span alone, or those of a chain in one run through one
/// time-stretcher.
final class SpanSounds {
    private let mix: SoundMix
    private let drafts: [DraftSounds]
    private let supplies: any SoundSupplies
    private let first: Int
    /// The spans of each chain, in the order of time.
    private let members: [Int: [SoundSpan]]
    private var chains: [Int: ChainSound] = [:]

    init(_ mix: SoundMix, _ drafts: [DraftSounds], _ supplies: any SoundSupplies, from first: Int) {
        (self.mix, self.drafts, self.supplies, self.first) = (mix, drafts, supplies, first)
        members = Dictionary(grouping: mix.spans.filter { $0.chain != nil }, by: { $0.chain ?? 0 })
            .mapValues { $0.sorted { $0.map.timeline.start < $1.map.timeline.start } }
    }

    /// Closes chains that did not play to their ends.
    func close() {
        for chain in chains.values { chain.close() }
        chains.removeAll()
    }

    /// Returns the samples of a span, from its first one on.
    func stream(of scheduled: ScheduledSpan) throws -> any SoundStream {
        guard let number = scheduled.span.chain, let spans = members[number] else {
            return try player(scheduled.span, first: scheduled.samples.lowerBound)
        }
        let chain: ChainSound
        if let open = chains[number] {
            chain = open
        } else {
            let whole = spans.joined()
            let ranges = spans.map { $0.map.timeline.samples(rate: mix.sampleRate) }
            let begin = whole.map.timeline.samples(rate: mix.sampleRate).lowerBound
            chain = ChainSound(
                try player(whole, first: begin), from: begin, channels: mix.channels,
                heard: ranges.filter { !$0.isEmpty && $0.upperBound > first }, supplies
            ) { [unowned self] in chains[number] = nil }
            chains[number] = chain
        }
        return try chain.stream(of: scheduled.samples)
    }

    private func player(_ span: SoundSpan, first: Int) throws -> SpanPlayer {
        let file = mix.files[span.file]
        return try SpanPlayer(
            span, first: first, of: file, file.draft.map { drafts[$0] },
            rate: Rational(Int64(mix.sampleRate)), channels: mix.channels, supplies)
    }
}

/// The sound of a chain of spans. Each is read once, in order, by its own voice, which may run
/// ahead of the others by what its filters look ahead: so much is kept.
private final class ChainSound {
    private let player: SpanPlayer
    private let shared: SharedSound
    private let channels: Int
    /// The next sample that each span's voice wants, by the span's first one. Spans that were read
    /// to the end are not in it.
    private var wanted: [Int: Int]
    /// The first sample that may still be read.
    private var kept: Int
    private let supplies: any SoundSupplies
    private let ended: () -> Void

    init(
        _ player: SpanPlayer, from begin: Int, channels: Int, heard: [Range<Int>], _ supplies: any SoundSupplies,
        ended: @escaping () -> Void
    ) {
        (self.player, self.channels, self.supplies) = (player, channels, supplies)
        shared = SharedSound(player, channels: channels, from: begin)
        wanted = Dictionary(heard.map { ($0.lowerBound, $0.lowerBound) }) { first, _ in first }
        kept = begin
        self.ended = ended
    }

    func close() { player.close() }

    func stream(of samples: Range<Int>) throws -> any SoundStream {
        try skip(to: wanted.values.min() ?? samples.lowerBound)
        return Reader(self, samples)
    }

    /// Plays what came before the first span that is heard: the stretcher's state depends on it.
    private func skip(to first: Int) throws {
        guard first - kept > SoundMixer.blockSize else { return }
        let skipped = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
        let stream = shared.stream(from: kept)
        while kept < first {
            let count = min(SoundMixer.blockSize, first - kept)
            try stream.read(count: count, into: skipped.planes)
            kept += count
            shared.forget(before: kept)
            try supplies.pulse(advances: true)
        }
    }

    /// Notes that a span's voice has read up to a sample; nil: all that it will.
    private func passed(_ span: Int, _ position: Int?) {
        guard wanted[span] != nil else { return }
        wanted[span] = position
        if let next = wanted.values.min() {
            kept = max(kept, next)
            shared.forget(before: kept)
        } else {
            player.close()
            ended()
        }
    }

    private final class Reader: SoundStream {
        private let chain: ChainSound
        private let samples: Range<Int>
        private let stream: any SoundStream
        private var position: Int

        init(_ chain: ChainSound, _ samples: Range<Int>) {
            (self.chain, self.samples) = (chain, samples)
            position = samples.lowerBound
            stream = chain.shared.stream(from: position)
        }

        func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
            try stream.read(count: count, into: planes)
            position += count
            chain.passed(samples.lowerBound, position < samples.upperBound ? position : nil)
        }

        func close() { chain.passed(samples.lowerBound, nil) }
    }
}
