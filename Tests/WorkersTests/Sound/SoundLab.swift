import Composition
import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting
@testable import Sound
@testable import Workers

/// The library of sound effects, and sounds to try them on: effects run as they do in a render, in
/// a stream of ten seconds at most.
enum SoundLab {
    /// Their folders.
    static let names = ["compressor", "ducking", "echo", "equalizer", "gain", "noise-reduction", "pitch"]
    static let rate = 48_000.0

    private final class Source: SoundStream {
        let signal: (Int) -> Double
        var position = 0
        init(_ signal: @escaping (Int) -> Double) { self.signal = signal }

        func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) {
            for index in 0..<count { for plane in planes { plane[index] = Float(signal(position + index)) } }
            position += count
        }
        func close() {}
    }

    /// The left channel of what the effect makes of a sound.
    /// - Parameter range: where it acts, in seconds.
    static func run(
        _ name: String, _ parameters: [String: Animated] = [:], texts: [String: String] = [:],
        range: (Double, Double)? = nil,
        seconds: Double = 2, library: String = "sound", _ signal: @escaping (Int) -> Double
    ) throws -> [Double] {
        let path = try #require(PluginFixture.shipped(library), "libcutroom_plugin_\(library).so is not built")
        var catalog = RandomDraft.catalog
        catalog.effects = PluginRegistry(searchPaths: [path]).descriptors().effects
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 64), frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4")]
        (draft.export.audio.sampleRate, draft.export.audio.channels) = (Int(rate), 2)
        let filter = PluginEffect(
            effectID: "org.cutroom." + name,
            parameters: parameters.mapValues { .numbers($0) }.merging(texts.mapValues { .text($0) }) { $1 })
        let part = range.flatMap {
            TimeRange(start: Time(seconds: $0.0) ?? .zero, duration: Time(seconds: $0.1) ?? .zero)
        }
        draft.effects = [Effect(.sound(filter), range: part)]
        let job = try #require(try RenderPlan(draft, catalog: catalog, libraries: "").soundMix)
        try #require(job.processing.main.count == 1)
        return try TemporaryFolder.with { folder in
            let worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
            let stream = FilterStream(Source(signal), job.processing.main[0], from: 0, job, worker)
            let count = Int(seconds * rate)
            let buffer = PlanarBuffer(channels: 2, capacity: count)
            try stream.read(count: count, into: buffer.planes)
            return UnsafeBufferPointer(start: buffer.planes[0], count: count).map(Double.init)
        }
    }

    static func sine(_ frequency: Double, _ decibels: Double = -12) -> (Int) -> Double {
        { pow(10, decibels / 20) * sin(2 * .pi * frequency * Double($0) / rate) }
    }

    /// White, uniform, of this level.
    static func noise(_ decibels: Double) -> (Int) -> Double {
        { index in
            var random = SplitMix64(seed: UInt64(index) &* 0x9e37_79b9)
            return pow(10, decibels / 20) * 3.0.squareRoot() * Double.random(in: -1...1, using: &random)
        }
    }

    /// Clicks of one sample.
    static func clicks(at samples: [Int]) -> (Int) -> Double { { samples.contains($0) ? 0.9 : 0 } }

    /// The root of the mean square in decibels; a sine at full scale has −3.
    static func level(_ samples: some Collection<Double>) -> Double {
        10 * log10(samples.reduce(1e-20) { $0 + $1 * $1 } / Double(samples.count))
    }

    /// The amplitude of one frequency in decibels, by correlation with it under a Hann window.
    static func amplitude(of frequency: Double, in samples: ArraySlice<Double>) -> Double {
        var (real, imaginary, total) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * Double.pi * frequency * Double(index) / rate
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(samples.count))
            real += window * sample * cos(angle)
            imaginary += window * sample * sin(angle)
            total += window
        }
        return 20 * log10(2 * (real * real + imaginary * imaginary).squareRoot() / total + 1e-12)
    }

    /// Where something is louder than `threshold`, at least 5 ms apart: of each place the loudest
    /// sample.
    static func peaks(of samples: [Double], above threshold: Double) -> [Int] {
        var peaks: [Int] = []
        for (index, sample) in samples.enumerated() where abs(sample) > threshold {
            if let last = peaks.last, index - last < 240 {
                if abs(sample) > abs(samples[last]) { peaks[peaks.count - 1] = index }
            } else {
                peaks.append(index)
            }
        }
        return peaks
    }
}
