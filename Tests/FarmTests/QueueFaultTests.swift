import CPosix
import FoundationEssentials
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// The queue with real processes that die, hang and lie.
@Suite(.listens) struct QueueFaultTests {
    @Test func aKilledWorkersJobRunsAgain() async throws {
        try await withQueue(workers: 1) { queue, folder in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("job", "until", folder + "/go")]) { log.add($0) }
            }
            for round in 1...3 {
                try await eventually("run \(round) has begun") { log.starts == round }
                for pid in processes(mentioning: folder) { kill(pid, SIGKILL) }
            }
            touch(folder + "/go")
            _ = try await task.value
            #expect(log.retries.count == 3)
            #expect(log.retries.allSatisfy { $0.contains("SIGKILL") })
        }
    }

    @Test func aCrashIsTriedOnceMore() async throws {
        try await withQueue(workers: 1) { queue, folder in
            let result = try await queue.run(JobSpec("job", "crash-once", folder + "/mark"))
            #expect(text(result) == "survived")
        }
    }

    @Test(arguments: [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE])
    func threeCrashesFailTheJobWithEvidence(signal: Int32) async throws {
        try await withQueue(workers: 1) { queue, _ in
            let failure = try await failure(of: JobSpec("job", "crash", "\(signal)"), in: queue)
            let name = WorkerExit.Status.signal(signal).description
            #expect(failure.category == .internal)
            #expect(failure.message.contains("three times") && failure.message.contains(name))
            #expect(failure.details.contains { $0.contains("about to crash by signal \(signal)") })
        }
    }

    @Test func aCrashInAPluginNamesIt() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let failure = try await failure(of: JobSpec("job", "crash-in-plugin"), in: queue)
            #expect(failure.category == .plugin)
            for part in ["bad", "/plugins/bad.so", "frame 12", "SIGSEGV"] { #expect(failure.message.contains(part)) }
        }
    }

    @Test func theLogOfACrashIsKept() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withQueue(workers: 1) {
            $0.logDirectory = folder + "/logs"
        } _: { queue, _ in
            _ = try await failure(of: JobSpec("job", "crash", "11"), in: queue)
        }
        let logs = try FileManager.default.contentsOfDirectory(atPath: folder + "/logs")
        #expect(logs.count == 3)
        #expect(
            logs.allSatisfy { text(contents(of: "\(folder)/logs/\($0)").map { Data($0) }).contains("about to crash") })
    }

    @Test(arguments: [0, 7]) func anExitInAJobIsACrash(code: Int32) async throws {
        try await withQueue(workers: 1) { queue, _ in
            let failure = try await failure(of: JobSpec("job", "exit", "\(code)"), in: queue)
            #expect(failure.message.contains("exit code \(code)"))
        }
    }

    @Test func theRestIsCancelledWhenOneFails() async throws {
        try await withQueue(workers: 2) { queue, _ in
            let log = EventLog()
            let jobs = [JobSpec("bad", "fail", "input")] + (0..<20).map { JobSpec("sleep-\($0)", "sleep", "60000") }
            let error = await #expect(throws: QueueError.self) { _ = try await queue.run(jobs) { log.add($0) } }
            #expect(error?.job == "bad")
            #expect(error?.failure == JobFailure(.input, "It failed as asked.", details: ["cause"]))
            #expect(log.events.count { if case .cancelled = $0 { true } else { false } } == 20)
        }
    }

    @Test(arguments: ["input", "plugin", "resource"]) func someFailuresAreFinalAtOnce(category: String) async throws {
        try await withQueue(workers: 1) { queue, _ in
            let log = EventLog()
            _ = await #expect(throws: QueueError.self) {
                _ = try await queue.run([JobSpec("job", "fail", category)]) { log.add($0) }
            }
            #expect(log.starts == 1)
        }
    }

    @Test func anInternalErrorIsTriedOnAFreshWorker() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let log = EventLog()
            let error = await #expect(throws: QueueError.self) {
                _ = try await queue.run([JobSpec("job", "throw")]) { log.add($0) }
            }
            #expect(error?.failure?.category == .internal)
            let workers = log.events.compactMap { if case .started(_, let worker) = $0 { worker } else { nil } }
            #expect(workers.count == 2 && Set(workers).count == 2)
        }
    }

    @Test func aResultThatIsTooLargeFailsItsJob() async throws {
        try await withQueue(workers: 1) { queue, _ in
            let failure = try await failure(of: JobSpec("job", "large", "65"), in: queue)
            #expect(failure.message.contains("too large"))
            #expect(text(try await queue.run(JobSpec("after", "echo", "fine"))) == "fine")
        }
    }

    @Test func aSilentWorkerIsEndedAndItsJobRunsElsewhere() async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .seconds(2)
        } _: { queue, folder in
            let log = EventLog()
            let task = Task(executorPreference: TestThreads.listeners) {
                try await queue.run([JobSpec("job", "until", folder + "/go")]) { log.add($0) }
            }
            try await eventually("the job runs") { log.starts == 1 }
            let stopped = processes(mentioning: folder)
            #expect(stopped.count == 1)
            for pid in stopped { kill(pid, SIGSTOP) }
            try await eventually("it was taken away") { !log.retries.isEmpty }
            touch(folder + "/go")
            let result = text(try await task.value["job"])
            #expect(log.retries[0].contains("was silent"))
            for pid in stopped {
                #expect(!result.hasSuffix(" \(pid)"))
                #expect(kill(pid, SIGCONT) != 0, "it was seen ended before its job was given away")
            }
        }
    }

    /// It reports nothing itself, but its worker sends heartbeats: it is found after an idle stall
    /// time-out.
    @Test func aHangingJobIsFoundThoughItsWorkerIsHeard() async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .seconds(10)
            $0.stallTimeout = .milliseconds(1200)
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "hang"), in: queue)
            #expect(failure.message.contains("while idle") && failure.message.contains("three times"))
            #expect(failure.category == .internal)
        }
    }

    /// Liveness does not depend on the working loop.
    @Test(arguments: ["sleep-in-plugin", "work-in-plugin"]) func oneLongCallIsNoSilence(kind: String) async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .seconds(2)
            $0.stallTimeout = .seconds(20)
        } _: { queue, _ in
            let log = EventLog()
            _ = try await queue.run([JobSpec("job", kind, "5000")]) { log.add($0) }
            #expect(log.retries.isEmpty && log.starts == 1)
        }
    }

    /// A call that uses the processor may take longer than an idle one, but also ends.
    @Test func anEndlessLoopInAPluginEndsAndIsNamed() async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .seconds(10)
            $0.stallTimeout = .milliseconds(1500)
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "work-in-plugin", "0"), in: queue)
            #expect(failure.category == .plugin && failure.blame?.path == "/plugins/bad.so")
            for part in ["three times", "/plugins/bad.so", "frame 12", "no progress"] {
                #expect(failure.message.contains(part), "\(failure.message)")
            }
        }
    }

    @Test func aDecoderThatDoesNothingIsNamedByItsFile() async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .seconds(10)
            $0.stallTimeout = .milliseconds(1500)
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "decode", "/media/slow.png"), in: queue)
            #expect(failure.category == .input && failure.message.contains("in the decoder of ‘/media/slow.png’"))
        }
    }

    /// Damage that a plugin does to its process may show after its call.
    @Test(arguments: [["/p/bad.so@1"], ["/p/bad.so@1", "/p/good.so@2"]], ["hang", "stop-itself"])
    func aProcessThatFailsWithLibrariesOfOthersInItNamesThem(libraries: Set<String>, kind: String) async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .milliseconds(1500)
            $0.stallTimeout = .milliseconds(1200)
        } _: { queue, _ in
            var job = JobSpec("job", kind)
            job.libraries = libraries
            let (failure, isAlone) = (try await failure(of: job, in: queue), libraries.count == 1)
            #expect(failure.message.contains("three times"))
            #expect(failure.message.contains("a process that had opened the plugin"))
            #expect(failure.message.contains("‘/p/bad.so’") && failure.message.contains("good") != isAlone)
            #expect(failure.category == (isAlone ? .plugin : .internal))
            #expect(failure.blame?.path == (isAlone ? "/p/bad.so" : nil))
        }
    }

    /// A plugin may raise any signal. The breadcrumb distinguishes it from a kill from outside.
    @Test(arguments: [SIGKILL, SIGTERM]) func aPluginThatEndsItsProcessBySignalIsNamed(signal: Int32) async throws {
        try await withQueue(workers: 1) { queue, _ in
            let failure = try await failure(of: JobSpec("job", "signal-in-plugin", "\(signal)"), in: queue)
            #expect(failure.category == .plugin && failure.message.contains("three times"))
            #expect(failure.message.contains("/plugins/bad.so") && !failure.message.contains("memory runs out"))
        }
    }

    @Test func aPluginThatStopsItsProcessIsNamed() async throws {
        try await withQueue(workers: 1) {
            $0.leaseTimeout = .milliseconds(1500)
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "signal-in-plugin", "\(SIGSTOP)"), in: queue)
            #expect(failure.category == .plugin && failure.message.contains("was silent"))
        }
    }

    @Test(arguments: [0, 7]) func aPluginThatExitsIsNamed(code: Int32) async throws {
        try await withQueue(workers: 1) { queue, _ in
            let failure = try await failure(of: JobSpec("job", "exit-in-plugin", "\(code)"), in: queue)
            #expect(failure.category == .plugin && failure.message.contains("/plugins/bad.so"))
            #expect(failure.message.contains("it ended its worker (exit code \(code))"))
        }
    }

    @Test func aStalledJobFailsThoughItsHeartBeats() async throws {
        try await withQueue(workers: 1) {
            $0.stallTimeout = .milliseconds(1200)
            $0.leaseTimeout = .seconds(10)
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "stall"), in: queue)
            #expect(failure.message.contains("no progress") && failure.message.contains("three times"))
        }
    }

    @Test func aJobThatTakesStepsWithinItsFirstUnitIsNotStalled() async throws {
        try await withQueue(workers: 1) {
            $0.stallTimeout = .milliseconds(1200)
        } _: { queue, _ in
            let events = Locked<[JobEvent]>([])
            _ = try await queue.run(
                [JobSpec("job", "steps", "3600")], onEvent: { event in events.withLock { $0.append(event) } })
            #expect(!events.withLock { $0 }.contains { if case .retrying = $0 { true } else { false } })
        }
    }

    @Test func aMissingWorkerProgramIsNamed() async throws {
        try await withQueue(workers: 2) {
            $0.workerPath = "/nowhere/cutroom-worker"
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "echo"), in: queue)
            #expect(failure.category == .unavailable)
            #expect(failure.message.contains("/nowhere/cutroom-worker") && failure.message.contains("No such file"))
        }
    }

    @Test func aWorkerThatDiesAtStartIsReported() async throws {
        try await withQueue(workers: 2) {
            $0.extraArguments = ["--die-at-start"]
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "echo"), in: queue)
            #expect(failure.message.contains("exit code 3") && failure.message.contains("dies at once"))
        }
    }

    @Test func aWorkerOfAnotherBuildIsRefused() async throws {
        try await withQueue(workers: 1) {
            $0.extraArguments = ["--engine", "another"]
        } _: { queue, _ in
            let failure = try await failure(of: JobSpec("job", "echo"), in: queue)
            #expect(failure.message.contains("another") && failure.message.contains("test"))
        }
    }

    private func failure(of job: JobSpec, in queue: JobQueue) async throws -> JobFailure {
        let error = await #expect(throws: QueueError.self) { _ = try await queue.run(job) }
        #expect(error?.code == .jobFailed)
        return try #require(error?.failure)
    }
}
