/// The samples beyond a run's ends that its filters have to hear, so that the run is what it is in
/// the whole mix.
///
/// A filter without state needs what its window reaches over (`reach_before`, `reach_after`); one
/// that is warmed up needs its `warm_up` besides. Filters that follow each other need the sum. A
/// filter makes whole blocks of the grid, and a sample may depend on all of its block, so
/// everything is rounded up to the grid.
struct SoundMargin: Hashable, Sendable {
    private let before: Int
    private let after: Int
    /// What any filter looks ahead at the end of the mix, where sound may go on.
    private let ahead: Int
    /// It costs less than what a cut saves. Where it does not, filters are not cut.
    let isSmall: Bool

    /// Seconds of a mix that a run may make and drop.
    private static let longest = 5

    init(of mix: SoundMix) {
        /// The sum over the filters that follow one another.
        func sum(_ count: (PluginUse) -> Int) -> Int {
            func sum(_ uses: [AudioFilterUse]) -> Int {
                uses.reduce(0) { $0 + Self.rounded(count(mix.processing.filters[$1.filter].plugin)) }
            }
            return sum(mix.processing.main) + (mix.processing.voices.map { sum($0.filters) }.max() ?? 0)
        }
        before = sum { $0.isElastic ? ($0.warmUp ?? 0) + ($0.window?.before ?? 0) : 0 }
        after = sum { $0.isElastic ? $0.window?.after ?? 0 : 0 }
        ahead = sum { $0.window?.after ?? 0 }
        isSmall = before + after <= Self.longest * mix.sampleRate
    }

    /// Returns how far a mix has to go whose last sample is the one before `end`.
    func pastEnd(_ end: Int) -> Int { Self.rounded(end + ahead) }

    /// Returns the range with the margin on both sides, from one point of the filters' grid to
    /// another.
    func around(_ range: Range<Int>) -> Range<Int> {
        let first = (range.lowerBound - before).down(to: SoundMix.filterGrid)
        return max(0, first)..<Self.rounded(range.upperBound + after)
    }

    /// Returns the range that holds every place whose margin lies in the range in part.
    func mirrored(around range: Range<Int>) -> Range<Int> {
        max(0, range.lowerBound - after - SoundMix.filterGrid)..<range.upperBound + before + SoundMix.filterGrid
    }

    private static func rounded(_ count: Int) -> Int { count.up(to: SoundMix.filterGrid) }
}

extension PluginUse {
    /// A filter whose stretches may be cut: it carries no state, or declares how many samples warm
    /// it up.
    var isElastic: Bool { state != .sequential && isKeyed != true }
}

extension Int {
    func down(to grid: Int) -> Int { self >= 0 ? self / grid * grid : -((-self + grid - 1) / grid * grid) }
    func up(to grid: Int) -> Int { -(-self).down(to: grid) }
}
