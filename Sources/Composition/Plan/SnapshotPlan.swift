import Draft
import Values

/// Which of a draft's frames are shown at which times, and the jobs that make pictures of them. A
/// snapshot is the frame that a render would put into its file at the same time, before it is
/// encoded.
public struct SnapshotPlan: Sendable {
    public let composition: Composition
    /// The final time at which output time is zero.
    public let start: Time

    /// - Parameter whole: of the whole timeline, whatever part the draft's `time_range` renders.
    /// - Throws: every problem of the draft.
    public init(_ draft: Draft, catalog: Catalog, whole: Bool) throws(Problems) {
        var draft = draft
        if whole { draft.timeRange = nil }
        composition = try Composition(draft, catalog: catalog)
        start = try Timeline(draft, catalog: catalog).rendered.start
    }

    /// The frames in the middle of `count` equal parts: neither the first one, which is often
    /// black, nor the last. Rising; where there are fewer frames than parts, some come more than
    /// once.
    public func evenlySpaced(_ count: Int) -> [Int] {
        (0..<count).map { (2 * $0 + 1) * composition.frameCount / (2 * count) }
    }

    /// The frame that is shown at final time `time`; nil outside of what is rendered.
    public func frame(at time: Time) -> Int? {
        let index = (time - start).frameIndex(rate: composition.frameRate)
        return time >= start && index < composition.frameCount ? index : nil
    }

    /// The final time at which a frame begins to be shown.
    public func time(of frame: Int) -> Time { start + Time(frame: frame, rate: composition.frameRate) }

    /// The frame alone or, where an effect carries state from frame to frame, what a render makes
    /// before it in one run.
    public func frames(for frame: Int) -> Range<Int> {
        let alone = Slice(composition, frames: frame..<frame + 1)
        let hasReturns = composition.ownOrder.stretches.values.joined().contains(where: \.isReturn)
        guard alone.effects.contains(where: { $0.plugin?.state == .sequential || hasReturns && $0.hasState }) else {
            return frame..<frame + 1
        }
        let segment = composition.segmentFrames().first { $0.contains(frame) }
        return (segment?.lowerBound ?? frame)..<frame + 1
    }
}
