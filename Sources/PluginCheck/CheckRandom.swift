/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): small,
/// and the same everywhere.
struct CheckRandom: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter parts: different parts make independent sequences.
    init(_ parts: UInt64...) {
        state = 0
        for part in parts { state = Self.mixed(state &+ 0x9e37_79b9_7f4a_7c15 &+ part) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
