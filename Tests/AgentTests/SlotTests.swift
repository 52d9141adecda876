import FoundationEssentials
import Messaging
import Testing

@testable import Agent
@testable import Farm

/// A slot's side of the protocol, without I/O.
@Suite struct SlotTests {
    private static let introduction = WorkerIntroduction(
        worker: "", process: 1, engine: "test", node: NodeIntroduction(session: "s"))
    private static let terms = WorkerTerms(host: "first")
    private static let lease = Lease(job: "a", epoch: 7)
    private static let job = Assignment(kind: "test", payload: Data([1]), libraries: ["t"])

    private func slot(_ kept: [Completion] = []) -> Slot { Slot(3, of: "node", Self.introduction, kept: kept) }

    /// Returns a slot that runs a job.
    private func running() throws -> (slot: Slot, job: JobID) {
        var slot = slot()
        _ = slot.tick(at: .zero)
        _ = slot.hear(.welcome(Self.terms), at: .zero)
        let actions = slot.hear(.assign(Self.lease, Self.job), at: .zero)
        guard case .submit(let spec) = actions.first else { throw CancellationError() }
        return (slot, spec.id)
    }

    private func said(_ actions: [Slot.Action]) -> [Message] {
        actions.compactMap { if case .send(let message) = $0 { message } else { nil } }
    }

    @Test func itIntroducesItselfUntilItIsWelcome() {
        var slot = slot()
        for milliseconds in stride(from: 0, to: 1000, by: 100) {
            guard case .hello(let hello) = said(slot.tick(at: .milliseconds(milliseconds))).first else {
                Issue.record("no hello")
                return
            }
            #expect(hello.worker == "node/3" && hello.node?.session == "s")
        }
        #expect(slot.tick(at: .milliseconds(1000)).count == 1 && slot.tick(at: .milliseconds(1400)).isEmpty)
        #expect(slot.hear(.welcome(Self.terms), at: .milliseconds(1200)) == [.adopt(Self.terms)])
        #expect(said(slot.tick(at: .milliseconds(1200))) == [.ready])
    }

    /// The names of its runs' files contain the server's epoch.
    @Test func aJobGoesIntoTheNodesOwnQueueWithItsLibrariesAndItsEpoch() throws {
        let (slot, _) = try running()
        var fresh = self.slot()
        _ = fresh.hear(.welcome(Self.terms), at: .zero)
        guard case .submit(let spec) = fresh.hear(.assign(Self.lease, Self.job), at: .zero).first else {
            Issue.record("not submitted")
            return
        }
        #expect(spec.fence == 7 && spec.libraries == ["t"] && spec.kind == "test" && spec.payload == Data([1]))
        #expect(slot.run?.lease == Self.lease)
    }

    @Test func itsHeartBeatsWithTheJobsProgress() throws {
        var (slot, job) = try running()
        #expect(slot.heard(.progressed(job, Progress(done: 4, total: 9)), at: .zero).isEmpty)
        #expect(said(slot.tick(at: .seconds(1))) == [.heartbeat(Self.lease, Progress(done: 4, total: 9))])
    }

    @Test func aResultIsKeptAndSaidUntilItIsAcknowledged() throws {
        var (slot, job) = try running()
        let message = Message.completed(Self.lease, result: Data([2]))
        let completion = Completion(lease: Self.lease, message: message, host: "first")
        #expect(
            slot.heard(.completed(job, result: Data([2])), at: .seconds(1)) == [.keep(completion), .send(message)])
        #expect(said(slot.tick(at: .seconds(1))).contains(.ready), "it works on meanwhile")
        #expect(said(slot.tick(at: .seconds(4))).contains(message))
        #expect(slot.hear(.acknowledge(Self.lease), at: .seconds(5)) == [.forget(Self.lease)])
        #expect(!said(slot.tick(at: .seconds(8))).contains(message))
    }

    @Test func aServerThatForgotItIsToldWhatItHas() throws {
        var (slot, job) = try running()
        #expect(slot.hear(.introduceYourself, at: .seconds(1)).isEmpty)
        guard case .hello(let hello) = said(slot.tick(at: .seconds(1))).first else {
            Issue.record("no hello")
            return
        }
        #expect(hello.node?.leases == [Self.lease])
        // The same server: the run continues, and its result is sent.
        _ = slot.hear(.welcome(Self.terms), at: .seconds(1))
        #expect(slot.run?.isCancelled == false)
        #expect(slot.heard(.completed(job, result: Data()), at: .seconds(2)).count == 2)
    }

    @Test func anotherServerGetsNothingOfTheOneBefore() throws {
        var (slot, job) = try running()
        let actions = slot.hear(.welcome(WorkerTerms(host: "second")), at: .seconds(1))
        #expect(actions == [.cancel(job), .adopt(WorkerTerms(host: "second"))])
        #expect(slot.heard(.completed(job, result: Data()), at: .seconds(2)).isEmpty)
        // It may start with low epochs.
        #expect(slot.hear(.assign(Lease(job: "b", epoch: 1), Self.job), at: .seconds(3)).count == 1)
    }

    @Test func whatOutlivedTheProcessIsForItsOwnServerAlone() {
        let kept = [
            Completion(lease: Self.lease, message: .completed(Self.lease, result: Data()), host: "first"),
            Completion(lease: Lease(job: "b", epoch: 9), message: .stop, host: "other"),
        ]
        var slot = slot(kept)
        guard case .hello(let hello) = said(slot.tick(at: .zero)).first else {
            Issue.record("no hello")
            return
        }
        #expect(hello.node?.leases.count == 2)
        #expect(slot.hear(.welcome(Self.terms), at: .zero).contains(.forget(Lease(job: "b", epoch: 9))))
        #expect(said(slot.tick(at: .zero)).contains(.completed(Self.lease, result: Data())))
    }

    @Test func anAssignmentThatComesAgainIsTakenOnce() throws {
        var (slot, job) = try running()
        #expect(slot.hear(.assign(Self.lease, Self.job), at: .seconds(1)).isEmpty)
        _ = slot.heard(.completed(job, result: Data()), at: .seconds(2))
        #expect(slot.hear(.assign(Self.lease, Self.job), at: .seconds(3)).isEmpty)
    }

    @Test func aCancelledRunIsEndedAndToldOf() throws {
        var (slot, job) = try running()
        #expect(slot.hear(.cancel(Self.lease), at: .zero) == [.cancel(job)])
        #expect(slot.hear(.cancel(Self.lease), at: .zero).isEmpty)
        let actions = slot.heard(.cancelled(job), at: .seconds(1))
        guard case .send(.failed(Self.lease, let failure)) = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(failure.category == .cancelled)
        // The server's answer that the result is outdated settles it as well.
        #expect(slot.hear(.cancel(Self.lease), at: .seconds(2)) == [.forget(Self.lease)])
    }

    @Test func aRunThatNeverBeganIsGivenBackWhenItIsCancelled() {
        var slot = slot()
        _ = slot.hear(.welcome(Self.terms), at: .zero)
        guard case .failed(Self.lease, let failure) = said(slot.hear(.cancel(Self.lease), at: .zero)).first else {
            Issue.record("not given back")
            return
        }
        #expect(failure.category == .cancelled)
        #expect(slot.hear(.assign(Self.lease, Self.job), at: .zero).isEmpty)
    }

    @Test func aFailureTellsOfTheJobByTheServersName() throws {
        var (slot, job) = try running()
        let failure = JobFailure(.plugin, "Job \(job) failed twice in plugin p.", details: ["worker w1 ended"])
        guard case .send(.failed(_, let told)) = slot.heard(.failed(job, failure), at: .zero).last else {
            Issue.record("not told")
            return
        }
        #expect(told.message == "Job a failed twice in plugin p." && told.details.last == "on node node, slot node/3")
    }

    @Test func remarksGoToTheServer() throws {
        let (slot, job) = try running()
        #expect(slot.warned("Odd.", on: job) == [.send(.warning(Self.lease, "Odd."))])
        #expect(slot.warned("Odd.", on: "another").isEmpty)
    }

    /// That is the node's fault.
    @Test func whereNoWorkerStartsTheJobIsGivenBack() throws {
        var (slot, job) = try running()
        let failure = JobFailure(.unavailable, "No worker can be started: no memory.")
        #expect(said(slot.heard(.failed(job, failure), at: .zero)) == [.goodbye])
        #expect(slot.tick(at: .seconds(20)).isEmpty)
        guard case .hello = said(slot.tick(at: .seconds(31))).first else {
            Issue.record("it does not come again")
            return
        }
    }

    @Test func oneThatLeavesFinishesAndTakesNothingMore() throws {
        var (slot, job) = try running()
        slot.drain()
        #expect(said(slot.tick(at: .seconds(1))) == [.heartbeat(Self.lease, Progress())])
        _ = slot.heard(.completed(job, result: Data()), at: .seconds(2))
        #expect(!said(slot.tick(at: .seconds(3))).contains(.ready) && !slot.hasLeft)
        #expect(slot.hear(.assign(Lease(job: "b", epoch: 8), Self.job), at: .seconds(3)).isEmpty)
        _ = slot.hear(.acknowledge(Self.lease), at: .seconds(3))
        #expect(slot.tick(at: .seconds(4)) == [.send(.goodbye)] && slot.hasLeft)
        #expect(slot.tick(at: .seconds(9)).isEmpty)
    }

    @Test func oneThatIsOutOfTimeGivesItsJobBack() throws {
        var (slot, job) = try running()
        slot.drain()
        #expect(slot.handBack() == [.cancel(job)])
        #expect(slot.heard(.cancelled(job), at: .seconds(1)).isEmpty, "the server gives it to another")
        #expect(slot.tick(at: .seconds(1)) == [.send(.goodbye)])
    }

    // MARK: What is sent before a result is told

    private static let delivery = Delivery(folder: "/made", files: [])

    private func madeSlot() throws -> (slot: Slot, job: JobID, completion: Completion) {
        var (slot, job) = try running()
        let completion = Completion(
            lease: Self.lease, message: .completed(Self.lease, result: Data([2])), host: "first",
            delivery: Self.delivery)
        #expect(
            slot.made(job, Data([2]), Self.delivery, at: .seconds(1)) == [.keep(completion), .deliver(job, completion)])
        return (slot, job, completion)
    }

    @Test func aResultIsToldWhenTheServerHasItsFiles() throws {
        var (slot, job, completion) = try madeSlot()
        let steps = slot.run?.progress.steps ?? 0
        slot.advanced(job)
        #expect(said(slot.tick(at: .seconds(2))) == [.heartbeat(Self.lease, Progress(steps: steps + 1))])
        #expect(slot.hear(.welcome(Self.terms), at: .seconds(2)) == [.adopt(Self.terms)], "they are on their way")
        completion.delivery = nil
        #expect(slot.delivered(job, nil, at: .seconds(3)) == [.keep(completion), .send(completion.message)])
        #expect(said(slot.tick(at: .seconds(3))).contains(.ready))
        #expect(slot.delivered(job, nil, at: .seconds(3)).isEmpty)
    }

    @Test func aResultThatTheServerDoesNotTakeHasFailed() throws {
        var (slot, job, _) = try madeSlot()
        let failure = JobFailure(.resource, "The server's disk is full.")
        #expect(said(slot.delivered(job, failure, at: .seconds(3))) == [.failed(Self.lease, failure)])
    }

    @Test func whatIsCancelledIsNotSentOn() throws {
        var (slot, job, _) = try madeSlot()
        let actions = slot.hear(.cancel(Self.lease), at: .seconds(3))
        #expect(actions.first == .cancel(job) && said(actions) == [.failed(Self.lease, JobFailure(Cancelled()))])
        #expect(slot.delivered(job, nil, at: .seconds(4)).isEmpty && slot.run == nil)
    }

    /// It was killed while it sent.
    @Test func whatWasMadeBeforeARestartIsSentToTheServerThatWantsIt() throws {
        let (_, job, completion) = try madeSlot()
        var slot = slot([completion])
        guard case .hello(let hello) = said(slot.tick(at: .zero)).first else {
            Issue.record("no hello")
            return
        }
        #expect(hello.node?.leases == [Self.lease])
        #expect(slot.hear(.welcome(Self.terms), at: .zero) == [.adopt(Self.terms), .deliver(job, completion)])
        #expect(said(slot.tick(at: .zero)) == [.heartbeat(Self.lease, Progress()), .ready])
        slot.drain()
        #expect(slot.handBack().isEmpty, "it is kept")
        var other = self.slot([completion])
        #expect(
            other.hear(.welcome(WorkerTerms(host: "second")), at: .zero)
                == [.cancel(job), .forget(Self.lease), .adopt(WorkerTerms(host: "second"))])
        #expect(other.isFree)
    }

    /// A restarted server submits a job once others have provided what it needs.
    @Test func whatTheServerDoesNotKnowYetKeepsNoOtherJobWaiting() throws {
        var (slot, job, completion) = try madeSlot()
        slot.unclaimed(JobID("another"), at: .seconds(2))
        #expect(slot.run != nil)
        slot.unclaimed(job, at: .seconds(2))
        #expect(said(slot.tick(at: .seconds(2))) == [.heartbeat(Self.lease, Progress(steps: 0)), .ready])
        let other = Lease(job: JobID("probe"), epoch: Self.lease.epoch + 1)
        let actions = slot.hear(.assign(other, Self.job), at: .seconds(2))
        guard case .submit(let probe) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        slot.unclaimed(probe.id, at: .seconds(2))
        #expect(slot.run?.lease == other, "it has made nothing yet")
        #expect(
            said(slot.tick(at: .seconds(3))) == [.heartbeat(other, Progress()), .heartbeat(Self.lease, Progress())])
        slot.advanced(job)
        #expect(said(slot.tick(at: .seconds(4))).last == .heartbeat(Self.lease, Progress(steps: 1)))
        completion.delivery = nil
        #expect(slot.delivered(job, nil, at: .seconds(5)) == [.keep(completion), .send(completion.message)])
        #expect(slot.hear(.acknowledge(Self.lease), at: .seconds(5)) == [.forget(Self.lease)])
        #expect(slot.run?.lease == other && slot.owed.isEmpty)
    }

    @Test func whatTheServerDoesNotWantIsOver() throws {
        var (slot, job, _) = try madeSlot()
        slot.unclaimed(job, at: .seconds(2))
        let actions = slot.hear(.cancel(Self.lease), at: .seconds(3))
        #expect(actions.first == .cancel(job) && said(actions) == [.failed(Self.lease, JobFailure(Cancelled()))])
        #expect(slot.owed.isEmpty && slot.delivered(job, nil, at: .seconds(4)).isEmpty)
        #expect(slot.hear(.cancel(Self.lease), at: .seconds(4)) == [.forget(Self.lease)] && slot.isFree)
        (slot, job, _) = try madeSlot()
        slot.unclaimed(job, at: .seconds(2))
        #expect(slot.hear(.stop, at: .seconds(3)) == [.cancel(job), .forget(Self.lease)] && slot.isFree)
    }
}
