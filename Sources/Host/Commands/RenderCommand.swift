import ArgumentParser
import Composition
import Delivery
import Draft
import Farm
import Foundation
import HostCore
import Rendering
import ServerClient

struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Render a script or draft to a file.",
        discussion: """
            Finished parts are kept in $XDG_CACHE_HOME/cutroom, so that a stopped render continues where it was, and an edit renders only
            the changed parts. Press Ctrl-C once to stop and keep the finished parts, twice to quit at once.
            """)

    @OptionGroup var input: DraftInput

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write: .mp4, .mov, .webm, .mkv or .gif; .m4a, .wav, .flac, .mp3 or .opus for sound only; "
                + "frame-%04d.png or .jpg, or a folder/, for a picture of each frame. Default: a free name based on the script's.",
            valueName: "file"), completion: .file())
    var output: String?

    @Flag(name: [.long, .customShort("y")], help: "Replace the output if it exists.")
    var overwrite = false

    @Option(
        help:
            "How to show progress: bar, json (a line of JSON for each step on standard output) or none. Default: a bar on a terminal."
    )
    var progress: ProgressReporter.Style?

    @Flag(
        name: .customLong("farm"),
        help:
            "Render on a server (see ‘cutroom serve’) and wait for it. A remote server's file is fetched, unless it is in a folder of --map. Stopping this command cancels the render."
    )
    var isForServer = false

    @Flag(help: "With ‘--farm’: upload the files that are in no folder of ‘--map’ to a remote server.")
    var upload = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var extent: ExtentOptions
    @OptionGroup(title: "Export") var export: ExportOptions
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup(title: "Plugins") var plugins: PluginPolicy
    @OptionGroup var damage: DamagePolicy
    @OptionGroup var farm: RenderFarmOptions

    func validate() throws {
        try farm.checkMap(isUsed: isForServer && server.isRemote)
        guard !upload || isForServer && server.isRemote else {
            throw ValidationError(
                "‘--upload’ needs a remote server (--farm --server); a server on this machine reads the files itself."
            )
        }
    }

    func run() async throws {
        try await reportingErrors(verbose: farm.verbose) {
            let reporter = ProgressReporter(progress)
            do {
                try await render(reporter)
            } catch {
                reporter.clear()
                let error = HostError(error)
                reporter.event(
                    "failed", [("message", .text(error.message)), ("exit_code", .integer(Int(error.code.exitCode)))])
                throw error
            }
        }
    }

    private func render(_ reporter: ProgressReporter) async throws {
        // Before any work: a wrong output name or option should not cost a run of the script.
        let file = try OutputFile(output, input: input.name, container: nil, overwrites: overwrite)
        let known = output == nil || file.pictures?.isFolder == true ? nil : file.container
        try export.check(in: known)
        try extent.check(in: known)
        let cache = try SegmentCache(keeps: !caching.noCache, bound: try caching.bound, log: farm.logger)
        let staging = StagingFolder(for: file)
        let session: HostSession
        do {
            try staging.make()
            // While a script runs, files are probed one after the other by one worker; a second one
            // starts in parallel.
            session = try HostSession(
                farm, writable: [cache.partsFolder, staging.path], isParanoid: plugins.paranoid,
                spareWorkers: isForServer ? 0 : 1)
        } catch {
            staging.remove()
            await cache.close()
            throw error
        }
        try await session.run {
            try await render(session, reporter, StagedParts(cache: cache, staging: staging), known)
        } onSignal: { signal in
            reporter.clear()
            let kept = cache.keeps ? "finished parts are kept" : "nothing is kept"
            let again = signal == SIGINT ? "Ctrl-C again" : "Another signal"
            Console.inform("stopping; \(kept). \(again) quits at once.")
        } afterwards: {
            await FileLane("staging").run { staging.remove() }
            await cache.close()
        }
    }

    /// Renders a draft.
    /// - Parameter kind: the kind of the output, if its name determines it.
    private func render(
        _ session: HostSession, _ reporter: ProgressReporter, _ parts: StagedParts, _ kind: ExportSettings.Container?
    ) async throws {
        var draft = try await input.load(session, caching, reporter)
        try extent.restrict(&draft, session.catalog)
        // The output's name takes precedence over the container that the script requests.
        let wished = try export.applied(to: draft.export, in: kind).usualContainer
        try await session.sayWarnings(of: draft, in: kind ?? wished)
        if damage.isStrict { try session.refuseLosses(of: draft) }
        let file = try OutputFile(output, input: input.name, container: wished, overwrites: overwrite)
        try export.change(&draft.export, in: file.container)
        try extent.check(in: file.container)
        let plan = try extent.scaled(
            RenderPlan(draft, catalog: session.catalog, container: file.container, libraries: session.libraries))
        try file.checkPictures(plan.composition.frameCount)
        try file.refuse(session.readFiles, count: plan.composition.frameCount)
        reporter.event(
            "started",
            [
                ("output", .text(file.path)), ("frames", .integer(plan.composition.frameCount)),
                ("segments", .integer(plan.segments.count)), ("duration", .number(plan.composition.duration.seconds)),
            ])
        guard !isForServer else { return try await submit(draft, file, reporter) }
        let renderer = Renderer(
            session: session, plan: plan, output: file, parts: parts,
            watcher: ConsoleWatcher(reporter: reporter, log: session.log, names: session.catalog.names),
            skipsFailingEffects: plugins.skips, isStrict: damage.isStrict)
        let summary: RenderStateMachine.Summary
        do throws(HostError) {
            summary = try await renderer.run()
        } catch {
            throw await session.named([error], in: draft)[0] ?? error
        }
        reporter.clear()
        reporter.event(
            "completed",
            [
                ("output", .text(file.path)), ("frames", .integer(summary.frames)),
                ("duration", .number(plan.composition.duration.seconds)),
                ("seconds", .number(reporter.seconds)), ("segments", .integer(summary.segments)),
                ("segments_from_cache", .integer(summary.cachedSegments)),
                ("segments_without_effects", .integer(summary.segmentsWithoutEffects)),
                ("sound_runs", .integer(summary.runs)), ("sound_runs_from_cache", .integer(summary.cachedRuns)),
                ("sound_without_effects", .bool(summary.isSoundWithoutEffects)),
            ])
        if progress != .json { Console.say(file.path) }
        reporter.finish(Self.end(summary, of: plan, after: reporter.seconds), farm.logger)
    }

    /// Renders a draft on a server.
    private func submit(_ draft: Draft, _ file: OutputFile, _ reporter: ProgressReporter) async throws {
        let (roots, address) = (try PathRoots(farm.map), try server.address)
        // If the output is on shared storage, the server writes it there.
        let isFetched = server.isRemote && roots.root(of: file.path) == nil
        var submission = ServerRequest.Submission(
            draft, name: input.name, to: file, scale: extent.scale, pluginPaths: farm.plugins.pluginPath,
            skipsFailingEffects: plugins.skips, isStrict: damage.isStrict, roots: server.isRemote ? roots : nil,
            isFetched: isFetched)
        if upload {
            let files = ContentUpload.paths(of: draft, roots)
            submission.uploads = try await FileLane("sending").run {
                Result {
                    var upload = ContentUpload(to: address, reporter)
                    return try upload.send(files)
                }
            }.get()
        }
        let entry = try await RemoteRender(server: address, reporter: reporter).run(submission)
        if isFetched {
            try await FileLane("fetching").run {
                Result {
                    var download = OutputDownload(entry.id, from: address, reporter)
                    let path = file.path + (file.pictures?.isFolder == true ? "/" : "")
                    _ = try download.fetch(to: path, of: entry.ticket.output, overwrites: overwrite)
                }
            }.get()
        }
        reporter.clear()
        reporter.event(
            "completed",
            [
                ("output", .text(file.path)), ("render", .integer(Int(entry.id.number))),
                ("seconds", .number(reporter.seconds)),
            ])
        if progress != .json { Console.say(file.path) }
        reporter.finish("done in \((reporter.seconds * 10).rounded() / 10) s, as render \(entry.id)", farm.logger)
    }

    /// `done in 2.1 s, 3 of 4 parts from the cache`.
    private static func end(_ summary: RenderStateMachine.Summary, of plan: RenderPlan, after seconds: Double) -> String
    {
        let parts = plan.segments.count { $0.twin == nil } + (plan.soundKey == nil ? 0 : 1)
        // The runs of a sound are no parts of the file.
        let cached = summary.cachedSegments + (summary.isSoundCached ? 1 : 0)
        let time = seconds < 60 ? "\((seconds * 10).rounded() / 10) s" : ProgressReporter.clock(seconds)
        return "done in \(time), \(cached) of \(counted(parts, "part", "parts")) from the cache"
    }
}

extension ProgressReporter.Style: ExpressibleByArgument {}
