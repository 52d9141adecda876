import Renders
import TestSupport
import Testing

/// Random wishes and ends, with crashes between any two steps: the event is told to the book, its changes are written down, its actions are
/// carried out, its answer is given.
@Suite struct RenderBookSimulation {
    /// A server that may die at any moment, and what is left of it then.
    private struct World {
        var random: SplitMix64
        var book: RenderBook
        /// What was written down.
        var disk: [RenderID: RenderEntry] = [:]
        var nextOnDisk: Int64 = 1
        /// The renders that run; they end with the server.
        var running: Set<RenderID> = []
        /// What was answered: a promise.
        var promised: Set<RenderID> = []
        var purged: Set<RenderID> = []
        var now = 0.0
        let limit: Int

        init(_ random: SplitMix64) {
            self.random = random
            limit = Int.random(in: 1...4, using: &self.random)
            book = RenderBook(limit: limit)
        }

        mutating func writeDown() {
            for change in book.takeChanges() {
                switch change {
                case .put(let entry):
                    disk[entry.id] = entry
                    nextOnDisk = max(nextOnDisk, entry.id.number + 1)
                case .remove(let id): disk[id] = nil
                }
            }
        }

        mutating func crash() {
            running = []
            book = RenderBook(Array(disk.values), nextID: nextOnDisk, limit: limit, at: now)
            writeDown()
            perform(book.start(at: now))
        }

        /// - Returns: whether it lived to the end of the event.
        mutating func carryOut(_ actions: [RenderBook.Action]) -> Bool {
            if random.chance(1, in: 40) { crash(); return false }
            writeDown()
            if random.chance(1, in: 40) { crash(); return false }
            perform(actions)
            return !random.chance(1, in: 40)
                || {
                    crash(); return false
                }()
        }

        mutating func perform(_ actions: [RenderBook.Action]) {
            for action in actions {
                switch action {
                case .begin(let id):
                    #expect(running.insert(id).inserted, "render \(id) runs already")
                    #expect(book.entries[id].map { $0.ticket.after.allSatisfy { isDone($0) } } == true)
                case .stop(let id): #expect(running.contains(id))
                }
            }
            // A start is written down with the first event after it at the latest.
            writeDown()
        }

        func isDone(_ id: RenderID) -> Bool { book.entries[id].map { $0.state == .done } ?? purged.contains(id) }

        mutating func step() {
            now += 1
            let ids = book.entries.keys.sorted()
            let id = ids.isEmpty ? RenderID(1) : random.pick(ids)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1, 2: submit()
            case 3: if let actions = try? book.pause(id, at: now) { _ = carryOut(actions) }
            case 4, 5: if let actions = try? book.resume(id, at: now) { _ = carryOut(actions) }
            case 6: if let actions = try? book.cancel(id, at: now) { _ = carryOut(actions) }
            case 7: if let actions = try? book.retry(id, at: now) { _ = carryOut(actions) }
            case 8:
                guard (try? book.purge(id)) != nil else { return }
                // Whoever asked may hear of it or not; it is gone or not.
                purged.insert(id)
                if !carryOut([]), disk[id] != nil { purged.remove(id) } else { promised.remove(id) }
            default: end()
            }
        }

        private mutating func submit() {
            let known = book.entries.keys.sorted()
            var after: Set<RenderID> = []
            if !known.isEmpty, random.chance(1, in: 3) { after = [random.pick(known)] }
            let key = random.chance(1, in: 2) ? "k\(Int.random(in: 0..<30, using: &random))" : nil
            let ticket = RenderTicket(
                name: "a", output: "/a", submitter: random.pick(["ann", "bob"]), digest: "",
                priority: random.pick([-1, 0, 1, .min, .max]), after: after, key: key)
            guard let answer = try? book.submit(ticket, at: now) else { return }
            if carryOut(answer.actions) { promised.insert(answer.entry.id) }
        }

        private mutating func end() {
            guard let id = running.sorted().randomElement(using: &random) else { return }
            running.remove(id)
            let outcome = random.pick([
                RenderBook.Outcome.done, .done, .failed(reason: "f"), .lacking(reason: "l"), .stopped,
            ])
            // Nothing stops by itself.
            if outcome == .stopped, book.entries[id]?.state == .running { running.insert(id); return }
            _ = carryOut(book.ended(id, outcome, at: now))
        }

        func check() {
            let active = book.entries.values.filter(\.state.isActive)
            #expect(active.count <= limit)
            #expect(Set(active.map(\.id)) == running, "what is active runs, and nothing else")
            #expect(promised.subtracting(book.entries.keys) == [], "what was answered is there")
            var keys: Set<String> = []
            for entry in book.entries.values {
                #expect(entry == disk[entry.id], "what is known is written down")
                if let key = entry.ticket.key { #expect(keys.insert("\(entry.ticket.submitter)/\(key)").inserted) }
                if entry.state == .waiting { #expect(!entry.ticket.after.allSatisfy { isDone($0) }) }
                if entry.state == .queued { #expect(active.count == limit, "render \(entry.id) waits for nothing") }
                #expect(entry.state.hasEnded == (entry.endedAt != nil))
            }
        }
    }

    @Test func `nothing is lost, twice or stuck, whenever the server dies`() { Self.simulate(Seed.cases(100)) }

    /// More wishes and crashes.
    @Suite struct Sweep {
        @Test func `nothing is lost, twice or stuck, whenever the server dies`() { simulate(Seed.cases(3000)) }
    }

    private static func simulate(_ cases: Int) {
        let seed = Seed.announced(for: "RenderBookSimulation", cases: cases)
        for index in 0..<cases {
            var world = World(SplitMix64.forCase(index, of: seed))
            for _ in 0..<120 {
                world.step()
                world.check()
            }
            // Where nothing new comes, everything ends.
            for _ in 0..<2000 where !world.running.isEmpty {
                guard let id = world.running.sorted().first else { break }
                world.running.remove(id)
                world.perform(world.book.ended(id, .done, at: world.now))
            }
            let open = world.book.entries.values.filter { !$0.state.hasEnded && $0.state != .paused }
            // A paused one may hold others up.
            #expect(
                open.allSatisfy { entry in
                    entry.state == .waiting && entry.ticket.after.contains { world.book.entries[$0]?.state != .done }
                }, "case \(index) of CUTROOM_SEED=\(seed): \(open.map(\.state))")
        }
    }
}
