import Composition
import Jobs
import Rendering
import TestSupport
import Testing

/// What must hold at every step, and at the end.
extension RenderSimulation {
    mutating func perform(_ actions: [RenderStateMachine.Action]) {
        for action in actions {
            #expect(ends.isEmpty, "\(seed): \(action) after the end")
            switch action {
            case .lookUp(let versions):
                #expect(versions.allSatisfy { !$0.isUncertain }, "\(seed): an uncertain part is looked up")
                #expect(unanswered.isEmpty && Set(versions).count == versions.count, "\(seed)")
                unanswered = versions
            case .submit(let orders): orders.forEach { accept($0) }
            case .cancel(let numbers):
                for number in numbers {
                    #expect(runs[number]?.isCancelled == false, "\(seed): \(number) is cancelled")
                    runs[number]?.isCancelled = true
                }
            case .keep(let file, let key): check(kept: file, key)
            case .forget(let key): #expect(wasDamaged, "\(seed): \(key) is forgotten for nothing")
            case .commit(let path):
                #expect(
                    verifiedPaths.contains(path) && committing == nil && commits == 0, "\(seed): it commits \(path)")
                committing = path
            case .report(let progress):
                #expect(0...progress.total ~= progress.done, "\(seed): \(progress)")
                let total = plan.video == nil ? plan.sampleCount ?? 0 : plan.composition.frameCount
                #expect(progress.stage == "measuring" || progress.total == total, "\(seed): \(progress) of \(total)")
            case .tell: break
            case .finish(let result):
                ends.append(result)
                #expect(runs.isEmpty, "\(seed): it ends while \(runs.keys) run")
            }
        }
    }

    private mutating func accept(_ order: WorkOrder) {
        #expect(order.number.value > highestNumber, "\(seed): \(order.number) is used again")
        highestNumber = max(highestNumber, order.number.value)
        #expect(reason == nil, "\(seed): \(order.job.kind) is submitted after \(reason?.message ?? "")")
        if let job = order.job.work as? SoundJob { check(job) }
        if let part = part(of: order) {
            let isRunning = runs.values.contains { self.part(of: $0.order) == part }
            #expect(!isRunning, "\(seed): \(part) is submitted while it runs")
        } else {
            #expect(runs.isEmpty, "\(seed): \(order.job.kind) begins while other jobs run")
        }
        if let job = order.job.work as? AssembleJob { check(job) }
        runs[order.number] = Run(order: order)
    }

    /// All parts, each where it belongs, whole or without what fails in it.
    private func check(_ job: AssembleJob) {
        #expect(job.segments.count == plan.segments.count, "\(seed)")
        #expect((job.sound != nil) == (plan.audio != nil), "\(seed)")
        // Segments of one key are one part.
        let segments = plan.segments.indices.map { index in
            Part.segment(
                plan.segments.firstIndex { $0.key == plan.segments[index].key && $0.isUncertain != true } ?? index)
        }
        let parts = Array(zip(segments, job.segments)) + (job.sound.map { [(.sound, $0)] } ?? [])
        for (part, file) in parts {
            guard let found = files[file.path] else {
                Issue.record("\(seed): \(file.path) was never written")
                continue
            }
            #expect(found.part == part, "\(seed): \(found.part) in the place of \(part)")
            #expect(!isKnownDamage(file.path), "\(seed): \(file.path) is used again")
        }
    }

    /// All runs, each where it belongs.
    private func check(_ job: SoundJob) {
        #expect(job.runs.count == plan.runs.count, "\(seed)")
        for (run, file) in zip(plan.runs, job.runs) {
            #expect(file.firstSample == run.firstSample && file.sampleCount == run.sampleCount, "\(seed): \(run)")
            let first = plan.runs.firstIndex { $0.key == run.key && $0.isUncertain != true } ?? run.index
            #expect(files[file.part.path]?.part == .run(first), "\(seed): \(file.part.path) as run \(run.index)")
            #expect(!isKnownDamage(file.part.path), "\(seed): \(file.part.path) is used again")
        }
    }

    /// A cached part that was found damaged once is not used a second time; a new one may be
    /// damaged for itself.
    private func isKnownDamage(_ path: String) -> Bool { reported.contains(path) && files[path]?.job == nil }

    private mutating func check(kept file: WrittenFile, _ key: String) {
        #expect(kept.insert(file.path).inserted, "\(seed): \(file.path) is kept twice")
        guard let (part, made) = files[file.path], let job = made else {
            Issue.record("\(seed): \(file.path) is kept, which no worker wrote")
            return
        }
        switch part {
        case .segment(let index):
            #expect(plan.bitRate != nil || key == plan.segments[index].key, "\(seed)")
            #expect(plan.segments[index].isUncertain != true, "\(seed): an uncertain part is kept")
        case .run(let index):
            #expect(key == plan.runs[index].key && plan.runs[index].isUncertain != true, "\(seed)")
        case .sound:
            #expect(key == plan.soundKey && plan.isSoundUncertain != true, "\(seed)")
            // Encoded from whole runs.
            for run in (job.work as? SoundJob)?.runs ?? [] {
                guard case .run(let index)? = files[run.part.path]?.part, let mixed = files[run.part.path]?.job else {
                    continue
                }
                let isWhole =
                    !uses(.run(index), Plans.sound) || mixed.leavingOut(Plans.sound, of: Plans.soundPath) != nil
                #expect(isWhole, "\(seed): the sound is kept with a run without its filter")
            }
        }
        // Whole: nothing was left out of it.
        for id in [Plans.stateless, Plans.sound] where uses(part, id) {
            #expect(job.leavingOut(id, of: "/plugins/\(id).so") != nil, "\(seed): \(part) is kept without \(id)")
        }
    }

    private func uses(_ part: Part, _ id: String) -> Bool {
        switch part {
        case .segment(let index):
            plan.segmentJob(index, output: "")?.slice.leavingOut(id, of: "/plugins/\(id).so") != nil
        case .run(let index): plan.mixJob(index, output: "")?.leavingOut(id, of: "/plugins/\(id).so") != nil
        case .sound: false
        }
    }

    mutating func check() {
        #expect(render.hasEnded, "\(seed)")
        switch ends.first {
        case .success(let summary):
            #expect(reason == nil && commits == 1, "\(seed): it succeeds after \(reason?.message ?? "")")
            #expect(summary.segments == plan.segments.count && summary.frames == plan.composition.frameCount)
            #expect((0...summary.segments).contains(summary.cachedSegments))
            let without = summary.segmentsWithoutEffects + summary.runsWithoutEffects
            #expect(without == detours, "\(seed): \(summary) after \(detours) detours")
        case .failure(let failure):
            #expect(failure == reason && commits == 0, "\(seed): \(failure), \(commits) commits, not \(reason as Any)")
        case nil: break
        }
    }
}
