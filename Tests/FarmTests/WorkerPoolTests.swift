import Messaging
import Testing

@testable import Farm

extension WorkerPool {
    /// Starts workers for jobs without libraries.
    fileprivate mutating func staff(forJobs waiting: Int, at now: Duration) -> [WorkerID] {
        staff(for: waiting > 0 ? [WaitingJobs.Demand(libraries: [], count: waiting)] : [], at: now)
    }
}

/// Worker processes without jobs and messages.
@Suite struct WorkerPoolTests {
    private func pool(_ workers: Int, spares: Int = 0) -> WorkerPool {
        var policy = WorkerPool.Policy(workers: workers, engine: "test")
        policy.spares = spares
        return WorkerPool(policy: policy)
    }

    private func hello(_ worker: WorkerID) -> WorkerIntroduction {
        WorkerIntroduction(worker: worker.name, process: 1, engine: "test")
    }

    @Test func asManyAsThereIsWorkForAndRoom() {
        for (limit, waiting, expected) in [(3, 0, 0), (3, 2, 2), (3, 9, 3), (0, 9, 1)] {
            var pool = pool(limit)
            #expect(pool.staff(forJobs: waiting, at: .zero).count == expected)
            #expect(pool.staff(forJobs: waiting, at: .zero).isEmpty, "they are on their way")
        }
    }

    @Test func spareOnesStartBesideTheOthersWhereThereIsRoom() {
        for (limit, waiting, expected) in [(3, 0, 0), (3, 1, 2), (3, 2, 3), (3, 3, 3), (1, 1, 1)] {
            var pool = pool(limit, spares: 1)
            #expect(pool.staff(forJobs: waiting, at: .zero).count == expected)
            #expect(pool.staff(forJobs: waiting, at: .zero).isEmpty, "they are on their way")
        }
        var pool = pool(9, spares: 1)
        #expect(pool.staff(forJobs: 1, at: .zero) == ["w1", "w2"])
        #expect(pool.staff(forJobs: 2, at: .zero) == ["w3"], "the spare one takes the second job")
    }

    @Test func whoHasEndedMakesRoomAtOnceAndIsKnownUntilItsRemainsAre() throws {
        var pool = pool(1)
        let id = try #require(pool.staff(forJobs: 2, at: .zero).first)
        #expect(pool.welcome(id, hello(id)) == .first && pool.asked(id, at: .zero) == .willBeServed)
        let lease = Lease(job: "a", epoch: 1)
        pool.assign(lease, to: id, place: nil, at: .zero)
        pool.ended(id)
        #expect(pool.staff(forJobs: 1, at: .zero) == ["w2"])
        #expect(pool.asked(id, at: .seconds(9)) == .nothing && pool.welcome(id, hello(id)) == .none)
        let isLeaving = pool.end(id, .dismissed, at: .zero)
        #expect(!isLeaving)
        let overdue = pool.overdue(at: .seconds(20)) { _ in nil }
        #expect(overdue.isEmpty, "it is not silent: it is gone")
        pool.ended(id)
        let gone = pool.remove(id)
        let worker = try #require(gone)
        #expect(worker.phase == .serving && worker.work?.lease == lease)
        #expect(pool.remove(id) == nil)
        #expect(pool.staff(forJobs: 9, at: .zero).isEmpty, "it has made room once")
    }

    /// Otherwise others would be started, and fail, before the cause is known.
    @Test func whoHasFailedToStartKeepsItsPlaceUntilItIsKnownWhy() throws {
        var pool = pool(2)
        let ids = pool.staff(forJobs: 2, at: .zero)
        for id in ids { pool.ended(id) }
        #expect(pool.staff(forJobs: 2, at: .seconds(9)) == [])
        let worker = try #require(pool.workers[ids[0]])
        #expect(pool.remove(ids[0])?.isFailedStart == true && pool.remove(ids[1])?.isFailedStart == true)
        #expect(
            pool.startFailed(startedAt: worker.startedAt, demand: [], at: .seconds(9))
                == .init(isFirst: true, isLast: false))
        #expect(pool.staff(forJobs: 2, at: .seconds(9)) == [])
        #expect(pool.staff(forJobs: 2, at: .seconds(10)) == ["w3"])
    }

    @Test func oneJobForEachQuestion() throws {
        var pool = pool(1)
        let id = try #require(pool.staff(forJobs: 1, at: .zero).first)
        #expect(pool.asked(id, at: .zero) == .nothing, "it has not said hello")
        #expect(pool.welcome(id, hello(id)) == .first && pool.welcome(id, hello(id)) == .again)
        #expect(pool.asked(id, at: .zero) == .willBeServed && pool.asked(id, at: .zero) == .willBeServed)
        #expect(Array(pool.idle) == [id])
        let lease = Lease(job: "a", epoch: 1)
        pool.assign(lease, to: id, place: nil, at: .zero)
        #expect(pool.idle.isEmpty && pool.asked(id, at: .seconds(1)) == .nothing)
        #expect(pool.asked(id, at: .seconds(2)) == .again(lease) && pool.asked(id, at: .seconds(2)) == .nothing)
        #expect(pool.advanced(id, Lease(job: "a", epoch: 2), Progress(done: 1), at: .zero) == .outdated)
        #expect(pool.advanced(id, lease, Progress(done: 1), at: .zero) == .progressed)
        #expect(pool.advanced(id, lease, Progress(done: 1), at: .zero) == .beats)
        #expect(pool.advanced(id, lease, Progress(done: 1, steps: 4), at: .zero) == .beats)
    }

    @Test func eachLimitHasItsReason() throws {
        var pool = pool(1)
        let id = try #require(pool.staff(forJobs: 1, at: .zero).first)
        func overdue(_ seconds: Int, cancelled: Duration? = nil) -> Ending? {
            var copy = pool
            return copy.overdue(at: .seconds(seconds)) { _ in cancelled }.first?.ending
        }
        #expect(overdue(30) == nil && overdue(31).map { if case .unfit = $0 { true } else { false } } == true)
        _ = pool.welcome(id, hello(id))
        #expect(overdue(15) == nil && overdue(16).map { if case .silent = $0 { true } else { false } } == true)
        pool.assign(Lease(job: "a", epoch: 1), to: id, place: nil, at: .zero)
        _ = pool.heard(id, at: .seconds(60))
        #expect(overdue(60) == nil && overdue(61).map { if case .stalled = $0 { true } else { false } } == true)
        #expect(overdue(60, cancelled: .seconds(58)) == nil && overdue(61, cancelled: .seconds(58)) == .cancelled)
        _ = pool.end(id, .dismissed, at: .seconds(60))
        #expect(overdue(62) == nil && overdue(63) == .dismissed)
        pool.kill(id, .dismissed, at: .seconds(63))
        #expect(overdue(99) == nil, "more than killing it cannot be done")
    }

    /// A process that only sends heartbeats uses almost no processor time.
    @Test func aBusyWorkerHasLongerThanOneThatDoesNothing() throws {
        for (perBeat, limit) in [(1, 61), (100, 181)] {
            var pool = pool(1)
            let id = try #require(pool.staff(forJobs: 1, at: .zero).first)
            _ = pool.welcome(id, hello(id))
            let lease = Lease(job: "a", epoch: 1)
            pool.assign(lease, to: id, place: nil, at: .zero)
            var end: (second: Int, text: String)?
            for second in 1...300 where end == nil {
                _ = pool.heard(id, at: .seconds(second))
                let vitals = Vitals(processor: second * perBeat)
                _ = pool.advanced(id, lease, Progress(), vitals, at: .seconds(second))
                let overdue = pool.overdue(at: .seconds(second)) { _ in nil }
                end = overdue.first.map { (second, "\($0.ending)") }
            }
            #expect(end?.second == limit && end?.text.contains("busy") == (perBeat == 100), "\(end?.text ?? "")")
        }
    }

    @Test func failedStartsAreTriedOneByOneWithLongerPauses() {
        var pool = pool(4)
        var now = Duration.zero
        var pauses: [Duration] = []
        for attempt in 1...4 {
            let since = now
            var started = pool.staff(forJobs: 4, at: now)
            while started.isEmpty {
                now += .milliseconds(10)
                started = pool.staff(forJobs: 4, at: now)
            }
            pauses.append(now - since)
            #expect(started.count == (attempt == 1 ? 4 : 1))
            now += .milliseconds(1)
            for id in started {
                let worker = pool.remove(id)
                let failed = pool.startFailed(startedAt: worker?.startedAt ?? .zero, demand: [], at: now)
                #expect(failed == .init(isFirst: attempt == 1 && id == started[0], isLast: attempt == 4))
            }
        }
        #expect(pauses == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(pool.startFailures == StartFailures(), "it begins anew")
    }
}
