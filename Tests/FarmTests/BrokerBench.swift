import FoundationEssentials
import Messaging
import Testing

@testable import Farm

/// A broker under test, with a clock that the test sets and workers that it plays.
struct BrokerBench {
    var broker: Broker
    var now = Duration.zero
    /// All actions so far, the newest last.
    var log: [Broker.Action] = []

    init(workers: Int = 2, adjust: (inout WorkerPool.Policy) -> Void = { _ in }) {
        var policy = WorkerPool.Policy(workers: workers, engine: "test")
        adjust(&policy)
        broker = Broker(pool: WorkerPool(policy: policy))
    }

    @discardableResult
    mutating func feed(_ event: Broker.Event) -> [Broker.Action] {
        let actions = broker.handle(event, at: now)
        log += actions
        return actions
    }

    @discardableResult
    mutating func say(_ message: Message, from worker: WorkerID) -> [Broker.Action] {
        feed(.message(message, from: worker))
    }

    /// Advances time in ticks, as the driver does; `alive` workers send heartbeats meanwhile.
    @discardableResult
    mutating func pass(_ duration: Duration, alive: [WorkerID] = []) -> [Broker.Action] {
        let end = now + duration
        var actions: [Broker.Action] = []
        while now < end {
            now = min(end, now + .milliseconds(100))
            for worker in alive {
                actions += say(
                    broker.pool.workers[worker]?.work.map { .heartbeat($0.lease, $0.progress) } ?? .ready, from: worker)
            }
            actions += feed(.tick)
        }
        return actions
    }

    /// Submits jobs that need nothing but a name.
    @discardableResult
    mutating func submit(_ names: String...) -> [Broker.Action] { feed(.submit(names.map { JobSpec($0, "test") })) }

    /// Answers every spawn by a worker that sends hello and asks for work.
    @discardableResult
    mutating func start(_ actions: [Broker.Action]) -> [WorkerID] {
        let workers = actions.compactMap { if case .spawn(let worker) = $0 { worker } else { nil } }
        for worker in workers {
            say(.hello(WorkerIntroduction(worker: worker.name, process: 1, engine: "test")), from: worker)
            say(.ready, from: worker)
        }
        return workers
    }

    func lease(of worker: WorkerID) -> Lease? { broker.pool.workers[worker]?.work?.lease }

    /// Returns the end of a job; nil if it has not ended.
    func end(of job: JobID) -> Broker.Action? {
        log.last { action in
            switch action {
            case .job(.completed(job, _)), .job(.failed(job, _)), .job(.cancelled(job)): true
            default: false
            }
        }
    }

    func failure(of job: JobID) -> JobFailure? {
        if case .job(.failed(_, let failure)) = end(of: job) { failure } else { nil }
    }
}

extension [Broker.Action] {
    func sends(_ message: Message, to worker: WorkerID) -> Bool { contains(.send(message, to: worker)) }
    /// The reasons for which jobs were released.
    var releases: [String] {
        compactMap { if case .job(.released(_, let release)) = $0 { release.reason } else { nil } }
    }
    var spawns: Int { count { if case .spawn = $0 { true } else { false } } }
    var kills: [WorkerID] { compactMap { if case .kill(let worker) = $0 { worker } else { nil } } }
    var assigned: [(worker: WorkerID, lease: Lease)] {
        compactMap { if case .send(.assign(let lease, _), let worker) = $0 { (worker, lease) } else { nil } }
    }
}

let killed = WorkerExit(.signal(9))
let crashed = WorkerExit(.signal(11), errorTail: "last words")
