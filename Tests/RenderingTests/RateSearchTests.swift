import Foundation
import TestSupport
import Testing

@testable import Rendering

@Suite struct RateSearchTests {
    /// An encoder by a formula: bits fall by half with each `halving` of quality, from a level of
    /// its own for each segment, and the curve is bent.
    private struct Model {
        var levels: [Double]
        var halving: Double
        var bend: Double

        func bytes(_ segment: Int, _ quality: Double) -> Int64 {
            Int64(levels[segment] * exp2(-quality / halving - bend * quality * quality / 2000) / 8) + 20
        }
    }

    private func run(
        _ model: Model, bitRate: Double, range: ClosedRange<Double> = 1...51, step: Double = 0.5, guess: Double = 23
    ) -> (quality: Double, error: Double, work: Double) {
        var search = RateSearch(
            bitRate: bitRate, seconds: model.levels.map { _ in 2 }, range: range, step: step, halving: 6, guess: guess)
        var work = 0.0
        for _ in 0..<20 {
            switch search.next {
            case .measure(let quality, let segments):
                #expect(range.contains(quality) && (quality / step).rounded() * step == quality)
                #expect(search.next == .measure(quality: quality, segments: segments))
                work += Double(segments.count) / Double(model.levels.count)
                search.record(
                    quality: quality,
                    bytes: Dictionary(uniqueKeysWithValues: segments.map { ($0, model.bytes($0, quality)) }))
            case .settled(let quality):
                let bits = model.levels.indices.reduce(0.0) { $0 + Double(model.bytes($1, quality)) * 8 }
                let error = bits / (bitRate * 2 * Double(model.levels.count)) - 1
                if let told = search.error { #expect(abs(told - error) < 1e-9) }
                return (quality, error, work)
            }
        }
        Issue.record("the search does not end")
        return (0, 1, work)
    }

    @Test func aRateThatCanBeMetIsMet() {
        let cases = Seed.cases(400)
        let seed = Seed.announced(for: "RateSearchTests", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let count = Int.random(in: 1...60, using: &random)
            let model = Model(
                levels: (0..<count).map { _ in Double.random(in: 2e6...4e8, using: &random) },
                halving: Double.random(in: 4...9, using: &random), bend: Double.random(in: 0...0.6, using: &random))
            let goal = Double.random(in: 6...45, using: &random)
            let bitRate =
                model.levels.indices.reduce(0.0) { $0 + Double(model.bytes($1, goal)) * 8 } / (2 * Double(count))
            let result = run(model, bitRate: bitRate, guess: Double(Int.random(in: 10...40, using: &random)))
            #expect(abs(result.error) < 0.1, "case \(index): \(count) segments, goal \(goal): \(result)")
            #expect(result.work <= 7, "case \(index)")
        }
    }

    @Test func aLongPictureIsRenderedOnceAndASample() {
        let levels = (0..<900).map { 1e8 * (1 + 0.3 * sin(Double($0) / 50)) }
        let model = Model(levels: levels, halving: 6, bend: 0)
        let result = run(model, bitRate: 1e6)
        #expect(abs(result.error) < 0.06 && result.work < 1.1)
    }

    @Test(arguments: [(1e12, 1.0), (10.0, 51.0)]) func whatCannotBeMetEndsAtTheEnd(bitRate: Double, quality: Double) {
        let result = run(Model(levels: [1e7, 2e7, 3e7], halving: 6, bend: 0), bitRate: bitRate)
        #expect(result.quality == quality)
    }

    @Test func wholeStepsSettleOnTheNearer() {
        // A step of 1 changes the bits by 41 %: no step meets the rate.
        let model = Model(levels: [1e8], halving: 2, bend: 0)
        let result = run(model, bitRate: Double(model.bytes(0, 30.3)) * 4, range: 0...63, step: 1)
        #expect(result.quality == 30)
    }
}
