import Testing

@testable import Agent

/// A simulated line that carries one answer after the other, each in `time`, with a round trip of
/// `latency`.
private struct SimulatedLine {
    var allowance = Allowance()
    /// The waiting time of each answer, in the order of the requests.
    private(set) var waits: [Duration] = []

    init(answers: Int, time: Duration, latency: Duration) {
        // The send time and the arrival time of each open request.
        var underWay: [(sent: Duration, comes: Duration)] = []
        var (now, free) = (Duration.zero, Duration.zero)
        for _ in 0..<answers {
            while underWay.count < allowance.count {
                free = max(free, now + latency) + time
                underWay.append((now, free))
            }
            let next = underWay.removeFirst()
            now = next.comes
            waits.append(now - next.sent)
            allowance.answered(after: waits[waits.count - 1])
        }
    }
}

@Suite struct AllowanceTests {
    @Test func aFastLineIsFilled() {
        let line = SimulatedLine(answers: 200, time: .milliseconds(2), latency: .milliseconds(80))
        #expect(line.allowance.count == Allowance.most)
    }

    /// 256 KiB in four seconds are half a megabit per second.
    @Test(arguments: [1500, 2500, 4000, 8000]) func aSlowLineHasNoQueue(milliseconds: Int) {
        let line = SimulatedLine(answers: 60, time: .milliseconds(milliseconds), latency: .milliseconds(50))
        #expect(line.allowance.count <= 3)
        #expect(line.waits.dropFirst(10).allSatisfy { $0 < .seconds(10) }, "\(line.waits)")
    }

    @Test func lossesLeaveOne() {
        var allowance = Allowance()
        for _ in 0..<20 { allowance.answered(after: .zero) }
        allowance.lost()
        #expect(allowance.count == 12)
        for _ in 0..<20 { allowance.lost() }
        #expect(allowance.count == 1)
    }
}
