import Delivery
import Draft
import Foundation
import Jobs
import Media
import Messaging
import TestSupport
import Testing

@testable import PluginHosting
@testable import Sound
@testable import Workers

/// The loudness of a mix in runs is that of the same sound in one piece, bit for bit.
@Suite struct MixLoudnessTests {
    @Test func `runs have the loudness of the whole`() throws { try Self.compare(Seed.cases(12)) }

    /// More sounds.
    @Suite struct Sweep {
        @Test func `runs have the loudness of the whole`() throws { try compare(Seed.cases(200)) }
    }

    private static func compare(_ cases: Int) throws {
        let seed = Seed.announced(for: "MixLoudnessTests", cases: cases)
        let folder = try TemporaryFolder()
        let worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let job = try Self.job(&random, in: folder)
            let meter = try LoudnessMeter(channels: job.encoding.channels, sampleRate: job.encoding.sampleRate)
            // Other sizes than those in which the job reads.
            let size = random.pick([1, 777, 1000, SoundMixer.blockSize])
            try worker.readMix(job, nil) { planes, count in
                for start in stride(from: 0, to: count, by: size) {
                    try meter.add(planes.map { $0 + start }, count: min(size, count - start))
                }
            }
            let made = try worker.mixLoudness(of: job)
            let comment: Comment =
                """
                case \(index) of CUTROOM_SEED=\(seed): \(made.integrated as Any) LUFS and \(made.truePeak) dBTP from \
                runs \(job.runs.map { $0.firstSample..<$0.firstSample + $0.sampleCount }), not \
                \(meter.integrated as Any) and \(meter.truePeak)
                """
            #expect(made.integrated == meter.integrated && made.truePeak == meter.truePeak, comment)
        }
    }

    /// Noise of changing level in runs of any length, some of which adjoin, with clicks where they
    /// meet.
    private static func job(_ random: inout SplitMix64, in folder: TemporaryFolder) throws -> SoundJob {
        let (rate, channels) = (random.pick([48_000, 44_100, 8_000, 96_000]), random.pick([1, 2, 6]))
        let sampleCount = Int(Double.random(in: 3...20, using: &random) * Double(rate))
        var runs: [SoundJob.Run] = []
        var position = random.chance(1, in: 2) ? 0 : Int.random(in: 0...rate, using: &random)
        while position < sampleCount {
            let longest = random.chance(1, in: 3) ? rate / 10 : 6 * rate
            // The last one may reach past the end.
            let count = min(Int.random(in: 1...longest, using: &random), sampleCount + 300 - position)
            runs.append(try run(position, count, rate, channels, &random, to: folder.file("run-\(runs.count)")))
            position += count
            if random.chance(1, in: 2) { position += Int.random(in: 1...3 * rate, using: &random) }
        }
        let encoding = AudioEncoding(codec: .pcm_s16, channels: channels, sampleRate: rate)
        return SoundJob(
            runs: runs, sampleCount: sampleCount, loudness: LoudnessTarget(integrated: -16, truePeak: -1),
            encoding: encoding, output: folder.file("out"))
    }

    private static func run(
        _ first: Int, _ count: Int, _ rate: Int, _ channels: Int, _ random: inout SplitMix64, to path: String
    ) throws -> SoundJob.Run {
        let writer = try MixWriter(path: path, channels: channels)
        let meter = try TruePeakMeter(channels: channels, sampleRate: rate)
        var peaks: [Float] = []
        let buffer = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
        // Hum makes the weighting's state matter at the cut, and the last sample of a run may be
        // its highest.
        let (level, hum) = (Float.random(in: 0.001...0.5, using: &random), Float.random(in: 0...0.5, using: &random))
        var written = 0
        while written < count {
            let size = min(SoundMixer.blockSize, count - written)
            for plane in buffer.planes {
                TestSound.fill(
                    UnsafeMutableBufferPointer(start: plane, count: size), from: first + written, rate: rate,
                    level: level, hum: hum, &random)
            }
            if written + size == count, random.chance(1, in: 2) { buffer.planes[0][size - 1] = 0.9 }
            try writer.append(buffer.planes, count: size)
            peaks.append(try meter.add(buffer.planes, count: size))
            written += size
        }
        let file = RenderedFile(count: try writer.finish(peaks), size: 0, digest: "")
        return SoundJob.Run(
            firstSample: first, sampleCount: count, part: AssembleJob.Part(path: path, file: file))
    }

    @Test func `silence has no loudness, and a damaged measure is no measure`() throws {
        let folder = try TemporaryFolder()
        let worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
        let encoding = AudioEncoding(codec: .pcm_s16, channels: 2, sampleRate: 48_000)
        let target = LoudnessTarget(integrated: -16, truePeak: -1)
        var job = SoundJob(
            runs: [], sampleCount: 96_000, loudness: target, encoding: encoding, output: folder.file("out"))
        #expect(try worker.mixLoudness(of: job).integrated == nil)
        #expect(try worker.mixLoudness(of: job).truePeak == -.infinity)
        var random = SplitMix64(seed: 1)
        let path = folder.file("run")
        job.runs = [try Self.run(0, 96_000, 48_000, 2, &random, to: path)]
        #expect(try worker.mixLoudness(of: job).integrated != nil)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for damaged in [whole.dropLast(4) + Data([0, 0, 0xC0, 0x7F]), whole.dropLast(4)] {
            try damaged.write(to: URL(fileURLWithPath: path))
            #expect { try worker.mixLoudness(of: job) } throws: { ($0 as? MediaError)?.code == .wrongContent }
        }
    }
}
