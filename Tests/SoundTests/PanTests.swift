import Composition
import Draft
import Foundation
import Testing
import Values

@testable import Sound

/// What a pan does with samples.
@Suite struct PanTests {
    private static let rate = Rational(48_000)
    private static let second = Time(flicks: Time.flicksPerSecond)

    /// Mixes channels of constant samples.
    /// - Parameter from: the first output sample.
    private func mix(
        _ levels: [Float], pan: Animated?, volume: Double = 1, from: Int = 0, count: Int = 480
    ) -> [[Float]] {
        var sound = ClipSound()
        (sound.pan, sound.volume) = (pan, .constant(volume))
        let clock = Piece(timeline: TimeRange(start: .zero, duration: Self.second), contentStart: .zero)
        let (input, output) = (
            PlanarBuffer(channels: levels.count, capacity: count), PlanarBuffer(channels: levels.count, capacity: count)
        )
        for (plane, level) in zip(input.planes, levels) { plane.update(repeating: level, count: count) }
        for plane in output.planes { plane.update(repeating: 0, count: count) }
        GainEnvelope(SoundSpan.Gain(sound, clock: clock, length: Self.second), of: 0..<48_000, rate: Self.rate)
            .add(input.planes, to: output.planes, from..<from + count)
        return output.planes.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }

    private func power(_ channels: [[Float]]) -> Double {
        channels.reduce(0) { $0 + Double($1[100]) * Double($1[100]) }
    }

    @Test func `the middle leaves every sample as it is`() {
        for channels in [1, 2, 6] {
            let levels = (0..<channels).map { 0.1 * Float($0 + 1) }
            #expect(mix(levels, pan: nil) == levels.map { Array(repeating: $0, count: 480) })
            for (mixed, level) in zip(mix(levels, pan: .constant(0)), levels) {
                #expect(mixed.allSatisfy { abs($0 - level) < 1e-6 }, "\(channels) channels")
            }
        }
    }

    @Test func `a side has all of the power`() {
        let root = Float(2).squareRoot()
        let left = mix([0.5, 0.25], pan: .constant(-1))
        #expect(left[0].allSatisfy { abs($0 - 0.5 * root) < 1e-6 } && left[1].allSatisfy { abs($0) < 1e-6 })
        let right = mix([0.5, 0.25], pan: .constant(1), volume: 0.5)
        #expect(right[1].allSatisfy { abs($0 - 0.125 * root) < 1e-6 } && right[0].allSatisfy { abs($0) < 1e-6 })
    }

    @Test func `the power is the same everywhere`() {
        for step in -10...10 {
            let pan = Animated.constant(Double(step) / 10)
            #expect(abs(power(mix([0.5, 0.5], pan: pan)) - 0.5) < 1e-6, "stereo at \(step)")
            #expect(abs(power(mix([0.5, 0.5, 0, 0.5, 0.5, 0.5], pan: pan)) - 1.25) < 1e-6, "5.1 at \(step)")
            #expect(abs(power(mix([0, 0, 0.5, 0, 0, 0], pan: pan)) - 0.25) < 1e-6, "the centre at \(step)")
        }
    }

    @Test func `5_1 moves its centre to a side, and leaves its low frequencies`() {
        let mixed = mix([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], pan: .constant(1)).map { $0[100] }
        let root = Float(2).squareRoot()
        for (found, wanted) in zip(mixed, [0, 0.2 * root + 0.3, 0, 0.4, 0, 0.6 * root]) {
            #expect(abs(found - wanted) < 1e-6)
        }
    }

    @Test func `mono has no sides`() {
        #expect(mix([0.5], pan: .constant(-1)) == [Array(repeating: 0.5, count: 480)])
    }

    @Test func `a pan that moves is the same in blocks of any size, and stops at the sides`() {
        let pan = Animated.keyframes([
            Keyframe(time: .zero, value: [-1.5]), Keyframe(time: Self.second, value: [1.5]),
        ])
        let whole = mix([0.5, 0.5], pan: pan, count: 48_000)
        #expect(whole[1][100].magnitude < 1e-6 && whole[0][47_900].magnitude < 1e-6)
        #expect(abs(whole[0][24_000] - 0.5) < 1e-4 && abs(whole[1][24_000] - 0.5) < 1e-4)
        for index in stride(from: 0, to: 48_000, by: 997) {
            let power = whole[0][index] * whole[0][index] + whole[1][index] * whole[1][index]
            #expect(abs(power - 0.5) < 1e-4, "sample \(index)")
        }
        for (from, count) in [(0, 32), (32, 64), (20_000, 320), (20_001, 7), (17, 50), (47_968, 32)] {
            let part = mix([0.5, 0.5], pan: pan, from: from, count: count)
            #expect(part.indices.allSatisfy { part[$0] == Array(whole[$0][from..<from + count]) }, "from \(from)")
        }
    }
}
