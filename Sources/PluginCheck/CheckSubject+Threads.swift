import Composition
import Draft
import Foundation
import PluginABI

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

    /// Frames `0..<count`, in order of number, as the thread makes them. Where the order is free each thread begins with another
    /// one: threads in step that all make the same frame would not disturb each other.
    private func frames(_ count: Int, of instance: CheckInstance, thread: Int) -> [CheckResult?] {
        var made = [CheckResult?](repeating: nil, count: count)
        for step in 0..<count {
            var shot = CheckShot(state == .pure ? (step + thread) % count : step)
            shot.isQuiet = true
            made[shot.number] = try? instance.process(shot)
        }
        return made
    }

    func checkConcurrency() throws {
        let rounds = 4
        for setting in settings {
            let expected = try run(0..<rounds, setting)
            report.at("\(setting.forPeople), calls from \(Self.threads) threads")
            let results = Results()
            switch effect.table.concurrency {
            case CUTROOM_CONCURRENCY_REENTRANT where state == .pure:
                let instance = Shared(value: try need(setting))
                let subject = Shared(value: self)
                CheckThreads.run(Self.threads) { thread in
                    results.put(subject.value.frames(rounds, of: instance.value, thread: thread), thread)
                }
            case CUTROOM_CONCURRENCY_REENTRANT, CUTROOM_CONCURRENCY_INSTANCE:
                // Made, used and destroyed at the same time as others.
                let subject = Shared(value: self)
                CheckThreads.run(Self.threads) { thread in
                    var made: [CheckResult?] = []
                    for _ in 0..<rounds { made = subject.value.alone(rounds, setting, thread) }
                    results.put(made, thread)
                }
            default:
                // One at a time, but each in another thread than the one before.
                for thread in 0..<Self.threads {
                    let subject = Shared(value: self)
                    CheckThreads.run(1) { _ in results.put(subject.value.alone(rounds, setting, thread), thread) }
                }
            }
            guard effect.table.determinism != CUTROOM_DETERMINISM_NONE else { continue }
            compare(results, expected, setting)
        }
    }

    private func compare(_ results: Results, _ expected: [CheckResult], _ setting: CheckSetting) {
        for thread in 0..<Self.threads {
            for (number, result) in results.get(thread).enumerated() {
                guard let result else {
                    report.find(
                        "create fails in a thread of its own",
                        advice: "make instances in any thread, or declare less concurrency")
                    return
                }
                expectEqual(
                    expected[number], result, setting, "frame \(number) differs when several threads call",
                    advice:
                        "keep nothing that changes in static variables or, for CUTROOM_CONCURRENCY_REENTRANT, in the instance; or "
                        + "declare less concurrency")
            }
        }
    }

    private func alone(_ count: Int, _ setting: CheckSetting, _ thread: Int) -> [CheckResult?] {
        guard
            case .made(let instance) = CheckInstance.make(self, setting, defaults, structures: .usual, host: hostTable)
        else {
            return [nil]
        }
        return frames(count, of: instance, thread: thread)
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
            let instance = try need(setting)
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
