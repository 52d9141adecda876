import Composition
import Draft
import Foundation
import Jobs
import Media
import Messaging
import Sound

extension WorkerContext {
    /// Encodes the mix at the level that brings the encoded sound to its loudness: what is measured
    /// then is what a player would play. The mix is read again for each try; it is not made again.
    /// The loudness of the mix gives the first level.
    func renderSound(_ job: SoundJob, at target: LoudnessTarget, to output: String) throws -> WrittenFile {
        let whole = try mixLoudness(of: job)
        var pass = SoundPass(number: -1)
        guard let integrated = whole.integrated else {
            // Silence, or too short to have a loudness.
            pass.number += 1
            var written = try encode(job, pass, Level(), to: output)
            written.file.level = SoundLevel(target: target)
            return written
        }
        let mix = LevelSearch.Measure(integrated: integrated, truePeak: whole.truePeak)
        var search = LevelSearch(target, mix: mix)
        while true {
            pass.number += 1
            let level = search.level
            var written = try encode(job, pass, level, to: output)
            let made = try measure(written, job)
            guard !search.take(made) else {
                written.file.level = SoundLevel(
                    target: target, mix: mix.integrated, mixPeak: mix.truePeak, gain: level.gain,
                    reached: made.integrated, truePeak: made.truePeak)
                return written
            }
            try FileManager.default.removeItem(atPath: written.path)
        }
    }

    /// Measures the whole mix. The result is that of a ``LoudnessMeter``, however the mix is cut
    /// into runs.
    ///
    /// The loudness is measured anew: filters and gating blocks go on across the cuts, and the
    /// place of a run on the grid of blocks is not known when it is mixed. This takes little time.
    /// True peaks take much more, and the runs bring theirs along.
    func mixLoudness(of job: SoundJob) throws -> (integrated: Double?, truePeak: Double) {
        let loudness = try GatedLoudness(channels: job.encoding.channels, sampleRate: job.encoding.sampleRate)
        try read(job, 0..<job.sampleCount) { planes, count in loudness.add(planes, count: count) }
        return (loudness.integrated, LoudnessMeter.decibels(try mixPeak(of: job)))
    }

    /// Returns the highest true peak of the mix, as a factor of full scale.
    ///
    /// A run was measured as if silence came before it. So its first block is measured again with
    /// what comes before, and so is the silence after it.
    private func mixPeak(of job: SoundJob) throws -> Float {
        let (block, reach) = (TruePeaks.block, TruePeakMeter.reach)
        var highest: Float = 0
        var position = 0
        for run in job.runs {
            let (first, end) = (run.firstSample, run.firstSample + run.sampleCount)
            guard first < job.sampleCount else { break }
            highest = max(highest, try peak(of: job, position..<min(first, position + reach)))
            highest = max(highest, try peak(of: job, first..<min(end, first + block)))
            let peaks = try MixReader(
                path: run.part.path, channels: job.encoding.channels, count: run.sampleCount, hasPeaks: true
            ).peaks()
            // The sound may end in the middle of a block.
            let last = min(end, job.sampleCount)
            let blocks = last < end ? (last - first) / block : peaks.count
            highest = peaks.prefix(blocks).dropFirst().reduce(highest, max)
            let rest = first + max(1, blocks) * block
            if rest < last { highest = max(highest, try peak(of: job, rest..<last)) }
            position = end
        }
        return max(highest, try peak(of: job, position..<position + reach))
    }

    /// Measures samples of the mix with what comes before them, as far as the sound goes.
    private func peak(of job: SoundJob, _ samples: Range<Int>) throws -> Float {
        let end = min(samples.upperBound, job.sampleCount)
        guard samples.lowerBound < end else { return 0 }
        let meter = try TruePeakMeter(channels: job.encoding.channels, sampleRate: job.encoding.sampleRate)
        let start = max(0, samples.lowerBound - TruePeakMeter.reach)
        try read(job, start..<samples.lowerBound) { planes, count in try meter.add(planes, count: count) }
        var highest: Float = 0
        try read(job, samples.lowerBound..<end) { planes, count in
            highest = max(highest, try meter.add(planes, count: count))
        }
        return highest
    }

    /// Reads samples of the mix, and gives `take` block after block of them.
    private func read(
        _ job: SoundJob, _ samples: Range<Int>,
        _ take: (_ planes: [UnsafeMutablePointer<Float>], _ count: Int) throws -> Void
    ) throws {
        let runs = MixedRuns(job, from: samples.lowerBound)
        let buffer = PlanarBuffer(channels: job.encoding.channels, capacity: SoundMixer.blockSize)
        for position in stride(from: samples.lowerBound, to: samples.upperBound, by: SoundMixer.blockSize) {
            try pulse(advances: true)
            let count = min(SoundMixer.blockSize, samples.upperBound - position)
            try runs.read(count: count, into: buffer.planes)
            try take(buffer.planes, count)
        }
    }

    /// Measures an encoded sound as it is played.
    private func measure(_ written: WrittenFile, _ job: SoundJob) throws -> LevelSearch.Measure {
        let (channels, rate) = (job.encoding.channels, job.encoding.sampleRate)
        let reader = try reader(of: written, job)
        let meter = try LoudnessMeter(channels: channels, sampleRate: rate)
        let buffer = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
        var position = 0
        while position < job.sampleCount {
            try pulse(advances: true)
            let count = min(SoundMixer.blockSize, job.sampleCount - position)
            try reader.read(from: position, count: count, into: buffer.planes)
            try meter.add(buffer.planes, count: count)
            position += count
        }
        return LevelSearch.Measure(integrated: meter.integrated ?? -70, truePeak: meter.truePeak)
    }
}
