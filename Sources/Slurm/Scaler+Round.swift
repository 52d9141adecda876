extension Scaler {
    /// Takes in the current state and returns the actions that follow.
    /// - Parameters:
    ///   - load: the server's answer; nil if it does not answer.
    ///   - cluster: all nodes on the cluster; nil if it does not answer.
    public mutating func round(_ load: FarmLoad?, _ cluster: [ClusterJob]?, at now: Duration) -> [Action] {
        var actions: [Action] = []
        if let cluster { actions += see(cluster, at: now) }
        hear(load, at: now)
        // Without the cluster's answer nothing can be done, and the previous nodes are unknown.
        guard cluster != nil else { return actions }
        actions += urgeThoseThatLeave(at: now)
        actions += giveUpLost(at: now)
        return actions + balance(at: now)
    }

    // MARK: Taking in answers

    private mutating func see(_ cluster: [ClusterJob], at now: Duration) -> [Action] {
        var actions: [Action] = []
        let listed = Dictionary(cluster.map { ($0.number, $0) }) { $0.id > $1.id ? $0 : $1 }
        for (number, node) in nodes.sorted(by: { $0.key < $1.key }) where listed[number] == nil {
            nodes[number] = nil
            actions.append(.forget(number: number))
            // A node that was told to leave, or has worked, is no failure.
            if node.leaving == nil, node.heardAt == nil { fail(at: now) }
        }
        for (number, job) in listed.sorted(by: { $0.key < $1.key }) {
            if nodes[number] == nil { adopt(job) }
            nodes[number]?.job = job
            if job.state == .running {
                let since = nodes[number]?.runsSince ?? now
                nodes[number]?.runsSince = since
            } else {
                nodes[number]?.runsSince = nil
            }
        }
        return actions
    }

    private mutating func hear(_ load: FarmLoad?, at now: Duration) {
        guard let load else {
            answersSince = nil
            answeredAt = answeredAt ?? now
            target = min(target, policy.most)
            if isAbandoned(at: now) { target = 0 }
            return
        }
        answersSince = answersSince ?? now
        answeredAt = now
        for number in nodes.keys {
            nodes[number]?.busy = load.nodes[number]?.busy ?? 0
            guard load.nodes[number] != nil else { continue }
            if nodes[number]?.heardAt == nil { (failures, nextSubmission) = (0, nil) }
            nodes[number]?.heardAt = now
        }
        slots = load.slotsPerNode ?? slots
        let demand = load.demand
        // The plain sum could overflow.
        let needed = demand / slots + (demand % slots > 0 ? 1 : 0)
        target = min(max(needed, policy.least), policy.most)
        // Also if the cluster does not answer and no node is released.
        if let (since, most) = surplus { surplus = (since, max(most, target)) }
    }

    private func isAbandoned(at now: Duration) -> Bool {
        answersSince == nil && answeredAt.map { now - $0 >= policy.abandonAfter } ?? false
    }

    // MARK: Releasing nodes

    private mutating func urgeThoseThatLeave(at now: Duration) -> [Action] {
        var actions: [Action] = []
        for (number, node) in nodes.sorted(by: { $0.key < $1.key }) {
            guard let step = node.leaving, let since = node.leavingSince, node.job.state != .ending else { continue }
            let isLate = now - since >= policy.leaveLimit
            if step == .withdrawn, node.job.state != .pending, !isLate {
                // It started in the meantime.
                actions += [leave(number, .drained, at: now)]
            } else if isLate {
                actions += [leave(number, .killed, at: now)]
            } else if step == .withdrawn {
                actions += [.withdraw(node.job.id)]
            }
        }
        return actions
    }

    private mutating func leave(_ number: Int, _ step: Node.Leaving, at now: Duration) -> Action {
        let job = nodes[number]?.job.id ?? 0
        nodes[number]?.leaving = step
        nodes[number]?.leavingSince = now
        switch step {
        case .withdrawn: return .withdraw(job)
        case .drained: return .drain(job)
        case .killed: return .kill(job)
        }
    }

    /// Gives up nodes that are running but not connected to the reachable server: they are cut off,
    /// hang, or were refused.
    private mutating func giveUpLost(at now: Duration) -> [Action] {
        guard let answersSince else { return [] }
        var actions: [Action] = []
        for (number, node) in nodes.sorted(by: { $0.key < $1.key }) {
            guard node.leaving == nil, let runs = node.runsSince else { continue }
            guard now - max(runs, answersSince, node.heardAt ?? runs) >= policy.patience else { continue }
            if node.heardAt == nil { fail(at: now) }
            actions.append(leave(number, .killed, at: now))
        }
        return actions
    }

    // MARK: Number of nodes

    private func isStaying(_ node: Node) -> Bool {
        guard node.leaving == nil, node.job.state != .ending else { return false }
        guard let left = node.job.timeLeft, node.job.state == .running else { return true }
        let last = node.job.timeLimit.map { min(policy.lastMoments, $0 / 5) } ?? policy.lastMoments
        return left > last
    }

    private mutating func balance(at now: Duration) -> [Action] {
        let staying = nodes.filter { isStaying($0.value) }
        if staying.count <= target {
            surplus = nil
            return submit(target - staying.count, at: now)
        }
        // While the server does not answer, no node counts as surplus.
        guard answersSince != nil || isAbandoned(at: now) || policy.most == 0 else {
            surplus = nil
            return []
        }
        let (since, needed) = surplus ?? (now, target)
        surplus = (since, needed)
        guard now - since >= policy.coolDown else { return [] }
        surplus = nil
        let leaving = staying.sorted { rank($0) < rank($1) }.prefix(max(0, staying.count - max(needed, target)))
        return leaving.map { leave($0.key, $0.value.job.state == .pending ? .withdrawn : .drained, at: now) }
    }

    private mutating func submit(_ wanted: Int, at now: Duration) -> [Action] {
        guard answersSince != nil, nextSubmission.map({ now >= $0 }) ?? true else { return [] }
        // While submissions fail, one node at a time probes whether they still do.
        let atOnce = failures == 0 ? wanted : nodes.values.contains { $0.leaving == nil && $0.heardAt == nil } ? 0 : 1
        let count = min(wanted, policy.most - nodes.count, atOnce)
        return (0..<max(0, count)).map { _ in .submit(number: nextNumber()) }
    }

    /// Returns the rank in which nodes are released: pending ones first, the newest first; then
    /// unconnected ones; then idle ones; then those with the least time left.
    private func rank(_ entry: (key: Int, value: Node)) -> (Int, Duration, Int) {
        let node = entry.value
        if node.job.state == .pending { return (0, .zero, -entry.key) }
        let place = node.heardAt == nil ? 1 : node.busy == 0 ? 2 : 3
        return (place, node.job.timeLeft ?? .seconds(1 << 40), -entry.key)
    }
}
