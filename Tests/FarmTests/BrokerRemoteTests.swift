import FoundationEssentials
import Glibc
import Messaging
import Testing

@testable import Farm

/// Remote workers: how they join, are lost and leave, and what happens to their jobs.
@Suite struct BrokerRemoteTests {
    private static let first: WorkerID = "n/1", second: WorkerID = "n/2", other: WorkerID = "m/1"

    private func bench(workers: Int = 0, adjust: (inout WorkerPool.Policy) -> Void = { _ in }) -> BrokerBench {
        BrokerBench(workers: workers) { policy in
            policy.hasRemote = true
            adjust(&policy)
        }
    }

    private func hello(
        _ session: String = "s", engine: String = "test", leases: [Lease] = [], tags: [String] = []
    ) -> Message {
        .hello(
            WorkerIntroduction(
                worker: "", process: 1, engine: engine,
                node: NodeIntroduction(session: session, leases: leases, tags: tags)))
    }

    @discardableResult
    private func join(
        _ bench: inout BrokerBench, _ id: WorkerID, _ session: String = "s", tags: [String] = []
    ) -> [Broker.Action] {
        bench.say(hello(session, tags: tags), from: id) + bench.say(.ready, from: id)
    }

    /// Adds a worker with a job.
    private func working(_ bench: inout BrokerBench, _ id: WorkerID = first) throws -> Lease {
        join(&bench, id)
        bench.submit("a")
        return try #require(bench.lease(of: id))
    }

    @Test func oneComesByItsHelloAndWorks() throws {
        var bench = bench()
        #expect(bench.submit("a").spawns == 0)
        #expect(bench.say(.ready, from: Self.first) == [.send(.introduceYourself, to: Self.first)])
        #expect(bench.say(hello(), from: Self.first).sends(.welcome(), to: Self.first))
        #expect(bench.say(.ready, from: Self.first).assigned.count == 1)
        let lease = try #require(bench.lease(of: Self.first))
        #expect(
            bench.say(.completed(lease, result: Data([7])), from: Self.first).sends(.acknowledge(lease), to: Self.first)
        )
        #expect(bench.end(of: "a") == .job(.completed("a", result: Data([7]))))
        #expect(
            bench.say(.completed(lease, result: Data([7])), from: Self.first).sends(.acknowledge(lease), to: Self.first)
        )
        #expect(bench.broker.counters.duplicates == 1)
    }

    /// One worthless result may be a disk error.
    @Test func aNodeWhoseResultsAreWorthlessGetsNoNewJobs() throws {
        var bench = bench()
        func finish() throws {
            let lease = try #require(bench.lease(of: Self.first))
            bench.say(.completed(lease, result: Data()), from: Self.first)
            bench.say(.ready, from: Self.first)
        }
        join(&bench, Self.first)
        for round in 1...3 {
            for name in ["a", "b"] {
                bench.submit("\(name)\(round)")
                try finish()
            }
            #expect(bench.feed(.worthless(["none", JobID("a\(round)")])).isEmpty)
            // A repeated report changes nothing.
            #expect(bench.feed(.worthless([JobID("a\(round)")])).isEmpty)
            let told = bench.feed(.worthless([JobID("b\(round)")]))
            #expect("\(told)".contains("node n gets no new jobs") && told.count == 1, "\(told)")
            bench.submit("c\(round)")
            #expect(bench.lease(of: Self.first) == nil)
            bench.broker.roster.drain("n", false)
            #expect(bench.feed(.tick).assigned.count == 1)
            try finish()
        }
    }

    /// It has processes of its own, which keep libraries apart.
    @Test func theLibrariesOfAJobGoWithItAndDoNotStay() throws {
        var bench = bench()
        join(&bench, Self.first)
        let jobs = ["p", "q"].map { JobSpec(id: JobID($0), kind: "x", libraries: [$0]) }
        let actions = bench.feed(.submit(jobs))
        #expect(
            actions.contains { if case .send(.assign(_, let job), _) = $0 { job.libraries == ["p"] } else { false } })
        bench.say(.completed(try #require(bench.lease(of: Self.first)), result: Data()), from: Self.first)
        #expect(bench.say(.ready, from: Self.first).assigned.map(\.lease.job) == ["q"])
    }

    /// It may lack something that the job needs.
    @Test func aJobThatANodeDeclinesGoesToOthersAndSpendsNothing() throws {
        var bench = bench()
        join(&bench, Self.first)
        join(&bench, Self.second)
        bench.submit("a")
        let lease = try #require(bench.lease(of: Self.first) ?? bench.lease(of: Self.second))
        let holder = bench.lease(of: Self.first) == nil ? Self.second : Self.first
        let no = Message.failed(lease, JobFailure(.declined, "it has no folder ‘media’"))
        let actions = bench.say(no, from: holder)
        #expect(actions.sends(.acknowledge(lease), to: holder))
        #expect(
            actions.contains { if case .log(.warning, let text, _, _) = $0 { text.contains("‘media’") } else { false } }
        )
        // No slot of the node gets it, however often they ask; it waits.
        for _ in 0..<30 {
            #expect(bench.say(.ready, from: Self.first).assigned.isEmpty)
            #expect(bench.say(.ready, from: Self.second).assigned.isEmpty)
        }
        // Another job goes there.
        bench.submit("b")
        #expect(bench.lease(of: Self.first)?.job == "b" || bench.lease(of: Self.second)?.job == "b")
        // A restarted node may have it.
        #expect(join(&bench, Self.other, "t").assigned.map(\.lease.job) == ["a"])
        let job = try #require(bench.broker.leases.jobs["a"])
        #expect(job.losses == 0 && job.faults == 0 && job.retriableFailures == 0)
    }

    @Test func anotherBuildOrVersionIsRefusedAloneAndLoggedLessAndLess() {
        var bench = bench()
        join(&bench, Self.other)
        for _ in 0..<100 {
            let actions = bench.say(hello(engine: "old"), from: Self.first)
            #expect(
                actions.contains {
                    if case .send(.refused(let reason), Self.first) = $0 { reason.contains("old") } else { false }
                })
        }
        #expect(bench.log.count { if case .log(.warning, _, _, _) = $0 { true } else { false } } == 7)
        #expect(
            bench.feed(.problem(.version(3), from: Self.first)).contains {
                if case .send(.refused, Self.first) = $0 { true } else { false }
            })
        #expect(bench.submit("a").assigned.map(\.worker) == [Self.other])
    }

    @Test func aSilentOnesJobIsFreeAtOnceAndItsLateResultDoesNotCount() throws {
        var bench = bench()
        let old = try working(&bench)
        join(&bench, Self.other)
        let actions = bench.pass(.seconds(16), alive: [Self.other])
        #expect(actions.kills.isEmpty && actions.releases == ["worker n/1 was silent for 15.0 seconds"])
        let new = try #require(bench.lease(of: Self.other))
        #expect(new.job == old.job && new.epoch > old.epoch && bench.broker.counters.losses == 1)
        // A lost worker must introduce itself again, and then its report is too late.
        let late = Message.completed(old, result: Data([1]))
        #expect(bench.say(late, from: Self.first) == [.send(.introduceYourself, to: Self.first)])
        bench.say(hello(leases: [old]), from: Self.first)
        #expect(bench.say(late, from: Self.first).sends(.cancel(old), to: Self.first))
        #expect(bench.end(of: "a") == nil && bench.broker.counters.stale == 1)
        bench.say(.completed(new, result: Data([2])), from: Self.other)
        #expect(bench.end(of: "a") == .job(.completed("a", result: Data([2]))))
        #expect(bench.broker.leases.jobs.isEmpty)
    }

    @Test func aRunThatWasLostIsEndedWhenItsWorkerSpeaksOfIt() throws {
        var bench = bench()
        let old = try working(&bench)
        bench.pass(.seconds(16))
        bench.say(hello(leases: [old]), from: Self.first)
        #expect(bench.say(.heartbeat(old, Progress(done: 3)), from: Self.first).sends(.cancel(old), to: Self.first))
    }

    /// Twenty of them, as everywhere, end an endless loop.
    @Test func lossesSpendNoAttempt() throws {
        var bench = bench()
        var lease = try working(&bench)
        for _ in 0..<15 {
            bench.pass(.seconds(16))
            join(&bench, Self.first)
            lease = try #require(bench.lease(of: Self.first))
        }
        bench.say(.failed(lease, JobFailure(.internal, "Oops.")), from: Self.first)
        #expect(bench.end(of: "a") == nil)
        #expect(bench.broker.pool.workers[Self.first]?.isServing == true, "it stays")
    }

    @Test func helloAgainIsAnsweredAndChangesNothing() throws {
        var bench = bench()
        let lease = try working(&bench)
        #expect(bench.say(hello(), from: Self.first) == [.send(.welcome(), to: Self.first)])
        #expect(bench.lease(of: Self.first) == lease)
    }

    @Test func anotherProcessUnderTheNameHoldsOnlyWhatItHasAResultOf() throws {
        var bench = bench()
        let lease = try working(&bench)
        bench.say(hello("t", leases: [lease]), from: Self.first)
        #expect(bench.lease(of: Self.first) == lease)
        let actions = bench.say(hello("u"), from: Self.first)
        #expect(actions.releases == ["worker n/1 was restarted"] && bench.lease(of: Self.first) == nil)
        #expect(bench.say(.ready, from: Self.first).assigned.map(\.lease.job) == ["a"])
    }

    @Test func goodbyeGivesTheJobBackAtOnce() throws {
        var bench = bench()
        _ = try working(&bench)
        #expect(bench.say(.goodbye, from: Self.first).releases == ["worker n/1 has left"])
        #expect(bench.broker.pool.isEmpty)
        #expect(bench.say(.goodbye, from: Self.first).isEmpty)
    }

    @Test func aNodeWhoseKeyIsRevokedIsGoneWithAllItsSlots() throws {
        var bench = bench()
        _ = try working(&bench)
        join(&bench, Self.second)
        join(&bench, Self.other)
        let actions = bench.feed(.revoked(["n", "nobody"]))
        #expect(actions.releases.count == 1 && actions.assigned.map(\.worker) == [Self.other])
        #expect(Array(bench.broker.pool.workers.keys) == [Self.other])
    }

    @Test func jobsGoWhereTheirNeedsAreMet() {
        var bench = bench(workers: 2)
        let jobs = [JobSpec(id: "g", kind: "x", needs: ["gpu"]), JobSpec(id: "p", kind: "x")]
        #expect(bench.feed(.submit(jobs)).spawns == 1, "no local worker has a tag")
        #expect(join(&bench, Self.first).assigned.map(\.lease.job) == ["p"])
        #expect(join(&bench, Self.other, tags: ["gpu", "more"]).assigned.map(\.lease.job) == ["g"])
    }

    @Test func theWorkersOfThisMachineMayHaveTags() {
        var bench = bench(workers: 1) { $0.tags = ["gpu"] }
        let jobs = [JobSpec(id: "b", kind: "x", needs: ["big"]), JobSpec(id: "g", kind: "x", needs: ["gpu"])]
        let worker = bench.start(bench.feed(.submit(jobs)))
        #expect(worker.count == 1 && bench.lease(of: worker[0])?.job == "g")
        #expect(bench.submit("p").spawns == 0)
    }

    @Test func itIsKnownWhyJobsWait() {
        var bench = bench()
        func spec(_ name: String, _ needs: Set<String> = []) -> JobSpec {
            JobSpec(id: JobID(name), kind: "x", flow: .init(name: String(name.prefix(1))), needs: needs)
        }
        func reason(_ name: String) -> String? { bench.broker.standings[.init(name: name)]?.reason }
        bench.feed(.submit([spec("a1"), spec("a2"), spec("g1", ["gpu"]), spec("h1", ["gpu", "big"])]))
        #expect(reason("a") == "no worker has joined" && reason("nobody") == nil)
        join(&bench, Self.first)
        #expect(reason("a") == nil, "one of its jobs runs")
        #expect(reason("g") == "no worker has the tag ‘gpu’" && reason("h") == "no worker has the tags ‘big’, ‘gpu’")
        join(&bench, Self.other, tags: ["gpu"])
        #expect(reason("g") == nil && reason("h") != nil)
        bench.feed(.submit([spec("z1"), spec("i1", ["gpu"])]))
        #expect(reason("z") == "the workers are busy" && reason("i") == "the workers are busy")
        bench.feed(.submit([spec("i2", ["none"])]))
        #expect(reason("i") == "no worker has the tag ‘none’", "no job goes without saying so")
        #expect(bench.pass(.seconds(3600), alive: [Self.first, Self.other]).isEmpty == false)
        #expect(bench.end(of: "g1") == nil && bench.end(of: "i2") == nil && bench.broker.leases.jobs["i2"] != nil)
    }

    private func crash(_ lease: Lease) -> Message {
        let fault = JobFault("it crashed its worker (SIGSEGV)", culprit: "plugin p")
        return .failed(
            lease,
            JobFailure(
                .plugin, "Once.", details: ["worker w1 ended: SIGSEGV"], blame: PluginBlame(path: "/p.so"),
                fault: fault))
    }

    /// Three nodes must have tried, if there are three.
    @Test func whatCrashesOnANodeIsTriedByAnother() throws {
        var bench = bench()
        let lease = try working(&bench)
        join(&bench, Self.second)
        let first = bench.say(crash(lease), from: Self.first)
        #expect(first.releases == ["it crashed its worker (SIGSEGV)"])
        #expect(first.assigned.map(\.worker) == [Self.second], "there is no other node")
        bench.say(.ready, from: Self.first)
        join(&bench, Self.other)
        let again = bench.say(crash(try #require(bench.lease(of: Self.second))), from: Self.second)
        #expect(again.assigned.map(\.worker) == [Self.other])
        #expect(bench.broker.leases.jobs["a"]?.faults == 2)
        bench.say(crash(try #require(bench.lease(of: Self.other))), from: Self.other)
        let failure = bench.failure(of: "a")
        #expect(failure?.message == "Job a failed three times in plugin p: it crashed its worker (SIGSEGV).")
        #expect(failure?.category == .plugin && failure?.details.count == 3)
    }

    @Test func aJobThatItsNodeIsSparedWaitsForABusyOtherOne() throws {
        var bench = bench()
        join(&bench, Self.other)
        bench.submit("b")
        let lease = try working(&bench)
        #expect(bench.say(crash(lease), from: Self.first).assigned.isEmpty)
        #expect(bench.say(.ready, from: Self.first).assigned.isEmpty && bench.submit("c").assigned.count == 1)
        bench.say(.completed(try #require(bench.lease(of: Self.other)), result: Data()), from: Self.other)
        #expect(bench.say(.ready, from: Self.other).assigned.map(\.lease.job) == ["a"])
    }

    /// It is unknown when busy ones will be free.
    @Test func localWorkersAreStartedForWhatNoIdleOneHasGot() {
        var bench = bench(workers: 2)
        join(&bench, Self.first)
        let actions = bench.submit("a", "b", "c")
        #expect(actions.assigned.map(\.worker) == [Self.first] && actions.spawns == 2)
        #expect(bench.submit("d").spawns == 0)
    }

    @Test func whereLocalWorkersCannotStartOthersDoTheWork() throws {
        var bench = bench(workers: 1)
        join(&bench, Self.first)
        bench.submit("a", "b")
        for _ in 0..<100 {
            for (id, worker) in bench.broker.pool.workers where worker.phase == .starting {
                bench.feed(.spawnFailed(id, reason: "no memory"))
            }
            bench.pass(.seconds(1), alive: [Self.first])
        }
        #expect(bench.end(of: "b") == nil)
        // Jobs that only remote workers can run do not fail with the local ones.
        bench.feed(.submit([JobSpec(id: "g", kind: "x", needs: ["gpu"])]))
        bench.say(.goodbye, from: Self.first)
        for _ in 0..<100 where bench.end(of: "b") == nil {
            for (id, worker) in bench.broker.pool.workers where worker.phase == .starting {
                bench.feed(.spawnFailed(id, reason: "no memory"))
            }
            bench.pass(.seconds(1))
        }
        #expect(bench.failure(of: "b")?.category == .unavailable && bench.end(of: "g") == nil)
    }

    @Test func aCancelledJobThatDoesNotStopEndsWithoutItsWorker() throws {
        var bench = bench()
        let lease = try working(&bench)
        #expect(bench.feed(.cancel(["a"])).sends(.cancel(lease), to: Self.first))
        bench.pass(.seconds(7), alive: [Self.first])
        #expect(bench.end(of: "a") == nil)
        #expect(bench.pass(.seconds(2), alive: [Self.first]).kills.isEmpty)
        #expect(bench.end(of: "a") == .job(.cancelled("a")))
        #expect(bench.say(.ready, from: Self.first) == [.send(.introduceYourself, to: Self.first)])
    }

    /// The node notices first, and has tried twice by then.
    @Test func aJobThatStandsStillElsewhereIsALoss() throws {
        var bench = bench()
        _ = try working(&bench)
        #expect(bench.pass(.seconds(239), alive: [Self.first]).releases.isEmpty)
        #expect(bench.pass(.seconds(2), alive: [Self.first]).releases.count == 1)
        #expect(bench.broker.leases.jobs["a"]?.faults == 0 && bench.broker.leases.jobs["a"]?.losses == 1)
    }

    @Test func theEndOfTheQueueWaitsForNobodyElsewhere() throws {
        var bench = bench()
        _ = try working(&bench)
        let actions = bench.feed(.shutdown(graceful: true))
        #expect(actions.sends(.stop, to: Self.first) && actions.last == .closed)
        #expect(bench.end(of: "a") == .job(.cancelled("a")))
        #expect(bench.say(hello(), from: Self.first) == [.send(.stop, to: Self.first)])
    }

    @Test func aNodeHasAtMostSoManySlots() {
        var bench = bench { $0.slotsPerNode = 2 }
        for number in 1...3 { join(&bench, WorkerID(node: "n", slot: number)) }
        #expect(bench.broker.pool.workers.count == 2 && bench.broker.counters.refusals == 1)
        join(&bench, Self.other)
        #expect(bench.broker.pool.workers.count == 3)
    }

    @Test func peopleAreToldOnceThatNobodyComes() {
        var bench = bench()
        bench.submit("a")
        bench.pass(.seconds(60))
        #expect(bench.log.count { if case .log(.warning, _, _, _) = $0 { true } else { false } } == 1)
        join(&bench, Self.first)
        bench.say(.goodbye, from: Self.first)
        bench.pass(.seconds(60))
        #expect(bench.log.count { if case .log(.warning, _, _, _) = $0 { true } else { false } } == 2)
    }

    /// A pause without ticks, because there was nothing to do, excuses no worker later.
    @Test func aLongRestDoesNotMakeALossLate() throws {
        var bench = bench()
        bench.feed(.tick)
        bench.now += .seconds(7200)
        _ = try working(&bench)
        #expect(bench.pass(.seconds(16)).releases.count == 1)
    }

    @Test func epochsBeginWhereTheyAreTold() throws {
        var leases = LeaseTable(lastEpoch: 999)
        _ = leases.submit(JobSpec("a", "x"))
        #expect(leases.lease("a", to: "w")?.lease.epoch == 1000)
    }
}
