import Values

/// Which input sample is heard at which output sample: stretches of constant speed that adjoin.
/// Both count from zero, where the first one begins.
public struct Tempo: Sendable {
    public struct Stretch: Sendable {
        /// Samples at its beginning.
        public var output: Double
        public var input: Double
        /// Input samples per output sample; more than zero.
        public var speed: Double

        public init(output: Double, input: Double, speed: Double) {
            (self.output, self.input, self.speed) = (output, input, speed)
        }
    }

    private let stretches: [Stretch]
    let slowest: Double

    /// - Parameter stretches: in order; not empty.
    public init(_ stretches: [Stretch]) {
        precondition(stretches.allSatisfy { $0.speed > 0 }, "sound goes forward")
        self.stretches = stretches
        slowest = stretches.map(\.speed).min() ?? 1
    }

    public init(_ speed: Rational) { self.init([Stretch(output: 0, input: 0, speed: speed.doubleValue)]) }

    /// Input and output are the same.
    var isPlain: Bool { stretches.count == 1 && slowest == 1 }

    func input(at output: Double) -> Double {
        let stretch = stretches[index { $0.output > output }]
        return stretch.input + (output - stretch.output) * stretch.speed
    }

    func output(of input: Double) -> Double {
        let stretch = stretches[index { $0.input > input }]
        return stretch.output + (input - stretch.input) / stretch.speed
    }

    func speed(at output: Double) -> Double { stretches[index { $0.output > output }].speed }

    /// The last stretch before those that begin later; the first one before all of them.
    private func index(before isLater: (Stretch) -> Bool) -> Int {
        stretches.count == 1 ? 0 : max(0, firstIndex(in: stretches, where: isLater) - 1)
    }
}
