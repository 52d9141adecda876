import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Farm

/// The events of a reader that reads now and then.
@Suite struct EventBufferTests {
    private func progressed(_ job: JobID, _ done: Int) -> JobEvent { .progressed(job, Progress(done: done)) }

    /// Reads the events that are there.
    private func readAll(_ buffer: EventBuffer) async -> [JobEvent] {
        buffer.finish()
        var events: [JobEvent] = []
        while let event = await buffer.next() { events.append(event) }
        return events
    }

    @Test func ofProgressOnlyTheLatestIsKept() async {
        let buffer = EventBuffer()
        buffer.put(.started(Lease(job: "a", epoch: 1), worker: "w1"))
        for done in 1...1000 { buffer.put(progressed("a", done)) }
        buffer.put(.started(Lease(job: "b", epoch: 1), worker: "w2"))
        buffer.put(progressed("a", 1001))
        buffer.put(progressed("b", 1))
        let events = await readAll(buffer)
        #expect(
            events == [
                .started(Lease(job: "a", epoch: 1), worker: "w1"), progressed("a", 1001),
                .started(Lease(job: "b", epoch: 1), worker: "w2"), progressed("b", 1),
            ])
    }

    @Test func aRunThatIsOverHasNoProgress() async {
        let buffer = EventBuffer()
        buffer.put(progressed("a", 7))
        buffer.put(.retrying("a", reason: "lost"))
        buffer.put(.started(Lease(job: "a", epoch: 1), worker: "w2"))
        buffer.put(progressed("a", 1))
        let events = await readAll(buffer)
        #expect(
            events == [
                .retrying("a", reason: "lost"), .started(Lease(job: "a", epoch: 1), worker: "w2"), progressed("a", 1),
            ])
    }

    @Test func aSecondReaderGetsNothing() async {
        let buffer = EventBuffer()
        #expect(buffer.open(1))
        await withTaskGroup(of: JobEvent?.self) { group in
            for _ in 0..<2 { group.addTask { await buffer.next() } }
            let first = await group.next()
            #expect(first == .some(nil))
            buffer.put(.cancelled("a"))
            let second = await group.next()
            #expect(second == .some(.cancelled("a")))
        }
    }

    @Test func cancelledItEndsWithTheLastJob() async {
        let buffer = EventBuffer()
        #expect(buffer.open(2))
        #expect(buffer.cancel())
        #expect(!buffer.cancel() && !buffer.open(1))
        for id in ["a", "b"] as [JobID] {
            buffer.put(.cancelled(id))
            #expect(await buffer.next() == .cancelled(id))
        }
        #expect(await buffer.next() == nil)
    }

    /// For any order of writes and reads, only progress is missing, a job's events are in order,
    /// and the buffer is bounded.
    @Test func losesNothingButProgress() async {
        let seed = Seed.announced(for: "event buffer", cases: 200)
        for round in 0..<Seed.cases(200) {
            var random = SplitMix64.forCase(round, of: seed)
            let buffer = EventBuffer()
            var put: [JobEvent] = []
            var read: [JobEvent] = []
            for step in 0..<300 {
                let job = JobID("\(Int.random(in: 0..<5, using: &random))")
                let event: JobEvent =
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: .started(Lease(job: job, epoch: 1), worker: WorkerID("w\(step)"))
                    case 1: .retrying(job, reason: "\(step)")
                    default: progressed(job, step)
                    }
                put.append(event)
                buffer.put(event)
                if random.chance(1, in: 4), let event = await buffer.next() { read.append(event) }
            }
            let last = await readAll(buffer)
            read += last
            #expect(read.filter(isKept) == put.filter(isKept), "seed \(seed), round \(round)")
            for job in Set(put.map(\.job)) {
                #expect(last.count { $0.job == job && !isKept($0) } <= 1, "seed \(seed), round \(round)")
                var rest = put.filter { $0.job == job }[...]
                for event in read where event.job == job {
                    let at = rest.firstIndex(of: event)
                    #expect(at != nil, "seed \(seed), round \(round): \(event) came out of order")
                    rest = rest[((at ?? rest.startIndex) + 1)...]
                }
            }
        }
    }

    private func isKept(_ event: JobEvent) -> Bool { if case .progressed = event { false } else { true } }
}
