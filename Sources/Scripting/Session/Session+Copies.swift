import Draft
import Values

/// Copies of entries.
extension Session {
    /// `clip:copy({ speed = 2 }, other)`: an entry as another one is, but for what changes, at the
    /// end of its list or at an `index`.
    func copy(_ call: LuaCall, _ draft: Int) throws -> Value {
        let (list, original) = (try list(call), try item(call, draft))
        guard call.argument(3) == .null || call.argument(3).isTable else {
            throw call.error(
                "‘copy’ wants a table of what changes, but was given \(call.argument(3).forPeople)")
        }
        guard case .number(let number) = call.argument(4), let target = Int(exactly: number),
            drafts.indices.contains(target)
        else { throw call.error("‘copy’ needs a draft") }
        let (changes, index) = try position(call, target, list, options: 3)
        var copy = original
        copy.element = original.element.anew(at: call.origin)
        if changes.fields["speed"] != nil, changes.fields["duration"] != nil {
            throw call.error("give ‘speed’ or ‘duration’, not both: each decides the other")
        }
        for (name, value) in changes.fields.sorted(by: { $0.key < $1.key }) {
            copy.element = try element(copy, setting: name, to: value, draft, call)
        }
        return try insert(
            copy.element.anew(at: call.origin, id: copy.id), cost: original.cost + changes.cost, list,
            index,
            Self.name(list, index, id: copy.id), target, call)
    }
}

extension Item.Element {
    /// The same, made at another place, without its id or with another one.
    fileprivate func anew(at origin: Origin, id: String? = nil) -> Item.Element {
        switch self {
        case .clip(var clip):
            (clip.id, clip.origin, clip.changes) = (id, origin, Changes())
            return .clip(clip)
        case .audio(var clip):
            (clip.id, clip.origin, clip.changes) = (id, origin, Changes())
            return .audio(clip)
        case .effect(var effect):
            (effect.id, effect.origin, effect.changes) = (id, origin, Changes())
            return .effect(effect)
        }
    }
}
