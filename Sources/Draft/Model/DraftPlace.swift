import Values

/// A place in a draft that can hold something with files, a plugin or values that change with time.
/// Indexes count from 0.
public indirect enum DraftPlace: Hashable, Sendable {
    /// The clip's own content: its file, or what makes it.
    case clip(Int)
    /// The transition into this clip.
    case transition(Int)
    case clipEffect(Int, clip: Int)
    case audio(Int)
    case audioEffect(Int, audio: Int)
    /// An entry of the draft's effect list.
    case effect(Int)
    /// An entry of the own list of a layer, which is an entry of the effect list.
    case layerEffect(Int, layer: Int)
    /// A place of the draft that the clip or layer at the first place shows.
    case inside(DraftPlace, DraftPlace)
}

extension DraftPlace: CustomStringConvertible {
    /// The place for people, by numbers alone: `clip 2, effect 1`.
    public var description: String {
        switch self {
        case .clip(let index): "clip \(index + 1)"
        case .transition(let clip): "clip \(clip + 1), transition"
        case .clipEffect(let index, let clip): "clip \(clip + 1), effect \(index + 1)"
        case .audio(let index): "audio \(index + 1)"
        case .audioEffect(let index, let audio): "audio \(audio + 1), effect \(index + 1)"
        case .effect(let index): "effect \(index + 1)"
        case .layerEffect(let index, let layer): "effect \(layer + 1), effect \(index + 1)"
        case .inside(let place, let inner): Self.name("\(place)", inside: "\(inner)")
        }
    }

    /// The name of something in a draft that another one shows.
    /// - Parameters:
    ///   - holder: what shows it.
    ///   - name: of the object, in its own draft.
    public static func name(_ holder: String, inside name: String) -> String {
        name == "draft" ? "\(holder), its draft" : "\(holder), its draft's \(name)"
    }
}

extension Draft {
    /// Every place of its own, in the order in which a document lists them.
    public var places: [DraftPlace] {
        var places: [DraftPlace] = []
        for (index, clip) in clips.enumerated() {
            places += [.clip(index), .transition(index)]
            places += clip.effects.indices.map { .clipEffect($0, clip: index) }
        }
        for (index, clip) in audio.enumerated() {
            places.append(.audio(index))
            places += clip.effects.indices.map { .audioEffect($0, audio: index) }
        }
        for (index, effect) in effects.enumerated() {
            places.append(.effect(index))
            places += (effect.layer?.clip.effects.indices).map { $0.map { .layerEffect($0, layer: index) } } ?? []
        }
        return places
    }

    /// The object's name in problems, with its id where it has one: `clip 2 (opening), effect 1
    /// (lut)`.
    public func name(of place: DraftPlace) -> String {
        func identified(_ name: String, _ id: String?) -> String { name + (id.map { " (\($0))" } ?? "") }
        switch place {
        case .clip(let index): return identified("clip \(index + 1)", clips[index].id)
        case .transition(let clip): return name(of: .clip(clip)) + ", transition"
        case .clipEffect(let index, let clip):
            return name(of: .clip(clip)) + ", " + clips[clip].effects[index].name(index)
        case .audio(let index): return identified("audio \(index + 1)", audio[index].id)
        case .audioEffect(let index, let clip):
            return name(of: .audio(clip)) + ", " + audio[clip].effects[index].name(index)
        case .effect(let index): return effects[index].name(index)
        case .layerEffect(let index, let layer):
            return name(of: .effect(layer))
                + (effects[layer].layer.map { ", " + $0.clip.effects[index].name(index) } ?? "")
        case .inside(let place, let inner):
            return DraftPlace.name(name(of: place), inside: nested(at: place)?.draft.name(of: inner) ?? "draft")
        }
    }

    /// Where a property of what lies at a place was set.
    func origin(of property: String, at place: DraftPlace) -> Origin? {
        switch place {
        case .clip(let index): clips[index].origin(of: property)
        case .audio(let index): audio[index].origin(of: property)
        case .effect(let index): effects[index].origin(of: property)
        case .inside(let holder, let inner): nested(at: holder)?.draft.origin(of: property, at: inner)
        case .transition, .clipEffect, .audioEffect, .layerEffect: origin(of: place)
        }
    }

    /// Where a script or document created the object at a place; nil: unknown.
    public func origin(of place: DraftPlace) -> Origin? {
        switch place {
        case .clip(let index): clips[index].origin
        case .transition(let index): clips[index].origin(of: "transition")
        case .clipEffect(let index, let clip): clips[clip].effects[index].origin ?? clips[clip].origin
        case .audio(let index): audio[index].origin
        case .audioEffect(let index, let clip): audio[clip].effects[index].origin ?? audio[clip].origin
        case .effect(let index): effects[index].origin
        case .layerEffect(let index, let layer):
            effects[layer].layer?.clip.effects[index].origin ?? effects[layer].origin
        case .inside(let holder, let inner): nested(at: holder)?.draft.origin(of: inner) ?? origin(of: holder)
        }
    }
}
