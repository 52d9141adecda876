import Values

/// Plays sound faster or slower at its own pitch: output sample *n* is heard from around input
/// sample *n · speed* or, where the speed changes, where a ``Tempo`` says.
///
/// WSOLA (Verhelst and Roelands, ICASSP 1993): overlapping grains, each taken within ±8 ms of its
/// exact place where it fits the one before best, so that nothing ever drifts. Two rules are added
/// for transients, whose place the ear and the picture hold exactly: grains that play a transient
/// are all shifted so that it falls on its exact output sample, and no other grain may contain it.
///
/// Why not a library, measured with FFmpeg 5.1 on clicks twice a second: `atempo` put them up to 26
/// ms too early at half speed and lost some at double speed; `rubberband` put them 8–16 ms off and
/// smeared them to a third of their height; neither gave the exact count of samples.
public final class TimeStretcher {
    /// Fills planes with `count` input samples from `start` on: any range, silence outside the
    /// sound.
    public typealias Input = (
        _ start: Int, _ count: Int, _ planes: [UnsafeMutablePointer<Float>]
    ) throws(MediaError) -> Void

    private let tempo: Tempo
    private let channels: Int
    /// Half a grain's length, and the distance of two grains in the output: 12.5 ms.
    private let hop: Int
    /// How far from its exact place a grain may be taken: 8 ms.
    private let reach: Int
    /// What a transient rings before and after its peak: 1 ms and 3 ms.
    private let ring: (before: Int, after: Int)
    /// The rising half of a Hann window; with the falling one it sums to one.
    private let rise: [Float]
    private let window: StretchWindow
    private var transients: TransientFinder?

    /// The output position of the next sample to hand out, and what is ready from there.
    private let ready: SampleQueue
    /// The last grain: its middle in the output and in the input.
    private var grain: (output: Int, input: Int)?

    /// - Parameters:
    ///   - tempo: transients are kept apart up to a speed of 4; above that they are too dense.
    ///   - sampleRate: samples per second, of input and output.
    public init(tempo: Tempo, channels: Int, sampleRate: Int) {
        self.tempo = tempo
        self.channels = channels
        let hop = sampleRate / 80
        self.hop = hop
        reach = sampleRate / 125
        ring = (sampleRate / 1000, 3 * sampleRate / 1000)
        rise = (0..<hop).map { Float(0.5 - 0.5 * PortableMath.cosPi((Double($0) + 0.5) / Double(hop))) }
        window = StretchWindow(channels: channels)
        transients = tempo.isPlain || tempo.slowest > Self.fastest ? nil : TransientFinder(sampleRate: sampleRate)
        ready = SampleQueue(channels: channels)
    }

    /// - Parameter speed: 2 plays twice as fast.
    public convenience init(speed: Rational, channels: Int, sampleRate: Int) {
        self.init(tempo: Tempo(speed), channels: channels, sampleRate: sampleRate)
    }

    /// The speed up to which transients are kept apart.
    private static let fastest = 4.0

    /// Fills `planes` with `count` output samples from `start` on. To be read forward; another
    /// start than the end of the last read begins anew there. `input` is called before this
    /// returns, with rising ranges.
    public func read(
        from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>], input: Input
    ) throws(MediaError) {
        precondition(planes.count == channels && count >= 0, "one plane for each channel")
        if tempo.isPlain { return try input(start, count, planes) }
        if grain == nil || start != ready.start {
            ready.reset(to: start)
            window.reset()
            transients?.reset()
            grain = nil
        }
        var filled = 0
        while filled < count {
            let taken = ready.copy(from: start + filled, count: count - filled, into: planes, at: filled)
            filled += taken
            ready.drop(before: start + filled)
            if taken == 0 { try makeHop(from: start + filled, input) }
        }
    }

    /// Adds one hop of output: the falling half of the last grain and the rising half of the next.
    private func makeHop(from start: Int, _ input: Input) throws(MediaError) {
        let last: (output: Int, input: Int)
        if let grain {
            last = grain
        } else {
            try load(around: start, also: nil, input)
            last = (start, exactPlace(start))
        }
        let output = last.output + hop
        try load(around: output, also: last.input, input)
        let next = (output: output, input: place(output, after: last.input))
        grain = next
        let (falling, rising) = (last.input - window.start, next.input - hop - window.start)
        ready.append(upTo: hop) { targets, _ in
            for (channel, target) in targets.enumerated() {
                let samples = window.samples(channel)
                let (old, new) = (samples + falling, samples + rising)
                rise.withUnsafeBufferPointer { rise in
                    for index in 0..<hop { target[index] = old[index] + (new[index] - old[index]) * rise[index] }
                }
            }
            return hop
        }
    }

    private func exactPlace(_ output: Int) -> Int { Int(tempo.input(at: Double(output)).rounded()) }

    /// Makes all input available that grains around this output position can use.
    private func load(around output: Int, also last: Int?, _ input: Input) throws(MediaError) {
        let exact = exactPlace(output)
        let margin = 2 * hop + reach
        let low = min(exact - margin, last ?? exact)
        let high = max(exact + margin, (last ?? exact) + hop)
        try window.load(low..<high, input)
        transients?.scan(window, upTo: high - hop)
        transients?.forget(before: low - hop)
    }

    /// Where in the input the grain is taken whose middle is played at `output`.
    private func place(_ output: Int, after last: Int) -> Int {
        let exact = exactPlace(output)
        var bounds = (low: exact - reach, high: exact + reach)
        if let transients, tempo.speed(at: Double(output)) <= Self.fastest {
            var locked: (distance: Double, place: Int)?
            for peak in transients.peaks {
                let played = tempo.output(of: Double(peak))
                let distance = (played - Double(output)).magnitude
                if distance < Double(hop) {
                    let place = peak + output - Int(played.rounded())
                    if distance < locked?.distance ?? .infinity, (place - exact).magnitude <= hop {
                        locked = (distance, place)
                    }
                } else if played > Double(output) {
                    bounds.high = min(bounds.high, peak - ring.before - hop)
                } else {
                    bounds.low = max(bounds.low, peak + ring.after + hop)
                }
            }
            if let locked { return locked.place }
        }
        // Between two close transients there may be no room: then the exact place is best.
        let low = min(bounds.low, exact + 2 * hop - ring.after)
        let high = max(bounds.high, exact - 2 * hop + ring.before)
        guard low <= high else { return bounds.low > exact + reach ? low : bounds.high < exact - reach ? high : exact }
        return window.bestMatch(after: last, hop: hop, places: low...high, exact: exact)
    }
}
