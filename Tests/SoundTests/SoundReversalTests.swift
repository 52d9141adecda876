import Draft
import Media
import TestSupport
import Testing

@testable import Sound

/// Sample *k* of the reversal is sample `end − 1 − k` of the source.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct SoundReversalTests {
    private static let sounds: [(String, Float)] = [
        ("sweep.wav", 0), ("sweep.flac", 0), ("sweep.m4a", 1e-2), ("sweep.opus", 1e-3),
    ]

    /// FLAC and Opus, too.
    @Suite struct Sweep {
        @Test(arguments: sounds) func everySampleIsTheMirrored(name: String, tolerance: Float) throws {
            try SoundReversalTests().everySampleIsTheMirrored(name: name, tolerance: tolerance)
        }
    }

    /// What a decoder of lossy sound gives after a seek is that near to what it gives from the
    /// start: AAC has bands of noise that each decoding makes up anew. One sample too early or late
    /// would be 0.1.
    @Test(arguments: sounds.every(2))
    func everySampleIsTheMirrored(name: String, tolerance: Float) throws {
        try TemporaryFolder.with { folder in
            let path = folder.file(name)
            try FFmpeg.run([
                "-f", "lavfi", "-i",
                "aevalsrc='0.5*sin(2*PI*(200*t+150*t*t))|0.4*sin(2*PI*(900*t-70*t*t))':sample_rate=48000:duration=5",
                path,
            ])
            let info = try Probe.probe(path: path)
            let count = 240_000
            let forward = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 2)
            let straight = try read(2, count) { try forward.read(from: 0, count: count, into: $0) }
            for (end, size) in [(240_000, 480_000), (200_000, 48_000), (123_457, 9_973), (250_000, 100_000)] {
                let source = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 2)
                let reversal = SoundReversal(of: source, before: end, channels: 2, blockSize: size)
                let seed = Seed.announced(for: "\(name) backwards from \(end)", cases: 1)
                var random = SplitMix64(seed: seed)
                // From before the reversal's start to behind the source's.
                var position = -3000
                while position < end + 3000 {
                    let length = Int.random(in: 1...20_000, using: &random)
                    let found = try read(2, length) { try reversal.read(from: position, count: length, into: $0) }
                    for channel in 0..<2 {
                        let worst = (0..<length).reduce(0 as Float) { worst, index in
                            let sample = end - 1 - (position + index)
                            let wanted = straight[channel].indices.contains(sample) ? straight[channel][sample] : 0
                            return max(worst, abs(found[channel][index] - wanted))
                        }
                        #expect(worst <= tolerance, "\(length) samples from \(position) before \(end), seed \(seed)")
                    }
                    position += length
                }
            }
        }
    }

    private func read(_ channels: Int, _ count: Int, _ body: ([UnsafeMutablePointer<Float>]) throws -> Void) rethrows
        -> [[Float]]
    {
        let buffer = PlanarBuffer(channels: channels, capacity: count)
        try body(buffer.planes)
        return withExtendedLifetime(buffer) {
            buffer.planes.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
        }
    }
}
