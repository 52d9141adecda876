import Composition
import Foundation
import Jobs
import Media
import Messaging

/// A pass over the whole sound. What a sound's loudness needs of them is not known before.
struct MixPass {
    var number: Int

    /// The share of the whole work that is done with `share` of this pass: each pass takes half of what is left but one.
    func progress(_ share: Double) -> Double {
        let begun = 1 - pow(0.5, Double(number))
        return begun + (1 - begun) / 2 * share
    }
}

extension SoundJob: Work {
    func run(in workshop: Workshop) throws -> Reply { try workshop.renderSound(self) }
}

extension Workshop {
    /// Mixes, limits and encodes the whole sound.
    func renderSound(_ job: SoundJob) throws -> WrittenFile {
        try checkUnchanged(job.filterFiles)
        let output = fenced(job.output)
        var sound =
            if let target = job.loudness {
                try renderSound(job, at: target, to: output)
            } else {
                try encode(job, nil, Level(), to: output)
            }
        sound.file.damage = damage.take([])
        return sound
    }

    /// Mixes the whole sound, and gives `take` block after block of it.
    /// - Parameter pass: nil where there is one only.
    func mix(
        _ job: SoundJob, _ pass: MixPass?, more: Int = 0,
        _ take: (_ planes: [UnsafeMutablePointer<Float>], _ count: Int) throws -> Void
    ) throws {
        // What a decoder draws for noise (AAC's substitution) goes on from where an earlier run of the job has left it.
        sound.closeAll()
        let mixer = SoundMixer(job, self)
        defer { mixer.close() }
        let buffer = PlanarBuffer(channels: job.encoding.channels, capacity: SoundMixer.blockSize)
        let total = job.sampleCount + more
        var position = 0
        while position < total {
            let done = pass.map { Int(Double(total) * $0.progress(Double(position) / Double(total))) }
            try progress(done: done ?? position, total: total)
            let count = min(SoundMixer.blockSize, total - position)
            try mixer.mix(count: count, into: buffer.planes)
            position += count
            try take(buffer.planes, count)
        }
    }

    /// Mixes the sound, limits it, and encodes it in one pass.
    func encode(_ job: SoundJob, _ pass: MixPass?, _ level: Level, to output: String) throws -> WrittenFile {
        let limiter = try SoundLimiter(
            channels: job.encoding.channels, sampleRate: job.encoding.sampleRate, level: level)
        let encoder = try SoundEncoder(path: output, encoding: job.encoding)
        do {
            // The limiter is late by its look-ahead: as much is read past the end, and dropped at the start.
            var lead = limiter.delay
            try mix(job, pass, more: lead) { planes, count in
                limiter.process(planes, count: count)
                let dropped = min(lead, count)
                lead -= dropped
                if count > dropped {
                    try encoder.append(planes.map { UnsafePointer($0 + dropped) }, count: count - dropped)
                }
            }
            try checkUnchanged(job.allFiles)
            return try written(output, count: try encoder.finish())
        } catch {
            try? FileManager.default.removeItem(atPath: output)
            throw error
        }
    }
}
