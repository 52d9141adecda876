import Composition
import Draft
import Foundation
import Jobs
import Logging
import Messaging
import Synchronization

/// Takes a plan through the queue: { sound ∥ segments } → assemble → verify → the output's name.
///
/// Whatever happens, no partial output and no temporary file is left; finished parts stay in the cache.
struct Renderer {
    let session: HostSession
    var plan: RenderPlan
    let output: OutputFile
    let cache: SegmentCache
    let reporter: ProgressReporter
    /// Around plugins that fail; nil: what fails ends the render.
    let detour: Detour?

    struct Summary {
        var frames: Int
        var duration: Time
        var cachedSegments: Int
        var segments: Int
    }

    func run() async throws -> Summary {
        guard let search = RateSearch(plan) else { return try await run(Parts(plan)) }
        var settled = self
        let (plan, parts) = try await settle(search)
        settled.plan = plan
        return try await settled.run(parts)
    }

    private func run(_ parts: Parts) async throws -> Summary {
        let hits = takeFromCache(parts)
        try await render(parts)
        let temporary = output.newTemporaryPath()
        defer { output.removeRuns(of: temporary) }
        let written: WrittenFile
        do {
            written = try await assemble(parts, temporary)
            try await verify(written.path)
        } catch {
            throw output.named(error, temporary)
        }
        try output.commit(written.path, count: plan.composition.frameCount)
        return Summary(
            frames: plan.composition.frameCount, duration: plan.composition.duration, cachedSegments: hits,
            segments: plan.segments.count)
    }

    /// The whole file under a temporary name; parts that turn out to be damaged are rendered again first.
    private func assemble(_ parts: Parts, _ temporary: String) async throws -> WrittenFile {
        var reply = try await tryToAssemble(parts, temporary)
        if !reply.damaged.isEmpty {
            // A damaged entry of the cache is worth one more rendering, not a failure.
            session.log.warning("damaged parts are rendered again", metadata: ["parts": "\(reply.damaged)"])
            parts.forget(reply.damaged).forEach(cache.remove)
            try await render(parts)
            reply = try await tryToAssemble(parts, temporary)
        }
        guard let written = reply.written else {
            let path = reply.damaged.first ?? ""
            throw HostError(
                .inputOutput, "The rendered part ‘\(path)’ is not what its worker wrote; the disk may be damaged.")
        }
        return written
    }

    func takeFromCache(_ parts: Parts) -> Int {
        var hits = 0
        for segment in plan.segments where parts.isChosen(segment.index) && parts.isMissing(.segment(segment.index)) {
            guard segment.isUncertain != true, let (path, file) = cache.find(segment.key) else { continue }
            parts.put(.segment(segment.index), path, file, isCached: true)
            hits += 1
        }
        if plan.isSoundUncertain != true, let key = plan.soundKey, parts.isMissing(.sound),
            let (path, file) = cache.find(key)
        {
            parts.put(.sound, path, file, isCached: true)
        }
        return hits
    }

    // MARK: Parts

    func render(_ parts: Parts, stage: String = "rendering") async throws {
        // Each time but the first for what goes around a plugin that failed the time before.
        while try await !renderMissing(parts, stage) {}
    }

    /// - Returns: whether nothing is missing any more.
    private func renderMissing(_ parts: Parts, _ stage: String) async throws -> Bool {
        var names: [JobID: Parts.Name] = [:]
        var works: [JobID: Detour.Work] = [:]
        var jobs: [JobSpec] = []
        func add(_ work: Detour.Work, _ name: Parts.Name) throws {
            let spec: JobSpec
            switch (detour?.applied(to: work, of: name) ?? work, name) {
            // First: it is one job, and the only one that cannot be shared out.
            case (.sound(let job), _): spec = try session.spec(.sound, job, priority: 1)
            case (.segment(let job), .segment(let index)):
                spec = try session.spec(.segment, job, sequence: .init(group: "picture", index: index))
            case (.segment, .sound): return
            }
            names[spec.id] = name
            works[spec.id] = work
            jobs.append(spec)
        }
        if parts.isMissing(.sound), let job = plan.soundJob(output: cache.partsFolder + "/sound") {
            try add(.sound(job), .sound)
        }
        // Parts of several qualities may lie side by side.
        let quality = plan.bitRate == nil ? "" : "-\(plan.video?.quality ?? 0)"
        for segment in plan.segments where parts.isChosen(segment.index) && parts.isMissing(.segment(segment.index)) {
            let name = "\(cache.partsFolder)/segment-\(segment.index)\(quality)"
            guard let job = plan.segmentJob(segment.index, output: name) else { continue }
            try add(.segment(job), .segment(segment.index))
        }
        reporter.update(parts.progress(stage: stage))
        guard !jobs.isEmpty else { return true }
        let (known, whole) = (names, works)
        let failure = Locked<HostError?>(nil)
        let isWhole = Locked(true)
        _ = try await session.queue.run(
            jobs,
            onEvent: { event in
                guard let name = known[event.job], case .progressed(_, let progress) = event else { return }
                parts.advance(name, to: progress.done)
                reporter.update(parts.progress(stage: stage))
            },
            onResult: { job, result in
                guard let name = known[job] else { return }
                do {
                    try keep(name, result, parts)
                    reporter.update(parts.progress(stage: stage))
                } catch {
                    failure.withLock { $0 = $0 ?? HostError(error) }
                }
            },
            recovers: { id, failure in
                guard let name = known[id], let work = whole[id], detour?.take(name, work, failure) == true else {
                    return false
                }
                isWhole.withLock { $0 = false }
                return true
            })
        if let failure = failure.withLock({ $0 }) { throw failure }
        return isWhole.withLock { $0 }
    }

    private func keep(_ name: Parts.Name, _ result: Data, _ parts: Parts) throws {
        let written = try JSONDecoder().decode(WrittenFile.self, from: result)
        parts.put(name, written.path, written.file, isCached: false)
        let key: String
        switch name {
        case .segment(let index):
            guard plan.segments[index].isUncertain != true, detour?.concerns(name) != true else { return }
            key = plan.segments[index].key
        case .sound:
            guard plan.isSoundUncertain != true, detour?.concerns(.sound) != true else { return }
            key = plan.soundKey ?? ""
        }
        cache.keep(written.path, as: key, written.file)
    }

    // MARK: The file

    private func tryToAssemble(_ parts: Parts, _ temporary: String) async throws -> AssembleJob.Reply {
        let job = AssembleJob(
            segments: try plan.segments.map { try parts.part(.segment($0.index), firstFrame: $0.firstFrame) },
            sound: plan.audio == nil ? nil : try parts.part(.sound, firstFrame: 0),
            frameRate: plan.composition.frameRate,
            size: plan.composition.size, color: plan.composition.color,
            container: plan.container, indexFirst: plan.indexFirst, output: temporary)
        let result = try await run(try session.spec(.assemble, job), stage: "assembling")
        return try JSONDecoder().decode(AssembleJob.Reply.self, from: result)
    }

    private func verify(_ path: String) async throws {
        let job = VerifyJob(
            path: path, container: plan.container, frames: plan.video == nil ? nil : plan.composition.frameCount,
            frameRate: plan.composition.frameRate,
            size: plan.composition.size, color: plan.composition.color,
            samples: plan.sampleCount, sampleRate: plan.audio?.sampleRate ?? 48_000)
        _ = try await run(try session.spec(.verify, job), stage: "verifying")
    }

    /// A job over the whole file, whose progress is shown in frames (samples) of it.
    private func run(_ spec: JobSpec, stage: String) async throws -> Data {
        let total = plan.video == nil ? plan.sampleCount ?? 0 : plan.composition.frameCount
        let sampleRate = plan.video == nil ? plan.audio?.sampleRate : nil
        let report = { @Sendable [reporter] (share: Double) in
            reporter.update(
                RenderProgress(
                    total: total, done: Int(Double(total) * min(1, max(0, share))), stage: stage, sampleRate: sampleRate
                ))
        }
        report(0)
        let results = try await session.queue.run(
            [spec],
            onEvent: { event in
                guard case .progressed(_, let progress) = event, progress.total > 0 else { return }
                report(Double(progress.done) / Double(progress.total))
            })
        report(1)
        return results[spec.id] ?? Data()
    }
}
