/// Finds sudden onsets in sound: clicks, drums, consonants. Works on the difference of neighbouring
/// samples, which low tones hardly enter, in blocks of a millisecond that begin at multiples of
/// their length, so that the same sound gives the same peaks wherever reading begins.
struct TransientFinder {
    private let block: Int
    /// A block with this many times the mean energy of the blocks before it is an onset: 12 dB.
    private let rise: Float = 16
    /// Below this mean square of the differences (about −60 dB of full scale) nothing is an onset.
    private let floor: Float = 1e-6
    private var history: [Float] = []
    private var scanned: Int?
    private var quietUntil = Int.min
    /// Positions of the onsets' highest samples, rising.
    private(set) var peaks: [Int] = []

    init(sampleRate: Int) { block = max(8, sampleRate / 1000) }

    mutating func reset() {
        history = []
        scanned = nil
        quietUntil = .min
        peaks = []
    }

    mutating func forget(before position: Int) { peaks.removeAll { $0 < position } }

    /// Looks at all whole blocks of the window before `limit`.
    mutating func scan(_ window: StretchWindow, upTo limit: Int) {
        // The first block needs the sample before it.
        let first = Int((Double(window.start + 1) / Double(block)).rounded(.up)) * block
        var position = max(scanned ?? first, first)
        if position != scanned { history = [] }
        let mean = window.mean
        while position + block <= min(limit, window.end) {
            var energy: Float = 0
            var (peak, height): (Int, Float) = (position, -1)
            for index in (position - window.start)..<(position - window.start + block) {
                let difference = mean[index] - mean[index - 1]
                energy += difference * difference
                if difference.magnitude > height { (peak, height) = (index + window.start, difference.magnitude) }
            }
            energy /= Float(block)
            let before = history.isEmpty ? energy : history.reduce(0, +) / Float(history.count)
            if energy > rise * before + floor, position >= quietUntil {
                peaks.append(peak)
                // One onset is one peak.
                quietUntil = position + 12 * block
            }
            history.append(energy)
            if history.count > 10 { history.removeFirst() }
            position += block
        }
        scanned = position
    }
}
