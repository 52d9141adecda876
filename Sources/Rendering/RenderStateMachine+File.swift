import Composition
import Jobs

/// How parts become the file.
extension RenderStateMachine {
    /// - Parameter repairs: how many times damaged parts have been rendered again already.
    mutating func assemble(repairs: Int) -> [Action] {
        var segments: [AssembleJob.Part] = []
        for segment in plan.segments {
            let version = plan.version(ofSegment: segment.index)
            guard let part = part(version) else { return lost(version.part) }
            segments.append(part)
        }
        var sound: AssembleJob.Part?
        if let version = plan.soundVersion {
            sound = part(version)
            if sound == nil { return lost(.sound) }
        }
        let job = AssembleJob(
            segments: segments, sound: sound, frameRate: plan.composition.frameRate, size: plan.pictureSize,
            color: plan.composition.color, container: plan.container, indexFirst: plan.indexFirst,
            output: options.temporary, subtitles: plan.composition.subtitles)
        let order = order(Job(job))
        state = .assembling(Assembling(number: order.number, repairs: repairs))
        return [wholeFile("assembling", 0), .submit([order])]
    }

    private func part(_ version: PartVersion) -> AssembleJob.Part? {
        there[version].map { AssembleJob.Part(path: $0.path, file: $0.file) }
    }

    private mutating func lost(_ part: Part) -> [Action] {
        end(RenderFailure(.software, "A part of the render is missing: \(part)."), running: [:])
    }

    /// A worker has put the parts together, or encoded the sound from its runs, or found some that
    /// are damaged.
    public mutating func assembled(_ number: WorkOrder.Number, _ reply: AssembleJob.Reply) -> [Action] {
        switch state {
        case .rendering: return encoded(number, reply)
        case .assembling(let assembling) where assembling.number == number:
            let done = wholeFile("assembling", 1)
            // A damaged entry of the cache is worth one more rendering, not a failure; so is what
            // another machine lied of.
            if !reply.damaged.isEmpty, assembling.repairs < Self.mostRepairs {
                return [done] + repair(reply.damaged, assembling.repairs + 1)
            }
            guard let written = reply.written else {
                return [done] + end(Self.notWritten(reply.damaged.first ?? ""), running: [:])
            }
            return [done] + verify(written)
        // Parts that were encoded meanwhile are there for the next render.
        case .ending(let ending):
            if case .some(.some) = ending.running[number] { return encoded(number, reply) }
            return cancelled(number)
        default: return []
        }
    }

    /// Damaged parts are rendered again so many times: a node that lies of parts gets no more of
    /// them after two (``Farm``), so the next rendering is another's.
    static let mostRepairs = 3

    static func notWritten(_ path: String) -> RenderFailure {
        RenderFailure(.machine, "The rendered part ‘\(path)’ is not what its worker wrote; the disk may be damaged.")
    }

    /// - Parameter repairs: which time it is, from 1.
    private mutating func repair(_ damaged: [String], _ repairs: Int) -> [Action] {
        let paths = Set(damaged)
        let lost = versions(for: .repair(repairs)).filter { there[$0].map { paths.contains($0.path) } ?? false }
        for version in lost { there[version] = nil }
        return [.tell(.damaged(paths: damaged))] + lost.map { .forget(key: $0.key) } + renderMissing(.repair(repairs))
    }

    private mutating func verify(_ written: WrittenFile) -> [Action] {
        let job = VerifyJob(
            path: written.path, bytes: written.file.size, container: plan.container,
            frames: plan.video == nil ? nil : plan.composition.frameCount,
            frameRate: plan.composition.frameRate, size: plan.pictureSize, color: plan.composition.color,
            samples: plan.sampleCount, sampleRate: plan.audio?.sampleRate ?? 48_000,
            subtitleTracks: plan.composition.subtitles?.count ?? 0)
        let order = order(Job(job))
        state = .verifying(order.number, path: written.path)
        return [wholeFile("verifying", 0), .submit([order])]
    }

    /// A worker has read the file back and found it right.
    public mutating func verified(_ number: WorkOrder.Number) -> [Action] {
        switch state {
        case .verifying(number, let path):
            state = .committing
            return [wholeFile("verifying", 1), .commit(path: path)]
        case .ending: return cancelled(number)
        default: return []
        }
    }

    /// The file has its name.
    public mutating func committed() -> [Action] {
        guard case .committing = state else { return [] }
        state = .ended
        return [
            .finish(
                .success(
                    Summary(
                        frames: plan.composition.frameCount, segments: plan.segments.count,
                        cachedSegments: cached.count { if case .segment = $0.part { true } else { false } },
                        runs: plan.runs.count, cachedRuns: cachedRuns, isSoundCached: isSoundCached,
                        segmentsWithoutEffects: detours.segmentCount, runsWithoutEffects: detours.runCount)))
        ]
    }

    private var isSoundCached: Bool { plan.soundVersion.map(cached.contains) ?? false }

    private var cachedRuns: Int {
        isSoundCached ? plan.runs.count : plan.runs.indices.count { cached.contains(plan.version(ofRun: $0)) }
    }

    /// The file cannot get its name.
    public mutating func commitFailed(_ failure: RenderFailure) -> [Action] {
        guard case .committing = state else { return [] }
        return end(failure, running: [:])
    }

    /// The progress of a job over the whole file, in frames (samples) of it.
    func wholeFile(_ stage: String, _ share: Double) -> Action {
        let total = plan.video == nil ? plan.sampleCount ?? 0 : plan.composition.frameCount
        return .report(
            RenderProgress(
                total: total, done: Int(Double(total) * min(1, max(0, share))), stage: stage,
                sampleRate: plan.video == nil ? plan.audio?.sampleRate : nil))
    }
}
