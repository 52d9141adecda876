import Testing

@testable import Slurm

@Suite struct ScalerTests {
    private static func policy(_ most: Int = 4, least: Int = 0, coolDown: Int = 60) -> Scaler.Policy {
        Scaler.Policy(least: least, most: most, slotsPerNode: 2, coolDown: .seconds(coolDown))
    }

    private func running(_ number: Int, left: Int? = nil, limit: Int? = nil) -> ClusterJob {
        ClusterJob(
            id: Int64(100 + number), number: number, state: .running, timeLeft: left.map { .seconds($0) },
            timeLimit: limit.map { .seconds($0) })
    }

    private func load(_ waiting: Int, _ nodes: [Int: Int] = [:]) -> FarmLoad {
        FarmLoad(waiting: waiting, nodes: nodes.mapValues { FarmLoad.Node(slots: 2, busy: $0) })
    }

    /// Submits the nodes that the scaler asks for.
    private func obey(_ scaler: inout Scaler, _ actions: [Scaler.Action], at now: Duration) -> [Int] {
        actions.compactMap { action in
            guard case .submit(let number) = action else { return nil }
            scaler.submitted(number, as: Int64(100 + number), at: now)
            return number
        }
    }

    @Test func `nodes are submitted for what waits, and no more than may be`() {
        var scaler = Scaler(Self.policy())
        #expect(scaler.round(load(0), [], at: .zero) == [])
        #expect(obey(&scaler, scaler.round(load(3), [], at: .seconds(1)), at: .seconds(1)) == [1, 2])
        let pending = [1, 2].map { ClusterJob(id: Int64(100 + $0), number: $0, state: .pending) }
        #expect(scaler.round(load(3), pending, at: .seconds(2)) == [])
        #expect(obey(&scaler, scaler.round(load(1000), pending, at: .seconds(3)), at: .seconds(3)) == [3, 4])
        #expect(scaler.round(load(.max), (1...4).map { running($0) }, at: .seconds(4)) == [])
    }

    @Test func `idle nodes leave after the cool-down, those with nothing to do first`() {
        var scaler = Scaler(Self.policy(), lastNumber: 3)
        let jobs = (1...3).map { running($0) }
        let busy = load(0, [1: 0, 2: 2, 3: 0])
        #expect(scaler.round(load(0, [1: 2, 2: 2, 3: 1]), jobs, at: .zero) == [])
        #expect(scaler.round(busy, jobs, at: .seconds(1)) == [])
        #expect(scaler.round(busy, jobs, at: .seconds(60)) == [])
        // A moment of work, and the cool-down starts again.
        #expect(scaler.round(load(3, [1: 1, 2: 1, 3: 1]), jobs, at: .seconds(61)) == [])
        #expect(scaler.round(busy, jobs, at: .seconds(62)) == [])
        #expect(scaler.round(busy, jobs, at: .seconds(121)) == [])
        #expect(scaler.round(busy, jobs, at: .seconds(122)) == [.drain(103), .drain(101)])
        #expect(scaler.count == Scaler.Count(running: 1, leaving: 2, wanted: 1))
        let last = scaler.round(load(0, [2: 0]), [running(2)], at: .seconds(130))
        #expect(last == [.forget(number: 1), .forget(number: 3)])
        #expect(scaler.round(load(0, [2: 0]), [running(2)], at: .seconds(190)) == [.drain(102)])
        #expect(scaler.round(load(0), [], at: .seconds(191)) == [.forget(number: 2)])
    }

    @Test func `what was needed while Slurm did not answer keeps its nodes`() {
        var scaler = Scaler(Self.policy(), lastNumber: 4)
        let jobs = (1...4).map { running($0) }
        let idle = load(0, [1: 0, 2: 0, 3: 0, 4: 0])
        #expect(scaler.round(idle, jobs, at: .zero) == [])
        #expect(scaler.round(load(0, [1: 2, 2: 2, 3: 1, 4: 0]), nil, at: .seconds(30)) == [])
        #expect(scaler.round(idle, jobs, at: .seconds(60)) == [.drain(104)])
    }

    @Test func `a node that is lost is replaced`() {
        var scaler = Scaler(Self.policy(), lastNumber: 2)
        let jobs = [running(1), running(2)]
        #expect(scaler.round(load(2, [1: 2, 2: 0]), jobs, at: .zero) == [])
        // The cluster has lost the first: preempted, or its machine is down.
        #expect(
            scaler.round(load(4, [2: 0]), [running(2)], at: .seconds(5)) == [.forget(number: 1), .submit(number: 3)])
        scaler.submitted(3, as: 103, at: .seconds(5))
        // The cluster still has the second, but the server has not.
        let two = [running(2), running(3)]
        #expect(scaler.round(load(4, [3: 0]), two, at: .seconds(6)) == [])
        #expect(scaler.round(load(2, [3: 2]), two, at: .seconds(130)) == [.kill(102), .submit(number: 4)])
    }

    @Test func `answers that do not come change nothing, for a while`() {
        var scaler = Scaler(Self.policy(), lastNumber: 2)
        let jobs = [running(1), running(2)]
        #expect(scaler.round(load(0, [1: 2, 2: 2]), jobs, at: .zero) == [])
        for second in stride(from: 10, to: 600, by: 10) {
            #expect(scaler.round(nil, second % 20 == 0 ? jobs : nil, at: .seconds(second)) == [])
        }
        #expect(
            scaler.round(load(2, [:]), jobs, at: .seconds(590)) == [],
            "the server has come again, and nodes find it soon")
        #expect(scaler.round(load(2, [1: 2]), jobs, at: .seconds(640)) == [])
        #expect(scaler.round(nil, jobs, at: .seconds(700)) == [])
        #expect(scaler.round(nil, jobs, at: .seconds(1250)) == [], "nobody knows of anything to do")
        #expect(scaler.round(nil, jobs, at: .seconds(1320)) == [.drain(102), .drain(101)])
    }

    @Test func `a node has a successor before its time ends`() {
        var scaler = Scaler(Self.policy(), lastNumber: 1)
        #expect(scaler.round(load(1, [1: 1]), [running(1, left: 3000, limit: 3600)], at: .zero) == [])
        #expect(
            scaler.round(load(1, [1: 1]), [running(1, left: 80, limit: 3600)], at: .seconds(10)) == [.submit(number: 2)]
        )
        var short = Scaler(Self.policy(), lastNumber: 1)
        #expect(short.round(load(1, [1: 1]), [running(1, left: 50, limit: 60)], at: .zero) == [])
    }

    @Test func `where nothing can be submitted it is tried seldomer and seldomer`() {
        var scaler = Scaler(Self.policy(32))
        var tries = 0
        for second in 0..<3600 {
            for case .submit(let number) in scaler.round(load(100), [], at: .seconds(second)) {
                tries += 1
                scaler.notSubmitted(number, at: .seconds(second))
            }
        }
        #expect((45...55).contains(tries), "32 at first, and then one after each pause: \(tries)")
    }

    @Test func `all leave where none is to be`() {
        var scaler = Scaler(Self.policy(0, coolDown: 0), lastNumber: 2)
        let jobs = [running(1), ClusterJob(id: 102, number: 2, state: .pending)]
        #expect(scaler.round(nil, jobs, at: .zero) == [.withdraw(102), .drain(101)])
        // It has started meanwhile.
        #expect(scaler.round(nil, [running(1), running(2)], at: .seconds(1)) == [.drain(102)])
        #expect(scaler.round(nil, [running(2)], at: .seconds(200)) == [.forget(number: 1), .kill(102)])
    }
}
