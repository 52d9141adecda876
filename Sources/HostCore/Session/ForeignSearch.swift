import Draft
import Farm
import Foundation
import Jobs

/// A search for an effect in libraries: first the likely ones, each alone in its worker, then all
/// others, which may share workers. A library of the latter that has the effect is read once more,
/// alone.
struct ForeignSearch {
    let id: String
    private(set) var found: EffectDescriptor?
    /// The failure of a likely library. It counts only if no other library has the effect.
    private(set) var failure: (any Error)?
    /// The ids that were found.
    private(set) var seen: Set<String> = []
    private var likely: ArraySlice<String>
    private var others: ArraySlice<String>
    private let company: Set<String>

    init(id: String) {
        self.id = id
        let candidates = ForeignPlugins.candidates(for: id)
        likely = candidates.likely.map { realPath($0) ?? $0 }[...]
        others = candidates.others.map { realPath($0) ?? $0 }[...]
        company = Set(others)
    }

    /// The next library to read, and the libraries that its worker may have loaded; nil at the end
    /// of the search.
    var next: (library: String, company: Set<String>)? {
        guard found == nil else { return nil }
        if let library = likely.first { return (library, []) }
        return failure == nil ? others.first.map { ($0, company) } : nil
    }

    /// Takes in a library's description.
    /// - Parameter result: of an inspect job for the library.
    /// - Throws: errors that do not concern the library.
    mutating func take(_ result: Result<InspectJob.Reply, any Error>) throws {
        let isLikely = !likely.isEmpty
        guard let library = isLikely ? likely.popFirst() : others.popFirst() else { return }
        do {
            let reply = try result.get()
            // A worker may also report other libraries.
            let effects = reply.effects.filter { $0.path == library }
            seen.formUnion(effects.map(\.id))
            let effect = effects.named(id)
            if isLikely {
                found = effect
                if effect == nil, let problem = reply.problems.first {
                    failure = failure ?? HostError(.data, sentence(problem))
                }
            } else if effect != nil {
                likely = [library]
            }
        } catch let error as QueueError where error.isAboutTheJob {
            if isLikely { failure = failure ?? error }
        }
    }
}
