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
    /// What was measured of its runs says where to begin.
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

    /// Puts the loudness of the mix together from what was measured of its runs.
    ///
    /// A run was measured as if silence came before it. So the start of each, and of each silence,
    /// is measured again with what comes before: the weighting's high-pass (38 Hz) has forgotten
    /// everything after a quarter of a second.
    func mixLoudness(of job: SoundJob) throws -> ProfiledLoudness {
        var whole = ProfiledLoudness(sampleRate: job.encoding.sampleRate, sampleCount: job.sampleCount)
        let block = LoudnessProfile.block
        let head = (job.encoding.sampleRate / 4 + block - 1) / block * block
        var position = 0
        for run in job.runs {
            let (first, end) = (run.firstSample, run.firstSample + run.sampleCount)
            guard first < job.sampleCount else { break }
            try measure(job, position..<min(first, position + head), &whole)
            try measure(job, first..<min(end, first + head), &whole)
            let profile = try MixReader(
                path: run.part.path, channels: job.encoding.channels, count: run.sampleCount, hasProfile: true
            ).profile()
            // The sound ends in the middle of a block.
            let last = min(end, job.sampleCount)
            let blocks = last < end ? (last - first) / block : profile.peaks.count
            if head / block < blocks {
                let cells = profile.energies.prefix(blocks * (block / LoudnessProfile.cell))
                whole.add(cells.dropFirst(head / LoudnessProfile.cell), at: first + head)
                for peak in profile.peaks[(head / block)..<blocks] { whole.add(peak: peak) }
            }
            let rest = first + max(head, blocks * block)
            if rest < last { try measure(job, rest..<last, &whole) }
            position = end
        }
        try measure(job, position..<position + head, &whole)
        return whole
    }

    /// Measures samples of the mix with what comes before them, as far as the sound goes.
    private func measure(_ job: SoundJob, _ samples: Range<Int>, _ whole: inout ProfiledLoudness) throws {
        let end = min(samples.upperBound, job.sampleCount)
        guard samples.lowerBound < end else { return }
        let (channels, block) = (job.encoding.channels, LoudnessProfile.block)
        var position = max(0, samples.lowerBound - job.encoding.sampleRate / 4)
        let runs = MixedRuns(job, from: position)
        let profiler = try LoudnessProfiler(channels: channels, sampleRate: job.encoding.sampleRate)
        let buffer = PlanarBuffer(channels: channels, capacity: block)
        while position < end {
            try pulse(advances: true)
            let isLead = position < samples.lowerBound
            let count = min(block, (isLead ? samples.lowerBound : end) - position)
            try runs.read(count: count, into: buffer.planes)
            if isLead {
                try profiler.lead(buffer.planes, count: count)
            } else {
                try profiler.add(buffer.planes, count: count)
            }
            position += count
        }
        whole.add(profiler.profile.energies, at: samples.lowerBound)
        for peak in profiler.profile.peaks { whole.add(peak: peak) }
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
