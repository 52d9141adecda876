import Farm
import Foundation
import Testing

@testable import HostCore
@testable import Scripting

/// A script whose thread Lua never returns, because its garbage collector can block it.
@Suite struct ScriptRunTests {
    private static func run(
        _ limits: ScriptLimits, isStopped: @escaping @Sendable () -> Bool
    ) async -> (Result<Int, ScriptError>, ScriptRun) {
        let run = ScriptRun(limits: limits, isStopped: isStopped)
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        let result = await run.result { () throws(ScriptError) -> Int in
            run.clock.start()
            while !isOver.withLock({ $0 }) { usleep(1000) }
            return 1
        }
        return (result, run)
    }

    @Test func `a stop ends the wait for it`() async {
        let (result, _) = await Self.run(ScriptLimits(wallTime: .seconds(3600))) { true }
        #expect(throws: ScriptError(.cancelled, "the script was stopped")) { try result.get() }
    }

    @Test func `the limit of wall-clock time ends the wait for it`() async {
        let (result, run) = await Self.run(ScriptLimits(wallTime: .milliseconds(300))) { false }
        #expect(throws: ScriptError(.limit, ScriptError.overtime(.milliseconds(300)))) { try result.get() }
        #expect(run.clock.elapsed >= .milliseconds(300))
    }

    @Test func `what it returns or throws is passed on`() async throws {
        let run = ScriptRun(limits: ScriptLimits()) { false }
        #expect(try await run.result { () throws(ScriptError) in 7 }.get() == 7)
        let failed = await run.result { () throws(ScriptError) -> Int in throw ScriptError(.rule, "no") }
        #expect(throws: ScriptError(.rule, "no")) { try failed.get() }
    }
}
