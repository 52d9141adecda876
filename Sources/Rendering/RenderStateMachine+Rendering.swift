import Composition
import Jobs

/// How workers make the parts that are missing.
extension RenderStateMachine {
    mutating func renderMissing(_ goal: Goal) -> [Action] {
        var rendering = rendering(goal)
        let orders = begin(missing(for: goal), in: &rendering)
        let report = report(rendering)
        guard !orders.isEmpty else { return [report] + reached(goal) }
        state = .rendering(rendering)
        return [report, .submit(orders)]
    }

    /// Orders parts. The sound waits for its runs.
    private mutating func begin(_ versions: [PartVersion], in rendering: inout Rendering) -> [WorkOrder] {
        versions.compactMap { version in
            if version.part == .sound, !canEncodeSound { return nil }
            guard let order = order(version) else { return nil }
            begin(order, version, in: &rendering)
            return order
        }
    }

    private func begin(_ order: WorkOrder, _ version: PartVersion, in rendering: inout Rendering) {
        rendering.begin(
            order.number, version, amount: amount(of: version.part), size: size(of: version.part),
            copies: copies(of: version, rendering.goal))
    }

    /// Nothing is begun yet; what is there counts.
    private func rendering(_ goal: Goal) -> Rendering {
        let versions =
            plan.video == nil
            ? plan.runs.indices.map(plan.version(ofRun:)) + (plan.soundVersion.map { [$0] } ?? [])
            : segments(for: goal).map(plan.version(ofSegment:))
        let hasSound = plan.soundVersion.map { there[$0] != nil } ?? false
        var rendering = Rendering(goal: goal)
        for version in versions {
            let amount = amount(of: version.part) ?? 0
            rendering.total += amount
            if there[version] != nil || plan.video == nil && hasSound { rendering.finished += amount }
        }
        return rendering
    }

    /// How many times a goal shows a part.
    private func copies(of version: PartVersion, _ goal: Goal) -> Int {
        switch version.part {
        case .segment(let index):
            guard plan.segments[index].isShownAgain == true else { return 1 }
            return segments(for: goal).count { plan.version(ofSegment: $0) == version }
        case .run: return plan.runs.indices.count { plan.version(ofRun: $0) == version }
        case .sound: return 1
        }
    }

    /// The frames or samples that a part's job makes.
    private func size(of part: Part) -> Int {
        switch part {
        case .segment(let index): plan.segments[index].frameCount
        case .run(let index): plan.runs[index].sampleCount
        case .sound: plan.sampleCount ?? 0
        }
    }

    /// The frames or samples that a part counts as: nil for the sound of an output with a picture.
    /// Without a picture, the mix counts as half of the work and the encoding as the other half.
    private func amount(of part: Part) -> Int? {
        switch part {
        case .segment: size(of: part)
        case .run: plan.video == nil ? size(of: part) / 2 : nil
        case .sound:
            plan.video == nil
                ? max(0, size(of: part) - plan.runs.reduce(0) { $0 + $1.sampleCount / 2 }) : nil
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
            var actions = keep(version, file) + notices(of: file) + [report(rendering)]
            if case .run = version.part, let sound = plan.soundVersion {
                let orders = begin([sound], in: &rendering)
                if !orders.isEmpty { actions.append(.submit(orders)) }
            }
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

    /// A worker has encoded the sound, or found runs of it that are damaged.
    mutating func encoded(_ number: WorkOrder.Number, _ reply: SoundJob.Reply) -> [Action] {
        if let written = reply.written, reply.damaged.isEmpty { return rendered(number, written) }
        guard case .rendering(var rendering) = state else { return cancelled(number) }
        guard rendering.version(number)?.part == .sound, let sound = plan.soundVersion else { return [] }
        guard rendering.repairs < Self.mostRepairs, !reply.damaged.isEmpty else {
            state = .changing
            rendering.end(number, made: 0)
            return end(Self.notWritten(reply.damaged.first ?? ""), running: rendering.versions)
        }
        state = .changing
        rendering.end(number, made: 0)
        rendering.repairs += 1
        let paths = Set(reply.damaged)
        let runs = Set(plan.runs.indices.map(plan.version(ofRun:)))
        let lost = runs.filter { there[$0].map { paths.contains($0.path) } ?? false }
            .sorted { $0.name < $1.name }
        for version in lost {
            rendering.lose(amount(of: version.part) ?? 0, copies: copies(of: version, rendering.goal))
            there[version] = nil
        }
        let orders = begin(lost + [sound], in: &rendering)
        let actions: [Action] = [.tell(.damaged(paths: reply.damaged))] + lost.map { .forget(key: $0.key) }
        state = .rendering(rendering)
        return actions + [report(rendering), .submit(orders)]
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
                begin(order, version, in: &rendering)
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
