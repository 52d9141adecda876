import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import HostCore

@Suite(.listens) struct BacklogTests {
    private final class Record: Sendable {
        let done = Mutex<[Int]>([])
        func add(_ number: Int) { done.withLock { $0.append(number) } }
    }

    @Test func `work is done in order, and all of it is waited for`() async {
        let backlog = Backlog("test")
        let record = Record()
        #expect(await backlog.finish(patience: .seconds(60)) == 0)
        for number in 0..<100 { backlog.add { record.add(number) } }
        #expect(await backlog.finish(patience: .seconds(60)) == 0)
        #expect(record.done.withLock { $0 } == Array(0..<100))
        backlog.add { record.add(100) }
        #expect(await backlog.finish(patience: .seconds(60)) == 0)
        #expect(record.done.withLock { $0.count } == 101)
    }

    @Test func `what gets nowhere is given up, and the rest is not begun`() async {
        let backlog = Backlog("test")
        let record = Record()
        let gate = DispatchSemaphore(value: 0)
        backlog.add { record.add(0) }
        backlog.add { gate.wait() }
        for number in 1...3 { backlog.add { record.add(number) } }
        while record.done.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(await backlog.finish(patience: .milliseconds(20)) == 4)
        gate.signal()
        while await backlog.finish(patience: .seconds(60)) > 0 { await Task.yield() }
        #expect(record.done.withLock { $0 } == [0])
    }
}
