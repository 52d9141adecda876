import Messaging

/// The state of waiting jobs, for display.
extension Broker {
    var standings: [JobSpec.Flow: FlowStanding] {
        var standings: [JobSpec.Flow: FlowStanding] = [:]
        let hasWorkers = pool.hasWorkers
        var isMet: [Set<String>: Bool] = [:]
        for (flow, needs, count) in leases.waiting.stock {
            var standing = standings[flow] ?? FlowStanding()
            standing.waiting += count
            standing.hasWorkers = hasWorkers
            let isPossible = isMet[needs] ?? pool.hasWorker(with: needs)
            isMet[needs] = isPossible
            if !needs.isEmpty, !isPossible { standing.lacks.insert(needs) }
            standings[flow] = standing
        }
        for worker in pool.workers.values {
            guard let flow = worker.work.flatMap({ leases.jobs[$0.lease.job]?.spec.flow }) else { continue }
            standings[flow, default: FlowStanding()].running += 1
        }
        return standings
    }
}
