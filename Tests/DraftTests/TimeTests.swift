import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct TimeTests {
    static let seed = Seed.announced(for: "frame round trips", cases: 500)

    /// Frame rates, their 1000/1001 kin, audio rates, 90 kHz and milliseconds.
    static let exactRates = [
        "24", "25", "30", "48", "50", "60", "90", "100", "120", "24000/1001", "30000/1001", "60000/1001", "120000/1001",
        "8000",
        "16000", "22050", "24000", "32000", "44100", "48000", "88200", "96000", "192000", "90000", "1000",
    ].compactMap { Rational($0) }
    static let oddRates = [
        "7", "11", "2997/100", "23976/1000", "1", "239", "240", "123457/1000", "1001/30", "100000000/416667",
    ].compactMap { Rational($0) }

    @Test(arguments: exactRates)
    func oneFrameIsAWholeNumberOfFlicks(rate: Rational) {
        let frame = Time(frame: 1, rate: rate)
        #expect(
            Int128(frame.flicks) * Int128(rate.numerator) == Int128(Time.flicksPerSecond) * Int128(rate.denominator))
        for index in [2, 3, 1000, 1001, 107_892, 10_000_000] {
            #expect(Time(frame: index, rate: rate).flicks == frame.flicks * Int64(index))
        }
    }

    @Test(arguments: exactRates + oddRates)
    func indexAndTimeGoRound(rate: Rational) {
        var random = SplitMix64(seed: Self.seed)
        var indexes = [0, 1, 2, 59, 60, 1000, -1, -60]
        for _ in 0..<500 { indexes.append(Int.random(in: -10_000...100_000_000, using: &random)) }
        for index in indexes {
            let start = Time(frame: index, rate: rate)
            #expect(start.frameIndex(rate: rate) == index)
            #expect((start - Time(flicks: 1)).frameIndex(rate: rate) == index - 1)
            #expect(start.rounded(rate: rate) == index)
            let next = Time(frame: index + 1, rate: rate)
            #expect((next - Time(flicks: 1)).frameIndex(rate: rate) == index)
        }
    }

    @Test(arguments: exactRates + oddRates)
    func frameCountIsTheNumberOfStarts(rate: Rational) {
        for count in [1, 2, 3, 59, 60, 61, 1799, 54_000] {
            let length = Time(frame: count, rate: rate)
            let tolerance = Time.frameTolerance
            #expect(length.frameCount(rate: rate) == count)
            #expect((length + tolerance - Time(flicks: 1)).frameCount(rate: rate) == count, "rounding makes no frame")
            #expect((length - Time(flicks: 1)).frameCount(rate: rate) == count)
            if rate < Rational(1_000_000) {
                #expect((length + tolerance + Time(flicks: 2)).frameCount(rate: rate) == count + 1)
            }
        }
        #expect(Time.zero.frameCount(rate: rate) == 0 && Time(flicks: -5).frameCount(rate: rate) == 0)
        #expect(Time(flicks: 1).frameCount(rate: rate) == 1 && Time(flicks: 65).frameCount(rate: rate) == 1)
    }

    @Test func ofSeconds() {
        #expect(Time(seconds: 2.5)?.flicks == 1_764_000_000)
        #expect(Time(seconds: -0.1)?.flicks == -70_560_000)
        #expect(Time(seconds: 1e-10) == .zero)
        #expect(Time(seconds: Time.longest.seconds) == .longest)
        for value in [Double.nan, .infinity, -.infinity, 8_640_000.001, -1e300] { #expect(Time(seconds: value) == nil) }
    }

    @Test func ofTimestamps() {
        #expect(Time(value: 90_000, timeBase: 1, 90_000).flicks == Time.flicksPerSecond)
        #expect(Time(value: 1001, timeBase: 1, 30_000).flicks == 1001 * 23_520)
        #expect(Time(value: 1, timeBase: 1, Int64(Int32.max)) == .zero)
        #expect(Time(value: -3, timeBase: 1, 2) == Time(flicks: -3 * Time.flicksPerSecond / 2))
    }

    /// Hostile timestamps and rates are held within bounds that later sums do not overflow.
    @Test func bounds() {
        for value in [Int64.max, .min, .max / 2] {
            for (numerator, denominator) in [
                (Int64(1), Int64(1)), (Int64(Int32.max), 1), (.max, 1), (1, .max), (.max, .max),
            ] {
                let time = Time(value: value, timeBase: numerator, denominator)
                #expect((time + time).flicks.magnitude <= 1 << 62)
                _ = (
                    time.frameIndex(rate: Rational(240)), time.frameCount(rate: Rational(.max, 1)),
                    time.rounded(rate: Rational(.max))
                )
                _ = (
                    time.scaled(by: Rational(.max)), time.scaled(by: Rational(1, .max)),
                    time.scaled(by: Rational(-.max)), time.forPeople
                )
                #expect(Time(time.description) == time || time.flicks.magnitude == 1 << 61)
            }
        }
        #expect(Time(frame: .max, rate: Rational(1, .max)).flicks == 1 << 61)
    }

    @Test func scalingRoundsToTheNearestFlick() {
        #expect(Time(flicks: 7).scaled(by: Rational(1, 2)).flicks == 4)
        #expect(Time(flicks: 5).scaled(by: Rational(1, 3)).flicks == 2)
        #expect(Time(flicks: -7).scaled(by: Rational(1, 2)).flicks == -3)
        #expect(Time.longest.scaled(by: .one) == .longest)
    }

    @Test(
        arguments: [
            ("0s", 0), ("3s", 2_116_800_000), ("5/2s", 1_764_000_000), ("1001/30000s", 23_543_520),
            ("-1/2s", -352_800_000),
            ("2.5s", 1_764_000_000), ("1/705600000s", 1),
        ] as [(String, Int64)])
    func readsAndPrints(text: String, flicks: Int64) throws {
        let time = try #require(Time(text))
        #expect(time.flicks == flicks)
        #expect(Time(time.description) == time)
        #expect(try JSONDecoder().decode([Time].self, from: JSONEncoder().encode([time])) == [time])
    }

    @Test(arguments: [
        "", "s", "3", "1/0s", "1/-2s", "a s", "nans", "infs", "1e300s", "9223372036854775807s", "1//2s", "3ss", "3 s",
    ])
    func refusesText(text: String) {
        #expect(Time(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Time].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func printingGoesRound() {
        var random = SplitMix64(seed: Seed.announced(for: "Time texts", cases: 5000))
        for _ in 0..<5000 {
            let time = Time(flicks: Int64.random(in: -(1 << 60)...(1 << 60), using: &random))
            #expect(Time(time.description) == time)
        }
    }

    @Test(
        arguments: [
            (0, "0"), (705_600_000, "1"), (1_764_000_000, "2.5"), (-352_800_000, "-0.5"), (705_600, "0.001"),
            (352_799, "0"),
            (705_599_999, "1"), (7_056_000, "0.01"),
        ] as [(Int64, String)])
    func forPeople(flicks: Int64, text: String) {
        #expect(Time(flicks: flicks).forPeople == text)
    }
}

@Suite struct TimeRangeTests {
    private func range(_ start: Int64, _ end: Int64) -> TimeRange {
        TimeRange(from: Time(flicks: start), to: Time(flicks: end))
    }

    /// All ranges over a small line, against the sets of times in them.
    @Test func everyLawOverASmallLine() {
        let all = (0...4).flatMap { a in (a...5).map { range(Int64(a), Int64($0)) } }
        func times(_ range: TimeRange) -> Set<Int64> { Set((-1...6).filter { range.contains(Time(flicks: $0)) }) }
        for a in all {
            #expect(a.isEmpty == times(a).isEmpty && a.end == a.start + a.duration)
            #expect(times(a.shifted(by: Time(flicks: 1))) == Set(times(a).map { $0 + 1 }))
            for b in all {
                let common = times(a).intersection(times(b))
                #expect(a.intersection(b).map(times) ?? [] == common)
                #expect(a.intersection(b) == b.intersection(a) && a.union(b) == b.union(a) || a.isEmpty || b.isEmpty)
                #expect(a.contains(b) == times(b).isSubset(of: times(a)))
                #expect(times(a.union(b)).isSuperset(of: times(a).union(times(b))))
                #expect(times(a.clamped(to: b)) == common)
                let clamped = a.clamped(to: b)
                #expect(b.start <= clamped.start && clamped.end <= b.end)
            }
        }
    }

    @Test func halfOpen() {
        #expect(range(1, 3).contains(Time(flicks: 1)) && !range(1, 3).contains(Time(flicks: 3)))
        #expect(range(1, 3).intersection(range(3, 4)) == nil)
        #expect(range(3, 1).isEmpty && TimeRange.zero.isEmpty)
        #expect(
            TimeRange(start: Time(flicks: Time.flicksPerSecond * 2), duration: Time(flicks: 2_469_600_000)).description
                == "2–5.5 s")
    }
}
