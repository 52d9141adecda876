/// The way from one key to the next.
public enum Easing: Hashable, Sendable {
    case linear
    /// The value stays until the next key.
    case hold
    /// One of Robert Penner's curves (*Programming Macromedia Flash MX*, 2002).
    case curve(Curve, Way)
    /// The cubic from (0, 0) to (1, 1) with these two handles (CSS Easing Functions Level 1,
    /// section 2.2); their x lies in 0…1.
    case bezier(x1: Double, y1: Double, x2: Double, y2: Double)
    /// So many jumps of equal size, the last one at the next key (the same, section 2.3:
    /// `jump-end`).
    case steps(Int)

    public static let easeIn = Easing.curve(.cubic, .in)
    public static let easeOut = Easing.curve(.cubic, .out)
    public static let easeInOut = Easing.curve(.cubic, .inOut)

    public enum Curve: String, Hashable, Sendable, CaseIterable {
        case sine, quad, cubic, quart, quint, expo, circ, back, elastic, bounce
    }

    /// Where a curve is slow.
    public enum Way: String, Hashable, Sendable, CaseIterable {
        case `in`
        case out
        case inOut = "in_out"
    }

    public static let stepRange = 1...1000
    /// The y of a curve's handles.
    public static let handleRange = -10.0...10

    /// The easings that have a name, each once.
    public static let named: [Easing] =
        [.linear, .hold] + Way.allCases.map { .curve(.cubic, $0) }
        + Curve.allCases.filter { $0 != .cubic }.flatMap { curve in Way.allCases.map { .curve(curve, $0) } }
}

// MARK: - Values

extension Easing {
    /// - Parameters:
    ///   - p: progress in 0…1.
    /// - Returns: 0 at 0 and, but for `hold`, 1 at 1; between them beyond 0…1 for `back`, `elastic`
    ///   and some handles.
    public func ease(_ p: Double) -> Double {
        switch self {
        case .linear: return p
        case .hold: return 0
        case .steps(let count): return p >= 1 ? 1 : (p * Double(count)).rounded(.down) / Double(count)
        case .bezier(let x1, let y1, let x2, let y2): return Self.bezier(p, x1, y1, x2, y2)
        case .curve(let curve, let way):
            if p <= 0 || p >= 1 { return p <= 0 ? 0 : 1 }
            switch way {
            case .in: return curve.rise(p)
            case .out: return 1 - curve.rise(1 - p)
            case .inOut: return p < 0.5 ? curve.steepRise(2 * p) / 2 : 1 - curve.steepRise(2 - 2 * p) / 2
            }
        }
    }

    private static func bezier(_ p: Double, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> Double {
        if p <= 0 || p >= 1 { return p <= 0 ? 0 : 1 }
        func along(_ t: Double, _ a: Double, _ b: Double) -> Double {
            let u = 1 - t
            return 3 * u * u * t * a + 3 * u * t * t * b + t * t * t
        }
        // x rises with t.
        var (low, high) = (0.0, 1.0)
        for _ in 0..<52 {
            let middle = (low + high) / 2
            if along(middle, x1, x2) < p { low = middle } else { high = middle }
        }
        return along((low + high) / 2, y1, y2)
    }
}

extension Easing.Curve {
    /// The curve that is slow at its beginning.
    fileprivate func rise(_ p: Double) -> Double {
        switch self {
        case .sine: return 1 - PortableMath.cosPi(p / 2)
        case .quad: return p * p
        case .cubic: return p * p * p
        case .quart: return p * p * p * p
        case .quint: return p * p * p * p * p
        case .expo: return PortableMath.exp2(10 * p - 10)
        case .circ: return 1 - (1 - p * p).squareRoot()
        case .back: return p * p * (2.70158 * p - 1.70158)
        case .elastic: return -PortableMath.exp2(10 * p - 10) * PortableMath.sinPi((20 * p - 21.5) / 3)
        case .bounce: return 1 - Self.bounces(1 - p)
        }
    }

    /// The same in the halves of `in_out`, where two of the curves swing further.
    fileprivate func steepRise(_ p: Double) -> Double {
        switch self {
        case .back: p * p * (3.5949095 * p - 2.5949095)
        case .elastic: -PortableMath.exp2(10 * p - 10) * PortableMath.sinPi((20 * p - 22.25) / 4.5)
        default: rise(p)
        }
    }

    /// A ball that falls and jumps up three times.
    private static func bounces(_ p: Double) -> Double {
        let (steep, length) = (7.5625, 2.75)
        func parabola(_ middle: Double, _ floor: Double) -> Double {
            steep * (p - middle / length) * (p - middle / length) + floor
        }
        if p < 1 / length { return steep * p * p }
        if p < 2 / length { return parabola(1.5, 0.75) }
        if p < 2.5 / length { return parabola(2.25, 0.9375) }
        return parabola(2.625, 0.984375)
    }
}

// MARK: - Names

extension Easing: CustomStringConvertible {
    /// `linear`, `hold`, `ease_in` (the cubic), `ease_out_bounce`, `cubic-bezier(0.4, 0, 0.2, 1)`,
    /// `steps(4)`: what scripts and documents say.
    public var description: String {
        switch self {
        case .linear: "linear"
        case .hold: "hold"
        case .curve(.cubic, let way): "ease_\(way.rawValue)"
        case .curve(let curve, let way): "ease_\(way.rawValue)_\(curve.rawValue)"
        case .bezier(let x1, let y1, let x2, let y2):
            "cubic-bezier(\([x1, y1, x2, y2].map { Value.text(of: $0) }.joined(separator: ", ")))"
        case .steps(let count): "steps(\(count))"
        }
    }

    /// nil where no easing has the name, or its numbers are out of range.
    public init?(_ name: String) {
        if let known = Self.byName[name] {
            self = known
        } else if let numbers = Self.arguments(of: "cubic-bezier", in: name), numbers.count == 4 {
            guard (0...1).contains(numbers[0]), (0...1).contains(numbers[2]), Self.handleRange.contains(numbers[1]),
                Self.handleRange.contains(numbers[3])
            else { return nil }
            self = .bezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
        } else if let numbers = Self.arguments(of: "steps", in: name), numbers.count == 1,
            let count = Int(exactly: numbers[0]), Self.stepRange.contains(count)
        {
            self = .steps(count)
        } else {
            return nil
        }
    }

    /// The sentence for a value that is not a valid easing.
    package static func advice(on value: Value) -> String {
        if case .string(let name) = value {
            let known = suggestion(for: name, in: byName.keys.sorted(), otherNames: .easings)
            if !known.isEmpty { return known }
        }
        return
            "; there are linear, hold, ease_in, ease_out, ease_in_out, the last three also with _\(Curve.allCases.map(\.rawValue).joined(separator: ", _")), "
            + "cubic-bezier(x1, y1, x2, y2) with x in 0 … 1 and y in -10 … 10, and steps(n) with n in 1 … 1000"
    }

    private static let byName: [String: Easing] = {
        var names = Dictionary(uniqueKeysWithValues: named.map { ($0.description, $0) })
        for way in Way.allCases { names["ease_\(way.rawValue)_cubic"] = .curve(.cubic, way) }
        return names
    }()

    /// The numbers of `function(a, b)`; nil where the text is not of that form.
    private static func arguments(of function: String, in text: String) -> [Double]? {
        guard text.hasPrefix(function + "("), text.hasSuffix(")"), text.utf8.count < 200 else { return nil }
        let inner = text.dropFirst(function.count + 1).dropLast()
        let numbers = inner.split(separator: ",", omittingEmptySubsequences: false).map { part in
            Double(String(part).trimmingSpaces).flatMap { $0.isFinite ? $0 : nil }
        }
        return numbers.contains(nil) ? nil : numbers.compactMap(\.self)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

extension Easing: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let known = Easing(name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no easing ‘\(name)’.")
        }
        self = known
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
