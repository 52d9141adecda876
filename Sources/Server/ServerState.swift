import Farm
import Foundation
import HostCore
import Journal
import Renders
import ServerClient

/// The server's one task's own part: the book, which run is which render's, and what a turn has
/// gathered.
struct ServerState {
    let server: Server
    var book: RenderBook
    /// The clients that wait for a change, and their questions.
    var watchers = RenderWatchers()
    var watches: [RenderWatchers.ID: ServerWatch] = [:]
    /// What is being handed in chunk by chunk, with the requests.
    var batches = RenderBatches()
    var staged: [RenderBatches.ID: StagedRequests] = [:]
    /// When the inbox gets the next `.timeIsOver`.
    var alarm = Double.infinity
    var turn = Turn()
    private var runs: [RenderID: Task<Void, Never>] = [:]
    private var isLeaving = false
    /// It is to go on in a while.
    private var isToldAgain = false
    /// Somebody makes room meanwhile, or another program gives the journal back.
    private static let patience = Duration.seconds(5)
    /// What nodes make since before the server was started; of use to the first run of a render.
    private var leases: [RenderID: [String: JournalLease]]

    /// What the events of a turn have come to, before it is written down.
    struct Turn {
        var actions: [RenderBook.Action] = []
        /// Written with the changes of the book, in one transaction.
        var records: [JournalRecord] = []
        /// Renders whose parts are removed from the disk.
        var partless: [RenderID] = []
        /// The tickets of renders that are forgotten.
        var purged: [RenderTicket] = []
        /// The submitters of renders that are forgotten.
        var owners: [RenderID: String] = [:]
        var replies: [Reply] = []
    }

    /// What a client gets when the turn is written down.
    struct Reply {
        var listener: RequestListener
        var sender: RequestSocket.Sender
        var request: IncomingRequest
        var say: Say

        enum Say {
            /// Something was changed; it is said only if that is written down.
            case changed(ServerResponse.Say)
            /// These renders were changed.
            case statuses([RenderID])
            /// Nothing was changed: it is answered by what is written down.
            case look
            case failed(ServerResponse.Say)
        }
    }

    /// A number that tells one book's revisions from those of any other.
    static var newEra: UInt64 { UInt64.random(in: 1...(1 << 53)) }

    init(_ server: Server, _ book: RenderBook, _ leases: [RenderID: [String: JournalLease]]) {
        (self.server, self.book, self.leases) = (server, book, leases)
    }

    var now: Double { Date().timeIntervalSince1970 }

    /// It was told to leave, and nothing runs.
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

    /// Takes an event in. Nothing is written, and nobody hears of it, before ``settle()``.
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

    /// Writes down what a turn has changed, in one transaction. Then does what follows from it, and
    /// answers.
    mutating func settle() async {
        let turn = turn
        self.turn = Turn()
        let changes = book.takeChanges()
        let failure = await write(changes.map { JournalRecord($0) } + turn.records)
        if failure == nil {
            for action in turn.actions {
                switch action {
                // A server that leaves has every render begun by the next one.
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

    /// - Returns: why nothing was written down; nil where all is well.
    private mutating func write(_ records: [JournalRecord]) async -> JournalError? {
        do throws(JournalError) {
            try await server.journal.write(records)
            return nil
        } catch {
            server.options.log.error("\(error.message)")
            // What is not written down is not so; what runs runs on.
            restore()
            return error
        }
    }

    /// The book as the journal has it, after something could not be written. What may begin by it begins when something can be written again.
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

    /// Removes from the disk what the renders of a turn need no more. The cache has their parts, as
    /// far as it keeps them.
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
        // It goes on when the server comes again; the journal says so already.
        if isLeaving, outcome == .stopped, book.entries[id]?.state == .running { return }
        let actions = book.ended(id, outcome, at: now)
        if !isLeaving { turn.actions += actions }
        turn.records += note(of: id, outcome)
        guard let entry = book.entries[id], entry.state.hasEnded else { return }
        if entry.state == .done { turn.records.append(.noParts(id)) }
        if entry.state != .failed { turn.partless.append(id) }
    }

    /// Why a render has stopped, for its log, written down with its state: so one is there where the other is.
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
