import Draft
import Values

/// An entry's own problems are reported at the line that creates or changes it.
extension Session {
    /// Refuses what is wrong with an entry by itself, at the line that makes or changes it.
    /// - Parameters:
    ///   - object: its name in messages.
    ///   - old: the entry before the change. What was wrong with it, as an opened document's
    ///     entries may be, can be mended step by step.
    func refuseProblems(
        _ element: Item.Element, _ object: String, replacing old: Item.Element? = nil, _ call: LuaCall
    ) throws(Problem) {
        let problems = element.problems(object, catalog)
        guard !problems.isEmpty else { return }
        let known = Set((old?.problems(object, catalog) ?? []).map(\.message))
        guard var new = problems.first(where: { !known.contains($0.message) }) else { return }
        new.origin = call.origin
        throw new
    }
}

extension Item.Element {
    fileprivate func problems(_ object: String, _ catalog: Catalog) -> [Problem] {
        switch self {
        case .clip(let clip): clip.problems(object, catalog)
        case .audio(let clip): clip.problems(object, catalog)
        case .effect(let effect): effect.problems(object, catalog)
        }
    }
}

/// What has effects of its own. All of it is read again when one property is set; the others stay
/// where they were made.
protocol Remembering {
    var origin: Origin? { get set }
    var changes: Changes { get set }
    var effects: [Effect] { get set }
}

extension Clip: Remembering {}
extension AudioClip: Remembering {}

extension Remembering {
    mutating func remember(_ old: Self, setting property: String, at origin: Origin) {
        (self.origin, changes) = (old.origin, old.changes)
        changes.note(property, at: origin)
        if property != "effects" { effects = old.effects }
    }
}
