/// A point in time or a length of time, as a signed count of *flicks*: 1/705 600 000 of a second.
///
/// Every common frame rate (24, 25, 30, 50, 60, 120 and their 1000/1001 kin), every common audio
/// rate and 90 kHz divide a second into whole numbers of flicks, so sums are exact and comparisons
/// are comparisons of integers. Times computed from outside numbers are clamped to ±2⁶¹ flicks
/// (about ±103 years), so that a hostile one overflows no later sum. Source:
/// https://github.com/facebookarchive/Flicks
public struct Time: Hashable, Sendable {
    public var flicks: Int64

    public static let flicksPerSecond: Int64 = 705_600_000
    public static let zero = Time(flicks: 0)
    /// The longest time the model accepts from outside: 100 days. Sums of such times stay far from
    /// overflow.
    public static let longest = Time(flicks: 8_640_000 * flicksPerSecond)

    @inlinable public init(flicks: Int64) { self.flicks = flicks }

    /// The nearest flick to `seconds`; nil where it is not finite or its magnitude is beyond
    /// ``longest``.
    public init?(seconds: Double) {
        guard seconds.isFinite, seconds.magnitude <= Time.longest.seconds else { return nil }
        self.init(flicks: Int64((seconds * Double(Time.flicksPerSecond)).rounded()))
    }

    /// `value` ticks of `numerator/denominator` seconds each, rounded to the nearest flick: a libav
    /// timestamp. Held within ±2⁶¹ flicks. Exact where `value · numerator` is below 2⁹⁶, which no
    /// libav time base reaches.
    /// - Precondition: `denominator` is positive.
    public init(value: Int64, timeBase numerator: Int64, _ denominator: Int64) {
        precondition(denominator > 0, "a time base is positive")
        let ticks = Time.held(Int128(value) * Int128(numerator), within: 96)
        self.init(flicks: Time.held(Time.divideRounding(ticks * Int128(Time.flicksPerSecond), by: Int128(denominator))))
    }

    /// The start of frame `index` (or of sample `index`) at `rate` per second, rounded to the
    /// nearest flick: exact for every rate that divides the flick.
    public init(frame index: Int, rate: Rational) {
        self.init(value: Int64(index), timeBase: rate.denominator, rate.numerator)
    }

    /// The middle of the time in which frame `index` at `rate` is shown: the moment whose content
    /// it shows.
    public init(middleOfFrame index: Int, rate: Rational) {
        self.init(value: 2 * Int64(index) + 1, timeBase: rate.denominator, 2 * rate.numerator)
    }

    /// For display and for Lua only; the model computes in flicks.
    public var seconds: Double { Double(flicks) / Double(Time.flicksPerSecond) }

    /// The index of the frame at `rate` that is shown at this time: the last one that starts at or
    /// before it.
    public func frameIndex(rate: Rational) -> Int {
        // Frame n starts at x = n·F/rate flicks, rounded half up; that is at or before this time
        // where x < flicks + ½.
        let above = Time.divideDown(
            -(2 * Int128(flicks) + 1) * Int128(rate.numerator),
            by: 2 * Int128(rate.denominator) * Int128(Time.flicksPerSecond))
        return Int(Time.held(-above - 1))
    }

    /// How many frames at `rate` start in a timeline of this length: every n ≥ 0 with n/rate <
    /// self. Up to 64 flicks (90 ns) of rounding from odd speeds do not make a further frame. Never
    /// negative.
    public func frameCount(rate: Rational) -> Int {
        let scaled = Int128(flicks - Time.frameTolerance.flicks) * Int128(rate.numerator)
        let perFrame = Int128(rate.denominator) * Int128(Time.flicksPerSecond)
        return self <= Time.frameTolerance
            ? (flicks > 0 ? 1 : 0) : Int(Time.held(Time.divideDown(scaled, by: perFrame))) + 1
    }

    /// What ``frameCount(rate:)`` forgives: edges of a timeline this little after a frame's start
    /// lie at its start.
    public static let frameTolerance = Time(flicks: 64)

    /// The nearest whole number of units of `rate` per second (samples at a sample rate).
    public func rounded(rate: Rational) -> Int {
        Int(
            Time.held(
                Time.divideRounding(
                    Int128(flicks) * Int128(rate.numerator), by: Int128(rate.denominator) * Int128(Time.flicksPerSecond)
                )))
    }

    /// This length multiplied by a fraction, rounded to the nearest flick and held within ±2⁶¹
    /// flicks.
    public func scaled(by factor: Rational) -> Time {
        let product = Int128(flicks) * Int128(factor.numerator)
        return Time(flicks: Time.held(Time.divideRounding(product, by: Int128(factor.denominator))))
    }

    /// `wide`, or the nearest bound of ±2^`bits`.
    private static func held(_ wide: Int128, within bits: Int) -> Int128 {
        min(max(wide, -(Int128(1) << Int128(bits))), Int128(1) << Int128(bits))
    }

    private static func held(_ wide: Int128) -> Int64 { Int64(held(wide, within: 61)) }

    package static func divideRounding(_ a: Int128, by b: Int128) -> Int128 {
        divideDown(2 * a + b, by: 2 * b)
    }

    package static func divideDown(_ a: Int128, by b: Int128) -> Int128 {
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

    /// Reads ``description`` of any time below ±2⁶¹ flicks, and a decimal with the unit up to
    /// ``longest``: `2.5s`.
    public init?(_ text: some StringProtocol) {
        guard text.last == "s" else { return nil }
        let number = text.dropLast()
        let parts = number.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let n = Int64(parts[0]), let d = Int64(parts[1]), d > 0, n != .min {
            self.init(value: n, timeBase: 1, d)
            guard flicks.magnitude < 1 << 61 else { return nil }
        } else if let whole = Int64(number) {
            self.init(value: whole, timeBase: 1, 1)
            guard flicks.magnitude < 1 << 61 else { return nil }
        } else if parts.count == 1, let value = Double(number) {
            self.init(seconds: value)
        } else {
            return nil
        }
    }

    /// Reads a timecode of two or three numbers, exactly: `1:02.5` is a minute and 2.5 seconds,
    /// `1:02:03` an hour, two minutes and three seconds. Only the first number may be 60 or more;
    /// frame numbers are not accepted.
    public init?(timecode text: some StringProtocol) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), text.utf8.count <= 40 else { return nil }
        let decimals = parts[parts.count - 1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        parts[parts.count - 1] = decimals[0]
        let fraction = decimals.count > 1 ? decimals[1] : "0"
        guard
            (parts + [fraction]).allSatisfy({
                (1...9).contains($0.utf8.count) && $0.utf8.allSatisfy { (48...57).contains($0) }
            })
        else { return nil }
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }), let rest = Int64(fraction)
        else { return nil }
        let seconds = numbers.reduce(0) { $0 * 60 + $1 }
        let unit = fraction.utf8.reduce(Int64(1)) { unit, _ in unit * 10 }
        self = Time(value: seconds, timeBase: 1, 1) + Time(value: rest, timeBase: 1, unit)
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
