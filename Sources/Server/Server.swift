import Composition
import Farm
import Foundation
import Glibc
import Hashing
import HostCore
import Journal
import Logging
import Rendering
import Renders
import ServerClient
import Synchronization

/// A server: it takes renders in at its door, writes them down, has them rendered, and goes on where it was when it comes again.
///
/// One task does everything that concerns the book, one event after the other: an event's changes are in the journal before anybody hears
/// of it. Renders run in tasks of their own.
package final class Server: Sendable {
    package struct Options: Sendable {
        package var place: ServerPlace
        /// Renders that run at a time.
        var active: Int
        var cacheBound: Int64
        package var log: Logger
        /// The socket of the door in its folder, where somebody else has opened it, and removes it.
        var doorSocket: Int32?
        /// Addresses at which others may ask, too.
        var doors: [String] = []
        /// The server's own key, and those of others.
        package var keys = FarmKeys()
        /// What renders may name that come over a network.
        var confinement = Confinement()

        package init(
            place: ServerPlace, active: Int, cacheBound: Int64, log: Logger, doorSocket: Int32? = nil,
            doors: [String] = [], keys: FarmKeys = FarmKeys(), confinement: Confinement = Confinement()
        ) {
            self.place = place
            self.active = active
            self.cacheBound = cacheBound
            self.log = log
            self.doorSocket = doorSocket
            self.doors = doors
            self.keys = keys
            self.confinement = confinement
        }
    }

    enum Event: Sendable {
        case question(DoorSocket, DoorLine.Visitor, Asked)
        case ended(RenderID, RenderBook.Outcome)
        /// How many renders there are, by state; nil where the server has ended.
        case count(@Sendable ([RenderState: Int]?) -> Void)
        /// Something could not be written down a while ago.
        case again
        case stop
    }

    package let options: Options
    package let queue: JobQueue
    let journal: Journal
    private let memory: ServerMemory
    let inbox: AsyncStream<Event>.Continuation
    private let events: AsyncStream<Event>
    /// How far the renders that run are.
    let progress = Mutex<[RenderID: RenderProgress]>([:])

    package init(_ options: Options, _ queue: JobQueue, _ memory: ServerMemory) {
        (self.options, self.queue, self.memory, journal) = (options, queue, memory, memory.journal)
        (events, inbox) = AsyncStream<Event>.makeStream()
    }

    /// Serves until somebody stops it. Every render is stopped then, and goes on when the server comes again.
    /// - Parameter isOpen: told of the addresses at which it may be asked.
    package func run(isOpen: @escaping @Sendable ([String]) -> Void) async throws {
        let contents = memory.contents
        var desk = ServerDesk(
            self,
            RenderBook(
                contents.entries, nextID: contents.nextRender, limit: options.active,
                at: Date().timeIntervalSince1970), contents.leases)
        // A socket that a killed server has left is in the way.
        if options.doorSocket == nil { try? FileManager.default.removeItem(atPath: options.place.door) }
        let doors = try Doors(options) { [inbox] in inbox.yield(.question($0, $1, $2)) }
        isOpen(doors.endpoints)
        await desk.begin()
        for await event in events {
            switch event {
            case .question(let door, let visitor, let asked):
                if let fetch = desk.fetch(asked) {
                    fetch.answer { door.answer(visitor, $0, with: $1) }
                } else if let upload = desk.upload(asked) {
                    upload.answer { door.answer(visitor, $0) }
                } else {
                    door.answer(visitor, await desk.answer(asked))
                }
            case .ended(let id, let outcome): await desk.ended(id, outcome)
            case .count(let tell): tell(desk.counts)
            case .again: await desk.goOn()
            case .stop: desk.stop()
            }
            if desk.isIdle { break }
        }
        doors.close()
        inbox.finish()
        for await case .count(let tell) in events { tell(nil) }
        if options.doorSocket == nil { try? FileManager.default.removeItem(atPath: options.place.door) }
    }

    /// How it stands; nil where it has ended.
    package func figures() async -> ServerFigures? {
        let renders = await withCheckedContinuation { continuation in
            if case .terminated = inbox.yield(.count { continuation.resume(returning: $0) }) {
                continuation.resume(returning: nil)
            }
        }
        guard let renders, let status = await queue.status() else { return nil }
        return await FileLane("figures").run { [self] in
            var disk = statvfs()
            let free = statvfs(options.place.folder, &disk) == 0 ? Int64(disk.f_bavail) * Int64(disk.f_frsize) : 0
            return ServerFigures(
                renders: renders, queue: status, endpoints: queue.endpoints, journal: memory.commits.figures,
                journalBytes: journal.size, freeBytes: free)
        }
    }

    /// Ends ``run(isOpen:)`` when every render has stopped.
    package func stop() { inbox.yield(.stop) }
}

/// The server's one task's own part: the book, and which run is which render's.
struct ServerDesk {
    let server: Server
    private(set) var book: RenderBook
    private var runs: [RenderID: Task<Void, Never>] = [:]
    private var isLeaving = false
    /// It is to go on in a while.
    private var isToldAgain = false
    /// Somebody makes room meanwhile, or another program gives the journal back.
    private static let patience = Duration.seconds(5)
    /// What nodes make since before the server was started; of use to the first run of a render.
    private var leases: [RenderID: [String: JournalLease]]

    init(_ server: Server, _ book: RenderBook, _ leases: [RenderID: [String: JournalLease]]) {
        (self.server, self.book, self.leases) = (server, book, leases)
    }

    private var now: Double { Date().timeIntervalSince1970 }

    /// It was told to leave, and nothing runs.
    var isIdle: Bool { isLeaving && runs.isEmpty }

    var counts: [RenderState: Int] { book.entries.values.reduce(into: [:]) { $0[$1.state, default: 0] += 1 } }

    mutating func begin() async {
        if let uploads = server.options.confinement.uploads {
            FileLane("uploads").post { [needed] in uploads.sweep(keeping: needed) }
        }
        for entry in book.entries.values where entry.state != .done {
            await ServerParts.removeHidden(of: entry.id, server.journal)
        }
        let actions = book.start(at: now)
        await carryOut(actions)
    }

    mutating func stop() {
        isLeaving = true
        for run in runs.values { run.cancel() }
    }

    mutating func ended(_ id: RenderID, _ outcome: RenderBook.Outcome) async {
        runs[id] = nil
        server.progress.withLock { _ = $0.removeValue(forKey: id) }
        // It goes on when the server comes again; the journal says so already.
        if isLeaving, outcome == .stopped, book.entries[id]?.state == .running { return }
        let actions = book.ended(id, outcome, at: now)
        await carryOut(isLeaving ? [] : actions, with: note(of: id, outcome))
        guard let entry = book.entries[id], entry.state.hasEnded else { return }
        await forgetParts(of: entry)
    }

    /// Why a render has stopped, for its log, written down with its state: so one is there where the other is.
    private func note(of id: RenderID, _ outcome: RenderBook.Outcome) -> [JournalRecord] {
        let (reason, end): (String, String)
        switch outcome {
        case .failed(let why): (reason, end) = (why, "has failed")
        case .lacking(let why): (reason, end) = (why, "is paused")
        case .done, .stopped: return []
        }
        server.options.log.warning("render \(id) \(end): \(reason)")
        return [.note(id, RenderNote(time: now, .error, reason))]
    }

    /// Removes the parts of what has ended. The cache has them, as far as it keeps them.
    private func forgetParts(of entry: RenderEntry) async {
        let place = server.options.place
        if entry.state == .done { try? await server.journal.write([.noParts(entry.id)]) }
        if entry.state != .failed { await FileLane("parts").run { ServerParts.remove(entry.id, in: place) } }
    }

    /// Writes down what the book has changed, then does what it wants done.
    /// - Returns: why nothing was written down; nil where all is well.
    @discardableResult
    private mutating func carryOut(
        _ actions: [RenderBook.Action], with records: [JournalRecord] = []
    ) async -> JournalError? {
        let changes = book.takeChanges().map { JournalRecord($0) }
        do throws(JournalError) {
            try await server.journal.write(changes + records)
        } catch {
            server.options.log.error("\(error.message)")
            // What is not written down is not so; what runs runs on.
            await restore()
            return error
        }
        for action in actions {
            switch action {
            case .begin(let id): start(id)
            case .stop(let id): runs[id]?.cancel()
            }
        }
        return nil
    }

    /// The book as the journal has it, after something could not be written. What may begin by it begins when something can be written again.
    private mutating func restore() async {
        if !isToldAgain {
            isToldAgain = true
            Task { [inbox = server.inbox] in
                try? await Task.sleep(for: Self.patience)
                inbox.yield(.again)
            }
        }
        guard let contents = try? server.journal.contents() else { return }
        book = RenderBook(
            contents.entries, nextID: contents.nextRender, limit: book.limit, running: Set(runs.keys),
            at: now)
    }

    /// Begins what the book has to begin, some time after something could not be written.
    mutating func goOn() async {
        isToldAgain = false
        guard !isLeaving else { return }
        let actions = book.start(at: now)
        await carryOut(actions)
    }

    private mutating func start(_ id: RenderID) {
        guard let entry = book.entries[id] else { return }
        let server = server
        let run = RenderRun(
            id: id, ticket: entry.ticket, run: entry.runs, queue: server.queue, journal: server.journal,
            place: server.options.place, cacheBound: server.options.cacheBound,
            leases: leases.removeValue(forKey: id) ?? [:], confinement: server.options.confinement,
            log: server.options.log,
            report: { progress in server.progress.withLock { $0[id] = progress } },
            note: { level, text in
                let note = RenderNote(time: Date().timeIntervalSince1970, level, text)
                server.journal.write([.note(id, note)]) { _ in }
            })
        runs[id] = Task {
            let outcome = await run.run()
            server.inbox.yield(.ended(id, outcome))
        }
    }

    // MARK: Questions

    mutating func answer(_ asked: Asked) async -> Data {
        let say: DoorAnswer.Say
        do {
            let ask = try asked.ask.get()
            if let refusal = asked.caller.refusal(of: ask, in: book) { throw refusal }
            say = try await answer(ask, asked)
        } catch {
            say =
                (error as? RenderBook.Refusal).map { .refused($0.description) } ?? DoorAnswer.Say(HostError(error))
        }
        return (try? JSONEncoder().encode(DoorAnswer(number: asked.number, say: say))) ?? Data()
    }

    /// - Parameter ask: what its caller may ask.
    private mutating func answer(_ ask: DoorQuestion.Ask, _ asked: Asked) async throws -> DoorAnswer.Say {
        switch ask {
        case .submit(let submissions): return try await submit(submissions, asked)
        case .list(let all):
            let since = now - 24 * 3600
            let entries = book.entries.values.filter {
                asked.caller.sees($0) && (all || !$0.state.hasEnded || ($0.endedAt ?? 0) > since)
            }
            return .renders(entries.sorted { $0.id < $1.id }.map(status))
        case .show(let id):
            guard let entry = book.entries[id] else { throw RenderBook.Refusal("There is no render \(id).") }
            return .renders([status(entry)])
        case .log(let id):
            guard book.entries[id] != nil else { throw RenderBook.Refusal("There is no render \(id).") }
            do throws(JournalError) { return .log(try await server.journal.notes(of: id)) } catch {
                throw HostError(error)
            }
        case .farm: return .farm(try await farm())
        case .outputs(let id), .piece(let id, _, _), .digest(let id, _):
            // A render that is done has been answered by the disk.
            throw RenderBook.Refusal(
                "Render \(id) is \(book.entries[id]?.state.rawValue ?? "gone"); there is a file when it is done.")
        case .upload, .give, .finishUpload:
            throw RenderBook.Refusal("The server takes no files; name those under its folders (--map).")
        case .act(let act, let ids):
            return try await change(ids) { book, id, now in
                switch act {
                case .pause: return try book.pause(id, at: now)
                case .resume: return try book.resume(id, at: now)
                case .cancel: return try book.cancel(id, at: now)
                case .retry: return try book.retry(id, at: now)
                case .purge:
                    try book.purge(id)
                    return []
                }
            }
        case .drain(let node, let isDraining):
            try await check(node)
            server.queue.drain(node, isDraining)
            return .farm(try await farm())
        case .forget(let node):
            guard try await check(node) else {
                throw RenderBook.Refusal("The node ‘\(node)’ is here; forget it when it is gone.")
            }
            server.queue.forget(node)
            return .farm(try await farm())
        case .prioritise(let ids, let priority):
            return try await change(ids) { book, id, _ in
                try book.prioritise(id, priority)
                return []
            }
        }
    }

    private func farm() async throws(HostError) -> FarmStatus {
        guard let status = await server.queue.status() else {
            throw HostError(.unavailable, "The server is about to end.")
        }
        return FarmStatus(queue: status, endpoints: server.queue.endpoints)
    }

    /// - Returns: whether the node is gone.
    @discardableResult
    private func check(_ node: String) async throws -> Bool {
        let slots = try await farm().queue.workers.filter { $0.node == node }
        guard !slots.isEmpty else {
            throw RenderBook.Refusal("No node ‘\(node)’ is known; ‘cutroom workers’ lists those that are.")
        }
        return slots.allSatisfy { $0.state == .lost }
    }

    /// Does something to several renders, or to none of them where one refuses.
    private mutating func change(
        _ ids: [RenderID], _ body: (inout RenderBook, RenderID, Double) throws -> [RenderBook.Action]
    ) async throws -> DoorAnswer.Say {
        var changed = book
        var actions: [RenderBook.Action] = []
        for id in ids { actions += try body(&changed, id, now) }
        let gone = ids.filter { changed.entries[$0] == nil }
        let tickets = gone.compactMap { book.entries[$0]?.ticket }
        book = changed
        if let error = await carryOut(actions) { throw HostError(error) }
        let (place, uploads) = (server.options.place, server.options.confinement.uploads)
        let unused = tickets.compactMap { ticket in
            ticket.uploads.map { (ticket.submitter, $0.subtracting(needed(by: ticket.submitter))) }
        }
        await FileLane("parts").run {
            for id in gone { ServerParts.remove(id, in: place) }
            for ticket in tickets { KeptOutputs(place).remove(ticket.output) }
            for (submitter, files) in unused { uploads?.remove(files, of: submitter) }
        }
        return .renders(ids.compactMap { book.entries[$0] }.map(status))
    }

    /// Takes renders in: all or none.
    private mutating func submit(
        _ submissions: [DoorQuestion.Submission], _ asked: Asked
    ) async throws -> DoorAnswer.Say {
        var changed = book
        var (actions, receipts, records): ([RenderBook.Action], [DoorAnswer.Receipt], [JournalRecord]) = ([], [], [])
        for (index, submission) in submissions.enumerated() {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let request = try encoder.encode(submission.request)
            let accepted = asked.accepted?[index] ?? submission.request
            let ticket = RenderTicket(
                name: accepted.name, output: accepted.output, submitter: asked.caller.name,
                digest: SHA256.hash(request), priority: submission.priority, tags: submission.tags,
                after: submission.after, key: submission.key, confinement: asked.caller.confinement,
                uploads: submission.uploads.map { Set($0.values.map(\.description)) })
            let taken = try changed.submit(ticket, at: now)
            receipts.append(DoorAnswer.Receipt(id: taken.entry.id, isNew: taken.isNew))
            if taken.isNew { records.append(.request(taken.entry.id, try encoder.encode(accepted))) }
            actions += taken.actions
        }
        book = changed
        if let error = await carryOut(actions, with: records) { throw HostError(error) }
        return .submitted(receipts)
    }

    private func status(_ entry: RenderEntry) -> RenderStatus {
        let progress = server.progress.withLock { $0[entry.id] }
        let flow = RenderRun.flow(entry.id, of: entry.ticket.submitter)
        let standing = entry.state == .running ? server.queue.standing(of: flow) : nil
        return RenderStatus(
            entry: entry, stage: progress?.stage, done: progress?.done, total: progress?.total,
            waits: standing?.reason)
    }
}

extension HostError {
    package init(_ error: JournalError) { self.init(error.code == .inUse ? .unavailable : .inputOutput, error.message) }
}
