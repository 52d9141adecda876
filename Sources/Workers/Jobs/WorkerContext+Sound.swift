import Composition
import Foundation
import Jobs
import Media
import Messaging
import Sound

/// A pass over the whole sound. How many passes a sound's loudness needs is not known before.
struct SoundPass {
    var number: Int

    /// The share of the whole work that is done with `share` of this pass: each pass takes half of
    /// what is left but one.
    func progress(_ share: Double) -> Double {
        let begun = 1 - pow(0.5, Double(number))
        return begun + (1 - begun) / 2 * share
    }
}

extension SoundJob: Work {
    func run(in worker: WorkerContext) throws -> Reply {
        let damaged = try worker.damagedRuns(of: self)
        guard damaged.isEmpty else { return Reply(written: nil, damaged: damaged) }
        return Reply(written: try worker.renderSound(self))
    }
}

extension WorkerContext {
    /// Returns the paths of runs that are not what their workers wrote.
    func damagedRuns(of job: SoundJob) throws -> [String] {
        var damaged: [String] = []
        for run in job.runs where !damaged.contains(run.part.path) {
            let file = try? digest(run.part.path)
            // A digest that the host stopped is no finding.
            try pulse(advances: true)
            let isWhole = file?.size == run.part.file.size && file?.digest == run.part.file.digest
            // A node may say anything: also that it wrote another number of samples.
            let isRun = isWhole && isMix(run, job)
            if !isRun { damaged.append(run.part.path) }
        }
        return damaged
    }

    private func isMix(_ run: SoundJob.Run, _ job: SoundJob) -> Bool {
        let isMeasured = job.loudness != nil
        let reader = try? MixReader(
            path: run.part.path, channels: job.encoding.channels, count: run.sampleCount, hasPeaks: isMeasured)
        return isMeasured ? (try? reader?.peaks()) != nil : reader != nil
    }

    /// Limits and encodes the whole sound.
    func renderSound(_ job: SoundJob) throws -> WrittenFile {
        let output = fenced(job.output)
        var sound =
            if let target = job.loudness {
                try renderSound(job, at: target, to: output)
            } else {
                try encode(job, nil, Level(), to: output)
            }
        let damage = DamageReport.union(job.runs.compactMap(\.part.file.damage))
        sound.file.damage = damage.sources.isEmpty ? nil : damage
        return sound
    }

    /// Reads the whole mix, and gives `take` block after block of it.
    /// - Parameters:
    ///   - pass: nil where there is one only.
    ///   - more: samples past the end.
    func readMix(
        _ job: SoundJob, _ pass: SoundPass?, more: Int = 0,
        _ take: (_ planes: [UnsafeMutablePointer<Float>], _ count: Int) throws -> Void
    ) throws {
        let runs = MixedRuns(job)
        let buffer = PlanarBuffer(channels: job.encoding.channels, capacity: SoundMixer.blockSize)
        let total = job.sampleCount + more
        var position = 0
        while position < total {
            let done = pass.map { Int(Double(total) * $0.progress(Double(position) / Double(total))) }
            try progress(done: done ?? position, total: total)
            let count = min(SoundMixer.blockSize, total - position)
            try runs.read(count: count, into: buffer.planes)
            position += count
            try take(buffer.planes, count)
        }
    }

    /// Limits the sound and encodes it in one pass.
    func encode(_ job: SoundJob, _ pass: SoundPass?, _ level: Level, to output: String) throws -> WrittenFile {
        let limiter = try SoundLimiter(
            channels: job.encoding.channels, sampleRate: job.encoding.sampleRate, level: level)
        let encoder = try SoundEncoder(path: output, encoding: job.encoding)
        do {
            // The limiter is late by its look-ahead: as much is read past the end, and dropped at
            // the start.
            var lead = limiter.delay
            try readMix(job, pass, more: lead) { planes, count in
                limiter.process(planes, count: count)
                let dropped = min(lead, count)
                lead -= dropped
                if count > dropped {
                    try encoder.append(planes.map { UnsafePointer($0 + dropped) }, count: count - dropped)
                }
            }
            return try written(output, count: try encoder.finish())
        } catch {
            try? FileManager.default.removeItem(atPath: output)
            throw error
        }
    }
}
