import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// Simulated nodes: slots that join by themselves, fall silent, are cut off, restart with or
/// without unacknowledged results, and lose their keys. They follow the slot's side of the protocol
/// (`Agent/Slot.swift`), without the I/O.
extension BrokerSimulation {
    struct Node {
        /// Messages of either side are lost until then.
        var cutUntil = Duration.zero
        /// Whether its key may not connect.
        var isRevoked = false
    }

    static let tag = "gpu"

    mutating func addNodes(_ count: Int) {
        for number in 0..<count {
            nodes["n\(number)"] = Node()
            for slot in 1...Int.random(in: 1...3, using: &random) {
                let id = WorkerID(node: "n\(number)", slot: slot)
                // The first one has a tag that some jobs need.
                let origin = Worker.Origin(session: "0", tags: number == 0 ? [Self.tag] : [])
                processes[id] = Process(origin: origin, nextBeat: time(0...3000))
                order.append(id)
            }
        }
    }

    func isCut(_ worker: WorkerID) -> Bool { worker.node.flatMap { nodes[$0] }.map { now < $0.cutUntil } ?? false }

    /// Simulates partitions and revocations.
    mutating func hinderNodes() {
        for name in nodes.keys.sorted() {
            if nodes[name]?.isRevoked == true {
                if isCalm || chance(0.02) { nodes[name]?.isRevoked = false }
            } else if !isCalm, chance(0.002) {
                nodes[name]?.isRevoked = true
                feed(.revoked([name]))
                #expect(broker.pool.workers(of: [name]).isEmpty, "seed \(seed): \(name) is not cut off")
            }
            let cut = now + time(500...8000)
            if !isCalm, chance(0.002) { nodes[name]?.cutUntil = cut }
        }
    }

    /// Ends a process, and starts another in its place some time later, without telling the broker.
    private mutating func startAnew(_ id: WorkerID, keeps: Bool) {
        guard let before = processes[id], let origin = before.origin else { return }
        var process = Process(
            origin: Worker.Origin(session: "\(random.next())", tags: origin.tags), nextBeat: now + time(100...5000))
        if keeps { process.unacknowledged = before.unacknowledged }
        process.frozenUntil = process.nextBeat
        processes[id] = process
    }

    mutating func liveElsewhere(_ id: WorkerID) {
        guard var process = processes[id] else { return }
        if !isCalm {
            if chance(0.002) { return startAnew(id, keeps: chance(0.5)) }
            if chance(0.002) { process.frozenUntil = now + time(100...8000) }
        }
        defer { processes[id] = process }
        if let run = process.run, run.isCancelled || now >= end(of: run) {
            let message = outcomeElsewhere(of: run)
            process.run = nil
            process.unacknowledged.append((run.lease, message))
            if process.isWelcome { transmit(message, id, toHost: true) }
            process.nextBeat = now
        }
        if now >= process.nextBeat {
            process.nextBeat = now + .milliseconds(500)
            if !process.isWelcome {
                let leases = process.unacknowledged.map(\.lease) + (process.run.map { [$0.lease] } ?? [])
                let node = NodeIntroduction(
                    session: process.origin?.session ?? "", leases: leases, tags: Array(process.origin?.tags ?? []))
                transmit(
                    .hello(WorkerIntroduction(worker: id.name, process: 1, engine: "test", node: node)), id,
                    toHost: true)
            } else if let run = process.run {
                process.run?.done += 1
                transmit(.heartbeat(run.lease, Progress(done: run.done)), id, toHost: true)
            } else {
                transmit(.ready, id, toHost: true)
            }
        }
        if process.isWelcome, now >= process.nextRepeat {
            process.nextRepeat = now + .seconds(2)
            for result in process.unacknowledged { transmit(result.message, id, toHost: true) }
        }
        // Now and then one leaves, and gives back what it has.
        if !isCalm, process.isWelcome, chance(0.001) {
            transmit(.goodbye, id, toHost: true)
            process = Process(origin: process.origin, nextBeat: now + time(500...3000))
            process.origin?.session = "\(random.next())"
        }
    }

    /// Returns the end of a run: the node supervises its processes itself, and ends a stuck one
    /// after two stalls.
    private func end(of run: Process.Run) -> Duration {
        ["stall", "hang"].contains(run.kind) ? run.endsAt + .seconds(13) : run.endsAt
    }

    /// Returns the report of a run; a crash is reported, and another node retries.
    private mutating func outcomeElsewhere(of run: Process.Run) -> Message {
        if run.isCancelled { return outcome(of: run) }
        switch run.kind {
        case "crash":
            faults[run.lease.job, default: 0] += 1
            return .failed(run.lease, JobFailure(.internal, "Once.", fault: JobFault("it crashed its worker")))
        case "crash-once" where marks.insert(run.lease.job).inserted:
            faults[run.lease.job, default: 0] += 1
            return .failed(run.lease, JobFailure(.internal, "Once.", fault: JobFault("it crashed its worker")))
        case "stall", "hang": return .failed(run.lease, JobFailure(.plugin, "it made no progress twice"))
        default: break
        }
        return outcome(of: run)
    }

    mutating func hearElsewhere(_ message: Message, _ id: WorkerID) {
        guard var process = processes[id], process.frozenUntil <= now else { return }
        defer { processes[id] = process }
        switch message {
        case .welcome:
            process.isWelcome = true
            process.nextBeat = now
        case .introduceYourself: process.isWelcome = false
        case .refused: Issue.record("seed \(seed): \(id) was refused")
        case .stop:
            process.isWelcome = false
            process.run?.isCancelled = true
        case .acknowledge(let lease): process.unacknowledged.removeAll { $0.lease == lease }
        case .cancel(let lease):
            let isKnown = process.unacknowledged.contains { $0.lease == lease }
            process.unacknowledged.removeAll { $0.lease == lease }
            if process.run?.lease == lease {
                process.run?.isCancelled = true
            } else if !isKnown, lease.epoch > process.lastEpoch {
                process.lastEpoch = lease.epoch
                transmit(.failed(lease, JobFailure(.cancelled, "cancelled")), id, toHost: true)
            }
        case .assign(let lease, let job):
            guard process.isWelcome, process.run == nil, lease.epoch > process.lastEpoch else { return }
            process.lastEpoch = lease.epoch
            process.run = Process.Run(lease: lease, kind: job.kind, endsAt: now + length())
        default: Issue.record("seed \(seed): the host said \(message)")
        }
    }
}
