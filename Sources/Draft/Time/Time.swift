/// A point in time or a length of time, as a signed count of *flicks*: 1/705 600 000 of a second.
///
/// Every common frame rate (24, 25, 30, 50, 60, 120 and their 1000/1001 kin), every common audio rate and 90 kHz divide
/// a second into whole numbers of flicks, so sums are exact and comparisons are comparisons of integers. The range is
/// about ±414 years. Source: https://github.com/facebookarchive/Flicks
public struct Time: Hashable, Sendable {
    public var flicks: Int64

    public static let flicksPerSecond: Int64 = 705_600_000
    public static let zero = Time(flicks: 0)
    /// The longest time the model accepts from outside: 100 days. Sums of such times stay far from overflow.
    public static let longest = Time(flicks: 8_640_000 * flicksPerSecond)

    @inlinable public init(flicks: Int64) { self.flicks = flicks }

    /// The nearest flick to `seconds`; nil where it is not finite or its magnitude is beyond ``longest``.
    public init?(seconds: Double) {
        guard seconds.isFinite, seconds.magnitude <= Time.longest.seconds else { return nil }
        self.init(flicks: Int64((seconds * Double(Time.flicksPerSecond)).rounded()))
    }

    /// `value` ticks of `numerator/denominator` seconds each, rounded to the nearest flick: a libav timestamp.
    /// Clamped to ±2⁶² flicks, so that a hostile timestamp cannot overflow later sums of two.
    public init(value: Int64, timeBase numerator: Int64, _ denominator: Int64) {
        precondition(denominator > 0, "a time base is positive")
        let wide = Time.divideRounding(
            Int128(value) * Int128(numerator) * Int128(Time.flicksPerSecond), by: Int128(denominator))
        let bound = Int128(1) << 61
        self.init(flicks: Int64(Swift.min(Swift.max(wide, -bound), bound)))
    }

    /// The start of frame `index` (or of sample `index`) at `rate` per second, rounded to the nearest flick: exact for
    /// every rate that divides the flick.
    public init(frame index: Int, rate: Rational) {
        self.init(value: Int64(index), timeBase: rate.denominator, rate.numerator)
    }

    /// For display and for Lua only; the model computes in flicks.
    public var seconds: Double { Double(flicks) / Double(Time.flicksPerSecond) }

    /// The index of the frame at `rate` that is shown at this time: the last one that starts at or before it.
    public func frameIndex(rate: Rational) -> Int {
        var index = Int(Time.divideDown(
            Int128(flicks) * Int128(rate.numerator), by: Int128(rate.denominator) * Int128(Time.flicksPerSecond)))
        // A start that was rounded up to its flick still belongs to its own frame, and one rounded down is reached early.
        while Time(frame: index + 1, rate: rate) <= self { index += 1 }
        while Time(frame: index, rate: rate) > self { index -= 1 }
        return index
    }

    /// How many frames at `rate` start in a timeline of this length: every n ≥ 0 with n/rate < self. Up to 64 flicks
    /// (90 ns) of rounding from odd speeds do not make a further frame. Never negative.
    public func frameCount(rate: Rational) -> Int {
        let scaled = Int128(flicks - 64) * Int128(rate.numerator)
        let perFrame = Int128(rate.denominator) * Int128(Time.flicksPerSecond)
        return flicks <= 64 ? (flicks > 0 ? 1 : 0) : Int(Time.divideDown(scaled, by: perFrame)) + 1
    }

    /// The nearest whole number of units of `rate` per second (samples at a sample rate).
    public func rounded(rate: Rational) -> Int {
        Int(Time.divideRounding(
            Int128(flicks) * Int128(rate.numerator), by: Int128(rate.denominator) * Int128(Time.flicksPerSecond)))
    }

    /// This length multiplied by a fraction, rounded to the nearest flick.
    public func scaled(by factor: Rational) -> Time {
        Time(flicks: Int64(Time.divideRounding(Int128(flicks) * Int128(factor.numerator), by: Int128(factor.denominator))))
    }

    static func divideRounding(_ a: Int128, by b: Int128) -> Int128 {
        divideDown(2 * a + b, by: 2 * b)
    }

    static func divideDown(_ a: Int128, by b: Int128) -> Int128 {
        let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
        return remainder != 0 && (remainder < 0) != (b < 0) ? quotient - 1 : quotient
    }
}

extension Time: Comparable, AdditiveArithmetic {
    @inlinable public static func < (a: Time, b: Time) -> Bool { a.flicks < b.flicks }
    @inlinable public static func + (a: Time, b: Time) -> Time { Time(flicks: a.flicks + b.flicks) }
    @inlinable public static func - (a: Time, b: Time) -> Time { Time(flicks: a.flicks - b.flicks) }
    @inlinable public static prefix func - (a: Time) -> Time { Time(flicks: -a.flicks) }
}

extension Time: CustomStringConvertible {
    /// Seconds as an exact fraction with its unit, as in FCPXML: `3s`, `5/2s`, `1001/30000s`.
    public var description: String { "\(Rational(flicks, Time.flicksPerSecond))s" }

    /// Reads ``description``, and a decimal with the unit: `2.5s`.
    public init?(_ text: some StringProtocol) {
        guard text.last == "s" else { return nil }
        let number = text.dropLast()
        let parts = number.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let n = Int64(parts[0]), let d = Int64(parts[1]), d > 0, n != .min {
            self.init(value: n, timeBase: 1, d)
            guard flicks.magnitude <= Time.longest.flicks.magnitude else { return nil }
        } else if parts.count == 1, let value = Double(number) {
            self.init(seconds: value)
        } else {
            return nil
        }
    }

    /// Seconds for people: up to three decimals, no trailing zeros (`2.5`).
    public var forPeople: String {
        let milliseconds = Time.divideRounding(Int128(flicks) * 1000, by: Int128(Time.flicksPerSecond))
        let whole = milliseconds.magnitude / 1000
        var fraction = String(milliseconds.magnitude % 1000)
        fraction = String(repeating: "0", count: 3 - fraction.count) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        return (milliseconds < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }
}

extension Time: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let time = Time(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "‘\(text)’ is not a time such as 5/2s"))
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
