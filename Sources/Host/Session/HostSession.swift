import Composition
import Draft
import Foundation
import Glibc
import Logging
import Messaging
import Synchronization

/// One command's farm: the queue with its workers, and what they have found out so far.
final class HostSession: Sendable {
    let queue: JobQueue
    let pluginPaths: [String]
    let log: Logger
    private let known = Mutex(Known())

    private struct Known {
        var media: [String: Catalog.Entry] = [:]
        var effects: [EffectDescriptor]?
        var libraries: String?
        var missingCodecs: [String: String] = [:]
        var jobCount = 0
        var failure: QueueError?
    }

    init(_ options: FarmOptions) throws {
        var configuration = JobQueue.Configuration(workers: options.workerCount, engine: Engine.version)
        guard access(configuration.workerPath, X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw HostError(.unavailable, "The worker program ‘\(configuration.workerPath)’ cannot be run: \(reason).")
        }
        // libx264's vector code (macroblock tree, 164.3095 on x86-64) lets memory that it never wrote into the bits of the file.
        // The C library fills new memory with one byte then (mallopt(3), M_PERTURB), so that it is at least always the same.
        configuration.environment["MALLOC_PERTURB_"] = "255"
        configuration.logDirectory = options.logFolder
        configuration.logger = options.logger
        if let seconds = options.stallTimeout { configuration.stallTimeout = .seconds(seconds) }
        queue = try JobQueue(configuration: configuration)
        log = options.logger
        pluginPaths = PluginPaths.search(options.pluginPath)
        for path in PluginPaths.missing(options.pluginPath) { log.warning("There is no plugin and no folder ‘\(path)’ (--plugin-path).") }
    }

    /// A job's name, unique in this session.
    func name(_ kind: JobKind) -> JobID {
        JobID("\(kind.rawValue)-\(known.withLock { known in known.jobCount += 1; return known.jobCount })")
    }

    func spec(_ kind: JobKind, _ job: some Encodable, priority: Int = 0, sequence: JobSpec.Sequence? = nil) throws -> JobSpec {
        JobSpec(
            id: name(kind), kind: kind.rawValue, payload: try JSONEncoder().encode(job), priority: priority, sequence: sequence)
    }

    // MARK: What workers find out

    /// Everything probed so far, with the plugins' effects where somebody asked for them.
    var catalog: Catalog {
        known.withLock { Catalog(media: $0.media, effects: $0.effects ?? [], missingCodecs: $0.missingCodecs) }
    }

    /// The versions of the workers' media libraries; known after the first probe.
    var libraries: String { known.withLock { $0.libraries ?? "" } }

    /// The first thing that kept a file from being looked into and is no fault of the file: no worker can be started,
    /// Ctrl-C.
    var failure: QueueError? { known.withLock { $0.failure } }

    /// What a failed probe says of its file.
    private func unreadable(_ path: String, _ error: any Error) -> Catalog.Entry {
        let entry = Catalog.Entry.unreadable("‘\(path)’ cannot be read: \((error as? QueueError)?.message ?? "\(error)")")
        known.withLock { known in
            if let error = error as? QueueError, !error.isAboutTheJob { known.failure = known.failure ?? error }
            known.media[path] = entry
        }
        return entry
    }

    /// Looks into a file, in a worker, once. Blocks: not for asynchronous code.
    func probe(_ path: String) -> Catalog.Entry {
        if let entry = known.withLock({ $0.media[path] }) { return entry }
        do {
            let reply = try JSONDecoder().decode(
                ProbeJob.Reply.self, from: try queue.runBlocking(try spec(.probe, ProbeJob(paths: [path]))))
            record([path], reply)
        } catch {
            return unreadable(path, error)
        }
        return known.withLock { $0.media[path] } ?? .unreadable("‘\(path)’ cannot be probed")
    }

    /// Looks into all files of a draft that are not known yet.
    func probe(_ paths: [String]) async throws {
        let missing = known.withLock { known in paths.filter { known.media[$0] == nil } }
        guard !missing.isEmpty else { return }
        // One job each: a file that kills its worker then says so for itself alone.
        let jobs = try missing.map { try spec(.probe, ProbeJob(paths: [$0])) }
        await withTaskGroup(of: Void.self) { group in
            for (path, job) in zip(missing, jobs) {
                group.addTask { [self] in
                    do {
                        record([path], try JSONDecoder().decode(ProbeJob.Reply.self, from: try await queue.run(job)))
                    } catch {
                        _ = unreadable(path, error)
                    }
                }
            }
        }
    }

    private func record(_ paths: [String], _ reply: ProbeJob.Reply) {
        known.withLock { known in
            known.libraries = reply.libraries
            known.missingCodecs = reply.missingCodecs
            for (path, file) in zip(paths, reply.files) {
                known.media[path] = file.info.map { .found($0) } ?? .unreadable(file.failure ?? "‘\(path)’ cannot be read")
            }
        }
    }

    /// The effects of all plugins on the search path, read by a worker, once. Blocks: not for asynchronous code.
    func effects() throws -> [EffectDescriptor] {
        if let effects = known.withLock({ $0.effects }) { return effects }
        return try record(try queue.runBlocking(try spec(.inspect, InspectJob(searchPaths: pluginPaths)))).effects
    }

    /// As ``effects()``, with what could not be used.
    func inspectPlugins() async throws -> InspectJob.Reply {
        try record(try await queue.run(try spec(.inspect, InspectJob(searchPaths: pluginPaths))))
    }

    private func record(_ data: Data) throws -> InspectJob.Reply {
        let reply = try JSONDecoder().decode(InspectJob.Reply.self, from: data)
        known.withLock { $0.effects = reply.effects }
        return reply
    }
}

extension QueueError {
    /// The job's own material is at fault, not the machine or the user's Ctrl-C.
    fileprivate var isAboutTheJob: Bool {
        code == .jobFailed && ![.resource, .unavailable, .cancelled].contains(failure?.category)
    }
}
