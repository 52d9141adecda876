import CFFmpeg
import Draft
import Values

/// The sound of a file by sample index: planar 32-bit float at a rate and channel count of the
/// caller's choice.
///
/// Sample *k* belongs to source time *k/rate* exactly. The source is taken as silent before its
/// first sample, in gaps and after its last one. It has the level that its file wants. Reading from
/// the middle gives the samples that reading from the start would have given: the decoder and the
/// resampling filter are run in before, and the resampler always begins where input and output
/// samples coincide, so that its phases fall alike.
public final class AudioReader {
    public let path: String
    private let sampleRate: Int
    private let channels: Int
    private let info: AudioStreamInfo
    private let pulse: Pulse
    /// Samples outside are silence; in samples at the output rate.
    private let extent: Range<Int>
    private let end: Time
    private let isCutOff: Bool

    /// Parts of the file that are read one after the other.
    private let parts: [FilePart]

    private var reader: (any SoundReading)?
    private var resampler: Resampler?
    private let queue: SampleQueue
    /// Index of the next input sample to feed, at the input's rate.
    private var cursor = 0
    /// A block that was decoded and not yet wholly fed.
    private var block: SoundBlock?
    private var inputEnded = false
    /// ``rest()`` was called, and nothing was read since.
    private var isUsedAgain = false
    /// The first sample that was asked for since.
    private var useBegin: Int?
    /// The end of the block before.
    private var lastEnd: Time?
    /// The last samples before each change of form, from the resampler of the earlier form.
    private var seams: [SampleQueue] = []
    /// So many samples before the next block are those after its beginning, mirrored.
    private var lead = 0

    /// Opens nothing yet; the file and the decoder are opened with the first read.
    /// - Parameters:
    ///   - sampleRate: samples per second, 80…38400000: outputs at speeds from 1/100 to 100.
    ///   - channels: 1…8, in libav's default layout of that many (6: L R C LFE Ls Rs).
    /// - Throws: `noAudio`.
    public init(
        path: String, info: MediaInfo, sampleRate: Int, channels: Int, pulse: @escaping Pulse = { _ in }
    ) throws(MediaError) {
        guard let audio = info.audio else {
            throw MediaError(.noAudio, "read the sound of", path: path, reason: "it has no sound")
        }
        precondition((80...38_400_000).contains(sampleRate) && (1...8).contains(channels), "not a sound format")
        self.path = path
        self.sampleRate = sampleRate
        self.channels = channels
        self.pulse = pulse
        self.info = audio
        parts = FilePart.parts(of: info)
        end = audio.duration
        isCutOff = info.isTruncated == true || info.promisedDuration != nil
        let rate = Rational(Int64(sampleRate))
        // Where pages of Ogg are missing, sound before the first packet may have been lost.
        let lacksPages = parts.first?.lacksPages ?? false
        let first = lacksPages ? min(0, audio.start.rounded(rate: rate)) : audio.start.rounded(rate: rate)
        extent = first..<max(first, audio.duration.rounded(rate: rate))
        queue = SampleQueue(channels: channels)
    }

    /// Source time up to which sound was read last; nil before the first read. Reading goes on
    /// fastest from there.
    public var position: Time? {
        resampler == nil ? nil : Time(frame: queue.start, rate: Rational(Int64(sampleRate)))
    }

    /// Fills `planes`, one for each channel with room for `count` samples, from sample `start` on.
    /// Any range may be asked for, also before the start and past the end of the sound. Forward
    /// reads decode once; others seek.
    /// - Throws: `decode` where nothing can be decoded, `cancelled`, and what opening throws.
    public func read(from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        precondition(planes.count == channels && count >= 0, "one plane for each channel")
        if isUsedAgain { (isUsedAgain, useBegin) = (false, start) }
        let end = Result { () throws(MediaError) in try fill(from: start, count: count, planes) }
        guard let begin = useBegin, let reader, reader.isSpoiled else { return try end.get() }
        // A new reader repeats this use from its start; see VideoReader.
        (self.reader, resampler, block, inputEnded, useBegin) = (nil, nil, nil, false, nil)
        var position = begin
        while position < start {
            let piece = min(start - position, max(count, 1))
            try fill(from: position, count: piece, planes)
            position += piece
        }
        try fill(from: start, count: count, planes)
    }

    private func fill(from start: Int, count: Int, _ planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        for plane in planes { plane.update(repeating: 0, count: count) }
        let wanted = (start..<start + count).clamped(to: extent)
        damage = []
        guard !wanted.isEmpty else { return }
        if resampler == nil || wanted.lowerBound < queue.start || wanted.lowerBound > queue.end + sampleRate {
            try begin(at: wanted.lowerBound)
        }
        var position = wanted.lowerBound
        while position < wanted.upperBound {
            queue.drop(before: position)
            let got = queue.copy(
                from: position, count: wanted.upperBound - position, into: planes, at: position - start)
            position += got
            if got == 0 { try step() }
        }
        noteDamage(within: wanted)
        guard let level = info.level.map(Float.init) else { return }
        for plane in planes { for index in 0..<wanted.count { plane[wanted.lowerBound - start + index] *= level } }
    }

    /// What is damaged of what the last call of ``read(from:count:into:)`` gave, in source time.
    public private(set) var damage: [Range<Time>] = []

    private func noteDamage(within samples: Range<Int>) {
        let rate = Rational(Int64(sampleRate))
        let (start, end) = (Time(frame: samples.lowerBound, rate: rate), Time(frame: samples.upperBound, rate: rate))
        // The last packet of a file that was cut off may be cut off with it, which is known.
        let last = isCutOff ? self.end - Time(flicks: Time.flicksPerSecond) : Time(flicks: .max)
        damage = (reader?.damage ?? []).filter {
            $0.lowerBound < min(end, last) && $0.upperBound > start
        }.map { $0.clamped(to: start..<end) }
    }

    /// Prepares for another use; see ``VideoReader/rest()``.
    public func rest() -> Bool {
        (isUsedAgain, useBegin) = (true, nil)
        return !(reader?.isSpoiled ?? false)
    }

    // MARK: - Beginning

    private func begin(at position: Int) throws(MediaError) {
        let reader = try opened()
        if resampler == nil && block == nil { block = try reader.next() }
        let input: Resampler.Input
        if let known = resampler?.input {
            input = known
        } else {
            guard let block else { throw nothingDecoded }
            input = Resampler.Input(block.frame)
        }
        (seams, lead, lastEnd) = ([], 0, nil)
        let from = Time(frame: try start(input, at: position), rate: Rational(Int64(input.sampleRate)))
        if let block {
            // Close to where the reader stands, or before the sound begins, nothing needs to be
            // sought.
            let isNear = from < block.time + Time(flicks: 2 * Time.flicksPerSecond)
            if block.time <= from && (isNear || parts.count == 1 && reader.startsOver) { return }
            if reader.isFromStart && from <= block.time { return }
        }
        try seek(reader, to: from)
    }

    private func opened() throws(MediaError) -> any SoundReading {
        if let reader { return reader }
        let reader: any SoundReading =
            parts.count > 1
            ? try LinkedSoundReader(path: path, info: info, parts: parts, pulse: pulse)
            : try SoundReader(path: path, info: info, part: parts.first ?? .whole, pulse: pulse)
        self.reader = reader
        return reader
    }

    /// A new resampler for output from `position` on; returns the input sample that it begins with.
    private func start(_ input: Resampler.Input, at position: Int) throws(MediaError) -> Int {
        let resampler = try Resampler(input, sampleRate: sampleRate, channels: channels, path: path)
        self.resampler = resampler
        let divisor = Self.greatestCommonDivisor(input.sampleRate, sampleRate)
        let (gridIn, gridOut) = (input.sampleRate / divisor, sampleRate / divisor)
        let taps = Resampler.reach(from: gridIn, to: gridOut)
        let needed = Int((Double(position) * Double(gridIn) / Double(gridOut)).rounded(.down)) - taps
        let step = Int((Double(needed) / Double(gridIn)).rounded(.down))
        cursor = step * gridIn
        queue.reset(to: step * gridOut)
        return cursor
    }

    private func seek(_ reader: any SoundReading, to from: Time) throws(MediaError) {
        let target = from - SoundReader.preroll
        inputEnded = false
        // A decoder that is emptied may keep the shape of its last window (AAC does), and would put
        // it on the first packet, which has none before it: there it must be a new one.
        for back in [0, 2, 20] as [Int64] where target > info.start {
            let place = target - Time(flicks: back * Time.flicksPerSecond)
            guard try reader.seek(to: place, for: from) else { break }
            block = try reader.next()
            // A seek may end after the place that was asked for. The last try is for sound with a
            // hole before it.
            if let block, block.time <= (back == 20 ? from : from - SoundReader.leastPreroll) { return }
        }
        try reader.restart()
        block = try reader.next()
        guard block != nil else { throw nothingDecoded }
    }

    // MARK: - Going on

    /// Feeds the resampler with one more piece: of the block at the cursor, or of the silence
    /// before it.
    private func step() throws(MediaError) {
        guard let resampler, let reader else { throw nothingDecoded }
        if block == nil && !inputEnded {
            block = try reader.next()
            inputEnded = block == nil
        }
        guard let next = block, next.start < next.sampleRate.seconds(end) else {
            return feedSilence(Resampler.silenceLimit, resampler)
        }
        if Resampler.Input(next.frame) != resampler.input { return try changeForm(next, resampler) }
        if next.start - lead > cursor { return feedSilence(next.start - lead - cursor, resampler) }
        if next.start > cursor {
            let count = next.start - cursor
            append(resampler.bound(for: count)) { planes, capacity in
                resampler.mirrored(next.frame, count: count, into: planes, capacity: capacity)
            }
            cursor = next.start
            return
        }
        lead = 0
        let last = min(next.start + next.count, next.sampleRate.seconds(end))
        lastEnd = next.end
        block = nil
        guard last > cursor else { return }
        let count = last - cursor
        append(resampler.bound(for: count)) { planes, capacity in
            resampler.convert(next.frame, offset: cursor - next.start, count: count, into: planes, capacity: capacity)
        }
        cursor = last
    }

    private func feedSilence(_ count: Int, _ resampler: Resampler) {
        let count = min(count, Resampler.silenceLimit)
        append(resampler.bound(for: count)) { planes, capacity in
            resampler.silent(count, into: planes, capacity: capacity)
        }
        cursor += count
    }

    private func append(_ limit: Int, _ write: ([UnsafeMutablePointer<Float>], Int) -> Int) {
        let first = queue.end
        queue.append(upTo: limit, write)
        for seam in seams { queue.replace(by: seam, from: first) }
        seams.removeAll { $0.end <= queue.end }
    }

    // MARK: - Another form

    /// Stamps of parts that follow each other without a gap differ by less: one sample at each
    /// rate.
    private static let seamTolerance = Time(flicks: Time.flicksPerSecond / 2000)

    /// Switches to another rate, layout or sample format. The old resampler's samples are used up
    /// to the seam, the new one's after it. Each fills the other side of the seam with a mirror
    /// image of its own, so there is no gap and no click, wherever reading began.
    private func changeForm(_ next: SoundBlock, _ old: Resampler) throws(MediaError) {
        let position = queue.end
        let isContinued = lastEnd.map { abs(($0 - next.time).flicks) <= Self.seamTolerance.flicks } ?? false
        if isContinued {
            let rest = SampleQueue(channels: channels)
            rest.reset(to: position)
            rest.append(upTo: old.bound(for: 0) + Self.flushMargin) { old.finish(into: $0, capacity: $1) }
            // The first output sample at or after the seam.
            let seam = Time(flicks: next.time.flicks - 1).rounded(rate: Rational(Int64(sampleRate)))
            let isBefore = Time(frame: seam, rate: Rational(Int64(sampleRate))) < next.time
            rest.cut(at: isBefore ? seam + 1 : seam)
            if rest.end > position { seams.append(rest) }
        }
        let input = Resampler.Input(next.frame)
        _ = try start(input, at: position)
        let reach = Resampler.reach(from: input.sampleRate, to: sampleRate) / 2
        lead = isContinued ? min(reach, next.count - 1) : 0
    }

    /// libswresample mirrors half a filter when it is emptied.
    private static let flushMargin = 4096

    private var nothingDecoded: MediaError {
        MediaError(.decode, "read the sound of", path: path, reason: "none of it can be decoded; it is damaged")
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(1, a)
    }
}

extension Int {
    /// The index of the sample at `time`, this being the rate.
    fileprivate func seconds(_ time: Time) -> Int { time.rounded(rate: Rational(Int64(self))) }
}
