import Draft

/// The part of a composition's picture that one segment needs, with indexes of its own: what a segment job carries and
/// what its cache key is made of. A change elsewhere on the timeline leaves it as it is.
public struct Slice: Hashable, Sendable, Codable {
    public var size: Canvas.Size
    public var frameRate: Rational
    public var background: Color
    public var color: ColorSystem
    public var firstFrame: Int
    public var frameCount: Int
    /// So many frames before the first one are to be made and dropped, so that effects that warm up are exact; nil: none.
    public var leadFrames: Int?
    public var files: [MediaFile]
    public var clips: [CompositionClip]
    public var effects: [CompositionEffect]
    /// Those that frames show, and those that effects see around them, in order, each from the middle of its first frame to just behind the middle of its last one.
    public var instructions: [Instruction]

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
        firstFrame = shown.lowerBound
        frameCount = shown.count
        files = []
        clips = []
        effects = []
        let first = Time(middleOfFrame: frames.lowerBound, rate: composition.frameRate)
        let last = Time(middleOfFrame: frames.upperBound - 1, rate: composition.frameRate)
        let range = TimeRange(from: first, to: last + Time(flicks: 1))
        instructions = []
        var renumber = Renumbering(composition)
        for var instruction in composition.instructions[composition.instructions.index(endingAfter: first)...] {
            guard let common = instruction.range.intersection(range) else { break }
            // Only what frames show has a say: not what lies between two of them, nor where exactly it ends there.
            let frames = composition.frames(in: common)
            guard !frames.isEmpty else { continue }
            let times = ShownTimes(frames, rate: frameRate)
            // Nothing may stay in the slice that an edit elsewhere would change.
            instruction.trim(to: times)
            for index in instruction.clips.indices {
                instruction.clips[index].clip = renumber.clip(instruction.clips[index].clip)
                if let use = instruction.clips[index].generator {
                    instruction.clips[index].generator?.effect = renumber.effect(use, times.starts)
                }
                for use in instruction.clips[index].effects.indices {
                    instruction.clips[index].effects[use].effect = renumber.effect(
                        instruction.clips[index].effects[use], times.starts)
                }
            }
            if let use = instruction.transition?.effect {
                instruction.transition?.style = .effect(renumber.effect(use, times.starts))
            }
            for use in instruction.effects.indices {
                instruction.effects[use].effect = renumber.effect(instruction.effects[use], times.starts)
            }
            instructions.append(instruction)
        }
        clips = renumber.clips
        files = renumber.files
        effects = zip(renumber.effects, renumber.shown).map { effect, shown in
            var effect = effect
            effect.effect.trim(to: shown)
            return effect
        }
    }

    /// The instruction that shows frame `index` of the timeline; nil outside the slice.
    public func instruction(at index: Int) -> Instruction? {
        let time = Time(middleOfFrame: index, rate: frameRate)
        let position = instructions.index(endingAfter: time)
        return position < instructions.count && instructions[position].range.contains(time)
            ? instructions[position] : nil
    }
}

/// What a run of frames asks a composition for.
private struct ShownTimes {
    /// From the start of its first frame to just behind that of its last one: the times of effects.
    var starts: TimeRange
    /// From the middle of its first frame to just behind that of its last one: the times of content.
    var middles: TimeRange

    init(_ frames: Range<Int>, rate: Rational) {
        let (first, last, one) = (frames.lowerBound, frames.upperBound - 1, Time(flicks: 1))
        let start = Time(frame: first, rate: rate)
        starts = TimeRange(from: start, to: Time(frame: last, rate: rate) + one)
        middles = TimeRange(
            from: Time(middleOfFrame: first, rate: rate), to: Time(middleOfFrame: last, rate: rate) + one)
    }
}

extension Instruction {
    fileprivate mutating func trim(to times: ShownTimes) {
        range = times.middles
        for index in clips.indices {
            clips[index].content = clips[index].content.trimmed(toPictures: times.middles)
            if let clock = clips[index].generator?.clock {
                clips[index].generator?.clock = clock.trimmed(to: times.starts)
            }
            for use in clips[index].effects.indices {
                clips[index].effects[use].clock = clips[index].effects[use].clock.trimmed(to: times.starts)
            }
        }
        if let clock = transition?.clock { transition?.clock = clock.trimmed(to: times.starts) }
        for use in effects.indices { effects[use].clock = effects[use].clock.trimmed(to: times.starts) }
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
        clip.file = clip.file.map { number(ofFile: $0) }
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
    /// The index of the first one that ends after `time`, found by halving; the count where there is none.
    func index(endingAfter time: Time) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].range.end > time { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension PictureEffect {
    /// Drops the keyframes that have no say within `range`.
    fileprivate mutating func trim(to range: TimeRange) {
        switch self {
        case .lut(var look):
            look.intensity = look.intensity.trimmed(to: range)
            self = .lut(look)
        case .sticker(var sticker):
            sticker.rect = sticker.rect.trimmed(to: range)
            sticker.opacity = sticker.opacity.trimmed(to: range)
            self = .sticker(sticker)
        case .title(var title):
            title.opacity = title.opacity.trimmed(to: range)
            self = .title(title)
        case .filter(var filter):
            filter.trim(to: range)
            self = .filter(filter)
        case .overlay(var overlay):
            overlay.source.trim(to: range)
            overlay.opacity = overlay.opacity.trimmed(to: range)
            self = .overlay(overlay)
        }
    }
}

extension PluginEffect {
    fileprivate mutating func trim(to range: TimeRange) {
        parameters = parameters.mapValues { value in
            if case .numbers(let animated) = value { .numbers(animated.trimmed(to: range)) } else { value }
        }
    }
}
