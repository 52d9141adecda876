import Composition
import Draft
import Foundation
import Jobs
import Media
import Messaging

extension Workshop {
    /// Measures the mix, and encodes it at the level that brings the encoded sound to its loudness: what is measured then is
    /// what a player would play. The mix is read again for each try; it is not made again.
    func renderSound(_ job: SoundJob, at target: LoudnessTarget, to output: String) throws -> WrittenFile {
        let meter = try LoudnessMeter(channels: job.encoding.channels, sampleRate: job.encoding.sampleRate)
        var pass = SoundPass(number: 0)
        try readMix(job, pass) { planes, count in try meter.add(planes, count: count) }
        guard let integrated = meter.integrated else {
            // Silence, or too short to have a loudness.
            pass.number += 1
            var written = try encode(job, pass, Level(), to: output)
            written.file.level = SoundLevel(target: target)
            return written
        }
        let mix = LevelSearch.Measure(integrated: integrated, truePeak: meter.truePeak)
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
