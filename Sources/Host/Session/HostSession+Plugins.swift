import Draft
import Farm
import Foundation
import Jobs

/// What plugins say of themselves, as workers read it.
extension HostSession {
    /// The effects of all plugins on the search path, read by a worker, once. Blocks: not for asynchronous code.
    func effects() throws -> [EffectDescriptor] {
        if let effects = known.withLock({ $0.effects }) { return effects }
        var inspection = Inspection(pluginPaths)
        while true {
            let job = Job.inspect(inspection.job)
            if let reply = try inspection.take(Result { try waitForResult(of: job) }) { return record(reply).effects }
        }
    }

    /// The effect of a library that is opened only where it is asked for; nil where no library has it. Blocks: not for
    /// asynchronous code.
    func foreignEffect(_ id: String) throws -> EffectDescriptor? {
        if let effect = known.withLock({ $0.foreign[id] }) { return effect }
        var search = ForeignSearch(id: id)
        while let library = search.next {
            let job = Job.inspect(InspectJob(searchPaths: [library]))
            try search.take(Result { try waitForResult(of: job) })
        }
        return try finish(search)
    }

    /// The ids of effects in libraries of their own, as far as they are known.
    var foreignIDs: [String] { (ForeignPlugins.ids + known.withLock { $0.foreignIDs }).sorted() }

    /// The answer of ``effects()``, with what could not be used.
    /// - Parameter ids: effects that are wanted; of those that are in libraries of their own, these are opened.
    func inspectPlugins(for ids: [String] = []) async throws -> InspectJob.Reply {
        var reply = record(try await inspectSearchPath())
        for id in Set(ids).sorted() where !reply.effects.contains(where: { $0.id == id }) {
            var search = ForeignSearch(id: id)
            while let library = search.next {
                do {
                    let found = try await result(of: .inspect(InspectJob(searchPaths: [library])))
                    try search.take(.success(found))
                } catch {
                    try search.take(.failure(error))
                }
            }
            if let effect = try finish(search) { reply.effects.append(effect) }
        }
        return reply
    }

    /// All effects of one kind of foreign libraries, each opened by a job of its own: one that kills its worker says so for
    /// itself alone.
    func inspect(_ plugins: ForeignPlugins) async throws -> InspectJob.Reply {
        var replies: [InspectJob.Reply?] = Array(repeating: nil, count: plugins.libraries.count)
        try await withThrowingTaskGroup(of: (Int, InspectJob.Reply).self) { group in
            for (number, library) in plugins.libraries.enumerated() {
                group.addTask { [self] in
                    do {
                        let found = try await result(of: .inspect(InspectJob(searchPaths: [library])))
                        return (number, try JSONDecoder().decode(InspectJob.Reply.self, from: found))
                    } catch let error as QueueError where error.isAboutTheJob {
                        return (number, InspectJob.Reply(effects: [], problems: [error.message]))
                    }
                }
            }
            for try await (number, found) in group { replies[number] = found }
        }
        let found = replies.compactMap(\.self)
        return InspectJob.Reply(
            effects: plugins.withUniqueIDs(found.flatMap(\.effects)).sorted { $0.id < $1.id },
            problems: found.flatMap(\.problems).sorted())
    }

    // MARK: Trials

    /// What plugins do not take of a draft that is otherwise valid: workers make an instance of each effect with its values.
    func refusals(of draft: Draft) async throws -> [Problem] {
        let catalog = catalog
        let uses = draft.pluginUses(catalog).compactMap { use in
            TrialJob(use, of: draft, catalog).map { (use: use, job: $0) }
        }
        // One job each: an effect that kills its worker then says so for itself alone.
        var refusals: [TrialJob: String] = [:]
        try await withThrowingTaskGroup(of: (TrialJob, String?).self) { group in
            for job in Set(uses.map(\.job)) {
                group.addTask { [self] in
                    do {
                        let reply = try await result(of: .trial(job))
                        return (job, try JSONDecoder().decode(TrialJob.Reply.self, from: reply).refusal)
                    } catch let error as QueueError where error.isAboutTheJob {
                        return (job, error.message)
                    }
                }
            }
            for try await (job, refusal) in group { refusals[job] = refusal }
        }
        return uses.compactMap { use, job in
            refusals[job].map { Problem(use.object, $0, origin: use.origin) }
        }
    }

    /// Failures of jobs in which an effect refused what the draft gives it, with the object and its line instead: found by
    /// trying the draft as `check` does or, where that takes what the job did not, by the effect's id.
    func named(_ failures: [HostError?], in draft: Draft) async -> [HostError?] {
        func isRefusal(_ failure: HostError?) -> Bool { failure?.code == .data && failure?.culprit != nil }
        guard failures.contains(where: isRefusal), let problems = try? await refusals(of: draft) else {
            return failures
        }
        let catalog = catalog
        return failures.map { failure in
            guard let failure, isRefusal(failure), let id = failure.culprit?.effectID else { return failure }
            if !problems.isEmpty { return HostError(Problems(problems)) }
            let uses = draft.pluginUses(catalog).filter { $0.effect.effectID == id }
            if uses.count == 1 {
                return HostError(Problems([Problem(uses[0].object, failure.message, origin: uses[0].origin)]))
            }
            let places = uses.compactMap { $0.origin?.description }
            var named = failure
            if !places.isEmpty { named.message += " (it is used at \(places.joined(separator: ", ")))" }
            return named
        }
    }

    private func inspectSearchPath() async throws -> InspectJob.Reply {
        var inspection = Inspection(pluginPaths)
        while true {
            let result: Result<Data, any Error>
            do {
                result = .success(try await self.result(of: .inspect(inspection.job)))
            } catch {
                result = .failure(error)
            }
            if let reply = try inspection.take(result) { return reply }
        }
    }

    private func record(_ reply: InspectJob.Reply) -> InspectJob.Reply {
        known.withLock { known in
            // One that is read again has been told of.
            if known.effects == nil { known.problems = reply.problems }
            known.effects = reply.effects
        }
        return reply
    }

    private func finish(_ search: ForeignSearch) throws -> EffectDescriptor? {
        known.withLock { $0.foreignIDs.formUnion(search.seen) }
        guard let effect = search.found else {
            if let failure = search.failure { throw failure }
            tellProblems()
            return nil
        }
        known.withLock { $0.foreign[search.id] = effect }
        return effect
    }

    /// Tells of libraries that cannot be used: what is not found may be in one of them.
    private func tellProblems() {
        let problems = known.withLock { known in
            defer { known.problems = [] }
            return known.problems
        }
        for problem in problems { log.warning("\(sentence(problem))") }
    }
}

/// A reading of the search path, which goes on without the libraries that end their worker.
private struct Inspection {
    /// To be run until its result is taken.
    private(set) var job: InspectJob
    private var problems: [String] = []

    init(_ paths: [String]) { job = InspectJob(searchPaths: paths) }

    /// - Returns: nil where a library is to be left out now.
    /// - Throws: what is no library's fault.
    mutating func take(_ result: Result<Data, any Error>) throws -> InspectJob.Reply? {
        do {
            var reply = try JSONDecoder().decode(InspectJob.Reply.self, from: try result.get())
            reply.problems = problems + reply.problems
            return reply
        } catch let error as QueueError where error.isAboutTheJob {
            guard let path = error.failure?.blame?.path, !job.leftOut.contains(path) else { throw error }
            job.leftOut.append(path)
            problems.append(error.message)
            return nil
        }
    }
}

/// A look through libraries of which one may have an effect.
private struct ForeignSearch {
    let id: String
    private(set) var found: EffectDescriptor?
    /// What went wrong with a library that is likely to have it. It counts only where no other has it.
    private(set) var failure: (any Error)?
    /// The ids that were met.
    private(set) var seen: Set<String> = []
    private var waiting: ArraySlice<String>
    private var likelyCount: Int

    init(id: String) {
        self.id = id
        let candidates = ForeignPlugins.candidates(for: id)
        waiting = (candidates.likely + candidates.others)[...]
        likelyCount = candidates.likely.count
    }

    /// The library to look into; nil where the search is over.
    var next: String? { found != nil || (failure != nil && likelyCount == 0) ? nil : waiting.first }

    /// - Parameter result: of an inspect job for one library.
    /// - Throws: what is not about the library.
    mutating func take(_ result: Result<Data, any Error>) throws {
        let isLikely = likelyCount > 0
        waiting = waiting.dropFirst()
        likelyCount = max(0, likelyCount - 1)
        do {
            let reply = try JSONDecoder().decode(InspectJob.Reply.self, from: try result.get())
            found = reply.effects.named(id)
            seen.formUnion(reply.effects.map(\.id))
            if found == nil, isLikely, let problem = reply.problems.first {
                failure = failure ?? HostError(.data, sentence(problem))
            }
        } catch let error as QueueError where error.isAboutTheJob {
            if isLikely { failure = failure ?? error }
        }
    }
}
