import FoundationEssentials
import TestSupport
import Testing

@testable import Messaging

@Suite struct MessageCodingTests {
    static let lease = Lease(job: "segment-0012 – ü", epoch: .max)

    /// Computed, because the leak checker cannot follow a stored one's tagged pointers.
    static var all: [Message] {
        [
            .hello(WorkerIntroduction(worker: "w1", process: 4711, engine: "1.0-abc")),
            .hello(WorkerIntroduction(worker: "w1", process: 4711, engine: "1.0-abc", isolation: "all")),
            .hello(
                WorkerIntroduction(
                    worker: "n/1", process: 1, engine: "e",
                    node: NodeIntroduction(session: "s", leases: [lease], tags: ["gpu"], cores: 4, memory: 1 << 40))),
            .ready,
            .heartbeat(lease, Progress(done: 17, total: 60, steps: 1234)),
            .heartbeat(lease, Progress(), Vitals(processor: 1 << 40, activity: "plugin p, at frame 3")),
            .completed(lease, result: Data([0, 1, 255])),
            .completed(lease, result: Data()),
            .failed(lease, JobFailure(.plugin, "It broke.", details: ["why", "and why that"])),
            .failed(lease, JobFailure(.plugin, "It is busy.", isTransient: true)),
            .failed(
                lease, JobFailure(.plugin, "It broke.", blame: PluginBlame(path: "/p.so", effectID: "org.p", frame: 3))),
            .warning(lease, "Something – ü."), .goodbye, .welcome(),
            .welcome(WorkerTerms(host: "h", writable: ["/a"], isParanoid: true, stallSeconds: 2)),
            .refused(reason: "wrong build"),
            .introduceYourself,
            .assign(
                lease,
                Assignment(kind: "segment", payload: Data("{}".utf8), libraries: ["a.so", "ü"], fence: 7, threads: 5)),
            .share(lease, threads: 3),
            .acknowledge(lease), .cancel(lease), .stop,
        ]
    }

    private static func frames(_ message: Message) -> [Data] {
        let (header, body) = message.encoded()
        return [header, body]
    }

    private static func problem(_ frames: [Data]) -> MessageProblem? {
        if case .failure(let problem) = Message.decode(frames) { problem } else { nil }
    }

    @Test(arguments: all) func everyMessageSurvivesTheWire(message: Message) {
        #expect(Message.decode(Self.frames(message)) == .success(message))
    }

    @Test func theHeaderIsAsDocumented() {
        let (header, body) = Message.heartbeat(
            Lease(job: "ab", epoch: 0x0102), Progress(done: 3, total: 4, steps: 5), Vitals(processor: 6, activity: "x")
        ).encoded()
        var expected: [UInt8] = Array("CTRM".utf8)
        expected += [8, 0, 3, 0]
        expected += [2, 1, 0, 0, 0, 0, 0, 0]
        expected += [3, 0, 0, 0, 0, 0, 0, 0]
        expected += [4, 0, 0, 0, 0, 0, 0, 0]
        expected += [5, 0, 0, 0, 0, 0, 0, 0]
        expected += [2, 0] + Array("ab".utf8) + [0, 0]
        #expect(Array(header) == expected)
        #expect(Array(body) == [6, 0, 0, 0, 0, 0, 0, 0] + Array("x".utf8))
    }

    @Test func wrongNumbersOfFramesAreProblems() {
        let frame = Self.frames(.ready)[0]
        for count in [0, 1, 3, 8] {
            #expect(Self.problem(Array(repeating: frame, count: count)) == .frames(count: count))
        }
    }

    @Test func upToThreeMessagesComeAtOnce() {
        for count in 1...3 {
            let messages = Array(Self.all.prefix(count))
            #expect(Message.decodeAll(messages.flatMap(Self.frames)) == messages.map { .success($0) })
        }
        for count in [0, 1, 3, 5, 7, 8] {
            let frames = Array(repeating: Self.frames(.ready)[0], count: count)
            #expect(Message.decodeAll(frames) == [.failure(.frames(count: count))])
        }
        // A bad message does not affect those beside it.
        let mixed = Self.frames(.ready) + [Data("x".utf8), Data()] + Self.frames(.stop)
        #expect(Message.decodeAll(mixed) == [.success(.ready), .failure(.notOurs), .success(.stop)])
    }

    @Test func everyCutHeaderIsAProblem() {
        for message in Self.all {
            let frames = Self.frames(message)
            if case .refused = message { continue }  // Read by its first eight bytes alone.
            for length in 0..<frames[0].count {
                #expect(Self.problem([frames[0].prefix(length), frames[1]]) != nil)
            }
            #expect(Self.problem([frames[0] + [0], frames[1]]) != nil)
        }
    }

    @Test func aSliceOfDataIsReadFromItsOwnStart() {
        let frames = Self.frames(.cancel(Self.lease))
        let shifted = (Data([9, 9, 9]) + frames[0])[3...]
        #expect(Message.decode([shifted, frames[1]]) == .success(.cancel(Self.lease)))
    }

    @Test func anotherVersionIsToldApart() {
        var frames = Self.frames(.ready)
        frames[0][4] = 9
        #expect(Self.problem(frames) == .version(9))
        // But its refusal is understood.
        frames = Self.frames(.refused(reason: "too old"))
        frames[0][4] = 9
        #expect(Message.decode(frames) == .success(.refused(reason: "too old")))
    }

    @Test func unknownKindsAndMissingLeasesAreProblems() {
        var frames = Self.frames(.ready)
        frames[0][6] = 200
        #expect(Self.problem(frames) == .unknownKind(200))
        frames[0][6] = 4  // completed, of no job
        #expect(Self.problem(frames) != nil)
    }

    @Test func bodiesAreLimited() {
        let (header, _) = Message.completed(Self.lease, result: Data()).encoded()
        #expect(Self.problem([header, Data(count: Wire.largestPayload)]) == nil)
        #expect(
            Self.problem([header, Data(count: Wire.largestPayload + 1)])
                == .tooLarge(bytes: Wire.largestPayload + 1, limit: Wire.largestPayload))
        let (small, _) = Message.ready.encoded()
        #expect(Self.problem([small, Data(count: Wire.largestText + 1)]) != nil)
    }

    /// If it were dropped, its job would never end.
    @Test func aFailureThatCannotBeReadIsStillAFailure() throws {
        let (header, _) = Message.failed(Self.lease, JobFailure(.input, "x")).encoded()
        for (body, text) in [
            ("", nil), ("{", nil), ("{\"category\":\"new\",\"message\":\"m\",\"details\":[]}", "m"),
            ("{\"category\":\"new\",\"message\":\"n\"}", "n"),
        ] {
            guard case .success(.failed(Self.lease, let failure)) = Message.decode([header, Data(body.utf8)]) else {
                Issue.record("not read as a failure: \(body)")
                continue
            }
            #expect(failure.category == .internal && (text == nil || failure.message == text) && !failure.isTransient)
        }
    }

    @Test func hugeEvidenceIsCutToFit() {
        let failure = JobFailure(
            .plugin, "It broke.", details: Array(repeating: String(repeating: "\u{1}", count: 100_000), count: 1000))
        let (header, body) = Message.failed(Self.lease, failure).encoded()
        #expect(body.count <= Wire.largestText)
        guard case .success(.failed(_, let read)) = Message.decode([header, body]) else {
            Issue.record("not read")
            return
        }
        #expect(read.message == "It broke." && read.category == .plugin)
    }

    @Test func randomBytesNeverStopTheReader() {
        let seed = Seed.announced(for: "damaged messages", cases: 20_000)
        var generator = SplitMix64(seed: seed)
        func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        for _ in 0..<20_000 {
            var frames = Self.frames(Self.all[random(Self.all.count)])
            for _ in 0...random(4) where !frames[0].isEmpty {
                let at = random(frames[0].count)
                switch random(3) {
                case 0: frames[0][at] = UInt8(random(256))
                case 1: frames[0].removeSubrange(at..<min(frames[0].count, at + 1 + random(8)))
                default: frames[0].insert(UInt8(random(256)), at: at)
                }
                frames[0] = Data(frames[0])
            }
            // A decoded message can be encoded and decoded again; anything else is a problem.
            // Neither traps.
            if case .success(let message) = Message.decode(frames) {
                #expect(Message.decode(Self.frames(message)) == .success(message), "seed \(seed)")
            }
        }
    }

    @Test func errorsBecomeFailures() {
        struct Own: JobFailureConvertible { var jobFailure: JobFailure { JobFailure(.resource, "The disk is full.") } }
        struct Other: Error {}
        #expect(JobFailure(Own()) == JobFailure(.resource, "The disk is full."))
        #expect(JobFailure(Other()).category == .internal)
        #expect(JobFailure(Cancelled()).category == .cancelled)
    }

    @Test func aLaunchSurvivesTheCommandLine() {
        let launch = WorkerLaunch(endpoint: "ipc:///tmp/x y/socket", worker: "w12", directory: "/tmp/x y/w12")
        #expect(WorkerLaunch(arguments: ["worker", "--verbose"] + launch.arguments + ["--engine", "e"]) == launch)
        #expect(WorkerLaunch(arguments: Array(launch.arguments.dropLast())) == nil)
        #expect(WorkerLaunch(arguments: []) == nil)
        let open = WorkerLaunch(
            endpoint: "ipc:///tmp/s", worker: "w1", directory: "/tmp/w1", writable: ["/tmp/x y", "/out"],
            isParanoid: true)
        #expect(WorkerLaunch(arguments: open.arguments) == open)
    }
}
