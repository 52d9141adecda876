import Draft
import Foundation
import Values

/// What a draft shows and sounds at one time, computed slowly and straight from the design's text:
/// the effect list is undone from its last entry to its first, then the clip is looked up. It knows
/// no pieces and no maps.
///
/// All times are flicks as `Double`: sums and products that are whole numbers are exact, others are
/// right to 10⁻³ flicks.
struct Oracle {
    struct Shown {
        /// The clip; in a transition the outgoing, then the incoming one.
        var clips: [(index: Int, source: Double, local: Double)] = []
        /// The source time of each clip's picture: a millisecond within what is played in one go.
        var pictured: [Double] = []
        /// The index of the incoming clip and how far its transition is, 0…1.
        var transition: (clip: Int, progress: Double)?
        /// Ids and clocks of the active picture effects of each shown clip, in order.
        var clipEffects: [[(id: String, local: Double)]] = []
        /// Ids and clocks of the active entries of the effect list, in order, and how many flicks
        /// of the clock pass in one of output.
        var effects: [(id: String, local: Double, speed: Double)] = []
        /// How many flicks of the main track pass in one of output.
        var speed = 1.0
    }

    struct Heard {
        var path: String
        var source: Double
        var gain: Double
    }

    private struct Placed {
        var start: Double
        var duration: Double
        var sourceStart: Double
        var sourceEnd: Double
        var overlap: Double
        var end: Double { start + duration }
    }

    let draft: Draft
    private var placed: [Placed] = []
    /// The length before each entry of the effect list, and at last after all of them.
    private(set) var lengths: [Double] = []
    let renderedStart: Double
    let renderedDuration: Double

    /// For a draft that is legal.
    init(_ draft: Draft, _ catalog: Catalog) {
        self.draft = draft
        var end = 0.0
        for (index, clip) in draft.clips.enumerated() {
            let media = Double(catalog.info(clip.path)?.duration.flicks ?? 0)
            var (start, duration) = (0.0, media)
            switch clip.content {
            case .image(let length), .generated(_, let length), .color(_, let length): duration = length.double
            case .media(let range?):
                start = range.start.double
                duration = min(range.end.double, media) - start
            case .media, .draft: break
            }
            let overlap = index == 0 ? 0 : clip.transition?.duration.double ?? 0
            let length = !clip.isMedia ? duration : duration / clip.speed.doubleValue
            placed.append(
                Placed(
                    start: end - overlap, duration: length, sourceStart: start, sourceEnd: start + duration,
                    overlap: overlap))
            end += length - overlap
        }
        for effect in draft.effects {
            lengths.append(end)
            let range = Self.range(of: effect, on: end)
            switch effect.kind {
            case .speed(let factor): end += (range.upperBound - range.lowerBound) * (1 / factor.doubleValue - 1)
            case .repeat(let count): end += (range.upperBound - range.lowerBound) * Double(count - 1)
            case .picture, .sound, .layer: break
            }
        }
        lengths.append(end)
        renderedStart = draft.timeRange?.start.double ?? 0
        renderedDuration = min(draft.timeRange?.end.double ?? end, end) - renderedStart
    }

    private static func range(of effect: Effect, on length: Double) -> Range<Double> {
        guard let range = effect.range else { return 0..<max(0, length) }
        return range.start.double..<max(range.start.double, min(range.end.double, length))
    }

    /// How long entry `index` of the effect list is told that it acts, in flicks.
    func length(ofEffect index: Int) -> Double {
        let range = Self.range(of: draft.effects[index], on: lengths[index])
        return range.upperBound - range.lowerBound
    }

    /// The same of a clip's own effect.
    func length(of effect: Effect, ofClip index: Int) -> Double {
        let range = Self.range(of: effect, on: placed[index].duration)
        return range.upperBound - range.lowerBound
    }

    /// How long a clip is shown.
    func length(ofClip index: Int) -> Double { placed[index].duration }

    /// How far within what is played a picture is asked for: a millisecond.
    static let pictureMargin = Double(Time.flicksPerSecond / 1000)

    /// What output time `time` shows.
    func shown(at time: Double) -> Shown {
        var shown = Shown()
        var t = renderedStart + time
        // What is played in one go around it.
        var run = (start: renderedStart, end: renderedStart + renderedDuration)
        func narrow(_ start: Double, _ end: Double, _ map: (Double) -> Double) {
            run = (map(max(run.start, start)), map(min(run.end, end)))
        }
        for (index, effect) in draft.effects.enumerated().reversed() {
            let range = Self.range(of: effect, on: lengths[index])
            let duration = range.upperBound - range.lowerBound
            if range.isEmpty { continue }
            switch effect.kind {
            case .sound, .layer: break
            case .picture:
                if range.contains(t) {
                    shown.effects.insert((effect.id ?? "", t - range.lowerBound, shown.speed), at: 0)
                }
            case .speed(.one): break
            case .speed(let factor):
                let numerator = Double(factor.numerator)
                let denominator = Double(factor.denominator)
                let end = range.lowerBound + duration * denominator / numerator
                if t >= end {
                    narrow(end, .infinity) { range.upperBound + ($0 - end) }
                    t = range.upperBound + (t - end)
                } else if t >= range.lowerBound {
                    func content(_ time: Double) -> Double {
                        range.lowerBound + (time - range.lowerBound) * numerator / denominator
                    }
                    narrow(range.lowerBound, end, content)
                    t = content(t)
                    shown.speed *= factor.doubleValue
                } else {
                    narrow(-.infinity, range.lowerBound) { $0 }
                }
            case .repeat(let count):
                let end = range.lowerBound + duration * Double(count)
                // The first pass goes on what was before it, and what comes after goes on the last
                // one.
                let pass = min(max(0, ((t - range.lowerBound) / duration).rounded(.down)), Double(count - 1))
                let earlier = pass * duration
                narrow(
                    pass == 0 ? -.infinity : range.lowerBound + earlier,
                    pass == Double(count - 1) ? .infinity : range.lowerBound + earlier + duration
                ) { $0 - earlier }
                if t >= end {
                    t = range.upperBound + (t - end)
                } else if t >= range.lowerBound {
                    t = range.lowerBound + (t - range.lowerBound).truncatingRemainder(dividingBy: duration)
                }
            }
        }
        for (index, clip) in draft.clips.enumerated() where placed[index].start <= t && t < placed[index].end {
            let place = placed[index]
            let local = t - place.start
            let speed = !clip.isMedia ? .one : clip.speed
            func source(_ local: Double) -> Double {
                let played = local * Double(speed.numerator) / Double(speed.denominator)
                return clip.isReversed ? place.sourceEnd - played : place.sourceStart + played
            }
            shown.clips.append((index, source(local), local))
            let ends = [max(run.start, place.start), min(run.end, place.end)].map { source($0 - place.start) }.sorted()
            let margin = min(Self.pictureMargin, (ends[1] - ends[0]) / 2)
            shown.pictured.append(min(max(source(local), ends[0] + margin), ends[1] - margin))
            shown.clipEffects.append(
                clip.effects.compactMap { effect in
                    let range = Self.range(of: effect, on: place.duration)
                    return range.contains(local) ? (effect.id ?? "", local - range.lowerBound) : nil
                })
            if index > 0, local < place.overlap, shown.clips.count == 2 {
                shown.transition = (index, local / place.overlap)
            }
        }
        return shown
    }

    /// Which sources sound at output time `time`, where and how loud; sorted by path and source
    /// time.
    func heard(at time: Double, _ catalog: Catalog) -> [Heard] {
        var heard: [Heard] = []
        let shown = shown(at: time)
        for (index, source, local) in shown.clips {
            let clip = draft.clips[index]
            guard clip.isMedia, catalog.info(clip.path)?.audio != nil else { continue }
            var gain = clip.volume.scalar(at: Time(flicks: Int64(local.rounded())))
            gain *= Self.fade(local, placed[index].duration, clip.fadeIn.double, clip.fadeOut.double)
            let place = placed[index]
            if place.overlap > 0 { gain *= Self.sine(local / place.overlap) }
            if index + 1 < placed.count, placed[index + 1].overlap > 0 {
                gain *= Self.cosine((place.start + local - placed[index + 1].start) / placed[index + 1].overlap)
            }
            heard.append(Heard(path: clip.path, source: source, gain: gain))
        }
        let t = renderedStart + time
        for clip in draft.audio {
            guard let sound = catalog.info(clip.path)?.audio, let end = lengths.last, t < end else { continue }
            let range = clip.range ?? TimeRange(start: .zero, duration: sound.duration)
            let local = t - clip.startTime.double
            let pass = range.duration.double / clip.speed.doubleValue
            let length = clip.loops ? end - clip.startTime.double : min(pass, end - clip.startTime.double)
            guard local >= 0, local < length else { continue }
            let source = range.start.double + local.truncatingRemainder(dividingBy: pass) * clip.speed.doubleValue
            let gain = clip.volume.scalar(at: Time(flicks: Int64(local.rounded())))
            heard.append(
                Heard(
                    path: clip.path, source: source,
                    gain: gain * Self.fade(local, length, clip.fadeIn.double, clip.fadeOut.double)))
        }
        return heard.sorted { ($0.path, $0.source, $0.gain) < ($1.path, $1.source, $1.gain) }
    }

    private static func fade(_ local: Double, _ length: Double, _ fadeIn: Double, _ fadeOut: Double) -> Double {
        (fadeIn > 0 ? clamp(local / fadeIn) : 1) * (fadeOut > 0 ? clamp((length - local) / fadeOut) : 1)
    }
    static func clamp(_ x: Double) -> Double { min(1, max(0, x)) }
    static func sine(_ x: Double) -> Double { sin(clamp(x) * .pi / 2) }
    static func cosine(_ x: Double) -> Double { cos(clamp(x) * .pi / 2) }
}

extension Time {
    var double: Double { Double(flicks) }
}
