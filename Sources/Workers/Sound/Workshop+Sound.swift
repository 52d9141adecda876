import CKernels
import Composition
import Foundation
import Jobs
import Media
import Messaging

extension Workshop {
    /// Mixes, limits and encodes the whole sound in one pass.
    func renderSound(_ job: SoundJob) throws -> WrittenFile {
        for file in job.processing.filters.flatMap(\.files) { try checkUnchanged(job.files[file]) }
        // What a decoder draws for noise (AAC's substitution) goes on from where an earlier run of the job has left it.
        sound.closeAll()
        let output = fenced(job.output)
        let mixer = SoundMixer(job, self)
        defer { mixer.close() }
        let encoder = try SoundEncoder(path: output, encoding: job.encoding)
        do {
            try encode(job, mixer, encoder)
            try checkUnchanged(job.files)
            return try written(output, count: try encoder.finish())
        } catch {
            try? FileManager.default.removeItem(atPath: output)
            throw error
        }
    }

    private func encode(_ job: SoundJob, _ mixer: SoundMixer, _ encoder: SoundEncoder) throws {
        let channels = job.encoding.channels
        guard let limiter = ck_limiter_create(Int32(channels), Int32(job.encoding.sampleRate)) else {
            throw JobFailure(.resource, "There is no memory left to mix the sound.")
        }
        defer { ck_limiter_destroy(limiter) }
        let buffer = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
        // The limiter is late by its look-ahead: as much is read past the end, and dropped at the start.
        var lead = Int(ck_limiter_delay(limiter))
        let total = job.sampleCount + lead
        var position = 0
        while position < total {
            try progress(done: position, total: total)
            let count = min(SoundMixer.blockSize, total - position)
            try mixer.mix(count: count, into: buffer.planes)
            buffer.planes.map(Optional.some).withUnsafeBufferPointer { planes in
                ck_limiter_process(limiter, planes.baseAddress, Int32(count))
            }
            position += count
            let dropped = min(lead, count)
            lead -= dropped
            if count > dropped {
                try encoder.append(buffer.planes(from: dropped).map { UnsafePointer($0) }, count: count - dropped)
            }
        }
    }
}
