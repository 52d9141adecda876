import Composition
import Jobs

/// How parts come to be there.
extension Render {
    // MARK: Looking up

    mutating func gather(_ goal: Goal) -> [Action] {
        let known = missing(for: goal).filter { !$0.isUncertain }
        guard !known.isEmpty else { return renderMissing(goal) }
        state = .lookingUp(LookingUp(goal: goal, unanswered: Set(known)))
        return [.lookUp(known)]
    }

    /// The cache has a part, under a path of this render's own, or has not (nil).
    public mutating func cacheAnswered(_ version: PartVersion, _ file: WrittenFile?) -> [Action] {
        guard case .lookingUp(var lookingUp) = state, lookingUp.unanswered.contains(version) else { return [] }
        state = .changing
        lookingUp.unanswered.remove(version)
        if let file {
            there[version] = file
            if version.part != .sound { lookingUp.segmentHits += 1 }
        }
        guard lookingUp.unanswered.isEmpty else {
            state = .lookingUp(lookingUp)
            return []
        }
        if lookingUp.goal == .file { cachedSegments = lookingUp.segmentHits }
        return renderMissing(lookingUp.goal)
    }

    // MARK: Rendering

    mutating func renderMissing(_ goal: Goal) -> [Action] {
        let missing = missing(for: goal)
        var rendering = Rendering(goal: goal)
        (rendering.total, rendering.finished) = amount(of: goal)
        let orders = missing.compactMap { version -> WorkOrder? in
            guard let order = order(version) else { return nil }
            rendering.running[order.number] = run(version)
            return order
        }
        let report = Action.report(progress(rendering))
        guard !orders.isEmpty else { return [report] + reached(goal) }
        state = .rendering(rendering)
        return [report, .submit(orders)]
    }

    /// A job has come so far.
    /// - Parameters:
    ///   - done: frames or samples of a part; of the whole file a share of `total`.
    ///   - total: 0 where it is not known.
    public mutating func progressed(_ number: WorkOrder.Number, done: Int, total: Int) -> [Action] {
        switch state {
        case .rendering(var rendering):
            guard let run = rendering.running[number] else { return [] }
            state = .changing
            rendering.running[number]?.done = min(max(0, done), run.total)
            state = .rendering(rendering)
            return [.report(progress(rendering))]
        case .assembling(let assembling) where assembling.number == number && total > 0:
            return [wholeFile("assembling", Double(done) / Double(total))]
        case .verifying(number, _) where total > 0: return [wholeFile("verifying", Double(done) / Double(total))]
        default: return []
        }
    }

    /// A job's run ended without a result, and the job begins anew.
    public mutating func retried(_ number: WorkOrder.Number) -> [Action] {
        progressed(number, done: 0, total: 0)
    }

    /// A worker has written a part.
    public mutating func rendered(_ number: WorkOrder.Number, _ file: WrittenFile) -> [Action] {
        switch state {
        case .rendering(var rendering):
            guard let run = rendering.running[number] else { return [] }
            state = .changing
            rendering.running[number] = nil
            there[run.version] = file
            if counts(run.version.part) { rendering.finished += file.file.count }
            let actions = keep(run.version, file) + [.report(progress(rendering))]
            guard rendering.running.isEmpty else {
                state = .rendering(rendering)
                return actions
            }
            return actions + reached(rendering.goal)
        // What was finished meanwhile is there for the next render.
        case .ending(let ending):
            guard case let version?? = ending.running[number] else { return [] }
            return keep(version, file) + ended(number)
        default: return []
        }
    }

    private func keep(_ version: PartVersion, _ file: WrittenFile) -> [Action] {
        version.isUncertain || detours.concern(version.part) ? [] : [.keep(file, key: version.key)]
    }

    // MARK: Jobs without a result

    /// A job has failed for good.
    public mutating func failed(_ number: WorkOrder.Number, _ failure: RenderFailure) -> [Action] {
        switch state {
        case .rendering(var rendering):
            guard let run = rendering.running[number] else { return [] }
            state = .changing
            rendering.running[number] = nil
            if let (notice, order) = detour(run.version, failure) {
                rendering.running[order.number] = self.run(run.version)
                state = .rendering(rendering)
                return [.tell(notice), .submit([order])]
            }
            return end(failure, running: rendering.running.mapValues(\.version))
        case .assembling(let assembling) where assembling.number == number: return end(failure, running: [:])
        case .verifying(number, _): return end(failure, running: [:])
        case .ending: return ended(number)
        default: return []
        }
    }

    /// A job has been cancelled, by this render or with the whole queue.
    public mutating func cancelled(_ number: WorkOrder.Number) -> [Action] {
        if case .ending = state { return ended(number) }
        // Nothing leads around a stop.
        return failed(number, .stopped)
    }

    /// A job of a render that is ending has ended.
    private mutating func ended(_ number: WorkOrder.Number) -> [Action] {
        guard case .ending(var ending) = state, ending.running.removeValue(forKey: number) != nil else { return [] }
        state = .ending(ending)
        guard ending.running.isEmpty else { return [] }
        state = .ended
        return [.finish(.failure(ending.failure))]
    }

    /// The way around a plugin that failed in a part; nil where there is none.
    private mutating func detour(_ version: PartVersion, _ failure: RenderFailure) -> (Notice, WorkOrder)? {
        guard options.skipsFailingEffects, let job = job(version.part),
            let detour = detours.take(version.part, job, failure, plan), let order = order(version)
        else { return nil }
        return (.detour(detour), order)
    }

    // MARK: What is wanted

    /// The parts that a goal lacks; the sound first.
    private func missing(for goal: Goal) -> [PartVersion] {
        let segments = if case .measurement(_, let segments) = goal { segments } else { Array(plan.segments.indices) }
        let wanted = (plan.soundVersion.map { [$0] } ?? []) + segments.map(plan.version(ofSegment:))
        return wanted.filter { there[$0] == nil }
    }

    /// A part's whole job.
    private func job(_ part: Part) -> Job? {
        switch part {
        case .sound: return plan.soundJob(output: options.folder + "/sound").map(Job.sound)
        case .segment(let index):
            // Segments of several qualities may lie side by side.
            let quality = plan.bitRate == nil ? "" : "-\(plan.video?.quality ?? 0)"
            let output = "\(options.folder)/segment-\(index)\(quality)"
            return plan.segmentJob(index, output: output).map(Job.segment)
        }
    }

    private mutating func order(_ version: PartVersion) -> WorkOrder? {
        guard let whole = job(version.part) else { return nil }
        let job = detours.applied(to: whole, of: version.part)
        switch version.part {
        // First: it is one job, and the only one that cannot be shared out.
        case .sound: return order(job, priority: 1)
        case .segment(let index): return order(job, place: WorkOrder.Place(group: "picture", index: index))
        }
    }

    // MARK: Progress

    private func run(_ version: PartVersion) -> Rendering.Run {
        switch version.part {
        case .segment(let index): Rendering.Run(version: version, total: plan.segments[index].frameCount)
        case .sound: Rendering.Run(version: version, total: plan.sampleCount ?? 0)
        }
    }

    /// Whether progress counts the part: frames where the output has a picture, else samples.
    private func counts(_ part: Part) -> Bool { (part == .sound) == (plan.video == nil) }

    /// Frames (samples) that a goal needs, and those of them that are there.
    private func amount(of goal: Goal) -> (total: Int, finished: Int) {
        guard plan.video != nil else {
            let finished = plan.soundVersion.flatMap { there[$0]?.file.count } ?? 0
            return (plan.sampleCount ?? 0, finished)
        }
        let segments = if case .measurement(_, let segments) = goal { segments } else { Array(plan.segments.indices) }
        return segments.reduce(into: (total: 0, finished: 0)) { sum, index in
            sum.total += plan.segments[index].frameCount
            sum.finished += there[plan.version(ofSegment: index)]?.file.count ?? 0
        }
    }

    private func progress(_ rendering: Rendering) -> RenderProgress {
        let running = rendering.running.values.reduce(0) { counts($1.version.part) ? $0 + $1.done : $0 }
        return RenderProgress(
            total: rendering.total, done: rendering.finished + running, stage: rendering.goal.stage,
            sampleRate: plan.video == nil ? plan.audio?.sampleRate : nil)
    }
}
