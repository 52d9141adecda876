import Foundation
import Jobs
import Messaging
import PluginHosting

/// Takes a job's payload apart, lets the module that knows the work do it, and packs the reply.
///
/// It lives as long as the worker: open decoders, baked looks and loaded plugins stay from one job to the next.
final class JobRunner: JobHandler {
    private let workshop: Workshop

    init(_ launch: WorkerLaunch) {
        workshop = Workshop(plugins: PluginShelf(launch))
    }

    func run(kind: String, payload: Data, context: JobContext) throws -> Data {
        guard let type = JobRegistry.type(of: kind) as? any Work.Type else {
            throw JobFailure(
                .internal, "this worker does not know jobs of kind ‘\(kind)’; host and worker differ in version")
        }
        workshop.begin(context)
        // A segment closes those that it does not show.
        if kind != SegmentJob.kind { workshop.video.trim(to: 1) }
        defer {
            for text in workshop.plugins.changes.take() + workshop.plugins.warnings.take() { context.warn(text) }
            workshop.end()
        }
        do {
            return try run(type, payload)
        } catch {
            // A reader that was stopped in the middle of a file may go on saying so.
            workshop.closeReaders()
            if let error = error as? PluginError, error.code == .cancelled, workshop.plugins.watch.hasToldSo {
                throw Cancelled()
            }
            throw error
        }
    }

    func rest() { workshop.freeDiskSpace() }

    private func run<Job: Work>(_ type: Job.Type, _ payload: Data) throws -> Data {
        let job: Job
        do {
            job = try JSONDecoder().decode(type, from: payload)
        } catch {
            throw JobFailure(
                .internal, "a job cannot be read; host and worker differ in version", details: ["\(error)"])
        }
        return try JSONEncoder().encode(try job.run(in: workshop))
    }
}

/// A job that this program can do.
protocol Work: WorkerJob {
    func run(in workshop: Workshop) throws -> Reply
}
