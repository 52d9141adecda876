import Composition
import Draft
import Farm
import Foundation
import HostCore
import Journal
import Logging
import Rendering
import Renders
import ServerClient
import Values

/// One run of a server's render: from its request to its file.
struct RenderRun: Sendable {
    let id: RenderID
    let ticket: RenderTicket
    /// The number of this run of the render, from 1.
    let run: Int
    let queue: JobQueue
    let journal: Journal
    let place: ServerPlace
    let cacheBound: Int64
    /// The parts that nodes have been making since before the server was started.
    let leases: [String: JournalLease]
    /// The files that the render may use, if it came over a network.
    let confinement: Confinement
    package let log: Logger
    /// Receives the progress of the render.
    let report: @Sendable (RenderProgress) -> Void
    /// Receives notes for the render's log.
    let note: @Sendable (RenderNote.Level, String) -> Void

    /// Returns the flow that all jobs of the render belong to.
    static func flow(_ id: RenderID, of submitter: String) -> JobSpec.Flow {
        JobSpec.Flow(submitter: submitter, name: "r\(id)")
    }

    /// Runs the render.
    /// - Returns: how the run ended; none of its jobs is running any more.
    func run() async -> RenderBook.Outcome {
        do {
            try await render()
            return .done
        } catch {
            let error = HostError(error)
            if Task.isCancelled { return .stopped }
            for detail in error.details { note(.error, detail) }
            // The missing resource may come back; the render itself is not at fault.
            let lacks = [HostError.Code.inputOutput, .unavailable].contains(error.code)
            return lacks ? .lacking(reason: error.message) : .failed(reason: error.message)
        }
    }

    private func render() async throws {
        guard let data = try await journal.request(of: id),
            let request = try? JSONDecoder().decode(RenderRequest.self, from: data)
        else { throw HostError(.software, "The request of render \(id) cannot be read.") }
        // Job names are unique to a run: a node may still have a job of the previous run.
        let name = "r\(id).\(run)"
        if try await ServerParts.isMade(request.output, id, journal) { return }
        let session = HostSession(
            on: queue, name: name, flow: Self.flow(id, of: ticket.submitter),
            priority: min(max(-1000, ticket.priority), 1000) * 10,
            tags: ticket.tags, pluginPaths: pluginPaths(of: request), log: log)
        let draft = try await draft(of: request, session)
        let container = try OutputFile.container(of: request.output)
        for warning in try await session.warnings(of: draft, in: container) { note(.warning, Finding(warning).text) }
        if request.isStrict == true { try session.refuseLosses(of: draft) }
        try await makeFolder(of: request)
        let (file, plan) = try plan(of: draft, request, session)
        try await run(renderer(of: request, session, file, plan), draft)
    }

    // The optimiser of Swift 6.3.1 crashes where the following are inlined into `render()`.

    @inline(never) private func makeFolder(of request: RenderRequest) async throws {
        try await FileLane("paths").run {
            Result {
                try confinement.kept?.makeFolder(of: request.output)
                try checkOutput(request)
            }
        }.get()
    }

    @inline(never) private func plan(
        of draft: Draft, _ request: RenderRequest, _ session: HostSession
    ) throws -> (OutputFile, RenderPlan) {
        let file = try OutputFile(
            request.output, input: request.name, container: draft.export.usualContainer, overwrites: request.overwrites)
        var plan = try RenderPlan(
            draft, catalog: session.catalog, container: file.container, libraries: session.libraries)
        if let scale = request.scale { plan = try plan.scaled(by: scale) }
        try file.checkPictures(plan.composition.frameCount)
        try file.refuse(session.readFiles, count: plan.composition.frameCount)
        return (file, plan)
    }

    @inline(never) private func renderer(
        of request: RenderRequest, _ session: HostSession, _ file: OutputFile, _ plan: RenderPlan
    ) async throws -> Renderer {
        let parts = try await ServerParts(
            id, in: place, journal, leases: leases, bound: cacheBound, log: log,
            check: { () throws(HostError) in try checkOutput(request) })
        return Renderer(
            session: session, plan: plan, output: file, parts: parts, watcher: Watcher(run: self),
            skipsFailingEffects: request.skipsFailingEffects, isStrict: request.isStrict == true)
    }

    @inline(never) private func run(_ renderer: Renderer, _ draft: Draft) async throws {
        do throws(HostError) {
            let summary = try await renderer.run()
            note(
                .info,
                "\(summary.frames) frames; \(summary.cachedSegments) of \(summary.segments) segments from the cache")
        } catch {
            throw await renderer.session.named([error], in: draft)[0] ?? error
        }
    }

    @inline(never) private func draft(of request: RenderRequest, _ session: HostSession) async throws -> Draft {
        session.call(PathNames(folder: "/"))
        let document = try DraftDocument(Data(request.document.utf8), file: request.name, folder: "/")
        let ids = document.pluginIDs
        var draft = try document.draft(ids.isEmpty ? [] : try await session.inspectPlugins(for: ids).effects)
        if ticket.confinement != nil {
            draft = try await FileLane("paths").run { [draft] in
                Result { try confinement.confined(draft, of: ticket.submitter) }
            }.get()
        }
        try await session.probe(draft.files)
        try await session.knowLibraries()
        if let failure = session.failure { throw failure }
        return draft
    }

    private func pluginPaths(of request: RenderRequest) -> [String] {
        PluginPaths.search(request.pluginPaths + (ticket.confinement == nil ? [] : confinement.pluginPaths))
    }

    /// Checks that the output is where the render may write.
    /// - Throws: if it is not.
    private func checkOutput(_ request: RenderRequest) throws(HostError) {
        try confinement.checkOutput(of: ticket, at: request.output)
    }

    private struct Watcher: RenderWatcher {
        let run: RenderRun

        func update(_ progress: RenderProgress) { run.report(progress) }
        func tell(_ notice: Notice) { run.note(.warning, notice.text) }
    }
}
