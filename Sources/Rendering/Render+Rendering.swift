import Composition
import Jobs

/// How workers make the parts that are missing.
extension Render {
    mutating func renderMissing(_ goal: Goal) -> [Action] {
        var rendering = rendering(goal)
        let orders = missing(for: goal).compactMap { version -> WorkOrder? in
            guard let order = order(version) else { return nil }
            rendering.begin(order.number, version, amount: amount(of: version.part), copies: copies(of: version, goal))
            return order
        }
        let report = report(rendering)
        guard !orders.isEmpty else { return [report] + reached(goal) }
        state = .rendering(rendering)
        return [report, .submit(orders)]
    }

    /// Nothing is begun yet; what is there counts.
    private func rendering(_ goal: Goal) -> Rendering {
        let versions =
            plan.video == nil
            ? plan.soundVersion.map { [$0] } ?? [] : segments(for: goal).map(plan.version(ofSegment:))
        var rendering = Rendering(goal: goal)
        for version in versions {
            let amount = amount(of: version.part) ?? 0
            rendering.total += amount
            if there[version] != nil { rendering.finished += amount }
        }
        return rendering
    }

    /// How many times a goal shows a part.
    private func copies(of version: PartVersion, _ goal: Goal) -> Int {
        guard case .segment(let index) = version.part, plan.segments[index].isShownAgain == true else { return 1 }
        return segments(for: goal).count { plan.version(ofSegment: $0) == version }
    }

    /// The frames or samples of a part; nil for one that progress does not count: the sound of an output with a picture.
    private func amount(of part: Part) -> Int? {
        switch part {
        case .segment(let index): plan.segments[index].frameCount
        case .sound: plan.video == nil ? plan.sampleCount : nil
        }
    }

    private func report(_ rendering: Rendering) -> Action {
        .report(
            RenderProgress(
                total: rendering.total, done: rendering.done, stage: rendering.goal.stage,
                sampleRate: plan.video == nil ? plan.audio?.sampleRate : nil))
    }

    /// A job has come so far.
    /// - Parameters:
    ///   - done: frames or samples of a part; of the whole file a share of `total`.
    ///   - total: 0 where it is not known.
    public mutating func progressed(_ number: WorkOrder.Number, done: Int, total: Int) -> [Action] {
        switch state {
        case .rendering(var rendering):
            state = .changing
            let isMoved = rendering.advance(number, to: done)
            state = .rendering(rendering)
            return isMoved ? [report(rendering)] : []
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
            guard let version = rendering.version(number) else { return [] }
            state = .changing
            rendering.end(number, made: file.file.count)
            there[version] = file
            let actions = keep(version, file) + notices(of: file) + [report(rendering)]
            guard rendering.running.isEmpty else {
                state = .rendering(rendering)
                return actions
            }
            return actions + reached(rendering.goal)
        // Parts that were finished meanwhile are there for the next render.
        case .ending(let ending):
            guard case let version?? = ending.running[number] else { return [] }
            return keep(version, file) + ended(number)
        default: return []
        }
    }

    private func keep(_ version: PartVersion, _ file: WrittenFile) -> [Action] {
        isForOthers(version) ? [.keep(file, key: version.key)] : []
    }

    /// Whether the key decides the part, whichever worker makes it.
    func isForOthers(_ version: PartVersion) -> Bool { !version.isUncertain && !detours.concern(version.part) }

    // MARK: Jobs without a result

    /// A job has failed for good.
    public mutating func failed(_ number: WorkOrder.Number, _ failure: RenderFailure) -> [Action] {
        switch state {
        case .rendering(var rendering):
            guard let version = rendering.version(number) else { return [] }
            state = .changing
            rendering.end(number, made: 0)
            if let (notice, order) = detour(version, failure) {
                rendering.begin(
                    order.number, version, amount: amount(of: version.part), copies: copies(of: version, rendering.goal)
                )
                state = .rendering(rendering)
                return [.tell(notice), .submit([order])]
            }
            return end(failure, running: rendering.versions)
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
}
