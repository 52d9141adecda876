import Composition
import Media
import Values

/// Reads one span's samples in order, at the span's speed.
final class SpanPlayer: SoundStream {
    private let file: MediaFile
    private let supplies: any SoundSupplies
    private let reader: any SampleSource
    /// Where the reader comes from, and goes back to.
    private let drafts: DraftSounds?
    /// Between the source and the player where the span plays backwards.
    private let reversal: SoundReversal?
    private let isPooled: Bool
    private let stretcher: TimeStretcher?
    /// The sample that the span begins with, of the source or of its reversal, at the rate it is
    /// read at.
    private let position: Int
    /// Output samples of the span handed out so far.
    private var played = 0

    /// - Parameters:
    ///   - first: the span's first output sample.
    ///   - drafts: the sounds of the draft that the file stands for; nil: it is a file.
    init(
        _ span: SoundSpan, first: Int, of file: MediaFile, _ drafts: DraftSounds?, rate: Rational, channels: Int,
        _ supplies: any SoundSupplies
    ) throws {
        self.drafts = drafts
        self.file = file
        self.supplies = supplies
        let speed = span.map.isReversed ? span.map.speed * Rational(-1) : span.map.speed
        let start = (span.tempo?.first ?? span.map).content(at: Time(frame: first, rate: rate))
        // Without pitch correction the file is resampled to the rate at which playing it at `rate`
        // gives the speed.
        let isResampled = speed != .one && !span.keepsPitch && drafts == nil
        let sourceRate = isResampled ? Int((rate / speed).doubleValue.rounded()) : Int(rate.numerator)
        isPooled = !isResampled
        let sample = start.rounded(rate: Rational(Int64(sourceRate)))
        if let drafts {
            reader = drafts.take(near: sample)
        } else {
            // Readers that come back all read at the mix's rate.
            reader = try supplies.takeReader(
                of: file, sampleRate: sourceRate, channels: channels, near: isPooled ? start : nil)
        }
        reversal =
            span.map.isReversed
            ? SoundReversal(
                of: reader, before: sample, channels: channels, blockSize: Self.blockSize(of: span, rate: sourceRate))
            : nil
        position = reversal == nil ? sample : 0
        if span.tempo != nil {
            let tempo = Tempo(span, from: Time(frame: first, rate: rate), content: start, rate: rate)
            stretcher = TimeStretcher(tempo: tempo, channels: channels, sampleRate: sourceRate)
        } else if speed != .one && span.keepsPitch {
            stretcher = TimeStretcher(tempo: Tempo(speed), channels: channels, sampleRate: sourceRate)
        } else {
            stretcher = nil
        }
    }

    /// A short pass of many is not worth a whole block.
    private static func blockSize(of span: SoundSpan, rate: Int) -> Int {
        guard span.gain.edges != nil else { return SoundReversal.usualBlockSize }
        let samples = span.map.content.duration.rounded(rate: Rational(Int64(rate)))
        return min(SoundReversal.usualBlockSize, samples + rate / 4)
    }

    /// Gives the decoder back to the pool.
    func close() {
        if let sound = reader as? DraftSound {
            drafts?.giveBack(sound)
        } else if isPooled, let reader = reader as? AudioReader {
            supplies.giveBack(reader, of: file)
        }
    }

    /// The next `count` samples.
    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        do { try play(count: count, into: planes) } catch { throw (reader as? DraftSound)?.failure ?? error }
    }

    private func play(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        if let stretcher {
            try stretcher.read(from: played, count: count, into: planes) { start, count, planes throws(MediaError) in
                try readSource(from: start, count: count, into: planes)
            }
        } else {
            try readSource(from: played, count: count, into: planes)
        }
        played += count
    }

    /// Samples at the source's own speed, counted from the span's first one.
    private func readSource(
        from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]
    ) throws(MediaError) {
        if let reversal {
            try reversal.read(from: position + start, count: count, into: planes)
        } else {
            try reader.read(from: position + start, count: count, into: planes)
        }
        guard let reader = reader as? AudioReader else { return }
        for range in reader.damage { supplies.noteDamage(range, of: file) }
    }
}

extension Tempo {
    /// That of a span which begins at the output time `start`, where it plays `content`.
    fileprivate init(_ span: SoundSpan, from start: Time, content: Time, rate: Rational) {
        func samples(_ time: Time) -> Double { time.seconds * rate.doubleValue }
        let pieces = span.tempo ?? [span.map]
        self.init(
            pieces.enumerated().map { index, piece in
                let distance = piece.contentStart - content
                return Stretch(
                    output: index == 0 ? 0 : samples(piece.timeline.start - start),
                    input: index == 0 ? 0 : samples(piece.isReversed ? -distance : distance),
                    speed: piece.speed.doubleValue.magnitude)
            })
    }
}
