import FoundationEssentials
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Clients of a queue with real processes.
@Suite(.listens) struct JobClientTests {
    /// Reads until the jobs have ended.
    private func read(_ client: JobClient, untilEndOf jobs: Set<JobID>) async -> [JobEvent] {
        var open = jobs
        var events: [JobEvent] = []
        for await event in client.events {
            events.append(event)
            if event.isEnd { open.remove(event.job) }
            if open.isEmpty { break }
        }
        return events
    }

    @Test func jobsMayFollowOnWhatHasHappened() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let client = queue.client()
            try client.submit([JobSpec("first", "echo", "1")])
            var heard: [JobEvent] = []
            for await event in client.events {
                heard.append(event)
                guard case .completed(let id, let result) = event else { continue }
                if id == "second" { break }
                try client.submit([JobSpec("second", "echo", text(result) + "2")])
            }
            #expect(
                heard == [
                    .started(Lease(job: "first", epoch: 1), worker: "w1"), .completed("first", result: Data("1".utf8)),
                    .started(Lease(job: "second", epoch: 2), worker: "w1"),
                    .completed("second", result: Data("12".utf8)),
                ])
        }
    }

    /// No worker is lost, and no memory grows, while a caller is busy for much longer than a lease.
    @Test func aReaderThatSleepsEndsNoWorker() async throws {
        try await withQueue(workers: 2) {
            $0.leaseTimeout = .seconds(1)
        } _: { queue, _ in
            let client = queue.client()
            let jobs = (0..<2).map { JobSpec("job-\($0)", "sleep", "4000") } + [JobSpec("short", "echo")]
            try client.submit(jobs)
            let events = client.events.makeAsyncIterator()
            var heard = [await events.next()]
            try await Task.sleep(for: .seconds(3))
            heard += [await events.next(), await events.next(), await events.next()]
            #expect(
                heard.count {
                    if case .progressed = $0 { true } else { false }
                } <= 2, "one for each job: \(heard)")
            let rest = await read(client, untilEndOf: Set(jobs.map(\.id)))
            let all = heard.compactMap { $0 } + rest
            #expect(all.count { if case .started = $0 { true } else { false } } == 3)
            #expect(all.count { if case .completed = $0 { true } else { false } } == 3)
            #expect(!all.contains { if case .retrying = $0 { true } else { false } })
        }
    }

    @Test func aClientCancelsItsOwnJobsAlone() async throws {
        try await withQueue(workers: 1) { queue, folder in
            let client = queue.client(), other = queue.client()
            try client.submit([JobSpec("job", "until", folder + "/go"), JobSpec("next", "echo")])
            other.cancel(["job", "next", "nobody"])
            other.close()
            client.cancel(["next"])
            #expect(await read(client, untilEndOf: ["next"]).last == .cancelled("next"))
            touch(folder + "/go")
            let last = await read(client, untilEndOf: ["job"]).last
            #expect(last.map { if case .completed("job", _) = $0 { true } else { false } } == true)
        }
    }

    @Test func aClientThatIsDroppedCancelsItsJobs() async throws {
        try await withQueue(workers: 1) { queue, _ in
            var client: JobClient? = queue.client()
            try client?.submit([JobSpec("job", "sleep", "60000"), JobSpec("waiting", "sleep", "60000")])
            _ = await client?.events.makeAsyncIterator().next()
            client = nil
            // The only worker is free, and so are the names.
            let other = queue.client()
            try await eventually("the names are free") {
                (try? other.submit([JobSpec("job", "echo", "mine"), JobSpec("waiting", "echo")])) != nil
            }
            let events = await read(other, untilEndOf: ["job", "waiting"])
            #expect(events.contains(.completed("job", result: Data("mine".utf8))))
        }
    }

    /// The cancellation of a job may reach a worker together with the job.
    @Test func aJobThatIsCancelledAsItBeginsCostsNoWorker() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let client = queue.client()
            for number in 0..<200 {
                let job = JobSpec("job-\(number)", "echo", "x")
                try client.submit([job])
                events: for await event in client.events {
                    if case .started = event { client.cancel([job.id]) }
                    if event.isEnd { break events }
                }
            }
            #expect(text(try await queue.run(JobSpec("last", "whoami"))).hasPrefix("w1 "))
        }
    }

    @Test func cancellingTheReaderEndsItsJobsAndThenTheEvents() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let client = queue.client()
            try client.submit((0..<3).map { JobSpec("job-\($0)", "sleep", "60000") })
            let log = EventLog()
            let reader = Task(executorPreference: TestThreads.listeners) {
                for await event in client.events { log.add(event) }
            }
            try await eventually("one runs") { log.starts == 1 }
            reader.cancel()
            await reader.value
            #expect(log.events.count { if case .cancelled = $0 { true } else { false } } == 3)
            #expect(throws: QueueError.cancelled) { try client.submit([JobSpec("late", "echo")]) }
        }
    }

    @Test(arguments: [true, false]) func theQueuesEndIsTold(graceful: Bool) async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try JobQueue(
            configuration: .init(workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
        let client = queue.client(), idle = queue.client()
        try client.submit([JobSpec("job", "deaf"), JobSpec("waiting", "echo")])
        let log = EventLog()
        let reader = Task(executorPreference: TestThreads.listeners) {
            for await event in client.events { log.add(event) }
        }
        let idleReader = Task(executorPreference: TestThreads.listeners) { for await _ in idle.events {} }
        try await eventually("it runs") { log.starts == 1 }
        await queue.shutdown(graceful: graceful)
        await reader.value
        await idleReader.value
        #expect(Set(log.events.dropFirst().map(\.job)) == ["job", "waiting"])
        #expect(log.events.count { if case .cancelled = $0 { true } else { false } } == 2)
        #expect(throws: QueueError.closed) { try client.submit([JobSpec("late", "echo")]) }
        for await _ in queue.client().events { Issue.record("a closed queue has no events") }
    }

    @Test func aSubmissionIsTakenWholeOrNotAtAll() async throws {
        try await withQueue(workers: 1) { queue, folder in
            let client = queue.client(), other = queue.client()
            try client.submit([JobSpec("job", "until", folder + "/go")])
            for jobs in [["new", "job"], ["new", "new"], ["new", ""]] {
                let error = #expect(throws: QueueError.self) { try other.submit(jobs.map { JobSpec($0, "echo") }) }
                #expect(error?.code == .invalidJob && error?.message.isEmpty == false)
            }
            try other.submit([JobSpec("new", "echo")])
            touch(folder + "/go")
            #expect(await read(client, untilEndOf: ["job"]).count { $0.isEnd } == 1)
            #expect(await read(other, untilEndOf: ["new"]).count { $0.isEnd } == 1)
        }
    }
}
