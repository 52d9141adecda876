import Foundation
import Jobs
import Messaging
import PluginHosting

/// Takes a job's payload apart, lets the room that knows the work do it, and packs the reply.
///
/// It lives as long as the worker: open decoders, baked looks and loaded plugins stay from one job to the next.
final class JobRunner: JobHandler {
    private let workshop: Workshop

    init(_ launch: WorkerLaunch) {
        workshop = Workshop(plugins: PluginShelf(launch))
    }

    func run(kind: String, payload: Data, context: JobContext) throws -> Data {
        guard let kind = JobKind(rawValue: kind) else {
            throw JobFailure(
                .internal, "this worker does not know jobs of kind ‘\(kind)’; host and worker differ in version")
        }
        workshop.begin(context)
        defer {
            for text in workshop.plugins.changes.take() + workshop.plugins.warnings.take() { context.remark(text) }
            workshop.end()
        }
        do {
            return try run(kind, payload)
        } catch {
            // A reader that was stopped in the middle of a file may go on saying so.
            workshop.closeReaders()
            if let error = error as? PluginError, error.code == .cancelled, workshop.plugins.watch.hasToldSo {
                throw Cancelled()
            }
            throw error
        }
    }

    private func run(_ kind: JobKind, _ payload: Data) throws -> Data {
        switch kind {
        case .probe: return try reply(payload, workshop.probe)
        case .inspect: return try reply(payload, workshop.inspect)
        case .trial: return try reply(payload, workshop.tryOut)
        case .fonts: return try reply(payload, workshop.findFonts)
        case .segment: return try reply(payload, workshop.renderSegment)
        case .sound: return try reply(payload, workshop.renderSound)
        case .assemble: return try reply(payload, workshop.assemble)
        case .verify: return try reply(payload, workshop.verify)
        case .snapshot: return try reply(payload, workshop.takeSnapshot)
        case .analysis: return try reply(payload, workshop.analyse)
        case .soundPieces: return try reply(payload, workshop.renderSoundPieces)
        case .peaks: return try reply(payload, workshop.findPeaks)
        }
    }

    private func reply<Job: Decodable, Reply: Encodable>(_ payload: Data, _ work: (Job) throws -> Reply) throws -> Data
    {
        let job: Job
        do {
            job = try JSONDecoder().decode(Job.self, from: payload)
        } catch {
            throw JobFailure(
                .internal, "a job cannot be read; host and worker differ in version", details: ["\(error)"])
        }
        return try JSONEncoder().encode(try work(job))
    }
}

/// Nothing to say but that it is done.
struct Done: Codable {}
