import CPortableMath

/// The integrated loudness and the true peak of a sound, put together from the profiles of its
/// stretches.
///
/// EBU R 128 gates blocks of 400 ms that begin every 100 ms, counted from the start of the whole
/// sound. Stretches begin anywhere, so the energy of a cell (0.7 ms at 48 kHz) that lies on the
/// edge of such a step is shared out by its samples.
public struct ProfiledLoudness: Sendable {
    /// Samples of 100 ms.
    private let step: Int
    /// The energy in each whole step.
    private var steps: [Double]
    private var highest: Float = 0

    /// - Parameter sampleCount: samples of the whole sound.
    public init(sampleRate: Int, sampleCount: Int) {
        // As libebur128 rounds.
        step = max(1, (sampleRate + 5) / 10)
        steps = [Double](repeating: 0, count: sampleCount / step)
    }

    /// Adds cells of a profile, the first of which begins with sample `first` of the whole.
    public mutating func add(_ energies: some Sequence<Float>, at first: Int) {
        let cell = LoudnessProfile.cell
        for (number, energy) in energies.enumerated() where energy > 0 {
            let start = first + number * cell
            let index = start / step
            let inside = min(cell, (index + 1) * step - start)
            let share = Double(energy) * Double(inside) / Double(cell)
            if steps.indices.contains(index) { steps[index] += share }
            if inside < cell, steps.indices.contains(index + 1) { steps[index + 1] += Double(energy) - share }
        }
    }

    /// Takes a true peak into account.
    public mutating func add(peak: Float) { highest = max(highest, peak) }

    /// LUFS; nil for silence, and for less than 0.4 s.
    public var integrated: Double? {
        guard steps.count >= 4 else { return nil }
        let blocks = (0...steps.count - 4).map { steps[$0..<$0 + 4].reduce(0, +) / Double(4 * step) }
        let audible = blocks.filter { $0 >= Self.energy(-70) }
        guard !audible.isEmpty else { return nil }
        // The relative gate lies 10 LU below the mean of what passes the absolute one.
        let gate = audible.reduce(0, +) / Double(audible.count) / 10
        let heard = audible.filter { $0 >= gate }
        return LoudnessMeter.rounded(10 * pm_log10(heard.reduce(0, +) / Double(heard.count)) - 0.691)
    }

    /// dBTP; minus infinity for silence.
    public var truePeak: Double { LoudnessMeter.rounded(20 * pm_log10(Double(highest))) }

    /// The mean square of a block of some loudness.
    private static func energy(_ loudness: Double) -> Double { pm_pow(10, (loudness + 0.691) / 10) }
}
