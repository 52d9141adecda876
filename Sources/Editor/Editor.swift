import Composition
import Content
import Draft
import Farm
import Foundation
import Glibc
import HostCore
import Jobs
import Logging
import Preview
import RecordingHost
import Scripting
import Values

/// The editor of one script: runs the script whenever one of its inputs changes, and renders what
/// is new. After an error, the last good revision stays.
package actor Editor {
    /// A valid draft, with its plan and other results.
    struct Revision: Sendable {
        var number: Int
        var draft: Draft
        var timeline: Timeline
        var session: HostSession
        var plan: RenderPlan
        var pieces: [RenderPlan.SoundPiece]
        var snapshots: SnapshotPlan
        package var parameters: [ScriptParameter]
        var warnings: [Finding]
    }

    enum Status: String, Encodable { case loading, ready, broken }

    package nonisolated let options: EditorOptions
    nonisolated let cache: SegmentCache
    nonisolated let hub: LiveHub
    nonisolated let driver: PreviewDriver
    package nonisolated let exports: Exports
    nonisolated let recordings: PageRecordings
    package nonisolated let workers: Int
    /// The absolute path of the script.
    package nonisolated let script: String
    private let watch: FileWatch
    private let changes: AsyncStream<Set<String>>
    private let inbox: AsyncStream<Set<String>>.Continuation
    nonisolated let lane = FileLane("editor")
    package nonisolated let pictures = FileLane("pictures")
    /// A thread for requests to a server, which may take seconds.
    package nonisolated let farm = FileLane("farm")

    package private(set) var number = 0
    private(set) var status = Status.loading
    package private(set) var problems: [Finding] = []
    /// The good revisions, the newest last: pages may request pictures of them.
    private var revisions: [Revision] = []
    private static let mostRevisions = 4
    private var session: HostSession
    /// The values that the page has set, by parameter; the command line's come before them.
    package private(set) var values: [String: [String]] = [:]
    /// The parameters that the script declared in its last run.
    package private(set) var parameters: [ScriptParameter] = []
    private let meter = Locked(FrameMeter())
    /// The session whose script is running.
    private nonisolated let running = Locked<HostSession?>(nil)

    package init(_ options: EditorOptions, _ session: HostSession, _ cache: SegmentCache, _ hub: LiveHub)
        throws(HostError)
    {
        (self.options, self.session, self.cache, self.hub) = (options, session, cache, hub)
        exports = Exports(cache, hub, options.policy)
        script = absolutePath(options.input.path, in: FileManager.default.currentDirectoryPath)
        recordings = PageRecordings(script: script, allowsDevices: options.allowsDevices)
        workers = options.workers
        let (changes, inbox) = AsyncStream<Set<String>>.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.changes, self.inbox) = (changes, inbox)
        let running = running
        let script: Set<String> = options.input.isMedia ? [] : [script]
        watch = try FileWatch { changed in
            running.withLock { session in
                // A media file may change for hours while it is recorded: only changes of the
                // script itself stop a run.
                guard let session, session.known.withLock({ !$0.sources.union(script).isDisjoint(with: changed) })
                else { return }
                session.stopScript(.outdated)
            }
            inbox.yield(changed)
        }
        let (meter, workers) = (meter, workers)
        driver = PreviewDriver(session.queue, cache, workers: workers, reach: (behind: 60 * 30, ahead: 60 * 180)) {
            news in
            switch news {
            case .ready(let keys): hub.tell(LiveMessage.Ready(keys: keys))
            case .failed(let key, let message): hub.tell(LiveMessage.Failed(key: key, message: message))
            case .damaged(let messages): hub.tell(LiveMessage.Damaged(messages: messages))
            case .progress(let rendered, let total):
                let rate = meter.withLock { $0.rate(at: rendered) }
                hub.tell(
                    LiveMessage.Progress(renderedFrames: rendered, totalFrames: total, rate: rate, workers: workers))
            }
        }
    }

    /// Runs the editor until the task is cancelled.
    package func run() async throws {
        watch.watch([script])
        values = savedValues()
        let (drafts, entry) = (try OpenDrafts(script), draftEntry)
        await pictures.run {
            drafts.adopt()
            drafts.open(entry)
        }
        defer { watch.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [driver] in await driver.run() }
            group.addTask { [self] in
                try await load()
                for await _ in changes { try await load() }
            }
            defer { group.cancelAll() }
            do { try await group.next() } catch is CancellationError {}
        }
        await pictures.run { drafts.close() }
        await exports.close()
        await recordings.close()
    }

    /// The script, and the command that opens it again.
    private var draftEntry: OpenDrafts.Entry {
        OpenDrafts.Entry(
            script: script, opened: timespec.now.tv_sec,
            words: (["cutroom", "edit", script] + words.flatMap { ["--set", $0] }).map(Self.quoted).joined(
                separator: " "))
    }

    /// Returns the drafts that other editors have open, or had open when they were killed.
    func otherDrafts() async -> [OpenDrafts.Entry] {
        guard let drafts = try? OpenDrafts(script) else { return [] }
        return await pictures.run { drafts.others() }
    }

    // MARK: Revisions

    /// Runs the script and shows the result.
    /// - Throws: errors that are not the script's, which end the editor.
    private func load() async throws {
        let begun = Date()
        status = .loading
        hub.tell(LiveMessage.Loading())
        let name = "e\(number + 1)"
        let (before, lane) = (session, lane)
        let session = await lane.run { HostSession(following: before, name: name) }
        self.session = session
        running.withLock { $0 = session }
        defer { running.withLock { $0 = nil } }
        var input = options.input
        input.parameters = words
        do {
            let revision = try await make(input, session)
            number = revision.number
            (status, problems, parameters) = (.ready, [], revision.parameters)
            revisions = revisions.suffix(Self.mostRevisions - 1) + [revision]
            await driver.show(.init(session: session, plan: revision.plan, pieces: revision.pieces))
        } catch {
            try Task.checkCancellation()
            let stop = session.known.withLock { $0.scriptStop }
            // The change that made this run outdated is waiting to be loaded.
            if stop == .outdated { return watch.watch(watched(session), since: begun) }
            let error = stop == .wished ? Self.stopped(error) : HostError(error)
            // Until then, pages see the previous state and no mixture.
            let known = stop == nil ? await declared(input, session) ?? parameters : parameters
            number += 1
            (status, problems, parameters) = (.broken, error.findings, known)
        }
        watch.watch(watched(session), since: begun)
        hub.tell(LiveMessage.State(revision: number))
    }

    /// Returns the state to show after the page's button has stopped the script.
    private static func stopped(_ error: any Error) -> HostError {
        guard let error = error as? ScriptError, error.code == .cancelled else {
            return HostError(.interrupted, "The script was stopped; it runs again when it is saved.")
        }
        var shown = error
        shown.message = "the script was stopped here; it runs again when it is saved"
        return HostError(.interrupted, [Finding(shown)])
    }

    /// Stops the script if it is running.
    nonisolated func stopScript() { running.withLock { $0?.stopScript(.wished) } }

    private func make(_ input: DraftInput, _ session: HostSession) async throws -> Revision {
        let draft = try await input.load(session, options.caching)
        let container = draft.export.usualContainer
        let warnings = try await session.warnings(of: draft, in: container).map { Finding($0) }
        let catalog = session.catalog
        let (libraries, next) = (session.libraries, number + 1)
        let parameters = session.known.withLock { $0.parameters }
        // A long draft takes a while.
        return try await lane.run {
            Result {
                var whole = draft
                whole.timeRange = nil
                let plan = try RenderPlan(previewing: draft, catalog: catalog, libraries: libraries)
                return Revision(
                    number: next, draft: draft, timeline: try Timeline(whole, catalog: catalog), session: session,
                    plan: plan, pieces: try plan.soundPieces(),
                    snapshots: try SnapshotPlan(draft, catalog: catalog, whole: true), parameters: parameters,
                    warnings: warnings)
            }
        }.get()
    }

    /// Returns the parameters that a failed script declared before its end, so that missing values
    /// can be given; nil if it declared none.
    private func declared(_ input: DraftInput, _ session: HostSession) async -> [ScriptParameter]? {
        guard let (path, text) = try? input.script() else { return nil }
        let made = try? await input.withScript(session, nil) { (values, run, environment) throws(ScriptError) in
            try Script.describe(
                path: path, text: text, parameters: values, limits: run.limits, clock: run.clock,
                environment: environment)
        }
        return made?.parameters
    }

    /// Returns all files that another run may depend on.
    private func watched(_ session: HostSession) -> Set<String> {
        let (sources, catalog) = session.known.withLock { ($0.sources, $0.catalog) }
        return sources.union([script]).union(catalog.media.keys).union(catalog.data.keys).union(catalog.fonts.keys)
            .union(session.watchedLibraries)
    }

    /// The scripts and modules of the last run.
    package var sources: Set<String> { session.known.withLock { $0.sources } }

    /// Returns the resolved path of a file of the draft, of a media folder or of the recorded
    /// takes; nil for files that pages may not read.
    package func allowed(_ path: String) async -> String? {
        let catalog = session.known.withLock { $0.catalog }
        let named = catalog.media[path] != nil
        let (folders, takes) = (mediaFolders, TakeFolder.path(draft: recordings.draft))
        return await pictures.run {
            guard path.hasPrefix("/"), let real = realPath(path) else { return nil }
            let folders = folders + [realPath(takes)].compactMap(\.self)
            if named { return path }
            return folders.contains { real.hasPrefix($0 == "/" ? $0 : $0 + "/") } ? real : nil
        }
    }

    /// Resolved paths.
    var mediaFolders: [String] {
        let here = FileManager.default.currentDirectoryPath
        let given = options.media.map { absolutePath($0, in: here) }
        let catalog = session.known.withLock { $0.catalog }
        let usual = Set(catalog.media.keys.map { ($0 as NSString).deletingLastPathComponent }).sorted()
        return (given.isEmpty ? usual : given).compactMap(realPath)
    }

    /// Returns a good revision; nil: the newest.
    func revision(_ number: Int? = nil) -> Revision? {
        guard let number else { return revisions.last }
        return revisions.last { $0.number == number }
    }

    // MARK: Parameters

    /// The values of the parameters as for `--set`; those of the page override the command line's.
    package var words: [String] {
        let given = options.input.parameters.filter { word in values[String(word.prefix { $0 != "=" })] == nil }
        return given + values.sorted { $0.key < $1.key }.flatMap { name, items in items.map { "\(name)=\($0)" } }
    }

    /// Runs the script with other values.
    /// - Parameter new: nil resets a parameter to its default.
    func set(_ new: [String: [String]?]) {
        for (name, items) in new { values[name] = items }
        running.withLock { $0?.stopScript(.outdated) }
        inbox.yield([])
    }

    /// The file with saved values, next to the script.
    private var valuesPath: String { script + ".params.json" }

    private func savedValues() -> [String: [String]] {
        guard let data = FileManager.default.contents(atPath: valuesPath) else { return [:] }
        return (try? JSONDecoder().decode([String: [String]].self, from: data)) ?? [:]
    }

    func saveValues() throws(HostError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(values) else { return }
        try OutputFile(single: valuesPath, overwrites: true).write(data)
    }
}

/// The number of frames rendered recently.
private struct FrameMeter: Sendable {
    private var marks: [(time: ContinuousClock.Instant, frames: Int)] = []

    /// Returns the rate in frames per second.
    mutating func rate(at frames: Int) -> Double {
        let now = ContinuousClock.now
        if let last = marks.last, frames < last.frames { marks = [] }
        marks.append((now, frames))
        marks.removeAll { now - $0.time > .seconds(5) }
        guard let first = marks.first, frames > first.frames else { return 0 }
        let seconds = (now - first.time) / .seconds(1)
        return seconds > 0 ? (Double(frames - first.frames) / seconds * 10).rounded() / 10 : 0
    }
}
