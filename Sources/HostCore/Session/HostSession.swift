import Composition
import Content
import Draft
import Farm
import Foundation
import Glibc
import Jobs
import Logging
import Messaging
import Scripting
import Synchronization

/// The session of one command: the queue with its workers, and what they have found out so far.
package final class HostSession: Sendable {
    package let queue: JobQueue
    package let pluginPaths: [String]
    package let log: Logger
    package let known = Mutex(Known())
    private let prefix: String
    package let priority: Int
    /// The flow that its jobs belong to.
    package let flow: JobSpec.Flow
    /// The tags that workers must have for its jobs.
    package let tags: Set<String>

    /// The reason why an editor ends a running script.
    package enum ScriptStop {
        /// The user pressed the page's button.
        case wished
        /// A source of the draft has changed, so the script is run again.
        case outdated
    }

    package struct Known {
        /// The probed files, without effects.
        package var catalog = Catalog()
        /// The findings of earlier commands; nil if they are neither used nor kept.
        var memory: MediaMemory?
        /// The effects on the search path; nil until they are requested.
        package var effects: [EffectDescriptor]?
        /// The unusable libraries and effects on the search path, with the reasons; empty once
        /// reported.
        var problems: [String] = []
        /// The libraries that were read for the effects; nil if none were.
        var libraryVersions: LibraryVersions?
        /// The warnings about libraries that ended their worker; empty once reported.
        var losses: [String] = []
        /// The effects of libraries that are opened on request, by id.
        var foreign: [String: EffectDescriptor] = [:]
        /// The ids that were found in such libraries.
        var foreignIDs: Set<String> = []
        /// The fonts that a worker was asked about.
        var fonts: Set<TitleFont> = []
        /// The titles that a worker has laid out.
        var titles: Set<PlacedTitle> = []
        var libraries: String?
        var jobCount = 0
        var failure: QueueError?
        /// The scripts and modules that were read, or requested and not found.
        package var sources: Set<String> = []
        /// The reason why the script must end, while the session itself continues.
        package var scriptStop: ScriptStop?
        /// The parameters that the script has declared, after it has run to its end.
        package var parameters: [ScriptParameter] = []
    }

    /// Opens a session with a queue of its own.
    /// - Parameters:
    ///   - writable: the folders that workers may write to; everything that their jobs write lies
    ///     in one of them.
    ///   - isParanoid: whether plugins get their frames in guarded memory.
    ///   - spareWorkers: the number of workers to start beyond those that jobs need.
    package init(
        _ options: some SessionOptions, writable: [String] = [], isParanoid: Bool = false, spareWorkers: Int = 0
    ) throws {
        queue = try Self.queue(options, writable: writable, isParanoid: isParanoid) { $0.spareWorkers = spareWorkers }
        (prefix, priority, flow, tags) = ("", 0, JobSpec.Flow(), [])
        log = options.logger
        pluginPaths = PluginPaths.search(options.plugins.pluginPath)
        for path in PluginPaths.missing(options.plugins.pluginPath) {
            log.warning("There is no plugin and no folder ‘\(path)’ (--plugin-path).")
        }
    }

    /// Opens a queue with workers of its own, according to the options.
    /// - Parameter tags: the tags of this machine. The other parameters are those of
    ///   ``init(_:writable:isParanoid:)``.
    package static func queue(
        _ options: some SessionOptions, writable: [String], isParanoid: Bool = false, tags: Set<String> = [],
        adjust: (inout JobQueue.Configuration) -> Void = { _ in }
    ) throws -> JobQueue {
        let workers = try ResourceLimits.workers(options.workerOptions.workers, usual: options.workerOptions.count)
        var configuration = JobQueue.Configuration(workers: workers, engine: Engine.version)
        guard access(configuration.workerPath, X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw HostError(.unavailable, "The worker program ‘\(configuration.workerPath)’ cannot be run: \(reason).")
        }
        configuration.writable = writable
        configuration.isParanoid = isParanoid
        configuration.tags = tags
        configuration.logDirectory = options.logFolder
        configuration.explainsFault = { MemoryFault($0)?.what }
        configuration.logger = options.logger
        if let seconds = options.workerOptions.stallTimeout { configuration.stallTimeout = .seconds(seconds) }
        if !options.listen.isEmpty {
            try configuration.listen(
                at: options.listen, PathRoots(options.map), contentPort: options.contentPort)
        }
        adjust(&configuration)
        let queue = try JobQueue(configuration: configuration)
        for endpoint in queue.endpoints {
            Console.inform("nodes can join with: cutroom-worker --connect \(endpoint)")
        }
        return queue
    }

    /// Opens a session on a shared queue.
    /// - Parameters:
    ///   - name: the beginning of its jobs' names, unique among the sessions of the queue.
    ///   - flow: the flow that its jobs belong to.
    ///   - priority: added to the priorities of its jobs.
    ///   - tags: the tags that workers must have for its jobs.
    package init(
        on queue: JobQueue, name: String, flow: JobSpec.Flow, priority: Int, tags: Set<String>, pluginPaths: [String],
        log: Logger
    ) {
        (self.queue, self.log, self.pluginPaths) = (queue, log, pluginPaths)
        (prefix, self.priority, self.flow, self.tags) = (name + "-", priority, flow, tags)
    }

    /// Opens a session that continues another one on the same queue: its findings about files that
    /// have not changed since are taken over. May block on disks.
    /// - Parameter name: as in ``init(on:name:flow:priority:tags:pluginPaths:log:)``.
    package convenience init(following session: HostSession, name: String) {
        self.init(
            on: session.queue, name: name, flow: session.flow, priority: session.priority, tags: session.tags,
            pluginPaths: session.pluginPaths, log: session.log)
        let old = session.known.withLock { $0 }
        let isSame = { (path: String, entry: Catalog.Entry) in
            if case .found(let info) = entry { info.identity.lies(at: path) } else { false }
        }
        known.withLock { known in
            known = old
            (known.jobCount, known.failure, known.sources, known.parameters) = (0, nil, [], [])
            known.scriptStop = nil
            known.catalog.media = old.catalog.media.filter(isSame)
            known.catalog.data = old.catalog.data.filter(isSame)
            known.catalog.fonts = old.catalog.fonts.filter(isSame)
        }
        forgetChangedLibraries()
    }

    var isScriptStopped: Bool { known.withLock { $0.scriptStop != nil } }

    /// Ends the script that is running in this session. The first reason stays.
    package func stopScript(_ reason: ScriptStop) { known.withLock { $0.scriptStop = $0.scriptStop ?? reason } }

    /// Returns a name for a job, unique in its queue.
    package func name(_ kind: String) -> JobID {
        JobID("\(prefix)\(kind)-\(known.withLock { known in known.jobCount += 1; return known.jobCount })")
    }

    // MARK: Findings of workers

    /// Everything probed so far, with the plugins' effects if they were requested.
    package var catalog: Catalog {
        known.withLock { known in
            var catalog = known.catalog
            catalog.effects = (known.effects ?? []) + known.foreign.values.sorted { $0.id < $1.id }
            return catalog
        }
    }

    /// The versions of the workers' libraries, as far as bytes depend on them; known after the
    /// first probe.
    package var libraries: String { known.withLock { $0.libraries ?? "" } }

    /// The first failure to probe a file that is not the file's fault: no worker can be started,
    /// Ctrl-C. It may also come from an analysis.
    package var failure: QueueError? { known.withLock { $0.failure } }

    /// Returns the entry for a file whose probe has failed.
    private func unreadable(_ file: DraftFile, _ error: any Error) -> Catalog.Entry {
        let entry = Catalog.Entry.unreadable(
            "‘\(file.path)’ cannot be read: \((error as? QueueError)?.message ?? "\(error)")")
        if let error = error as? QueueError { note(error) }
        known.withLock { $0.catalog[file] = entry }
        return entry
    }

    /// Notes a failure that is not the script's fault.
    package func note(_ error: QueueError) {
        guard !error.isAboutTheJob else { return }
        known.withLock { $0.failure = $0.failure ?? error }
    }

    /// Probes a file in a worker, once. Blocks: not for asynchronous code.
    package func probe(_ file: DraftFile) -> Catalog.Entry {
        if let entry = known.withLock({ $0.catalog[file] }) { return entry }
        func answer(_ files: [DraftFile]) throws -> ProbeJob.Reply {
            try waitForReply(to: ProbeJob(files))
        }
        let memory = known.withLock { $0.memory }
        let glance = memory?.look(at: file)
        do {
            if let glance, glance.info != nil {
                if !knowsLibraries { record(nil, try answer([])) }
                if let entry = recall(file, glance) { return entry }
            }
            let reply = try answer([file])
            record(file, reply)
            if let glance { memory?.keep(reply, of: file, glance) }
        } catch {
            return unreadable(file, error)
        }
        return known.withLock { $0.catalog[file] } ?? .unreadable("‘\(file.path)’ cannot be probed")
    }

    /// Probes all files of a draft that are not known yet.
    package func probe(_ files: [DraftFile]) async throws {
        var missing = known.withLock { known in files.filter { known.catalog[$0] == nil } }
        guard !missing.isEmpty else { return }
        let memory = known.withLock { $0.memory }
        let glances = await memory?.look(at: missing) ?? [:]
        if glances.values.contains(where: { $0.info != nil }) {
            try await knowLibraries()
            missing = missing.filter { file in glances[file].flatMap { recall(file, $0) } == nil }
        }
        // One job each, so that a file that kills its worker is reported alone.
        await withTaskGroup(of: Void.self) { group in
            for file in missing {
                group.addTask { [self] in
                    do {
                        let reply = try await reply(to: ProbeJob([file]))
                        record(file, reply)
                        if let glance = glances[file] { memory?.keep(reply, of: file, glance) }
                    } catch {
                        _ = unreadable(file, error)
                    }
                }
            }
        }
    }

    /// Returns the findings of an earlier command with the libraries that workers have now.
    private func recall(_ file: DraftFile, _ glance: MediaMemory.Glance) -> Catalog.Entry? {
        guard let info = glance.info, glance.libraries == libraries else { return nil }
        known.withLock { $0.catalog[file] = .found(info) }
        return .found(info)
    }

    private var knowsLibraries: Bool { known.withLock { $0.libraries != nil } }

    /// Asks a worker for its libraries and codecs if no file was probed, because a draft may name
    /// none.
    package func knowLibraries() async throws {
        guard !knowsLibraries else { return }
        record(nil, try await reply(to: ProbeJob([])))
    }

    private func record(_ file: DraftFile?, _ reply: ProbeJob.Reply) {
        let hint = file.map { MissingFile.hint($0.path) } ?? ""
        known.withLock { known in
            known.libraries = reply.libraries
            known.catalog.missingCodecs = reply.missingCodecs
            guard let file, let found = reply.files.first else { return }
            if let excess = found.info?.excess {
                known.catalog[file] = .unreadable("‘\(file.path)’ cannot be read: its worker reports that it \(excess)")
                return
            }
            known.catalog[file] =
                found.info.map { .found($0) } ?? .unreadable((found.failure ?? "‘\(file.path)’ cannot be read") + hint)
        }
    }
}

extension FileIdentity {
    /// Returns whether this version of a file is at a path, judging by its size and time.
    func lies(at path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return Int64(status.st_size) == size
            && status.st_mtim.nanoseconds == modified
    }
}

extension QueueError {
    /// Whether the job's own material is at fault, and not the machine or Ctrl-C.
    var isAboutTheJob: Bool {
        code == .jobFailed && ![.resource, .unavailable, .cancelled].contains(failure?.category)
    }
}
