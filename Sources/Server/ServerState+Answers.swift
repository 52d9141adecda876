import Farm
import Foundation
import Hashing
import HostCore
import Journal
import Renders
import ServerClient

/// Answers to requests. Changes are made within a turn. Requests that only read are answered after
/// the turn is in the journal, by a task of their own, so that a long list delays no other client.
extension ServerState {
    /// Carries out a request if it changes the book.
    mutating func take(_ request: IncomingRequest) -> Reply.Answer {
        do {
            let ask = try request.ask.get()
            if let refusal = request.client.refusal(of: ask, in: book) { throw refusal }
            switch ask {
            case .submit:
                let prepared = try request.prepared.map { row throws(RenderBook.Refusal) in try row.get() }
                return .changed(.submitted(try submit(prepared)))
            case .stage(let number, let first, let submissions):
                let id = RenderBatches.ID(submitter: request.client.name, number: number)
                return .changed(.checked(try stage(id, from: first, submissions, request)))
            case .finish(let number, let count):
                let id = RenderBatches.ID(submitter: request.client.name, number: number)
                return .changed(.submitted(try finish(id, count: count, request.client)))
            case .abandon(let number):
                let id = RenderBatches.ID(submitter: request.client.name, number: number)
                batches.abandon(id)
                staged[id] = nil
                return .changed(.abandoned)
            case .act(let act, let ids):
                try change(ids) { book, id, now throws(RenderBook.Refusal) in try Self.act(act, &book, id, now) }
                return .statuses(ids)
            case .prioritise(let ids, let priority):
                try change(ids) { book, id, _ throws(RenderBook.Refusal) in
                    try book.prioritise(id, priority)
                    return []
                }
                return .statuses(ids)
            default: return .look
            }
        } catch {
            return .failed(Self.say(error))
        }
    }

    private static func say(_ error: any Error) -> ServerResponse.Body {
        (error as? RenderBook.Refusal).map { .refused($0.description) } ?? ServerResponse.Body(HostError(error))
    }

    private static func act(
        _ act: ServerRequest.Act, _ book: inout RenderBook, _ id: RenderID, _ now: Double
    ) throws(RenderBook.Refusal) -> [RenderBook.Action] {
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

    /// Changes several renders, or none of them if one change is refused.
    private mutating func change(
        _ ids: [RenderID],
        _ body: (inout RenderBook, RenderID, Double) throws(RenderBook.Refusal) -> [RenderBook.Action]
    ) throws(RenderBook.Refusal) {
        let now = now
        let before = ids.compactMap { book.entries[$0] }
        turn.actions += try book.all { book throws(RenderBook.Refusal) in
            var actions: [RenderBook.Action] = []
            for id in ids { actions += try body(&book, id, now) }
            return actions
        }
        for entry in before where book.entries[entry.id] == nil {
            turn.purged.append(entry.ticket)
            turn.partless.append(entry.id)
            turn.owners[entry.id] = entry.ticket.submitter
        }
    }

    /// Accepts all of these renders, or none.
    /// - Returns: receipts in the order of `submissions`.
    mutating func submit(
        _ submissions: [PreparedSubmission]
    ) throws(RenderBook.Refusal) -> [ServerResponse.Receipt] {
        let now = now
        var (actions, receipts, records): ([RenderBook.Action], [ServerResponse.Receipt], [JournalRecord]) = (
            [], [], []
        )
        try book.all { book throws(RenderBook.Refusal) in
            for submission in submissions {
                let taken = try book.submit(submission.ticket, at: now)
                receipts.append(ServerResponse.Receipt(id: taken.entry.id, isNew: taken.isNew))
                if taken.isNew { records.append(.request(taken.entry.id, submission.request)) }
                actions += taken.actions
            }
        }
        turn.actions += actions
        turn.records += records
        return receipts
    }

    // MARK: Answers

    /// Answers a request after its turn was written to the journal, or could not be.
    mutating func answer(_ reply: Reply, _ failure: JournalError?) {
        switch reply.say {
        case .failed(let say): return send(reply, say)
        case .changed, .statuses:
            if let failure { return send(reply, ServerResponse.Body(HostError(failure))) }
            if case .changed(let say) = reply.say { return send(reply, say) }
            if case .statuses(let ids) = reply.say { sendStatuses(of: ids.compactMap { book.entries[$0] }, reply) }
        case .look: look(reply)
        }
    }

    private mutating func look(_ reply: Reply) {
        let request = reply.request
        if let fetch = fetch(request) { return fetch.answer { reply.listener.answer(reply.sender, $0, with: $1) } }
        if let upload = upload(request) { return upload.answer { reply.listener.answer(reply.sender, $0) } }
        do {
            try look(try request.ask.get(), reply)
        } catch {
            send(reply, Self.say(error))
        }
    }

    /// Answers a request that only reads.
    /// - Parameter ask: a request that the client is allowed to make.
    private mutating func look(_ ask: ServerRequest.Operation, _ reply: Reply) throws {
        switch ask {
        case .submit, .act, .prioritise, .stage, .finish, .abandon:
            throw HostError(.software, "The request has already been answered.")
        case .check: send(reply, .checked(problems(in: reply.request)))
        case .list(let listing): sendList(page(of: listing, for: reply.request.client), reply)
        case .rows(let listing): sendRows(page(of: listing, for: reply.request.client), [], reply)
        case .watch(let watch): take(watch, reply)
        case .show(let id):
            guard let entry = book.entries[id] else { throw RenderBook.Refusal("There is no render \(id).") }
            sendStatuses(of: [entry], reply)
        case .log(let id):
            guard book.entries[id] != nil else { throw RenderBook.Refusal("There is no render \(id).") }
            send(reply) { server in
                do throws(JournalError) { return .log(try await server.journal.notes(of: id)) } catch {
                    throw HostError(error)
                }
            }
        case .farm: send(reply) { server in .farm(try await server.farm()) }
        case .drain(let node, let isDraining):
            send(reply) { server in
                try await server.check(node)
                server.queue.drain(node, isDraining)
                return .farm(try await server.farm())
            }
        case .forget(let node):
            send(reply) { server in
                guard try await server.check(node) else {
                    throw RenderBook.Refusal("The node ‘\(node)’ is connected; forget it after it has left.")
                }
                server.queue.forget(node)
                return .farm(try await server.farm())
            }
        case .outputs(let id), .piece(let id, _, _), .digest(let id, _):
            // Requests for a finished render were answered from disk before.
            throw RenderBook.Refusal(
                "Render \(id) is \(book.entries[id]?.state.rawValue ?? "gone"); its file exists once it is done.")
        case .upload, .give, .finishUpload:
            throw RenderBook.Refusal("The server accepts no uploads; use files in its folders (--map).")
        }
    }

    // MARK: Lists

    /// A part of a list, in the order of the renders' numbers.
    struct Page {
        package var entries: [RenderEntry] = []
        /// The last render of this page, if more follow.
        package var next: RenderID?
        var cursor: RenderCursor
    }

    /// The time in seconds for which a list without `all` shows ended renders.
    private static let recent = 24 * 3600.0

    private func page(of listing: ServerRequest.Listing, for client: ClientIdentity) -> Page {
        var page = Page(cursor: book.cursor)
        let since = now - Self.recent
        let limit = min(max(1, listing.limit), ServerRequest.Listing.most)
        func isListed(_ entry: RenderEntry) -> Bool {
            client.sees(entry) && (listing.all || !entry.state.hasEnded || (entry.endedAt ?? 0) > since)
        }
        if let ids = listing.ids {
            page.entries = ids.compactMap { book.entries[$0] }.filter(client.sees)
            return page
        }
        book.entries.forEach(after: listing.after) { entry in
            guard isListed(entry) else { return true }
            guard page.entries.count < limit else {
                page.next = page.entries.last?.id
                return false
            }
            page.entries.append(entry)
            return true
        }
        return page
    }

    // MARK: Sending

    private func send(_ reply: Reply, _ say: ServerResponse.Body) {
        reply.listener.answer(reply.sender, ServerResponse(number: reply.request.number, say: say).data)
    }

    private func send(_ reply: Reply, _ say: @escaping @Sendable (Server) async throws -> ServerResponse.Body) {
        let (server, listener, sender, number) = (server, reply.listener, reply.sender, reply.request.number)
        Task {
            let answer: ServerResponse.Body
            do { answer = try await say(server) } catch { answer = Self.say(error) }
            listener.answer(sender, ServerResponse(number: number, say: answer).data)
        }
    }

    private func sendStatuses(of entries: [RenderEntry], _ reply: Reply) {
        send(reply) { server in .renders(entries.map(server.status)) }
    }

    private func sendList(_ page: Page, _ reply: Reply) {
        send(reply) { server in
            .page(page.entries.map(server.status), ServerResponse.Page(page.cursor, next: page.next))
        }
    }

    func sendRows(_ page: Page, _ gone: [RenderID], _ reply: Reply) {
        let (server, listener, sender, number) = (server, reply.listener, reply.sender, reply.request.number)
        Task {
            let text = RenderRow.text(page.entries.map(server.status))
            let say = ServerResponse.Body.rows(ServerResponse.Page(page.cursor, next: page.next, gone: gone))
            listener.answer(sender, ServerResponse(number: number, say: say).data, with: Data(text.utf8))
        }
    }

    func sendStartOver(_ reply: Reply) { send(reply, .startOver) }
}

extension Server {
    func status(_ entry: RenderEntry) -> RenderStatus {
        guard entry.state.isActive else { return RenderStatus(entry: entry) }
        let progress = progress.withLock { $0[entry.id] }
        let flow = RenderRun.flow(entry.id, of: entry.ticket.submitter)
        let standing = entry.state == .running ? queue.standing(of: flow) : nil
        return RenderStatus(
            entry: entry, stage: progress?.stage, done: progress?.done, total: progress?.total,
            waits: standing?.reason)
    }

    fileprivate func farm() async throws(HostError) -> FarmStatus {
        guard let status = await queue.status() else {
            throw HostError(.unavailable, "The server is shutting down.")
        }
        return FarmStatus(queue: status, endpoints: queue.endpoints)
    }

    /// Checks that a node exists.
    /// - Returns: whether the node is lost.
    @discardableResult
    fileprivate func check(_ node: String) async throws -> Bool {
        let slots = try await farm().queue.workers.filter { $0.node == node }
        guard !slots.isEmpty else {
            throw RenderBook.Refusal("There is no node ‘\(node)’; ‘cutroom workers’ lists all nodes.")
        }
        return slots.allSatisfy { $0.state == .lost }
    }
}

extension HostError {
    package init(_ error: JournalError) { self.init(error.code == .inUse ? .unavailable : .inputOutput, error.message) }
}
