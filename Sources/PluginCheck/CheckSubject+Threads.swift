import Composition
import Foundation
import Glibc
import PluginABI
import Synchronization
import Values

/// Tests with several threads.
extension CheckSubject {
    static let threads = 4

    func checkThreads() throws {
        try requireDeterminism()
        for setting in settings {
            let one = try run(0..<3, setting)
            var many = setting
            many.maximumThreads = Self.threads
            host.threads.withLock { $0 = Self.threads }
            defer { host.threads.withLock { $0 = 1 } }
            for (a, b) in zip(one, try run(0..<3, many)) {
                expectEqual(
                    a, b, setting, "the frame differs with \(Self.threads) threads",
                    advice:
                        "let each task of cutroom_host.parallel write places of its own, and add up in a fixed order")
            }
        }
    }

    /// What several threads found, in order of thread.
    private final class Results: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [Int: [CheckResult?]] = [:]
        func put(_ results: [CheckResult?], _ thread: Int) { lock.withLock { list[thread] = results } }
        func get(_ thread: Int) -> [CheckResult?] { lock.withLock { list[thread] ?? [] } }
    }

    /// Carries to other threads what may be used there as the effect declares.
    private struct Shared<Value>: @unchecked Sendable { var value: Value }

    /// Frames `0..<count`, in order of number, as the thread makes them. Where the order is free
    /// each thread begins with another one: threads in step that all make the same frame would not
    /// disturb each other.
    private func frames(
        _ count: Int, of instance: CheckInstance, _ values: CheckValues, thread: Int
    ) -> [CheckResult?] {
        var made = [CheckResult?](repeating: nil, count: count)
        for step in 0..<count {
            var shot = CheckShot(state == .pure ? (step + thread) % count : step, values)
            shot.isQuiet = true
            made[shot.number] = try? instance.process(shot)
        }
        return made
    }

    func checkConcurrency() throws {
        var random = CheckRandom(seed, 5)
        let same = Array(repeating: defaults, count: Self.threads)
        // Results that depend on values are computed again where they differ.
        let apart = [defaults, .maxima(binding), .random(binding, using: &random), .random(binding, using: &random)]
        for setting in settings {
            for values in binding.parameters.isEmpty ? [same] : [same, apart] {
                try checkConcurrency(setting, values)
                try checkShortCalls(setting, values)
            }
            if reach <= Self.shortReach { try checkShortCalls(setting.larger, apart) }
        }
    }

    /// Makes, uses and destroys instances in several threads.
    /// - Parameter values: of each thread.
    private func checkConcurrency(_ setting: CheckSetting, _ values: [CheckValues]) throws {
        let rounds = 4
        // An effect may refuse values; its thread has the defaults then.
        let values = try values.map { try make(setting, $0) == nil ? defaults : $0 }
        let isShared = effect.table.concurrency == CUTROOM_CONCURRENCY_REENTRANT && state == .pure
        let used = isShared ? values.map(steady) : values
        let expected = try used.map { try run(0..<rounds, setting, $0) }
        report.at("\(setting.forPeople), \(forPeople(used)), calls from \(Self.threads) threads")
        let (results, line) = (Results(), StartLine(Self.threads))
        let subject = Shared(value: self)
        switch effect.table.concurrency {
        case CUTROOM_CONCURRENCY_REENTRANT where isShared:
            let instance = Shared(value: try need(setting))
            report.at("\(setting.forPeople), \(forPeople(used)), calls from \(Self.threads) threads")
            CheckThreads.run(Self.threads) { thread in
                line.wait()
                results.put(
                    subject.value.frames(rounds, of: instance.value, used[thread], thread: thread), thread)
            }
        case CUTROOM_CONCURRENCY_REENTRANT, CUTROOM_CONCURRENCY_INSTANCE:
            // Made, used and destroyed at the same time as others.
            CheckThreads.run(Self.threads) { thread in
                line.wait()
                var made: [CheckResult?] = []
                for _ in 0..<rounds { made = subject.value.alone(rounds, setting, used[thread], thread) }
                results.put(made, thread)
            }
        default:
            // One at a time, but each in another thread than the one before.
            for thread in 0..<Self.threads {
                CheckThreads.run(1) { _ in
                    results.put(subject.value.alone(rounds, setting, used[thread], thread), thread)
                }
            }
        }
        guard effect.table.determinism != CUTROOM_DETERMINISM_NONE else { return }
        for thread in 0..<Self.threads {
            for (number, result) in results.get(thread).enumerated() {
                guard let result else {
                    report.find(
                        "create fails in a thread of its own",
                        advice: "make instances in any thread, or declare less concurrency")
                    return
                }
                expectUndisturbed(expected[thread][number], result, setting, number)
            }
        }
    }

    private func expectUndisturbed(_ a: CheckResult, _ b: CheckResult, _ setting: CheckSetting, _ number: Int) {
        expectEqual(
            a, b, setting, "frame \(number) differs when several threads call",
            advice:
                "keep nothing that changes in static variables or, for CUTROOM_CONCURRENCY_REENTRANT, in the instance; or "
                + "declare less concurrency")
    }

    private func alone(_ count: Int, _ setting: CheckSetting, _ values: CheckValues, _ thread: Int) -> [CheckResult?] {
        guard
            case .made(let instance) = CheckInstance.make(self, setting, values, structures: .usual, host: hostTable)
        else {
            return [nil]
        }
        return frames(count, of: instance, values, thread: thread)
    }

    /// The same values, but for those that are constant for an instance, which has the defaults.
    private func steady(_ values: CheckValues) -> CheckValues {
        CheckValues(
            name: values.name,
            values: binding.defaults.indices.map { isSetupOnly[$0] ? binding.defaults[$0] : values.values[$0] })
    }

    private func forPeople(_ values: [CheckValues]) -> String {
        Set(values.map(\.name)).count == 1 ? values[0].forPeople(binding) : "other values in each thread"
    }

    // MARK: Short calls

    private var reach: Int { kind == .audioFilter ? 0 : Int(effect.table.reach_before + effect.table.reach_after) }
    /// Frames of a window, several of which may be kept.
    private static let shortReach = 8
    private static let mostCalls = 400
    private static let longest = Duration.milliseconds(200)

    /// Calls that follow each other at once: everything that is lent was made before, so threads
    /// are in the plugin nearly all the time.
    private func checkShortCalls(_ setting: CheckSetting, _ values: [CheckValues]) throws {
        guard state == .pure, kind != .analyser, effect.table.determinism != CUTROOM_DETERMINISM_NONE,
            effect.table.concurrency != CUTROOM_CONCURRENCY_PROCESS
        else { return }
        let isShared = effect.table.concurrency == CUTROOM_CONCURRENCY_REENTRANT
        let used = isShared ? values.map(steady) : values
        guard let shared = try make(setting) else { return }
        var calls: [[PreparedCall]] = []
        for values in used {
            guard let instance = try isShared ? shared : (make(setting, values) ?? make(setting)) else { return }
            guard let reference = try make(setting, instance.values) else { return }
            calls.append(
                try (0..<(reach <= Self.shortReach ? 3 : 1)).map { number in
                    var shot = CheckShot(number, isShared ? values : nil, layout: .aligned)
                    let expected = try reference.process(shot)
                    shot.isQuiet = true
                    return try instance.prepare(shot, expecting: expected)
                })
        }
        report.at("\(setting.forPeople), \(forPeople(used)), short calls from \(Self.threads) threads")
        let (work, results, line) = (Shared(value: calls), Results(), StartLine(Self.threads))
        CheckThreads.run(Self.threads) { thread in
            let calls = work.value[thread]
            line.wait()
            let begin = ContinuousClock.now
            for turn in 0..<Self.mostCalls {
                let call = calls[(turn + thread) % calls.count]
                if let wrong = call.run() { return results.put([call.expected, wrong], call.shot.number) }
                if turn % 16 == 15, ContinuousClock.now - begin > Self.longest { return }
            }
        }
        for number in 0..<3 {
            let pair = results.get(number).compactMap(\.self)
            if pair.count == 2 { return expectUndisturbed(pair[0], pair[1], setting, number) }
        }
    }

    func checkSharedInstance() throws {
        guard can(CUTROOM_CAN_SHARE_INSTANCE) else { throw report.skip("the effect does not declare it") }
        try requirePure()
        for setting in settings {
            let shared = try need(setting)
            // Ranges of other lengths, out of order, as frames of different clips come.
            for (number, length) in [(0, 100), (7, 20), (1, 100), (3, 5), (8, 20), (2, 100)] {
                var shot = CheckShot(number)
                shot.length = length
                expectEqual(
                    try need(setting).frame(shot), try shared.frame(shot), setting,
                    "frame \(number) of a range of \(length) differs when the instance serves other ranges too",
                    advice: "use times and values of the call alone, or do not declare CUTROOM_CAN_SHARE_INSTANCE")
            }
        }
    }

    func checkStrayThreads(_ before: ProcessState) throws {
        for setting in settings {
            report.at("create, \(setting.forPeople), \(defaults.forPeople(binding))")
            let attempt = CheckInstance.make(
                self, setting, defaults, structures: .usual, host: hostTable, revokes: true)
            let instance = if case .made(let made) = attempt { made } else { try need(setting) }
            for number in 0..<3 {
                var shot = CheckShot(number)
                shot.isRevoked = true
                _ = try instance.frame(shot)
                // A thread that goes on after the call meets memory that it may not touch.
                if ProcessState.threadCount > before.threads { usleep(50_000) }
            }
            instance.destroy()
        }
        report.atNothing()
        // Threads that were told to end need a moment.
        for _ in 0..<100 where ProcessState.threadCount > before.threads { usleep(10_000) }
        let extra = ProcessState.threadCount - before.threads
        if extra > 0 {
            report.find(
                "\(extra) thread\(extra == 1 ? " is" : "s are") left when all instances are destroyed",
                advice: "end threads before destroy returns, or use cutroom_host.parallel")
        }
    }
}

/// Lets threads begin at the same time.
private final class StartLine: Sendable {
    private let arrived = Atomic<Int>(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// Waits until all have come, or a moment: the system may give fewer threads.
    func wait() {
        arrived.add(1, ordering: .relaxed)
        let end = ContinuousClock.now + .milliseconds(200)
        while arrived.load(ordering: .relaxed) < count, ContinuousClock.now < end { sched_yield() }
    }
}
