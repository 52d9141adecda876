import Composition
import Foundation
import Jobs
import Media
import Messaging
import Sound

extension MixJob: Work {
    func run(in worker: WorkerContext) throws -> WrittenFile { try worker.mixRun(self) }
}

extension WorkerContext {
    /// Mixes a run of the sound into a file.
    func mixRun(_ job: MixJob) throws -> WrittenFile {
        try checkUnchanged(job.mix.filterFiles)
        let output = fenced(job.output)
        let writer = try MixWriter(path: output, channels: job.mix.channels)
        let meter =
            try job.mix.isMeasured == true
            ? TruePeakMeter(channels: job.mix.channels, sampleRate: job.mix.sampleRate) : nil
        var peaks: [Float] = []
        do {
            try mix(job.mix) { planes, count in
                try writer.append(planes, count: count)
                if let meter { peaks.append(try meter.add(planes, count: count)) }
            }
            try checkUnchanged(job.mix.allFiles)
            var part = try written(output, count: try writer.finish(meter == nil ? nil : peaks))
            part.file.damage = damage.take([])
            return part
        } catch {
            try? FileManager.default.removeItem(atPath: output)
            throw error
        }
    }

    /// Makes the samples of a mix, and gives `take` block after block of them.
    func mix(_ mix: SoundMix, _ take: (_ planes: [UnsafeMutablePointer<Float>], _ count: Int) throws -> Void) throws {
        // What a decoder draws for noise (AAC's substitution) goes on from where an earlier job has
        // left it.
        sound.closeAll()
        var lead = mix.leadSamples ?? 0
        let mixer = SoundMixer(mix, self, from: mix.firstSample - lead)
        defer { mixer.close() }
        let buffer = PlanarBuffer(channels: mix.channels, capacity: SoundMixer.blockSize)
        var done = 0
        while done < mix.sampleCount {
            try progress(done: done, total: mix.sampleCount)
            let count = min(SoundMixer.blockSize, lead > 0 ? lead : mix.sampleCount - done)
            try mixer.mix(count: count, into: buffer.planes)
            if lead > 0 {
                lead -= count
            } else {
                try take(buffer.planes, count)
                done += count
            }
        }
    }
}
