import Draft
import Values

/// A frame before which the picture may be cut, or a sample before which the sound may be, and what
/// speaks for it. Only the frame says where on the timeline it lies.
struct CutPlace {
    /// The output frame, or sample.
    var frame: Int
    /// How many things begin or end there.
    var count = 0
    /// How many of them begin.
    var beginnings = 0
    /// A number made of what is to be seen there: it settles what is equal otherwise.
    var lot: UInt64 = 0

    /// FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// SplitMix64's last step.
    static func mixed(_ hash: UInt64, _ number: Int64) -> UInt64 {
        var z = hash &+ UInt64(bitPattern: number) &* 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A total order of places at different frames.
    func outweighs(_ other: CutPlace) -> Bool {
        (count, beginnings, lot, other.frame) > (other.count, other.beginnings, other.lot, frame)
    }
}

extension Composition {
    /// The frames with which a clip, a transition or an effect begins, or before which one ends.
    func edges() -> [CutPlace] {
        var found: [Int: CutPlace] = [:]
        let names = ContentNames(self)
        func note(_ frame: Int, begins: Bool, _ lot: UInt64) {
            guard frame > 0 else { return }
            found[frame, default: CutPlace(frame: frame)].count += 1
            found[frame]?.beginnings += begins ? 1 : 0
            // A sum does not depend on the order.
            found[frame]?.lot &+= begins ? lot : ~lot
        }
        var before: [Thing: UInt64] = [:]
        for instruction in instructions {
            let frames = frames(in: instruction.range)
            guard !frames.isEmpty else { continue }
            let now = names.things(in: instruction)
            for (thing, lot) in before where now[thing] == nil { note(frames.lowerBound, begins: false, lot) }
            for (thing, lot) in now where before[thing] == nil { note(frames.lowerBound, begins: true, lot) }
            before = now
        }
        return Array(found.values)
    }

    /// The frames at which a clip's content passes a multiple of what `distance` output frames show
    /// of it. Within a clip they stay where they are when something before it, or its own
    /// beginning, changes.
    func marks(every distance: Int) -> [CutPlace] {
        var places: [CutPlace] = []
        let names = ContentNames(self)
        for instruction in instructions {
            let frames = frames(in: instruction.range)
            // In a transition the clip that stays.
            guard let use = instruction.clips.last, let first = frames.first, let last = frames.last else { continue }
            let content = use.content
            let step = abs(Time(frame: distance, rate: frameRate).scaled(by: content.speed).flicks)
            guard step > 0 else { continue }
            let shown = [first, last].map { content.content(at: Time(middleOfFrame: $0, rate: frameRate)).flicks }
            for number in multiples(of: step, from: min(shown[0], shown[1]), to: max(shown[0], shown[1])) {
                let frame = content.timeline(of: Time(flicks: number * step)).frame(middleFrom: frameRate)
                guard frame > 0, frames.contains(frame) else { continue }
                places.append(CutPlace(frame: frame, lot: names.lot(of: use, at: number)))
            }
        }
        return places
    }
}

/// What has a beginning and an end on the timeline: a clip or an effect, for as long as one piece
/// of its time lasts.
private enum Thing: Hashable {
    case clip(Int, Piece)
    case effect(Int, Piece)
}

/// Numbers for clips and effects by what they are.
private struct ContentNames {
    private let clips: [UInt64]
    private let effects: [UInt64]

    init(_ composition: Composition) {
        clips = composition.clips.map { clip in
            CutPlace.hash(clip.file.map { composition.files[$0].info.identity.digest } ?? "")
        }
        effects = composition.effects.map { effect in
            switch effect.content {
            case .picture(let picture): CutPlace.hash(picture.name)
            case .transition(let plugin), .source(let plugin): CutPlace.hash(plugin.effectID)
            case .layer: CutPlace.hash("layer")
            case .subtitles: CutPlace.hash("subtitles")
            }
        }
    }

    /// What is to be seen in an instruction, each with its lot.
    func things(in instruction: Instruction) -> [Thing: UInt64] {
        var things: [Thing: UInt64] = [:]
        for use in instruction.allClips {
            things[.clip(use.clip, use.content)] = lot(of: use, at: use.content.contentStart.flicks)
        }
        for use in instruction.uses {
            things[.effect(use.effect, use.clock)] = CutPlace.mixed(
                effects[use.effect], use.clock.timeline.duration.flicks)
        }
        return things
    }

    /// - Parameter place: in the clip's content.
    func lot(of use: Instruction.ClipUse, at place: Int64) -> UInt64 { CutPlace.mixed(clips[use.clip], place) }
}

/// The whole numbers n with low ≤ n · step ≤ high.
func multiples(of step: Int64, from low: Int64, to high: Int64) -> Range<Int64> {
    func down(_ value: Int64) -> Int64 { value >= 0 ? value / step : (value + 1) / step - 1 }
    let (first, end) = (down(low - 1) + 1, down(high) + 1)
    return first..<max(first, end)
}
