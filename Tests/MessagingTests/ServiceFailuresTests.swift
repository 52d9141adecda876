import Synchronization
import Testing

@testable import Messaging

/// Threads that serve something and fail.
@Suite struct ServiceFailuresTests {
    private final class Ears: Sendable {
        let said = Mutex<[String]>([])
        let ended = Mutex<[String]>([])
    }

    private func failures(_ ears: Ears, limit: Int) -> ServiceFailures {
        ServiceFailures("the test", limit: limit) { text in
            ears.said.withLock { $0.append(text) }
        } end: { reason in
            ears.ended.withLock { $0.append(reason) }
        }
    }

    @Test func failuresAreToldEachTimeLongerApartAndEndTheProcess() {
        let ears = Ears()
        var failures = failures(ears, limit: 20)
        let pauses = (1...19).map { failures.noted("number \($0)") }
        #expect(ears.said.withLock { $0.count } == 5, "the 1st, 2nd, 4th, 8th and 16th")
        #expect(ears.ended.withLock { $0 }.isEmpty)
        #expect(pauses == pauses.sorted() && pauses[0] > .zero && pauses.last == .seconds(1))
        _ = failures.noted("the last straw")
        #expect(ears.ended.withLock { $0 } == ["the last straw"])
        #expect(ears.said.withLock { $0.last }?.contains("20 times in a row, so this process exits") == true)
    }

    @Test func oneThatWorksAgainBeginsAnew() {
        let ears = Ears()
        var failures = failures(ears, limit: 3)
        for _ in 0..<10 {
            _ = failures.noted("a")
            _ = failures.noted("b")
            failures.worked()
        }
        #expect(ears.ended.withLock { $0 }.isEmpty)
        #expect(ears.said.withLock { $0.last } == "the test works again after 2 failures in a row")
        let count = ears.said.withLock { $0.count }
        failures.worked()
        #expect(ears.said.withLock { $0.count } == count, "what works is not told of")
    }

    /// A real process with a real thread.
    @Test func aServiceThatIsGoneTakesItsProcessWithIt() async {
        await #expect(processExitsWith: .exitCode(71)) {
            let isRunning = SystemThread.start(name: "broken") {
                var failures = ServiceFailures("the broken service")
                while true { _ = failures.noted("nothing is there") }
            }
            precondition(isRunning)
            SystemThread.pause(.seconds(60))
        }
    }
}
