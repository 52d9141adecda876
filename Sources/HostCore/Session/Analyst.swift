import Draft
import Farm
import Foundation
import Jobs
import Rendering
import Scripting
import Synchronization

/// Runs a script's analyses in workers, each once, and caches their results.
package final class Analyst: Sendable {
    private let session: HostSession
    private let cache: TrackCache
    private let reporter: ProgressReporter
    /// The results by key: within one run of a script, the same question has the same answer,
    /// whatever the analyser.
    private let known = Mutex<[String: AnalysisTrack]>([:])

    init(_ session: HostSession, _ cache: TrackCache, _ reporter: ProgressReporter) {
        self.session = session
        self.cache = cache
        self.reporter = reporter
    }

    /// Runs an analysis. Blocks: not for asynchronous code.
    /// - Throws: ``ScriptError`` if the plugin or the file is at fault; the session also notes any
    ///   other failure.
    package func analyse(_ analysis: Analysis, _ grid: AnalysisGrid, _ catalog: Catalog) throws -> AnalysisTrack {
        guard let job = AnalysisJob(analysis, grid, catalog) else {
            throw HostError(.software, "‘\(analysis.path)’ was not probed before it is analysed.")
        }
        let key = try job.key(libraries: session.libraries)
        if let track = known.withLock({ $0[key] }) { return track }
        let isSure = job.plugin.isUncertain != true
        if isSure, let track = cache.find(key, grid) {
            known.withLock { $0[key] = track }
            return track
        }
        let track = try run(job)
        known.withLock { $0[key] = track }
        if isSure { cache.keep(track, as: key) }
        return track
    }

    /// Waits until the results are written.
    func close() async { await cache.close() }

    private func run(_ job: AnalysisJob) throws -> AnalysisTrack {
        let name = (job.file.path as NSString).lastPathComponent
        let report = { @Sendable [reporter] (done: Int) in
            reporter.update(
                RenderProgress(
                    total: job.grid.frameCount, done: done, stage: "analysing \(name) (\(job.effect.effectID))"))
        }
        defer { reporter.clear() }
        do throws(QueueError) {
            report(0)
            let track = try session.waitForReply(to: job) { report($0.done) }
            guard track.fits(job.grid) else { throw QueueError.unreadableReply }
            report(job.grid.frameCount)
            return track
        } catch {
            session.note(error)
            throw ScriptError(error.failure?.category == .input ? .rule : .plugin, error.message)
        }
    }
}
