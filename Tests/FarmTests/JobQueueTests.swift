import FoundationEssentials
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// The queue with real processes, without faults.
@Suite(.listens) struct JobQueueTests {
    @Test func resultsComeBack() async throws {
        try await withQueue { queue, _ in
            let jobs = (0..<100).map { JobSpec("job-\($0)", "echo", "payload \($0)") }
            let log = EventLog()
            let results = try await queue.run(jobs) { log.add($0) }
            #expect(results.count == 100)
            for job in jobs { #expect(results[job.id] == job.payload) }
            #expect(log.starts == 100)
            #expect(log.events.count { if case .completed = $0 { true } else { false } } == 100)
        }
    }

    @Test func aLargePayloadGoesBothWays() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let payload = Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0) })
            let result = try await queue.run(JobSpec(id: "big", kind: "echo", payload: payload))
            #expect(result == payload)
        }
    }

    /// A worker without a job gives back what it holds for the next one, and works on.
    @Test func anIdleWorkerRests() async throws {
        try await withQueue(workers: 1) { queue, folder in
            for note in ["first", "second"].map({ "\(folder)/\($0)" }) {
                _ = try await queue.run(JobSpec("job \(note)", "note-rest", note))
                try await eventually("the worker rests") { access(note, F_OK) == 0 }
            }
        }
    }

    @Test func aPlainThreadCanWait() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let result = Locked<Data?>(nil)
            let started = SystemThread.start(name: "caller") {
                let data = try? queue.runBlocking(JobSpec("probe", "echo", "hello"))
                result.withLock { $0 = data }
            }
            #expect(started)
            try await eventually("the thread has its answer") { result.withLock { $0 } != nil }
            #expect(text(result.withLock { $0 }) == "hello")
        }
    }

    @Test func onlyAsManyWorkersAsThereIsWorkFor() async throws {
        try await withQueue(workers: 8) { queue, folder in
            #expect(processes(mentioning: folder).isEmpty, "no worker before the first job")
            _ = try await queue.run(JobSpec("one", "echo"))
            #expect(processes(mentioning: folder).count == 1)
            _ = try await queue.run(JobSpec("two", "echo"))
            #expect(processes(mentioning: folder).count == 1, "the worker stays and is used again")
        }
    }

    @Test func neighboursGoToOneWorker() async throws {
        try await withQueue(workers: 2) { queue, _ in
            let jobs = (0..<40).map { index in
                JobSpec(
                    id: JobID("segment-\(index)"), kind: "sleep", payload: Data("5".utf8),
                    sequence: .init(group: "plan", index: index))
            }
            let results = try await queue.run(jobs)
            let workers = jobs.map { text(results[$0.id]) }
            let changes = zip(workers, workers.dropFirst()).count { $0 != $1 }
            #expect(changes <= 12, "a worker walks on where it is: \(workers)")
        }
    }

    @Test func aShortRenderEndsLongBeforeALongOne() async throws {
        try await withQueue(workers: 2) { queue, folder in
            // No job ends before the file exists.
            let gate = folder + "/gate"
            func jobs(_ name: String, _ count: Int) -> [JobSpec] {
                (0..<count).map { index in
                    JobSpec(
                        id: JobID("\(name)-\(index)"), kind: "until", payload: Data(gate.utf8),
                        flow: .init(submitter: "ann", name: name), sequence: .init(group: "picture", index: index))
                }
            }
            let client = queue.client()
            try client.submit(jobs("long", 80))
            var ended: [String] = []
            var starts = 0
            for await event in client.events {
                if case .started = event { starts += 1 }
                if starts == 2, access(gate, F_OK) != 0 {
                    try client.submit(jobs("short", 4))
                    // Two of the long flow's jobs run, and all others wait.
                    while await queue.status()?.waiting != 82 { try await Task.sleep(for: .milliseconds(5)) }
                    touch(gate)
                }
                if case .completed(let job, _) = event { ended.append(job.name) }
                if ended.count == 84 { break }
            }
            let last = try #require(ended.lastIndex { $0.hasPrefix("short") })
            #expect(last < 16, "\(ended)")
        }
    }

    @Test func progressIsTold() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let log = EventLog()
            _ = try await queue.run([JobSpec("slow", "sleep", "1500")]) { log.add($0) }
            let steps = log.events.compactMap {
                if case .progressed(_, let progress) = $0 { progress.done } else { nil }
            }
            #expect(!steps.isEmpty)
            #expect(steps == steps.sorted())
        }
    }

    @Test func scratchFilesAreRemoved() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let folder = text(try await queue.run(JobSpec("scratch", "scratch", "data")))
            #expect(folder.contains("cutroom-queue-"))
            #expect(access(folder, F_OK) != 0)
        }
    }

    @Test func cancellingTheTaskCancelsTheJobs() async throws {
        try await withQueue(workers: 2) { queue, _ in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run((0..<10).map { JobSpec("sleep-\($0)", "sleep", "60000") }) { log.add($0) }
            }
            try await eventually("two jobs run") { log.starts == 2 }
            task.cancel()
            await #expect(throws: QueueError.cancelled) { try await task.value }
            #expect(log.events.count { if case .cancelled = $0 { true } else { false } } == 10)
            // The workers have survived it.
            #expect(text(try await queue.run(JobSpec("after", "echo", "still here"))) == "still here")
        }
    }

    @Test func aJobThatIgnoresItsCancellationIsKilled() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("deaf", "deaf")]) { log.add($0) }
            }
            try await eventually("the job runs") { log.starts == 1 }
            task.cancel()
            await #expect(throws: QueueError.cancelled) { try await task.value }
        }
    }

    @Test func namesAreUniqueAmongRunningJobs() async throws {
        try await withQueue(workers: 1) { queue, folder in
            let twice = await #expect(throws: QueueError.self) {
                _ = try await queue.run([JobSpec("a", "echo"), JobSpec("a", "echo")])
            }
            #expect(twice?.code == .invalidJob)
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("b", "until", folder + "/go")]) { log.add($0) }
            }
            try await eventually("the job runs") { log.starts == 1 }
            let taken = await #expect(throws: QueueError.self) { _ = try await queue.run(JobSpec("b", "echo")) }
            #expect(taken?.code == .invalidJob)
            touch(folder + "/go")
            _ = try await task.value
            _ = try await queue.run(JobSpec("b", "echo"))
        }
    }

    @Test func aClosedQueueSaysSo() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try JobQueue(
            configuration: .init(workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
        await queue.shutdown()
        await queue.shutdown()
        await #expect(throws: QueueError.closed) { _ = try await queue.run(JobSpec("late", "echo")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func shutdownEndsRunningJobs() async throws {
        for graceful in [true, false] {
            let folder = try makeFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let queue = try JobQueue(
                configuration: .init(workers: 2, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("s", "sleep", "60000"), JobSpec("h", "hang")]) { log.add($0) }
            }
            try await eventually("both run") { log.starts == 2 }
            await queue.shutdown(graceful: graceful)
            #expect(processes(mentioning: folder).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            await #expect(throws: QueueError.cancelled) { try await task.value }
        }
    }

    @Test func whatAKilledHostLeftIsRemoved() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let abandoned = folder + "/cutroom-queue-dead01"
        let foreign = folder + "/cutroom-queue-other1"  // no lock in it: not for us to judge
        for path in [abandoned, foreign] { mkdir(path, 0o700) }
        close(creat(abandoned + "/lock", 0o600))
        let first = try JobQueue(
            configuration: .init(workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
        let second = try JobQueue(
            configuration: .init(workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
        let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(!left.contains("cutroom-queue-dead01"))
        #expect(left.contains("cutroom-queue-other1"))
        #expect(left.count == 3, "the queues that live keep their folders")
        await first.shutdown()
        await second.shutdown()
    }

    @Test func aFolderThatCannotBeUsedIsRefused() throws {
        let deep = "/tmp/" + String(repeating: "a", count: 100)
        for folder in ["/proc/nowhere", deep] {
            if folder == deep { mkdir(deep, 0o700) }
            defer { rmdir(folder) }
            let error = #expect(throws: QueueError.self) {
                _ = try JobQueue(
                    configuration: .init(workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: folder))
            }
            #expect(error?.code == .unavailable && error?.message.contains(folder) == true)
        }
    }
}
