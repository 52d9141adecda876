import Foundation

/// SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA
/// 2014): small, fast, and the same sequence on every machine for one seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A generator of its own for case `index`, so that one case can be run again alone and cases
    /// can run in parallel.
    public static func forCase(_ index: Int, of seed: UInt64) -> SplitMix64 {
        var mix = SplitMix64(seed: seed ^ (UInt64(truncatingIfNeeded: index) &* 0xD129_0D3F_3E2C_9B65))
        return SplitMix64(seed: mix.next())
    }
}

/// The seed of this run's random cases: `CUTROOM_SEED`, or a new one every time.
public enum Seed {
    public static let current: UInt64 = {
        let wished = ProcessInfo.processInfo.environment["CUTROOM_SEED"].flatMap { UInt64($0) }
        return wished ?? UInt64.random(in: 0...999_999_999)
    }()

    /// How many random cases to run where `usual` are: at most `CUTROOM_CASES`, for builds that are
    /// slowed by a sanitizer.
    public static func cases(_ usual: Int) -> Int {
        let most = ProcessInfo.processInfo.environment["CUTROOM_CASES"].flatMap { Int($0) }
        return min(usual, max(1, most ?? usual))
    }

    /// The seed, after printing it with what is needed to run the same cases again.
    public static func announced(for test: String, cases: Int) -> UInt64 {
        print("\(test): \(cases) random cases; to run the same again: CUTROOM_SEED=\(current)")
        return current
    }

    /// Random cases under the announced seed, one after the other.
    /// - Parameters:
    ///   - count: at most; see ``cases(_:)``.
    ///   - body: gets a case's name, which is the seed and its number, and a generator of its own.
    public static func rounds(
        _ count: Int, of test: String, _ body: (_ name: String, _ random: SplitMix64) throws -> Void
    ) rethrows {
        let count = cases(count)
        let seed = announced(for: test, cases: count)
        for round in 0..<count { try body("\(seed), round \(round)", .forCase(round, of: seed)) }
    }
}

extension SplitMix64 {
    /// True with probability `numerator/denominator`.
    public mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
        Int.random(in: 0..<denominator, using: &self) < numerator
    }

    /// One of `choices`, which are never empty in a test.
    public mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &self)] }
}
