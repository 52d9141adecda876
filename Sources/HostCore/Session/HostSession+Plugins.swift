import Draft
import Farm
import Foundation
import Jobs
import Values

/// The descriptions of plugins, as workers read them.
extension HostSession {
    /// Returns the effects of all plugins on the search path, read by workers once. Blocks: not for
    /// asynchronous code.
    package func effects() throws -> [EffectDescriptor] {
        if let effects = known.withLock({ $0.effects }) { return effects }
        let effects = try wait { [self] in record(try await inspectSearchPath()).effects }
        tellLosses()
        return effects
    }

    /// Returns the effect of a library that is opened on request only; nil if no library has it.
    /// Blocks: not for asynchronous code.
    func foreignEffect(_ id: String) throws -> EffectDescriptor? {
        if let effect = known.withLock({ $0.foreign[id] }) { return effect }
        return try wait { [self] in try await findForeignEffect(id) }
    }

    /// The known ids of effects in libraries that are opened on request.
    package var foreignIDs: [String] { (ForeignPlugins.ids + known.withLock { $0.foreignIDs }).sorted() }

    /// Returns the effects and the problems of plugins.
    /// - Parameters:
    ///   - ids: requested effects; libraries that are opened on request are opened for these.
    ///   - warns: false if the caller shows all problems.
    package func inspectPlugins(for ids: [String] = [], warns: Bool = true) async throws -> InspectJob.Reply {
        var reply = record(try await inspectSearchPath())
        if warns { tellLosses() }
        for id in Set(ids).sorted() where !reply.effects.contains(where: { $0.id == id }) {
            if let effect = try await findForeignEffect(id) { reply.effects.append(effect) }
        }
        return reply
    }

    /// Returns all effects of one kind of foreign libraries. A separate job reads each library, so
    /// that one that kills its worker is reported alone. The jobs may share workers, because
    /// nothing is rendered.
    package func inspect(_ plugins: ForeignPlugins) async throws -> InspectJob.Reply {
        let libraries = plugins.libraries.map { realPath($0) ?? $0 }
        let company = Set(libraries)
        var replies: [InspectJob.Reply?] = Array(repeating: nil, count: libraries.count)
        try await withThrowingTaskGroup(of: (Int, InspectJob.Reply).self) { group in
            for (number, library) in libraries.enumerated() {
                group.addTask { [self] in
                    do {
                        let job = InspectJob(library, seconds: descriptionLimit)
                        return (number, try await reply(to: job, company: company))
                    } catch let error as QueueError where error.isAboutTheJob {
                        return (number, InspectJob.Reply(effects: [], problems: [error.message]))
                    }
                }
            }
            for try await (number, found) in group {
                replies[number] = found
                replies[number]?.effects.removeAll { $0.path != libraries[number] }
            }
        }
        let found = replies.compactMap(\.self)
        return InspectJob.Reply(
            effects: plugins.withUniqueIDs(found.flatMap(\.effects)).sorted { $0.id < $1.id },
            problems: found.flatMap(\.problems).sorted())
    }

    // MARK: Trials

    /// Returns what plugins refuse in an otherwise valid draft: workers make an instance of each
    /// effect with its values.
    package func refusals(of draft: Draft) async throws -> [Problem] {
        let catalog = catalog
        let uses = draft.pluginUses(catalog).compactMap { use in
            TrialJob(use, of: draft, catalog).map { (use: use, job: $0) }
        }
        // One job each, so that an effect that kills its worker is reported alone.
        var refusals: [TrialJob: String] = [:]
        try await withThrowingTaskGroup(of: (TrialJob, String?).self) { group in
            for job in Set(uses.map(\.job)) {
                group.addTask { [self] in
                    do {
                        return (job, try await reply(to: job).refusal)
                    } catch let error as QueueError where error.isAboutTheJob {
                        return (job, error.message)
                    }
                }
            }
            for try await (job, refusal) in group { refusals[job] = refusal }
        }
        return uses.compactMap { use, job in
            refusals[job].map { Problem(use.object, $0, origin: use.origin).naming(catalog.names) }
        }
    }

    /// Returns failures of jobs with file names as the user wrote them. If an effect refused a
    /// value of the draft, the object and its line are named.
    package func named(_ failures: [HostError?], in draft: Draft) async -> [HostError?] {
        let names = catalog.names
        return await traced(failures, in: draft).map { $0?.naming(names) }
    }

    /// Returns failures in which an effect refused a value of the draft with the object and its
    /// line. These are found by trying the draft as `check` does or, if that accepts what the job
    /// did not, by the effect's id.
    private func traced(_ failures: [HostError?], in draft: Draft) async -> [HostError?] {
        func isRefusal(_ failure: HostError?) -> Bool { failure?.code == .data && failure?.culprit != nil }
        guard failures.contains(where: isRefusal), let problems = try? await refusals(of: draft) else {
            return failures
        }
        let catalog = catalog
        return failures.map { failure in
            guard let failure, isRefusal(failure), let id = failure.culprit?.effectID else { return failure }
            if !problems.isEmpty { return HostError(Problems(problems)) }
            let reason = failure.culprit?.reason ?? failure.message
            let all = draft.pluginUses(catalog).filter { $0.effect.effectID == id }
            // Among several uses, choose the one whose value the plugin's message names.
            let spokenOf = all.filter { use in
                use.effect.parameters.values.contains { value in
                    if case .text(let text) = value { reason.contains("‘\(text)’") } else { false }
                }
            }
            let uses = spokenOf.isEmpty ? all : spokenOf
            if uses.count == 1 {
                return HostError(Problems([Problem(uses[0].object, reason, origin: uses[0].origin)]))
            }
            let places = uses.compactMap { $0.origin?.description }
            var named = failure
            if !places.isEmpty { named.message += " (it is used at \(places.joined(separator: ", ")))" }
            return named
        }
    }

    /// The limit in seconds. A library that hangs must not look like a stalled worker.
    private var descriptionLimit: Double {
        min(InspectJob.longestDescription, max(2, Double(queue.stallTimeout.components.seconds) / 2))
    }

    /// Drops the descriptions of plugins if a library or one of its data files has changed,
    /// appeared or disappeared.
    func forgetChangedLibraries() {
        let foreign = known.withLock { $0.foreign.values.map(\.path) }
        let libraries = LibrarySearch(pluginPaths).libraries + foreign
        known.withLock { known in
            guard let versions = known.libraryVersions, !versions.isCurrent(libraries) else { return }
            (known.effects, known.foreign, known.libraryVersions) = (nil, [:], nil)
        }
    }

    /// The files whose changes require new descriptions: libraries on the search path that do not
    /// come with Cutroom, libraries that were requested, and their data files. `*.so` in a folder
    /// stands for libraries that may be added.
    package var watchedLibraries: Set<String> {
        let (effects, foreign) = known.withLock { ($0.effects ?? [], $0.foreign.values) }
        let libraries = LibrarySearch(pluginPaths).libraries.filter { !PluginPaths.isShipped($0) }
        let folders = pluginPaths.filter { isFolder($0) }.map { $0 + "/*.so" }
        let own = (effects + foreign).filter { !PluginPaths.isShipped($0.path) }.flatMap(\.ownPaths)
        return Set(libraries + folders + own)
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private func inspectSearchPath() async throws -> InspectJob.Reply {
        let search = LibrarySearch(pluginPaths)
        let versions = LibraryVersions(search.libraries)
        let groups = search.groups
        return try await withThrowingTaskGroup(of: (Int, InspectJob.Reply).self) { tasks in
            for (number, group) in groups.enumerated() {
                tasks.addTask { [self] in (number, try await inspect(group)) }
            }
            var replies = Array(repeating: InspectJob.Reply(effects: [], problems: []), count: groups.count)
            for try await (number, reply) in tasks { replies[number] = reply }
            let joined = search.joined(replies)
            known.withLock { known in
                var versions = versions
                versions.add(joined.effects.flatMap(\.ownPaths))
                known.libraryVersions = versions
            }
            return joined
        }
    }

    /// Reads libraries, leaving out those that end their worker.
    private func inspect(_ libraries: [String]) async throws -> InspectJob.Reply {
        var job = InspectJob(searchPaths: libraries)
        if !libraries.allSatisfy(PluginPaths.isShipped) { job.seconds = descriptionLimit }
        var problems: [String] = []
        while job.leftOut.count < libraries.count {
            do throws(QueueError) {
                var reply = try await reply(to: job)
                // A node may have described it with the library alone, without its data files.
                if libraries.count == 1, job.files.isEmpty, !reply.lacking.isEmpty {
                    job.files = Array(reply.lacking.prefix(DataFiles.most))
                    continue
                }
                reply.problems = problems + reply.problems
                return reply
            } catch {
                guard error.isAboutTheJob else { throw error }
                // If a library is alone in its worker, everything that happens to the worker is due
                // to it.
                let isNamed = error.failure?.blame != nil
                let suspect = error.failure?.blame?.path ?? (libraries.count == 1 ? libraries[0] : nil)
                guard let path = suspect, !job.leftOut.contains(path) else { throw error }
                job.leftOut.append(path)
                let message = isNamed ? error.message : "plugin \(path) cannot be described: \(error.message)"
                problems.append(message)
                known.withLock { $0.losses.append(message) }
            }
        }
        return InspectJob.Reply(effects: [], problems: problems)
    }

    private func findForeignEffect(_ id: String) async throws -> EffectDescriptor? {
        var search = ForeignSearch(id: id)
        while let (library, company) = search.next {
            do {
                let job = InspectJob(library, seconds: descriptionLimit)
                try search.take(.success(try await reply(to: job, company: company)))
            } catch {
                try search.take(.failure(error))
            }
        }
        return try finish(search)
    }

    private func record(_ reply: InspectJob.Reply) -> InspectJob.Reply {
        known.withLock { known in
            // Problems of a library that is read again were reported before.
            if known.effects == nil { known.problems = reply.problems.filter { !known.losses.contains($0) } }
            known.effects = reply.effects
        }
        return reply
    }

    /// Warns of libraries that ended their worker, used or not: each costs every command time.
    private func tellLosses() {
        let losses = known.withLock { known in
            defer { known.losses = [] }
            return known.losses
        }
        for loss in losses.sorted() { log.warning("\(sentence(loss))") }
    }

    private func finish(_ search: ForeignSearch) throws -> EffectDescriptor? {
        known.withLock { $0.foreignIDs.formUnion(search.seen) }
        guard let effect = search.found else {
            if let failure = search.failure { throw failure }
            tellProblems()
            return nil
        }
        known.withLock { known in
            known.foreign[search.id] = effect
            known.libraryVersions?.add([effect.path])
        }
        return effect
    }

    /// Warns of libraries that cannot be used: a missing effect may be in one of them.
    private func tellProblems() {
        let problems = known.withLock { known in
            defer { known.problems = [] }
            return known.problems
        }
        for problem in problems { log.warning("\(sentence(problem))") }
    }
}
