import Foundation
import Media
import TestSupport
import Testing
import Values

@Suite struct TimeStretcherTests {
    let rate = 48000

    func stretch(_ input: [[Float]], by speed: Rational, count: Int, from start: Int = 0, piece: Int = 1000) throws
        -> [[Float]]
    {
        let stretcher = TimeStretcher(speed: speed, channels: input.count, sampleRate: rate)
        var output = input.map { _ in [Float]() }
        while output[0].count < count {
            let length = min(piece, count - output[0].count)
            let planes = input.map { _ in UnsafeMutablePointer<Float>.allocate(capacity: length) }
            defer { for plane in planes { plane.deallocate() } }
            try stretcher.read(from: start + output[0].count, count: length, into: planes) { from, count, targets in
                for (target, samples) in zip(targets, input) {
                    for index in 0..<count {
                        target[index] = samples.indices.contains(from + index) ? samples[from + index] : 0
                    }
                }
            }
            for (channel, plane) in planes.enumerated() {
                output[channel] += UnsafeBufferPointer(start: plane, count: length)
            }
        }
        return output
    }

    /// A ramp in many small steps: no sample jumps, the pitch stays, and clicks are where the tempo
    /// says.
    @Test func aRampOfTempoHasNoSeams() throws {
        var stretches: [Tempo.Stretch] = []
        var (output, place) = (0.0, 0.0)
        for step in 0..<120 {
            let speed = 0.4 + 3.4 * Double(step) / 119
            stretches.append(Tempo.Stretch(output: output, input: place, speed: speed))
            output += 0.02 * Double(rate)
            place += 0.02 * Double(rate) * speed
        }
        let count = Int(output)
        let tone = 2 * Double.pi * 440 / Double(rate)
        func made(_ clicks: [Int]) throws -> [Float] {
            let stretcher = TimeStretcher(tempo: Tempo(stretches), channels: 1, sampleRate: rate)
            var result = [Float](repeating: 0, count: count)
            try result.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                try stretcher.read(from: 0, count: count, into: [base]) { from, count, targets in
                    for index in 0..<count {
                        targets[0][index] = Float(0.5 * sin(tone * Double(from + index)))
                        if !clicks.isEmpty { targets[0][index] = clicks.contains(from + index) ? 0.9 : 0 }
                    }
                }
            }
            return result
        }
        let sound = try made([])
        let steps = zip(sound, sound.dropFirst()).map { abs($1 - $0) }
        #expect(steps.max() ?? 1 < Float(0.5 * tone * 1.2))
        var crossings: [Double] = []
        for index in 1..<count where sound[index - 1] < 0 && sound[index] >= 0 { crossings.append(Double(index)) }
        let first = try #require(crossings.first)
        let last = try #require(crossings.last)
        #expect(abs(Double(crossings.count - 1) * Double(rate) / (last - first) - 440) < 1)
        let clicks = stride(from: rate / 4, to: Int(place) - rate / 4, by: rate / 3).map(\.self)
        let heard = try made(clicks)
        var found: [Int] = []
        for index in heard.indices where abs(heard[index]) > 0.3 && index > (found.last ?? -10_000) + rate / 50 {
            found.append(index)
        }
        let wanted = clicks.map { click -> Double in
            let stretch = stretches.last { $0.input <= Double(click) } ?? stretches[0]
            return stretch.output + (Double(click) - stretch.input) / stretch.speed
        }
        try #require(found.count == wanted.count)
        for (found, wanted) in zip(found, wanted) { #expect(abs(Double(found) - wanted) < 96) }
    }

    static let speeds = [
        Rational(1, 4), Rational(1, 2), Rational(3, 4), Rational(11, 10), Rational(3, 2), Rational(2), Rational(3),
    ]

    private static let toneSpeeds = speeds + [Rational(1, 100), Rational(10), Rational(100)]

    /// The other speeds.
    @Suite struct Sweep {
        @Test(arguments: speeds) func clicksStayInTheirPlaceAndNoneIsLostOrDoubled(_ speed: Rational) throws {
            try TimeStretcherTests().clicksStayInTheirPlaceAndNoneIsLostOrDoubled(speed)
        }

        @Test(arguments: toneSpeeds) func aToneKeepsItsPitchAndLevel(_ speed: Rational) throws {
            try TimeStretcherTests().aToneKeepsItsPitchAndLevel(speed)
        }
    }

    @Test(arguments: speeds.every(2)) func clicksStayInTheirPlaceAndNoneIsLostOrDoubled(_ speed: Rational) throws {
        var input = (0..<rate * 12).map { 0.05 * Float(sin(2 * Double.pi * 220 * Double($0) / Double(rate))) }
        let places = (1..<23).map { $0 * rate / 2 + $0 * 31 }
        for place in places { for index in 0..<24 { input[place + index] = index % 2 == 0 ? 0.9 : -0.9 } }
        let count = Int(Double(input.count) / speed.doubleValue)
        let output = try stretch([input], by: speed, count: count)[0]
        #expect(output.count == count)
        var heard: [Int] = []
        for index in output.indices where abs(output[index]) > 0.2 && index > (heard.last ?? -10_000) + rate / 200 {
            heard.append(index)
        }
        #expect(heard.count == places.count)
        for (found, place) in zip(heard, places) {
            // Half a frame at 30 per second is 800 samples; 2 ms are 96.
            #expect(abs(found - Int(Double(place) / speed.doubleValue)) < 96, "the click at \(place)")
        }
    }

    @Test(arguments: toneSpeeds.every(3)) func aToneKeepsItsPitchAndLevel(_ speed: Rational) throws {
        let seconds = max(2, min(60, Int(speed.doubleValue * 2)))
        let input = (0..<rate * seconds).map { 0.5 * Float(sin(2 * Double.pi * 330 * Double($0) / Double(rate))) }
        let output = try stretch(
            [input, input], by: speed, count: rate / 2, from: Int(Double(rate) / speed.doubleValue))
        #expect(output[0] == output[1])
        let crossings = zip(output[0], output[0].dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 165) <= 4, "\(crossings) periods in half a second")
        let power = output[0].reduce(0) { $0 + $1 * $1 } / Float(output[0].count)
        #expect(power > 0.1 && power < 0.13)
    }

    @Test func speedOneIsTheInput() throws {
        var generator = SystemRandomNumberGenerator()
        let input = (0..<5000).map { _ in Float.random(in: -1...1, using: &generator) }
        #expect(try stretch([input], by: .one, count: 5000, piece: 333)[0] == input)
    }

    @Test func theSizeOfThePiecesDoesNotMatter() throws {
        let input: [Float] = (0..<rate).map { sample in
            let at = Double(sample)
            return 0.5 * Float(sin(at * at * 1e-5))
        }
        let whole = try stretch([input], by: Rational(3, 2), count: 30_000, piece: 30_000)
        #expect(try stretch([input], by: Rational(3, 2), count: 30_000, piece: 17) == whole)
    }

    @Test func silenceStaysSilent() throws {
        #expect(
            try stretch([[Float](repeating: 0, count: rate)], by: Rational(1, 2), count: rate)[0].allSatisfy { $0 == 0 }
        )
    }
}
