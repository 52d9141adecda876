import Draft
import Farm
import Foundation
import Jobs

/// A look through libraries of which one may have an effect: first the likely ones, each alone in its worker, then all others, which may share
/// their workers. One of these that has it is read once more, alone.
struct ForeignSearch {
    let id: String
    private(set) var found: EffectDescriptor?
    /// What went wrong with a library that is likely to have it. It counts only where no other has it.
    private(set) var failure: (any Error)?
    /// The ids that were met.
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

    /// The library to look into, and with which others its worker may have been; nil where the search is over.
    var next: (library: String, company: Set<String>)? {
        guard found == nil else { return nil }
        if let library = likely.first { return (library, []) }
        return failure == nil ? others.first.map { ($0, company) } : nil
    }

    /// - Parameter result: of an inspect job for the library.
    /// - Throws: what is not about the library.
    mutating func take(_ result: Result<InspectJob.Reply, any Error>) throws {
        let isLikely = !likely.isEmpty
        guard let library = isLikely ? likely.popFirst() : others.popFirst() else { return }
        do {
            let reply = try result.get()
            // A worker describes what it was asked for.
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
