import Composition
import Foundation
import Jobs
import Media
import Messaging
import Sound

extension SoundPiecesJob: Work {
    func run(in worker: WorkerContext) throws -> Reply {
        let damaged = try worker.damagedRuns(of: sound)
        guard damaged.isEmpty else { return Reply(pieces: [], damaged: damaged) }
        return Reply(pieces: try worker.renderSoundPieces(self))
    }
}

extension PeaksJob: Work {
    func run(in worker: WorkerContext) throws -> Reply { try worker.findPeaks(self) }
}

extension WorkerContext {
    /// Encodes the whole sound without loss, and cuts that into files of their own. The limiter may
    /// carry state over the whole, so no piece is encoded from its samples alone.
    /// - Returns: the pieces, in order.
    func renderSoundPieces(_ job: SoundPiecesJob) throws -> [WrittenFile] {
        let whole = try renderSound(job.sound)
        defer { try? FileManager.default.removeItem(atPath: whole.path) }
        var pieces: [WrittenFile] = []
        do {
            let reader = try reader(of: whole, job.sound)
            let buffer = PlanarBuffer(channels: job.sound.encoding.channels, capacity: SoundMixer.blockSize)
            for first in stride(from: 0, to: job.sound.sampleCount, by: max(1, job.pieceSamples)) {
                let end = min(first + job.pieceSamples, job.sound.sampleCount)
                let path = fenced("\(job.sound.output)-\(pieces.count)")
                let encoder = try SoundEncoder(path: path, encoding: job.sound.encoding, isFragmented: true)
                for start in stride(from: first, to: end, by: SoundMixer.blockSize) {
                    try pulse(advances: true)
                    let count = min(SoundMixer.blockSize, end - start)
                    try reader.read(from: start, count: count, into: buffer.planes)
                    try encoder.append(buffer.planes.map { UnsafePointer($0) }, count: count)
                }
                pieces.append(try written(path, count: try encoder.finish()))
            }
            // Of the whole sound, from which each piece comes.
            if !pieces.isEmpty { pieces[0].file.damage = whole.file.damage }
            return pieces
        } catch {
            for piece in pieces { try? FileManager.default.removeItem(atPath: piece.path) }
            throw error
        }
    }

    /// Reads an encoded sound as it is played.
    func reader(of written: WrittenFile, _ job: SoundJob) throws -> AudioReader {
        let info = try Probe.probe(path: written.path, pulse: libavPulse)
        return try AudioReader(
            path: written.path, info: info, sampleRate: job.encoding.sampleRate, channels: job.encoding.channels,
            pulse: libavPulse)
    }

    /// The lowest and the highest samples of equal parts of a file's sound.
    func findPeaks(_ job: PeaksJob) throws -> PeaksJob.Reply {
        try checkUnchanged(job.file)
        let points = min(max(1, job.points), 100_000)
        guard let audio = job.file.info.audio else { return PeaksJob.Reply(minimum: [], maximum: []) }
        // Twice what the eye could tell apart, of what is heard of it.
        let rate = 16_000
        let channels = min(max(1, audio.channels), 2)
        let reader = try AudioReader(
            path: job.file.path, info: job.file.info, sampleRate: rate, channels: channels, pulse: libavPulse)
        let start = job.range.start.rounded(rate: .init(Int64(rate)))
        let total = max(0, job.range.end.rounded(rate: .init(Int64(rate))) - start)
        var (minimum, maximum) = ([Float](repeating: 0, count: points), [Float](repeating: 0, count: points))
        let buffer = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
        let planes = buffer.planes
        var position = 0
        while position < total {
            try progress(done: position, total: total)
            let count = min(SoundMixer.blockSize, total - position)
            try reader.read(from: start + position, count: count, into: buffer.planes)
            for index in 0..<count {
                let point = min(points - 1, (position + index) * points / total)
                for plane in planes {
                    minimum[point] = min(minimum[point], plane[index])
                    maximum[point] = max(maximum[point], plane[index])
                }
            }
            position += count
        }
        return PeaksJob.Reply(minimum: minimum, maximum: maximum)
    }
}
