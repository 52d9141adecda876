import Draft
import Foundation
import Media
import Testing

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

    static let speeds = [
        Rational(1, 4), Rational(1, 2), Rational(3, 4), Rational(11, 10), Rational(3, 2), Rational(2), Rational(3),
    ]

    @Test(arguments: speeds) func clicksStayInTheirPlaceAndNoneIsLostOrDoubled(_ speed: Rational) throws {
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

    @Test(arguments: speeds + [Rational(1, 100), Rational(10), Rational(100)]) func aToneKeepsItsPitchAndLevel(
        _ speed: Rational
    ) throws {
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
        let input = (0..<rate).map { 0.5 * Float(sin(Double($0) * Double($0) * 1e-5)) }
        let whole = try stretch([input], by: Rational(3, 2), count: 30_000, piece: 30_000)
        #expect(try stretch([input], by: Rational(3, 2), count: 30_000, piece: 17) == whole)
    }

    @Test func silenceStaysSilent() throws {
        #expect(
            try stretch([[Float](repeating: 0, count: rate)], by: Rational(1, 2), count: rate)[0].allSatisfy { $0 == 0 }
        )
    }
}
