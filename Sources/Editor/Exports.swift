import Composition
import Foundation
import HostCore
import Jobs
import Messaging
import Rendering
import Values

/// The state of an export.
package struct ExportStatus: Encodable, Sendable {
    enum State: String, Encodable { case running, done, failed, cancelled }

    var id: Int
    var output: String
    var state: State
    var stage: String?
    var done = 0
    var total = 0
    /// In frames per second.
    var rate: Double?
    var secondsLeft: Double?
    var message: String?
    /// Warnings, and notes about effects that were left out.
    var notes: [String] = []
}

/// The exports of an editor, one after the other. They use the same state machine as `cutroom
/// render`.
package actor Exports {
    private let cache: SegmentCache
    private let hub: LiveHub
    private let policy: PluginPolicy
    private var entries: [Int: ExportStatus] = [:]
    private var runs: [Int: Task<Void, Never>] = [:]
    private var begun: [Int: ContinuousClock.Instant] = [:]
    private var last: Task<Void, Never>?
    private let files = FileLane("exports")

    init(_ cache: SegmentCache, _ hub: LiveHub, _ policy: PluginPolicy) {
        (self.cache, self.hub, self.policy) = (cache, hub, policy)
    }

    var all: [ExportStatus] { entries.values.sorted { $0.id < $1.id } }

    func status(_ id: Int) throws(WebError) -> ExportStatus {
        guard let entry = entries[id] else { throw WebError(404, "There is no export \(id).") }
        return entry
    }

    /// Starts an export.
    /// - Parameters:
    ///   - file: the output.
    ///   - plan: a plan for that output.
    func start(_ file: OutputFile, _ plan: RenderPlan, _ revision: Editor.Revision) -> ExportStatus {
        let id = (entries.keys.max() ?? 0) + 1
        let entry = ExportStatus(
            id: id, output: file.path, state: .running, stage: "waiting", total: plan.composition.frameCount)
        entries[id] = entry
        let before = last
        let run = Task {
            await before?.value
            await render(id, file, plan, revision)
        }
        (runs[id], last) = (run, run)
        return entry
    }

    func cancel(_ id: Int) throws(WebError) {
        _ = try status(id)
        runs[id]?.cancel()
    }

    /// Cancels all exports and waits for their end.
    func close() async {
        for run in runs.values { run.cancel() }
        for run in runs.values { await run.value }
    }

    private func render(_ id: Int, _ file: OutputFile, _ plan: RenderPlan, _ revision: Editor.Revision) async {
        defer { runs[id] = nil }
        begun[id] = .now
        do {
            try Task.checkCancellation()
            let parts = try await files.run { [cache] in Result { () throws(HostError) in try ExportParts(cache) } }
                .get()
            let renderer = Renderer(
                session: revision.session, plan: plan, output: file, parts: parts,
                watcher: Watcher(exports: self, id: id, names: revision.session.catalog.names),
                skipsFailingEffects: policy.skips)
            let result: Result<RenderStateMachine.Summary, HostError>
            do throws(HostError) { result = .success(try await renderer.run()) } catch { result = .failure(error) }
            await files.run { parts.remove() }
            if case .failure(let error) = result {
                throw await revision.session.named([error], in: revision.draft)[0] ?? error
            }
            change(id) { ($0.state, $0.stage, $0.done, $0.secondsLeft) = (.done, nil, $0.total, 0) }
        } catch {
            let error = HostError(error)
            let isStopped = Task.isCancelled
            change(id) {
                $0.state = isStopped ? .cancelled : .failed
                $0.message = isStopped ? nil : error.message
            }
        }
    }

    fileprivate func update(_ id: Int, _ progress: RenderProgress) {
        let seconds = begun[id].map { (ContinuousClock.now - $0) / .seconds(1) } ?? 0
        change(id) {
            ($0.stage, $0.done, $0.total) = (progress.stage, progress.done, progress.total)
            let rate = seconds > 0 ? Double(progress.done) / seconds : 0
            $0.rate = (rate * 10).rounded() / 10
            $0.secondsLeft = rate > 0 ? (Double(progress.total - progress.done) / rate).rounded() : nil
        }
    }

    fileprivate func note(_ id: Int, _ text: String) { change(id) { $0.notes.append(text) } }

    private func change(_ id: Int, _ change: (inout ExportStatus) -> Void) {
        guard var entry = entries[id], entry.state == .running else { return }
        change(&entry)
        entries[id] = entry
        hub.tell(LiveMessage.Export(export: entry))
    }

    private struct Watcher: RenderWatcher {
        let exports: Exports
        let id: Int
        let names: PathNames

        func update(_ progress: RenderProgress) { Task { await exports.update(id, progress) } }
        func tell(_ notice: Notice) { Task { await exports.note(id, names.applied(to: notice.text)) } }
    }
}

/// The parts of an export: its own folder in that of the editor, which workers may write to, and
/// the cache.
private struct ExportParts: PartStore {
    let partsFolder: String
    private let cache: SegmentCache

    init(_ cache: SegmentCache) throws(HostError) {
        self.cache = cache
        partsFolder = "\(cache.partsFolder)/export-\(UInt32.random(in: .min ... .max))"
        let code = makeFolders(partsFolder)
        guard code == 0 else {
            throw HostError(.inputOutput, "The folder ‘\(partsFolder)’ cannot be made: \(systemText(code)).")
        }
    }

    func find(_ version: PartVersion) -> WrittenFile? {
        let folder = (partsFolder as NSString).lastPathComponent
        return cache.find(version.key, as: "\(folder)/\(version.name)")
    }

    func keep(_ part: WrittenFile, as key: String) { cache.keep(part, as: key) }
    func forget(_ key: String) { cache.forget(key) }

    /// Returns a path in the export's folder: workers write nowhere else.
    func stage(_ output: OutputFile) -> String { "\(partsFolder)/output-\(UInt32.random(in: .min ... .max))" }

    func commit(_ temporary: String, to output: OutputFile, count: Int) throws(HostError) {
        let beside = output.newTemporaryPath()
        defer { output.removeRuns(of: beside) }
        try output.bring(temporary, to: beside)
        try output.commit(beside, count: count)
    }

    func remove() { try? FileManager.default.removeItem(atPath: partsFolder) }
}
