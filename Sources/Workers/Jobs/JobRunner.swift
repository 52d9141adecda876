import Composition
import Foundation
import Jobs
import Messaging
import PluginHosting

/// Takes a job's payload apart, lets the module that knows the work do it, and packs the reply.
///
/// It lives as long as the worker: open decoders, baked looks and loaded plugins stay from one job
/// to the next.
final class JobRunner: JobHandler {
    private let worker: WorkerContext

    init(_ launch: WorkerLaunch) {
        worker = WorkerContext(plugins: LoadedPlugins(launch))
    }

    func run(kind: String, payload: Data, context: JobContext) throws -> Data {
        guard let type = JobRegistry.type(of: kind) as? any Work.Type else {
            throw JobFailure(
                .internal, "this worker does not know jobs of kind ‘\(kind)’; host and worker differ in version")
        }
        worker.begin(context)
        // A segment closes those that it does not show.
        if kind != SegmentJob.kind { worker.video.trim(to: 1) }
        defer {
            for text in worker.plugins.changes.take() + worker.plugins.warnings.take() { context.warn(text) }
            worker.end()
        }
        do {
            return try run(type, payload)
        } catch {
            // A reader that was stopped in the middle of a file may go on saying so.
            worker.closeReaders()
            if let error = error as? PluginError, error.code == .cancelled, worker.plugins.watch.hasToldSo {
                throw Cancelled()
            }
            throw error
        }
    }

    func rest() { worker.freeDiskSpace() }

    private func run<Job: Work>(_ type: Job.Type, _ payload: Data) throws -> Data {
        let job: Job
        do {
            job = try JSONDecoder().decode(type, from: payload)
        } catch {
            throw JobFailure(
                .internal, "a job cannot be read; host and worker differ in version", details: ["\(error)"])
        }
        return try JSONEncoder().encode(try job.run(in: worker))
    }
}

/// A job that this program can do.
protocol Work: WorkerJob {
    func run(in worker: WorkerContext) throws -> Reply
}
