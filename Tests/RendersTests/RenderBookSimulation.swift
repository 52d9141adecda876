import Renders
import TestSupport
import Testing

/// Random requests and ends, with crashes between any two steps: the book receives the event, its
/// changes are written, its actions are carried out, its answer is sent.
@Suite struct RenderBookSimulation {
    /// A server that may die at any moment, and what remains of it.
    fileprivate struct World {
        var random: SplitMix64
        var book: RenderBook
        /// The written entries.
        var disk: [RenderID: RenderEntry] = [:]
        var nextOnDisk: Int64 = 1
        /// The running renders; they end with the server.
        var running: Set<RenderID> = []
        /// The acknowledged renders.
        var promised: Set<RenderID> = []
        var purged: Set<RenderID> = []
        var now = 0.0
        let limit: Int
        var watches: [Watch]
        var watchers = RenderWatchers(.init(all: 3, perClient: 2))
        var eras: UInt64 = 1

        init(_ random: SplitMix64) {
            self.random = random
            limit = Int.random(in: 1...4, using: &self.random)
            book = RenderBook(limit: limit, era: 1)
            watches = [nil, nil, "ann", "bob"].map { Watch(submitter: $0) }
        }

        mutating func writeDown() {
            let changes = book.takeChanges()
            tell(changes)
            for change in changes {
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
            eras += 1
            book = RenderBook(Array(disk.values), nextID: nextOnDisk, limit: limit, era: eras, at: now)
            // Clients reconnect.
            _ = watchers.dismiss()
            for index in watches.indices { watches[index].waiting = nil }
            writeDown()
            perform(book.start(at: now))
        }

        /// - Returns: whether the server survived the event.
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
            // A start is written at the latest with the first event after it.
            writeDown()
        }

        func isDone(_ id: RenderID) -> Bool { book.entries[id].map { $0.state == .done } ?? purged.contains(id) }

        mutating func step() {
            now += 1
            let ids = book.entries.keys
            #expect(ids == ids.sorted())
            let id = ids.isEmpty ? RenderID(1) : random.pick(ids)
            if random.chance(1, in: 2) { ask(Int.random(in: 0..<watches.count, using: &random)) }
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1, 2: submit()
            case 12: refused(id)
            case 3: if let actions = try? book.pause(id, at: now) { _ = carryOut(actions) }
            case 4, 5: if let actions = try? book.resume(id, at: now) { _ = carryOut(actions) }
            case 6: if let actions = try? book.cancel(id, at: now) { _ = carryOut(actions) }
            case 7: if let actions = try? book.retry(id, at: now) { _ = carryOut(actions) }
            case 8:
                guard (try? book.purge(id)) != nil else { return }
                // The client may or may not get an answer; the render may or may not be gone.
                purged.insert(id)
                if !carryOut([]), disk[id] != nil { purged.remove(id) } else { promised.remove(id) }
            default: end()
            }
        }

        /// Several requests, one of which is refused, change nothing.
        private mutating func refused(_ id: RenderID) {
            let before = (book.entries.values, book.counts, book.nextID, book.cursor)
            #expect(throws: RenderBook.Refusal.self) {
                try book.all { book throws(RenderBook.Refusal) in
                    for step in [0, 1, 2, 3].shuffled(using: &random) {
                        switch step {
                        case 0: _ = try? book.submit(Self.ticket(&random, []), at: now)
                        case 1: _ = try? book.cancel(id, at: now)
                        case 2: _ = try? book.purge(id)
                        default: _ = try? book.prioritise(id, random.pick([-3, 3]))
                        }
                    }
                    throw RenderBook.Refusal("no")
                }
            }
            #expect(book.entries.values == before.0 && book.counts == before.1)
            #expect(book.nextID == before.2 && book.cursor == before.3)
            #expect(book.takeChanges() == [], "what was taken back is not written down")
        }

        private static func ticket(_ random: inout SplitMix64, _ after: Set<RenderID>) -> RenderTicket {
            let key = random.chance(1, in: 2) ? "k\(Int.random(in: 0..<30, using: &random))" : nil
            return RenderTicket(
                name: "a", output: "/a", submitter: random.pick(["ann", "bob"]), digest: "",
                priority: random.pick([-1, 0, 1, .min, .max]), after: after, key: key,
                uploads: random.chance(1, in: 2) ? ["u\(Int.random(in: 0..<5, using: &random))"] : nil)
        }

        private mutating func submit() {
            let known = book.entries.keys.sorted()
            var after: Set<RenderID> = []
            if !known.isEmpty, random.chance(1, in: 3) { after = [random.pick(known)] }
            let ticket = Self.ticket(&random, after)
            guard let answer = try? book.submit(ticket, at: now) else { return }
            if carryOut(answer.actions) { promised.insert(answer.entry.id) }
        }

        private mutating func end() {
            guard let id = running.sorted().randomElement(using: &random) else { return }
            running.remove(id)
            let outcome = random.pick([
                RenderBook.Outcome.done, .done, .failed(reason: "f"), .lacking(reason: "l"), .stopped,
            ])
            // No run stops by itself.
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
            checkIndexes()
            checkWatches()
        }

        /// The indexes contain what a scan of all entries finds.
        private func checkIndexes() {
            let entries = book.entries.values
            #expect(book.entries.count == entries.count)
            #expect(book.counts == Dictionary(grouping: entries, by: \.state).mapValues(\.count))
            #expect(book.activeIDs == entries.filter(\.state.isActive).map(\.id))
            #expect(book.submitters == Set(entries.map(\.ticket.submitter)))
            for submitter in ["ann", "bob"] {
                let own = entries.filter { $0.ticket.submitter == submitter }
                #expect(book.count(of: submitter) == own.count)
                #expect(book.uploads(of: submitter) == own.reduce(into: []) { $0.formUnion($1.ticket.uploads ?? []) })
            }
        }
    }

    /// A client that requests the changes since its last request, and its view of the renders.
    fileprivate struct Watch {
        /// nil: it sees all renders.
        let submitter: String?
        var ids: Set<RenderID>?
        var known: [RenderID: RenderEntry] = [:]
        var cursor: RenderCursor?
        var waiting: RenderWatchers.ID?
    }

    @Test func `nothing is lost, twice or stuck, whenever the server dies`() { Self.simulate(Seed.cases(100)) }

    /// More requests and crashes.
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
            // Without new requests, everything ends.
            for _ in 0..<2000 where !world.running.isEmpty {
                guard let id = world.running.sorted().first else { break }
                world.running.remove(id)
                world.perform(world.book.ended(id, .done, at: world.now))
            }
            let open = world.book.entries.values.filter { !$0.state.hasEnded && $0.state != .paused }
            // A paused render may block others.
            #expect(
                open.allSatisfy { entry in
                    entry.state == .waiting && entry.ticket.after.contains { world.book.entries[$0]?.state != .done }
                }, "case \(index) of CUTROOM_SEED=\(seed): \(open.map(\.state))")
        }
    }
}

extension RenderBookSimulation.World {
    /// A client sends a request: it lists all renders if it knows nothing, else it receives changes
    /// or waits.
    mutating func ask(_ index: Int) {
        guard watches[index].waiting == nil else { return }
        if watches[index].cursor == nil, random.chance(1, in: 3) {
            watches[index].ids = Set(book.entries.keys.filter { _ in random.chance(1, in: 2) })
        }
        guard hear(index), let cursor = watches[index].cursor else { return list(index) }
        guard cursor == book.cursor else { return }
        let watch = watches[index]
        let interest = RenderInterest(watch.ids, of: watch.submitter)
        let client = watch.submitter ?? "all"
        let (id, out) = watchers.add(client, for: interest, until: now + Double.random(in: 0...20, using: &random))
        watches[index].waiting = id
        answer(out)
        #expect(watchers.count <= 3)
    }

    private mutating func list(_ index: Int) {
        let interest = RenderInterest(watches[index].ids, of: watches[index].submitter)
        watches[index].cursor = book.cursor
        watches[index].known = [:]
        book.entries.forEach(after: nil) { entry in
            if interest.covers(entry.id, of: entry.ticket.submitter) { watches[index].known[entry.id] = entry }
            return true
        }
    }

    /// - Returns: false if the client's revision is too old.
    private mutating func hear(_ index: Int) -> Bool {
        let watch = watches[index]
        guard let cursor = watch.cursor else { return false }
        let interest = RenderInterest(watch.ids, of: watch.submitter)
        let limit = random.pick([1, 2, 1000])
        guard let changes = book.changes(since: cursor, for: interest, limit: limit) else {
            #expect(cursor.era != book.era, "a book of few changes tells all of its own")
            watches[index].cursor = nil
            return false
        }
        #expect(Set(changes.entries.map(\.id)).count == changes.entries.count)
        for entry in changes.entries { watches[index].known[entry.id] = entry }
        for id in changes.gone {
            #expect(book.entries[id] == nil)
            watches[index].known[id] = nil
        }
        #expect(changes.cursor == book.cursor || !changes.isEmpty, "each answer goes on")
        watches[index].cursor = changes.cursor
        return true
    }

    /// Written changes wake the clients that wait for them, and no others except those whose time
    /// is over.
    mutating func tell(_ changes: [RenderBook.Change]) {
        var submitters: [RenderID: String] = [:]
        for change in changes {
            switch change {
            case .put(let entry): submitters[entry.id] = entry.ticket.submitter
            case .remove(let id): submitters[id] = disk[id]?.ticket.submitter ?? ""
            }
        }
        answer(watchers.wake(submitters))
        let late = watchers.expire(at: now)
        #expect(watchers.deadline.map { $0 > now } ?? true)
        answer(late)
    }

    private mutating func answer(_ ids: [RenderWatchers.ID]) {
        for index in watches.indices {
            guard let id = watches[index].waiting, ids.contains(id) else { continue }
            watches[index].waiting = nil
        }
    }

    /// A waiting client knows everything; a client that repeats its request comes to know
    /// everything.
    func checkWatches() {
        for var watch in watches where watch.cursor?.era == book.era {
            let interest = RenderInterest(watch.ids, of: watch.submitter)
            if watch.waiting != nil {
                let news = watch.cursor.flatMap { book.changes(since: $0, for: interest) }
                #expect(news?.isEmpty == true, "a watcher sleeps through a change")
            }
            while let cursor = watch.cursor, let news = book.changes(since: cursor, for: interest, limit: 2) {
                for entry in news.entries { watch.known[entry.id] = entry }
                for id in news.gone { watch.known[id] = nil }
                watch.cursor = news.cursor
                if news.isEmpty { break }
            }
            let seen = book.entries.values.filter { interest.covers($0.id, of: $0.ticket.submitter) }
            #expect(watch.known.values.sorted { $0.id < $1.id } == seen)
        }
    }
}
