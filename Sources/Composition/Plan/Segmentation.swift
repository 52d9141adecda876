import Values

/// Where the picture is cut into segments.
///
/// Cuts follow content, so that an edit moves cuts near it and nowhere else. They may lie at
/// *edges*, where a clip, a transition or an effect begins or ends, and within a clip at *marks*,
/// about two seconds of output apart. A mark is a place in the clip's content, so a trim, a split
/// or a title leaves it where it is.
///
/// Places are taken by their weight, edges before marks; one that is too near to a cut to pay for a
/// key frame of its own is left out. Which of two places is the weightier one depends on these two
/// alone. A stretch under an effect that carries state from frame to frame is never cut.
///
/// Where the script sets an interval of key frames, cuts lie at its multiples instead, so that the
/// whole file has key frames at exactly these.
struct Segmentation {
    /// Seconds of output between two marks: long enough that a key frame more does not matter,
    /// short enough that many workers share even a short clip.
    static let usualSeconds: Int64 = 2

    /// The same of what an editor plays: short, so that an edit at the playhead is seen soon.
    static let previewSeconds: Int64 = 1

    /// A plan's bound on segments: beyond it (28 hours) they get longer.
    static let maximumSegments = 50_000

    private let composition: Composition
    /// Frames between two marks.
    private let usual: Int
    /// The frames between two key frames that the script asks for; nil: cuts follow content.
    private let interval: Int?
    /// Stretches without a cut inside, in order and apart.
    private let whole: [Range<Int>]

    init(_ composition: Composition, seconds: Int64 = Self.usualSeconds, keyFrameInterval: Int? = nil) {
        self.composition = composition
        interval = keyFrameInterval.map { max(1, $0) }
        var usual = max(1, Time(flicks: Time.flicksPerSecond * seconds).rounded(rate: composition.frameRate))
        while composition.frameCount / usual > Self.maximumSegments { usual *= 2 }
        self.usual = usual
        whole = composition.sequentialFrames()
    }

    /// Contiguous from 0 to the composition's end.
    func segments() -> [Range<Int>] {
        guard composition.frameCount > 0 else { return [] }
        if let interval { return segments(ofMultiplesOf: interval) }
        var cuts = SortedFrames([0, composition.frameCount])
        // A second between edges; more beside a mark, which can be done without.
        take(composition.edges(), shortest: usual / 2, &cuts)
        take(composition.marks(every: usual), shortest: usual * 3 / 4, &cuts)
        return zip(cuts.frames, cuts.frames.dropFirst()).map { $0..<$1 }
    }

    /// Segments as long as the multiple of `interval` that is nearest below `usual` frames, at
    /// least one interval.
    private func segments(ofMultiplesOf interval: Int) -> [Range<Int>] {
        let length = max(1, usual / interval) * interval
        let inner = stride(from: length, to: composition.frameCount, by: length).filter { !isInsideWhole($0) }
        let cuts = [0] + inner + [composition.frameCount]
        return zip(cuts, cuts.dropFirst()).map { $0..<$1 }
    }

    /// Cuts at the weightiest places first, each where no cut is nearer than `shortest` frames.
    private func take(_ places: [CutPlace], shortest: Int, _ cuts: inout SortedFrames) {
        for place in places.sorted(by: { $0.outweighs($1) }) where !isInsideWhole(place.frame) {
            if cuts.distance(to: place.frame) >= max(1, shortest) { cuts.insert(place.frame) }
        }
    }

    private func isInsideWhole(_ frame: Int) -> Bool {
        let index = firstIndex(in: whole) { $0.upperBound > frame }
        return index < whole.count && whole[index].lowerBound < frame
    }
}

/// Frames, or samples, in order, each once.
struct SortedFrames {
    private(set) var frames: [Int]

    /// - Parameter frames: in order.
    init(_ frames: [Int]) { self.frames = frames }

    /// To the nearest one.
    func distance(to frame: Int) -> Int {
        let index = firstIndex(in: frames) { $0 >= frame }
        let after = index < frames.count ? frames[index] - frame : .max
        return min(after, index > 0 ? frame - frames[index - 1] : .max)
    }

    mutating func insert(_ frame: Int) { frames.insert(frame, at: firstIndex(in: frames) { $0 >= frame }) }
}

extension Composition {
    /// Returns where the picture is cut into segments: see ``Segmentation``. Contiguous from 0 to
    /// the end.
    /// - Parameter keyFrameInterval: that of the script; nil where it sets none.
    public func segmentFrames(keyFrameInterval: Int? = nil) -> [Range<Int>] {
        Segmentation(self, keyFrameInterval: keyFrameInterval).segments()
    }

    /// The same for what an editor plays, about a second each.
    func previewFrames() -> [Range<Int>] { Segmentation(self, seconds: Segmentation.previewSeconds).segments() }
}
