import Composition
import Media

/// The pictures around a frame, each made once and in order, for effects and transitions that look
/// around.
///
/// It keeps pictures from ``reach`` before the frame asked for last on, up to those that were made
/// ahead. Outside of its input's frames there is nil. A gap after the frame asked for ends the
/// window: pictures beyond the gap are made when they are shown, because inputs with state need
/// their frames in order.
///
/// Where a transition looks at a clip that is also shown alone, both ask the same cache:
/// ``frame(_:)`` keeps what windows will ask for again, and hands on the rest as it comes.
final class WindowCache: Node {
    /// What a window shows of the frames on the far side of a gap before its frame.
    enum Past {
        /// Nothing: a transition sees a clip only as far as the clip is shown without a break.
        case ends
        /// Their pictures: an effect that acts again after a pause sees what it saw before the
        /// pause.
        case goesOn
    }

    private let input: Switch<Surface>
    private let reach: FrameReach
    private let past: Past
    /// Frames that windows look at, and that are asked for one by one as well. Runs may overlap.
    private let watched: [Range<Int>]
    private var kept: [Int: Picture] = [:]

    /// - Parameters:
    ///   - reach: the farthest of all windows.
    ///   - watched: frames that windows look at, where others ask for single frames.
    init(_ input: Switch<Surface>, reach: FrameReach, past: Past, watched: [Range<Int>] = []) {
        self.input = input
        self.reach = reach
        self.past = past
        self.watched = watched
    }

    /// The pictures from `reach.before` before a frame to `reach.after` after it; nil where the
    /// frame itself is in a gap.
    func window(around number: Int, _ reach: FrameReach) throws -> [Picture?]? {
        forget(before: number - self.reach.before)
        let whole = number - reach.before..<number + reach.after + 1
        let shown = input.inputs.stretch(around: number, within: whole)
        guard !shown.isEmpty else { return nil }
        let start = past == .ends ? shown.lowerBound : whole.lowerBound
        return try whole.map { (start..<shown.upperBound).contains($0) ? try picture($0) : nil }
    }

    func frame(_ number: Int) throws -> Surface? {
        forget(before: number - reach.before)
        guard let watch = watched.first(where: { $0.contains(number) }) else {
            return try kept[number].map { Surface($0, isOwned: false) } ?? input.frame(number)
        }
        // What later windows see of the frames before this one is made first, so that it is made in
        // order.
        let known = kept.keys.filter { $0 < number }.max().map { $0 + 1 }
        let first = max(watch.lowerBound, number - reach.before, known ?? .min)
        for earlier in first..<max(first, number) { _ = try picture(earlier) }
        return try picture(number).map { Surface($0, isOwned: false) }
    }

    func close() { kept.removeAll() }

    private func picture(_ number: Int) throws -> Picture? {
        if let known = kept[number] { return known }
        let picture = try input.frame(number)?.picture
        kept[number] = picture
        return picture
    }

    private func forget(before number: Int) {
        for frame in kept.keys where frame < number { kept[frame] = nil }
    }
}
