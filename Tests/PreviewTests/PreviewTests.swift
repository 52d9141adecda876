import Preview
import TestSupport
import Testing

/// Simulates a driver, a cache and workers around a ``Preview`` at random, and checks the
/// invariants after each step.
struct PreviewSimulation {
    var random: SplitMix64
    var preview: Preview
    let workers: Int
    var playlist = Playlist.empty
    var cache: Set<String> = []
    var lookUps: [Preview.Work] = []
    var running: [Int: Preview.Order] = [:]
    var cancelling: Set<Int> = []
    var submitted: Set<Int> = []
    var waits: [Int: Preview.Work] = [:]
    var ready: Set<String> = []
    /// The runs that are there.
    var made: Set<String> = []
    var lastWait = 0
    var playhead = Playhead()

    init(_ random: SplitMix64) {
        self.random = random
        workers = self.random.pick([1, 2, 3, 8])
        preview = Preview(workers: workers)
    }

    mutating func newPlaylist() -> Playlist {
        var frame = 0
        let parts = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            let count = Int.random(in: 1...30, using: &random)
            defer { frame += count }
            return Playlist.Part(key: "k\(Int.random(in: 0..<20, using: &random))", frames: frame..<frame + count)
        }
        let sound = random.pick([nil, "s1", "s2"]).map {
            // One run is in both sounds.
            Playlist.Sound(key: $0, runs: ["\($0)-r", "r", "r2"], pieces: ["\($0)-0", "\($0)-1"])
        }
        return Playlist(parts: parts, sound: sound)
    }

    mutating func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            playlist = newPlaylist()
            ready = ready.filter { preview.work(for: $0) != nil }
            take(preview.show(playlist))
            ready = ready.filter { preview.work(for: $0) != nil }
        case 1:
            playhead = Playhead(
                frame: Int.random(in: -5...400, using: &random), isPlaying: random.chance(1, in: 2),
                isBackwards: random.chance(1, in: 3))
            take(preview.move(to: playhead))
        case 2, 3:
            lastWait += 1
            let work: Preview.Work = random.pick([
                .onDemand(lastWait), .part("k\(Int.random(in: 0..<20, using: &random))"),
                .sound(random.pick(["s1", "s2"])),
            ])
            waits[lastWait] = work
            take(preview.wait(lastWait, for: work, isUrgent: random.chance(2, in: 3)))
        case 4:
            guard let wait = waits.keys.min() else { return }
            waits[wait] = nil
            take(preview.leave(wait))
        case 5, 6:
            guard !lookUps.isEmpty else { return }
            answer()
        default: endOne()
        }
    }

    mutating func answer() {
        let work = lookUps.removeFirst()
        let isThere = cache.contains("\(work)")
        if isThere, case .run(let key) = work { made.insert(key) }
        take(preview.found(work, isThere))
    }

    mutating func endOne() {
        guard let number = running.keys.min(by: { ($0 % 7, $0) < ($1 % 7, $1) }), let order = running[number] else {
            return
        }
        running[number] = nil
        if cancelling.remove(number) != nil, random.chance(3, in: 4) {
            take(preview.cancelled(number))
        } else if random.chance(1, in: 8) {
            take(preview.failed(number, "broken"))
        } else {
            cache.insert("\(order.work)")
            if case .run(let key) = order.work { made.insert(key) }
            take(preview.finished(number))
        }
    }

    mutating func take(_ actions: [Preview.Action]) {
        for action in actions {
            switch action {
            case .lookUp(let works): lookUps += works
            case .submit(let order):
                #expect(submitted.insert(order.number).inserted, "an order's number is used once")
                #expect(
                    !running.values.contains { $0.work == order.work && !cancelling.contains($0.number) },
                    "nothing is made twice at one time")
                running[order.number] = order
                if case .sound(let key) = order.work {
                    #expect(
                        playlist.sound?.runs.allSatisfy(made.contains) == true,
                        "\(key) is encoded from runs that are there"
                    )
                }
            case .cancel(let number):
                #expect(running[number] != nil, "what is cancelled runs")
                #expect(cancelling.insert(number).inserted, "and is cancelled once")
            case .answer(let wait, _): #expect(waits.removeValue(forKey: wait) != nil, "who is answered waits")
            case .tellReady(let keys): ready.formUnion(keys)
            case .tellFailed, .drop: break
            }
        }
        let urgent = running.values.count { order in order.isUrgent }
        #expect(
            running.count - cancelling.count <= workers + urgent, "no more runs than workers, but what is waited for")
    }

    /// Lets everything end, without further requests.
    mutating func settle() {
        for _ in 0..<10_000 {
            if !lookUps.isEmpty {
                answer()
            } else if !running.isEmpty {
                endOne()
            } else {
                return
            }
        }
        Issue.record("it does not come to rest")
    }
}

@Suite struct PreviewTests {
    @Test func whateverHappensAllIsRenderedOrFailedAndEveryWaitIsAnswered() {
        let cases = Seed.cases(400)
        let seed = Seed.announced(for: "PreviewTests", cases: cases)
        for index in 0..<cases {
            var simulation = PreviewSimulation(.forCase(index, of: seed))
            for _ in 0..<Int.random(in: 1...120, using: &simulation.random) { simulation.step() }
            simulation.settle()
            #expect(simulation.waits.isEmpty, "case \(index): every wait is answered")
            let failed = Set(simulation.preview.failures.map(\.key))
            let ready = Set(simulation.preview.ready)
            for part in simulation.playlist.parts {
                #expect(
                    ready.contains(part.key) != failed.contains(part.key),
                    "case \(index): \(part.key) is ready or failed")
            }
            if let sound = simulation.playlist.sound {
                #expect(
                    ready.isSuperset(of: sound.pieces) != failed.contains(sound.key),
                    "case \(index): the sound is ready or failed")
            }
            #expect(ready == simulation.ready.intersection(ready), "case \(index): what is ready was told")
            #expect(simulation.cancelling.isEmpty)
        }
    }

    private func playlist(_ count: Int, prefix: String = "k", sound: String? = nil) -> Playlist {
        Playlist(
            parts: (0..<count).map { Playlist.Part(key: "\(prefix)\($0)", frames: $0 * 10..<$0 * 10 + 10) },
            sound: sound.map { Playlist.Sound(key: $0, pieces: ["p0", "p1"]) })
    }

    private func submitted(_ actions: [Preview.Action]) -> [Preview.Work] {
        actions.compactMap { if case .submit(let order) = $0 { order.work } else { nil } }
    }

    /// Everything is missing.
    private func started(_ preview: inout Preview, _ playlist: Playlist) -> [Preview.Action] {
        var found: [Preview.Action] = []
        for action in preview.show(playlist) {
            guard case .lookUp(let works) = action else { continue }
            for work in works { found += preview.found(work, false) }
        }
        return found
    }

    @Test func partsAreMadeFromThePlayheadOnInTheDirectionOfPlay() {
        var preview = Preview(workers: 1)
        _ = preview.move(to: Playhead(frame: 35, isBackwards: true))
        var order = submitted(started(&preview, playlist(6)))
        for number in 1..<6 { order += submitted(preview.finished(number)) }
        #expect(order == ["k3", "k2", "k1", "k0", "k5", "k4"].map { .part($0) })
    }

    @Test func whatIsWaitedForGoesBeforeAndTakesAWorkersPlace() {
        var preview = Preview(workers: 2)
        _ = started(&preview, playlist(6))
        #expect(submitted(preview.wait(9, for: .part("k4"))).isEmpty, "what runs is seen earlier")
        _ = preview.leave(9)
        _ = preview.move(to: Playhead(frame: 50))
        let actions = preview.wait(1, for: .part("k5"))
        #expect(submitted(actions) == [.part("k5")])
        #expect(actions.contains(.cancel(1)), "the one that is seen last is cancelled")
        #expect(submitted(preview.cancelled(1)).isEmpty, "its place is taken")
        #expect(submitted(preview.wait(2, for: .onDemand(1))) == [.onDemand(1)], "a picture never waits for parts")
        #expect(preview.finished(3).contains(.answer(1, .ready)))
    }

    @Test func whatIsNotShownAnyMoreIsCancelledAndItsWaitsAreAnswered() {
        var preview = Preview(workers: 2)
        _ = started(&preview, playlist(4))
        _ = preview.wait(7, for: .part("k3"), isUrgent: false)
        let actions = preview.show(playlist(2, prefix: "n"))
        #expect(actions.contains(.answer(7, .gone)))
        #expect(actions.contains(.cancel(1)) && actions.contains(.cancel(2)))
        #expect(preview.work(for: "k0") == nil)
        #expect(preview.wait(8, for: .part("k0")) == [.answer(8, .gone)])
    }

    @Test func whatHasFailedIsTriedAgainWithTheNextRevision() {
        var preview = Preview(workers: 1)
        _ = started(&preview, playlist(1))
        #expect(preview.failed(1, "no").contains(.tellFailed("k0", "no")))
        #expect(preview.wait(1, for: .part("k0")) == [.answer(1, .failed("no"))])
        #expect(submitted(preview.show(playlist(1))) == [.part("k0")])
    }

    @Test func aDamagedPartIsMadeAgain() {
        var preview = Preview(workers: 1)
        _ = started(&preview, playlist(1))
        _ = preview.finished(1)
        #expect(preview.ready == ["k0"])
        #expect(submitted(preview.lost(.part("k0"))) == [.part("k0")])
    }

    @Test func aSoundIsEncodedWhenItsRunsAreMixed() {
        var preview = Preview(workers: 4)
        let playlist = Playlist(parts: [], sound: Playlist.Sound(key: "s", runs: ["a", "b"], pieces: ["p0"]))
        #expect(submitted(started(&preview, playlist)) == [.run("a"), .run("b")])
        #expect(submitted(preview.finished(1)).isEmpty)
        #expect(submitted(preview.finished(2)) == [.sound("s")])
        // A damaged run is mixed again before the sound is encoded again.
        #expect(submitted(preview.lost(.run("a"))).isEmpty)
        #expect(submitted(preview.cancelled(3)) == [.run("a")])
        #expect(submitted(preview.finished(4)) == [.sound("s")])
    }

    @Test func aSoundFailsWithItsRun() {
        var preview = Preview(workers: 4)
        _ = started(&preview, Playlist(parts: [], sound: Playlist.Sound(key: "s", runs: ["a", "b"], pieces: ["p0"])))
        #expect(preview.wait(1, for: .sound("s")).isEmpty)
        let actions = preview.failed(2, "no")
        #expect(actions.contains(.answer(1, .failed("no"))) && actions.contains(.tellFailed("s", "no")))
        #expect(preview.failures.map(\.key) == ["s"])
    }

    @Test func allPiecesOfASoundComeAtOnce() {
        var preview = Preview(workers: 4)
        let orders = submitted(started(&preview, playlist(2, sound: "s")))
        #expect(orders.contains(.sound("s")))
        #expect(preview.work(for: "p1") == .sound("s"))
        let number = (orders.firstIndex(of: .sound("s")) ?? 0) + 1
        #expect(preview.finished(number).contains(.tellReady(["p0", "p1"])))
    }
}
