import Composition
import Draft
import Foundation

/// What plugins say of themselves, as workers read it.
extension HostSession {
    /// The effects of all plugins on the search path, read by a worker, once. Blocks: not for asynchronous code.
    func effects() throws -> [EffectDescriptor] {
        if let effects = known.withLock({ $0.effects }) { return effects }
        return try record(try queue.runBlocking(try spec(.inspect, InspectJob(searchPaths: pluginPaths)))).effects
    }

    /// The effect of a library that is opened only where it is asked for; nil where the id names none. Blocks: not for
    /// asynchronous code.
    func foreignEffect(_ id: String) throws -> EffectDescriptor? {
        guard let library = ForeignPlugins.library(of: id) else { return nil }
        if let effect = known.withLock({ $0.foreign[id] }) { return effect }
        return try record(id, try queue.runBlocking(try spec(.inspect, InspectJob(searchPaths: [library]))))
    }

    /// As ``effects()``, with what could not be used.
    /// - Parameter ids: effects that are wanted; of those that are in libraries of their own, these are opened.
    func inspectPlugins(for ids: [String] = []) async throws -> InspectJob.Reply {
        var reply = try record(try await queue.run(try spec(.inspect, InspectJob(searchPaths: pluginPaths))))
        for id in Set(ids).sorted() where !reply.effects.contains(where: { $0.id == id }) {
            guard let library = ForeignPlugins.library(of: id) else { continue }
            let found = try await queue.run(try spec(.inspect, InspectJob(searchPaths: [library])))
            reply.effects.append(try record(id, found))
        }
        return reply
    }

    /// All effects of one kind of foreign libraries, each opened by a job of its own: one that kills its worker says so for
    /// itself alone.
    func inspect(_ plugins: ForeignPlugins) async throws -> InspectJob.Reply {
        let jobs = try plugins.libraries.sorted { $0.key < $1.key }.map {
            try spec(.inspect, InspectJob(searchPaths: [$1]))
        }
        var reply = InspectJob.Reply(effects: [], problems: [])
        try await withThrowingTaskGroup(of: InspectJob.Reply.self) { group in
            for job in jobs {
                group.addTask { [self] in
                    do {
                        return try JSONDecoder().decode(InspectJob.Reply.self, from: try await queue.run(job))
                    } catch let error as QueueError where error.isAboutTheJob {
                        return InspectJob.Reply(effects: [], problems: [error.message])
                    }
                }
            }
            for try await found in group {
                reply.effects += found.effects
                reply.problems += found.problems
            }
        }
        reply.effects.sort { $0.id < $1.id }
        reply.problems.sort()
        return reply
    }

    private func record(_ data: Data) throws -> InspectJob.Reply {
        let reply = try JSONDecoder().decode(InspectJob.Reply.self, from: data)
        known.withLock { $0.effects = reply.effects }
        return reply
    }

    private func record(_ id: String, _ data: Data) throws -> EffectDescriptor {
        let reply = try JSONDecoder().decode(InspectJob.Reply.self, from: data)
        guard let effect = reply.effects.first(where: { $0.id == id }) else {
            throw HostError(.data, sentence(reply.problems.first ?? "No plugin has an effect ‘\(id)’"))
        }
        known.withLock { $0.foreign[id] = effect }
        return effect
    }
}
