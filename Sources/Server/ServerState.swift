import Farm
import Foundation
import HostCore
import Journal
import Renders
import ServerClient

/// The state of the server's task: the book, the tasks of running renders, and the results of the
/// current turn.
struct ServerState {
    let server: Server
    var book: RenderBook
    /// The clients that wait for a change, and their requests.
    var watchers = RenderWatchers()
    var watches: [RenderWatchers.ID: ServerWatch] = [:]
    /// Submissions that arrive in chunks, and their requests.
    var batches = RenderBatches()
    var staged: [RenderBatches.ID: StagedRequests] = [:]
    /// When the inbox receives the next `.timeIsOver`.
    var alarm = Double.infinity
    var turn = Turn()
    private var runs: [RenderID: Task<Void, Never>] = [:]
    private var isLeaving = false
    /// A retry is scheduled.
    private var isToldAgain = false
    /// The delay before a retry. Meanwhile, space may be freed, or another program may unlock the
    /// journal.
    private static let patience = Duration.seconds(5)
    /// The parts that nodes have been making since before the server was started; used by the first
    /// run of a render.
    private var leases: [RenderID: [String: JournalLease]]

    /// The results of a turn's events, before they are written to the journal.
    struct Turn {
        var actions: [RenderBook.Action] = []
        /// Written together with the changes of the book, in one transaction.
        var records: [JournalRecord] = []
        /// Renders whose parts are removed from disk.
        var partless: [RenderID] = []
        /// The tickets of purged renders.
        var purged: [RenderTicket] = []
        /// The submitters of purged renders.
        var owners: [RenderID: String] = [:]
        var replies: [Reply] = []
    }

    /// The answer that a client receives after the turn is in the journal.
    struct Reply {
        var listener: RequestListener
        var sender: RequestSocket.Sender
        var request: IncomingRequest
        var say: Answer

        enum Answer {
            /// Something was changed; the answer is sent only if the change is in the journal.
            case changed(ServerResponse.Body)
            /// These renders were changed.
            case statuses([RenderID])
            /// Nothing was changed; the answer reads the book as it is in the journal.
            case look
            case failed(ServerResponse.Body)
        }
    }

    /// Returns a number that distinguishes the revisions of one book from those of another.
    static var newEra: UInt64 { UInt64.random(in: 1...(1 << 53)) }

    init(_ server: Server, _ book: RenderBook, _ leases: [RenderID: [String: JournalLease]]) {
        (self.server, self.book, self.leases) = (server, book, leases)
    }

    var now: Double { Date().timeIntervalSince1970 }

    /// The server was told to end, and nothing is running.
    var isIdle: Bool { isLeaving && runs.isEmpty }

    mutating func begin() async {
        if let uploads = server.options.confinement.uploads {
            FileLane("uploads").post { [needed] in uploads.sweep(keeping: needed) }
        }
        await ServerParts.removeHidden(server.journal) { [book] id in
            book.entries[id].map { $0.state != .done } ?? false
        }
        turn.actions += book.start(at: now)
        await settle()
    }

    // MARK: A turn

    /// Processes an event. Nothing is written or sent before ``settle()``.
    mutating func take(_ event: Server.Event) {
        switch event {
        case .request(let listener, let sender, let request):
            turn.replies.append(Reply(listener: listener, sender: sender, request: request, say: take(request)))
        case .ended(let id, let outcome): ended(id, outcome)
        case .count(let tell): tell(book.counts)
        case .again:
            isToldAgain = false
            if !isLeaving { turn.actions += book.start(at: now) }
        case .timeIsOver: alarm = .infinity
        case .stop:
            isLeaving = true
            for run in runs.values { run.cancel() }
        }
    }

    /// Writes the changes of a turn to the journal in one transaction. Then carries out its actions
    /// and sends its answers.
    mutating func settle() async {
        let turn = turn
        self.turn = Turn()
        let changes = book.takeChanges()
        let failure = await write(changes.map { JournalRecord($0) } + turn.records)
        if failure == nil {
            for action in turn.actions {
                switch action {
                // The next server starts the renders of a server that ends.
                case .begin(let id): if !isLeaving { start(id) }
                case .stop(let id): runs[id]?.cancel()
                }
            }
            await clear(turn)
            wake(changes, turn.owners)
        }
        for reply in turn.replies { answer(reply, failure) }
        answerWhoseTimeIsOver()
    }

    /// Writes records to the journal.
    /// - Returns: why nothing was written; nil on success.
    private mutating func write(_ records: [JournalRecord]) async -> JournalError? {
        do throws(JournalError) {
            try await server.journal.write(records)
            return nil
        } catch {
            server.options.log.error("\(error.message)")
            // Changes that are not in the journal have not happened; running renders continue.
            restore()
            return error
        }
    }

    /// Restores the book from the journal after a failed write. Renders that may start then start
    /// once the journal can be written again.
    private mutating func restore() {
        if !isToldAgain {
            isToldAgain = true
            Task { [inbox = server.inbox] in
                try? await Task.sleep(for: Self.patience)
                inbox.post(.again)
            }
        }
        guard let contents = try? server.journal.contents() else { return }
        book = RenderBook(
            contents.entries, nextID: contents.nextRender, limit: book.limit, running: Set(runs.keys),
            era: Self.newEra, at: now)
        dismiss()
    }

    /// Removes the files that the renders of a turn no longer need. The cache may still have their
    /// parts.
    private func clear(_ turn: Turn) async {
        guard !turn.partless.isEmpty || !turn.purged.isEmpty else { return }
        let (place, uploads) = (server.options.place, server.options.confinement.uploads)
        let unused = turn.purged.compactMap { ticket in
            ticket.uploads.map { (ticket.submitter, $0.filter { !book.uses($0, of: ticket.submitter) }) }
        }
        await FileLane("parts").run {
            for id in turn.partless { ServerParts.remove(id, in: place) }
            for ticket in turn.purged { KeptOutputs(place).remove(ticket.output) }
            for (submitter, files) in unused { uploads?.remove(files, of: submitter) }
        }
    }

    // MARK: Runs

    private mutating func ended(_ id: RenderID, _ outcome: RenderBook.Outcome) {
        runs[id] = nil
        server.progress.withLock { _ = $0.removeValue(forKey: id) }
        // It continues after a restart; the journal already says so.
        if isLeaving, outcome == .stopped, book.entries[id]?.state == .running { return }
        let actions = book.ended(id, outcome, at: now)
        if !isLeaving { turn.actions += actions }
        turn.records += note(of: id, outcome)
        guard let entry = book.entries[id], entry.state.hasEnded else { return }
        if entry.state == .done { turn.records.append(.noParts(id)) }
        if entry.state != .failed { turn.partless.append(id) }
    }

    /// Returns the log entry that says why a render stopped. It is written together with the state,
    /// so that neither exists without the other.
    private func note(of id: RenderID, _ outcome: RenderBook.Outcome) -> [JournalRecord] {
        let (reason, end): (String, String)
        switch outcome {
        case .failed(let why): (reason, end) = (why, "failed")
        case .lacking(let why): (reason, end) = (why, "was paused")
        case .done, .stopped: return []
        }
        server.options.log.warning("render \(id) \(end): \(reason)")
        return [.note(id, RenderNote(time: now, .error, reason))]
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
            server.inbox.post(.ended(id, outcome))
        }
    }
}
