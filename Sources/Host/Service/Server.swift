import Composition
import Farm
import Foundation
import Hashing
import Journal
import Logging
import Rendering
import Renders
import Synchronization

/// A server: it takes renders in at its door, writes them down, has them rendered, and goes on where it was when it comes again.
///
/// One task does everything that concerns the book, one event after the other: an event's changes are in the journal before anybody hears
/// of it. Renders run in tasks of their own.
final class Server: Sendable {
    struct Options: Sendable {
        var place: ServerPlace
        /// Renders that run at a time.
        var active: Int
        var cacheBound: Int64
        var log: Logger
    }

    enum Event: Sendable {
        case question(DoorSocket.Visitor, Data)
        case ended(RenderID, RenderBook.Outcome)
        case stop
    }

    let options: Options
    let queue: JobQueue
    let journal: Journal
    let inbox: AsyncStream<Event>.Continuation
    private let events: AsyncStream<Event>
    /// How far the renders that run are.
    let progress = Mutex<[RenderID: RenderProgress]>([:])

    /// - Throws: where another server uses the folder, or the journal cannot be read. Blocks: not for asynchronous code.
    init(_ options: Options, _ queue: JobQueue) throws {
        (self.options, self.queue) = (options, queue)
        do throws(JournalError) {
            journal = try Journal(folder: options.place.folder)
        } catch {
            throw HostError(error)
        }
        (events, inbox) = AsyncStream<Event>.makeStream()
    }

    /// Serves until somebody stops it. Every render is stopped then, and goes on when the server comes again.
    func run(isOpen: @escaping @Sendable () -> Void) async throws {
        let contents = try journal.contents()
        var desk = ServerDesk(
            self,
            RenderBook(
                contents.entries, nextID: contents.nextRender, limit: options.active,
                at: Date().timeIntervalSince1970))
        // A socket that a killed server has left is in the way.
        try? FileManager.default.removeItem(atPath: options.place.door)
        let door = try DoorSocket("ipc://" + options.place.door) { [inbox] in inbox.yield(.question($0, $1)) }
        isOpen()
        await desk.begin()
        for await event in events {
            switch event {
            case .question(let visitor, let data): door.answer(visitor, await desk.answer(data))
            case .ended(let id, let outcome): await desk.ended(id, outcome)
            case .stop: desk.stop()
            }
            if desk.isIdle { break }
        }
        door.close()
        try? FileManager.default.removeItem(atPath: options.place.door)
    }

    /// Ends ``run(isOpen:)`` when every render has stopped.
    func stop() { inbox.yield(.stop) }
}

/// The server's one task's own part: the book, and which run is which render's.
struct ServerDesk {
    private let server: Server
    private var book: RenderBook
    private var runs: [RenderID: Task<Void, Never>] = [:]
    private var isLeaving = false

    init(_ server: Server, _ book: RenderBook) { (self.server, self.book) = (server, book) }

    private var now: Double { Date().timeIntervalSince1970 }

    /// It was told to leave, and nothing runs.
    var isIdle: Bool { isLeaving && runs.isEmpty }

    mutating func begin() async {
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
        await carryOut(isLeaving ? [] : actions)
        guard let entry = book.entries[id], entry.state.hasEnded else { return }
        await forgetParts(of: entry)
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

    /// The book as the journal has it, after something could not be written.
    private mutating func restore() async {
        guard let contents = try? server.journal.contents() else { return }
        book = RenderBook(
            contents.entries, nextID: contents.nextRender, limit: book.limit, running: Set(runs.keys),
            at: now)
    }

    private mutating func start(_ id: RenderID) {
        guard let entry = book.entries[id] else { return }
        let server = server
        let run = RenderRun(
            id: id, ticket: entry.ticket, queue: server.queue, journal: server.journal, place: server.options.place,
            cacheBound: server.options.cacheBound, log: server.options.log,
            report: { progress in server.progress.withLock { $0[id] = progress } },
            note: { level, text in
                let note = RenderNote(time: Date().timeIntervalSince1970, level, text)
                server.journal.write([.note(id, note)]) { _ in }
            })
        runs[id] = Task {
            let outcome = await run.run()
            if case .failed(let reason) = outcome { run.note(.error, reason) }
            if case .lacking(let reason) = outcome { run.note(.error, reason) }
            server.inbox.yield(.ended(id, outcome))
        }
    }

    // MARK: Questions

    mutating func answer(_ data: Data) async -> Data {
        var number: UInt64 = 0
        let say: DoorAnswer.Say
        do {
            let question = try JSONDecoder().decode(DoorQuestion.self, from: data)
            number = question.number
            say = try await answer(question)
        } catch let error as RenderBook.Refusal {
            say = .refused(error.description)
        } catch let error as HostError {
            say = .refused(error.message)
        } catch {
            say = .refused("The question cannot be read; the server is Cutroom \(Engine.version).")
        }
        return (try? JSONEncoder().encode(DoorAnswer(number: number, say: say))) ?? Data()
    }

    private mutating func answer(_ question: DoorQuestion) async throws -> DoorAnswer.Say {
        guard question.engine == Engine.version else {
            throw HostError(.usage, "The server is Cutroom \(Engine.version), and this is \(question.engine).")
        }
        switch question.ask {
        case .submit(let submissions): return try await submit(submissions, question.submitter)
        case .list(let all):
            let since = now - 24 * 3600
            let entries = book.entries.values.filter { all || !$0.state.hasEnded || ($0.endedAt ?? 0) > since }
            return .renders(entries.sorted { $0.id < $1.id }.map(status))
        case .show(let id):
            guard let entry = book.entries[id] else { throw RenderBook.Refusal("There is no render \(id).") }
            return .renders([status(entry)])
        case .log(let id):
            guard book.entries[id] != nil else { throw RenderBook.Refusal("There is no render \(id).") }
            do throws(JournalError) { return .log(try await server.journal.notes(of: id)) } catch {
                throw HostError(error)
            }
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
        case .prioritise(let ids, let priority):
            return try await change(ids) { book, id, _ in
                try book.prioritise(id, priority)
                return []
            }
        }
    }

    /// Does something to several renders, or to none of them where one refuses.
    private mutating func change(
        _ ids: [RenderID], _ body: (inout RenderBook, RenderID, Double) throws -> [RenderBook.Action]
    ) async throws -> DoorAnswer.Say {
        var changed = book
        var actions: [RenderBook.Action] = []
        for id in ids { actions += try body(&changed, id, now) }
        let gone = ids.filter { changed.entries[$0] == nil }
        book = changed
        if let error = await carryOut(actions) { throw HostError(error) }
        let place = server.options.place
        await FileLane("parts").run { for id in gone { ServerParts.remove(id, in: place) } }
        return .renders(ids.compactMap { book.entries[$0] }.map(status))
    }

    /// Takes renders in: all or none.
    private mutating func submit(
        _ submissions: [DoorQuestion.Submission], _ submitter: String
    ) async throws -> DoorAnswer.Say {
        var changed = book
        var (actions, receipts, records): ([RenderBook.Action], [DoorAnswer.Receipt], [JournalRecord]) = ([], [], [])
        for submission in submissions {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let request = try encoder.encode(submission.request)
            let ticket = RenderTicket(
                name: submission.request.name, output: submission.request.output, submitter: submitter,
                digest: SHA256.hash(request), priority: submission.priority, tags: submission.tags,
                after: submission.after, key: submission.key)
            let taken = try changed.submit(ticket, at: now)
            receipts.append(DoorAnswer.Receipt(id: taken.entry.id, isNew: taken.isNew))
            if taken.isNew { records.append(.request(taken.entry.id, request)) }
            actions += taken.actions
        }
        book = changed
        if let error = await carryOut(actions, with: records) { throw HostError(error) }
        return .submitted(receipts)
    }

    private func status(_ entry: RenderEntry) -> RenderStatus {
        let progress = server.progress.withLock { $0[entry.id] }
        return RenderStatus(entry: entry, stage: progress?.stage, done: progress?.done, total: progress?.total)
    }
}

extension HostError {
    init(_ error: JournalError) { self.init(error.code == .inUse ? .unavailable : .inputOutput, error.message) }
}
