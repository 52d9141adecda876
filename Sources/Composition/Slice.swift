import Draft
import Values

/// The part of a composition's picture that one segment needs, with indexes and times of its own:
/// what a segment job carries and what its key is made of.
///
/// A slice knows no place: its first shown frame is frame 0 and begins at time zero, wherever on
/// the timeline it lies; frames before that have negative numbers. So a change elsewhere, and a
/// move as a whole, leave it as it is. Only where something in it depends on the place does it say
/// which one it has (``origin``).
public struct Slice: Hashable, Sendable, Codable {
    public var size: Canvas.Size
    public var frameRate: Rational
    public var background: Color
    public var color: ColorSystem
    /// The frames 0 ..< frameCount are shown.
    public var frameCount: Int
    /// So many frames before the first one are to be made and dropped, so that effects that warm up
    /// are exact; nil: none.
    public var leadFrames: Int?
    /// The output frame that is frame 0 here, where an effect depends on its place on the timeline;
    /// else nil.
    public var origin: Int?
    public var files: [MediaFile]
    /// The parts that are shown of the drafts that ``files`` names, each from a frame of its own
    /// on; nil: there are none.
    public var drafts: [Slice]?
    /// Where nothing lies it is transparent: see ``Composition/isTransparent``.
    public var isTransparent: Bool?
    public var clips: [CompositionClip]
    public var effects: [CompositionEffect]
    /// The instructions of the frames that are shown and of those that effects see around them, in
    /// order, each from the middle of its first frame to just after the middle of its last one.
    public var instructions: [Instruction]

    /// - Parameter shown: output frames; not empty.
    public init(_ composition: Composition, frames shown: Range<Int>) {
        let context = composition.context(of: shown)
        let frames =
            max(
                0, shown.lowerBound - context.lead - context.window.before)..<min(
                composition.frameCount, shown.upperBound + context.window.after)
        let lead = min(context.lead, shown.lowerBound)
        leadFrames = lead > 0 ? lead : nil
        size = composition.size
        frameRate = composition.frameRate
        background = composition.background
        color = composition.color
        isTransparent = composition.isTransparent
        frameCount = shown.count
        (files, clips, effects, instructions) = ([], [], [], [])

        let place = Place(start: shown.lowerBound, rate: composition.frameRate)
        let first = Time(middleOfFrame: frames.lowerBound, rate: composition.frameRate)
        let last = Time(middleOfFrame: frames.upperBound - 1, rate: composition.frameRate)
        let range = TimeRange(from: first, to: last + Time(flicks: 1))
        var renumber = Renumbering(composition)
        for (frames, instruction) in composition.shown(in: range) {
            let times = ShownTimes(frames, place)
            let part = instruction.moved(to: place).trimmed(to: times).mapClips { use in
                var use = use
                use.clip = renumber.clip(use.clip)
                return use
            }
            instructions.append(
                part.mapUses { use in
                    var use = use
                    use.effect = renumber.effect(use, times.starts)
                    return use
                })
        }
        (clips, files) = (renumber.clips, renumber.files)
        effects = zip(renumber.effects, renumber.shown).map { $0.trimmed(to: $1) }
        origin = effects.contains { $0.plugin?.isPlaced == true } ? shown.lowerBound : nil
        trimClipTimes()
        trimMixing()
        trimDrafts(of: composition)
        forgetIdleTimes()
        joinAlike()
    }

    /// Leaves of the clips' own maps of time what is shown, in times that count from there. So the
    /// passes of a loop are alike.
    private mutating func trimClipTimes() {
        var shown: [Int: [TimeRange]] = [:]
        for instruction in instructions {
            for use in instruction.allClips where clips[use.clip].time != nil {
                let last = instruction.range.end - Time(flicks: 1)
                shown[use.clip, default: []].append(
                    TimeRange(
                        from: use.content.content(at: instruction.range.start),
                        to: use.content.content(at: last) + Time(flicks: 1)))
            }
        }
        for (clip, ranges) in shown {
            guard let (time, moved) = clips[clip].time?.trimmed(to: ranges) else { continue }
            clips[clip].time = time
            for index in instructions.indices {
                instructions[index] = instructions[index].mapClips { use in
                    var use = use
                    if use.clip == clip { use.content.contentStart -= moved }
                    return use
                }
            }
        }
    }

    /// Forgets where a clip's source ends where nothing near it is mixed.
    private mutating func trimMixing() {
        for (number, clip) in clips.enumerated() {
            guard let end = clip.mixedUntil else { continue }
            var latest = clip.time?.pieces.map(\.content.end).max() ?? .zero
            for instruction in instructions where clip.time == nil {
                for use in instruction.allClips where use.clip == number {
                    latest = max(latest, use.content.content(at: instruction.range.start))
                    latest = max(latest, use.content.content(at: instruction.range.end))
                }
            }
            if end - latest > CompositionClip.longestMix + Time(flicks: Time.flicksPerSecond / 100) {
                clips[number].mixedUntil = nil
            }
        }
    }

    /// Drops the times of what looks the same at all times: which part of a photo, or of a title
    /// that stands still, is shown makes no other picture.
    private mutating func forgetIdleTimes() {
        for index in instructions.indices {
            let instruction = instructions[index].mapClips { use in
                guard hasOnePicture(use) else { return use }
                var use = use
                use.content = .atRest
                return use
            }
            instructions[index] = instruction.mapUses { use in
                guard effects[use.effect].isAtRest(files) else { return use }
                var use = use
                use.clock = .atRest
                return use
            }
        }
    }

    /// Makes one of neighbours that show the same.
    private mutating func joinAlike() {
        var joined: [Instruction] = []
        for instruction in instructions {
            if let last = joined.last, last.showsTheSame(as: instruction) {
                joined[joined.count - 1].range = TimeRange(from: last.range.start, to: instruction.range.end)
            } else {
                joined.append(instruction)
            }
        }
        instructions = joined
    }

    /// The clip's content does not say which picture it is: there is one, or a plugin makes it by a
    /// clock of its own.
    private func hasOnePicture(_ use: Instruction.ClipUse) -> Bool {
        guard let file = clips[use.clip].file else { return true }
        return files[file].info.kind == .image
    }

    /// The instruction that shows frame `index` of the slice; nil outside.
    public func instruction(at index: Int) -> Instruction? {
        let time = Time(middleOfFrame: index, rate: frameRate)
        let position = instructions.index(endingAfter: time)
        return position < instructions.count && instructions[position].range.contains(time)
            ? instructions[position] : nil
    }
}

extension Composition {
    /// The instructions of the frames in `range`, each with its frames. Only what frames show has a
    /// say: what lies between two of them is left out, and neighbours that differ in nothing else
    /// are one.
    fileprivate func shown(in range: TimeRange) -> [(frames: Range<Int>, instruction: Instruction)] {
        var result: [(frames: Range<Int>, instruction: Instruction)] = []
        for instruction in instructions[instructions.index(endingAfter: range.start)...] {
            guard let common = instruction.range.intersection(range) else { break }
            let frames = frames(in: common)
            guard !frames.isEmpty else { continue }
            if let last = result.last, last.instruction.showsTheSame(as: instruction) {
                result[result.count - 1].frames = last.frames.lowerBound..<frames.upperBound
            } else {
                result.append((frames, instruction))
            }
        }
        return result
    }
}

/// Where a slice lies in its composition.
private struct Place {
    /// The output frame that is the slice's frame 0.
    var start: Int
    var rate: Rational

    /// Output time at which the slice's time is zero.
    var time: Time { Time(frame: start, rate: rate) }

    func moved(_ piece: Piece) -> Piece {
        Piece(timeline: piece.timeline.shifted(by: -time), contentStart: piece.contentStart, speed: piece.speed)
    }
}

/// What a run of frames asks a composition for, in the slice's time.
private struct ShownTimes {
    /// From the start of its first frame to just after that of its last one: the times of effects.
    var starts: TimeRange
    /// From the middle of its first frame to just after that of its last one: the times of content.
    var middles: TimeRange

    /// - Parameter frames: output frames.
    init(_ frames: Range<Int>, _ place: Place) {
        let (first, last, one) = (frames.lowerBound - place.start, frames.upperBound - 1 - place.start, Time(flicks: 1))
        let start = Time(frame: first, rate: place.rate)
        starts = TimeRange(from: start, to: Time(frame: last, rate: place.rate) + one)
        middles = TimeRange(
            from: Time(middleOfFrame: first, rate: place.rate), to: Time(middleOfFrame: last, rate: place.rate) + one)
    }
}

extension ShownTimes {
    /// The part of an effect's or a transition's clock that is asked for. Where that is one frame's
    /// start, one that begins within the frame is at zero, wherever in it that is.
    fileprivate func clock(_ whole: Piece) -> Piece {
        var part = whole.continued(to: starts)
        if starts.duration == Time(flicks: 1), part.content(at: starts.start) < .zero {
            part = Piece(timeline: starts, contentStart: .zero, speed: part.speed)
        }
        return part
    }
}

extension Piece {
    /// Shows the same at all times: what stands for the map of what has no time.
    static let atRest = Piece(timeline: .zero, contentStart: .zero)
}

extension Instruction {
    /// It differs in its range alone.
    fileprivate func showsTheSame(as other: Instruction) -> Bool {
        var other = other
        other.range = range
        return self == other
    }

    fileprivate func moved(to place: Place) -> Instruction {
        var result = mapUses { use in
            var use = use
            use.clock = place.moved(use.clock)
            return use
        }
        result = result.mapClips { use in
            var use = use
            use.content = place.moved(use.content)
            return use
        }
        result.transition?.clock = place.moved(transition?.clock ?? .atRest)
        return result
    }

    fileprivate func trimmed(to times: ShownTimes) -> Instruction {
        var result = mapUses { use in
            var use = use
            use.clock = times.clock(use.clock)
            return use
        }
        result.range = times.middles
        result = result.mapClips { use in
            var use = use
            use.content = use.content.trimmed(toPictures: times.middles)
            return use
        }
        if let transition { result.transition?.clock = times.clock(transition.clock) }
        return result
    }
}

/// Gives what is used new numbers in the order of first use.
private struct Renumbering {
    let composition: Composition
    var files: [MediaFile] = []
    var clips: [CompositionClip] = []
    var effects: [CompositionEffect] = []
    /// The effects' own times that the slice shows.
    var shown: [TimeRange] = []
    private var fileNumbers: [Int: Int] = [:]
    private var clipNumbers: [Int: Int] = [:]
    private var effectNumbers: [Int: Int] = [:]

    init(_ composition: Composition) { self.composition = composition }

    mutating func number(ofFile old: Int) -> Int {
        if let new = fileNumbers[old] { return new }
        files.append(composition.files[old])
        fileNumbers[old] = files.count - 1
        return files.count - 1
    }

    mutating func clip(_ old: Int) -> Int {
        if let new = clipNumbers[old] { return new }
        var clip = composition.clips[old]
        if let file = clip.file, composition.files[file].draft != nil {
            // Each clip shows a part of its own.
            files.append(composition.files[file])
            clip.file = files.count - 1
        } else {
            clip.file = clip.file.map { number(ofFile: $0) }
        }
        clips.append(clip)
        clipNumbers[old] = clips.count - 1
        return clips.count - 1
    }

    mutating func effect(_ use: Instruction.EffectUse, _ part: TimeRange) -> Int {
        let time = TimeRange(from: use.time(at: part.start), to: use.time(at: part.end) + Time(flicks: 1))
        if let new = effectNumbers[use.effect] {
            shown[new] = shown[new].union(time)
            return new
        }
        var effect = composition.effects[use.effect]
        effect.files = effect.files.map { number(ofFile: $0) }
        effects.append(effect)
        shown.append(time)
        effectNumbers[use.effect] = effects.count - 1
        return effects.count - 1
    }
}

extension [Instruction] {
    /// The index of the first one that ends after `time`, found by halving; the count where there
    /// is none.
    func index(endingAfter time: Time) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].range.end > time { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
