import Foundation
import Renders
import ServerClient

/// A request for changes that waits for one.
struct ServerWatch {
    var reply: ServerState.Reply
    var since: RenderCursor
    var interest: RenderInterest
}

/// Clients that wait for changes of renders. A client is answered when a render that it may see has
/// changed and the change is in the journal, and after a while at the latest. It is answered sooner
/// while renders are active, because their progress is not part of the book.
extension ServerState {
    /// The longest wait of a client, in seconds.
    private static let longest = 30.0
    /// The interval in seconds between progress updates of up to ``activeAtOnce`` renders. It grows
    /// with the number of renders beyond that.
    private static let (progressInterval, activeAtOnce) = (0.5, 32)

    /// Answers a client if something has changed, and lets it wait otherwise.
    mutating func take(_ watch: ServerRequest.Watch, _ reply: Reply) {
        let client = reply.request.client
        let interest = RenderInterest(watch.ids.map { Set($0) }, of: client.seesAll ? nil : client.name)
        let waiting = ServerWatch(reply: reply, since: watch.since, interest: interest)
        guard let changes = book.changes(since: watch.since, for: interest) else { return sendStartOver(reply) }
        guard changes.isEmpty else { return send(changes, to: waiting) }
        let active = active(in: interest).count
        let pause = active == 0 ? Self.longest : Self.progressInterval * max(1, Double(active / Self.activeAtOnce))
        let wait = watch.seconds.isFinite ? min(max(0, watch.seconds), pause) : 0
        let (id, crowdedOut) = watchers.add(reply.sender.client, for: interest, until: now + wait)
        watches[id] = waiting
        answer(crowdedOut)
    }

    private func active(in interest: RenderInterest) -> [RenderEntry] {
        book.activeIDs.compactMap { book.entries[$0] }.filter { interest.covers($0.id, of: $0.ticket.submitter) }
    }

    /// Answers the clients that wait for these changes, which are in the journal.
    mutating func wake(_ changes: [RenderBook.Change], _ owners: [RenderID: String]) {
        guard watchers.count > 0 else { return }
        var submitters = owners
        for change in changes {
            if case .put(let entry) = change { submitters[entry.id] = entry.ticket.submitter }
        }
        answer(watchers.wake(submitters))
    }

    /// Answers the clients that have waited long enough, drops batches whose next chunk is late,
    /// and sets the alarm for the others.
    mutating func answerWhoseTimeIsOver() {
        answer(watchers.expire(at: now))
        dropLateBatches()
        guard let deadline = [watchers.deadline, batches.deadline].compactMap(\.self).min(), deadline < alarm
        else { return }
        alarm = deadline
        let wait = Duration.seconds(max(0.01, deadline - now))
        Task { [inbox = server.inbox] in
            try? await Task.sleep(for: wait)
            inbox.post(.timeIsOver)
        }
    }

    /// Answers all waiting clients: the server ends, or has a new book.
    mutating func dismiss() { answer(watchers.dismiss()) }

    private mutating func answer(_ ids: [RenderWatchers.ID]) {
        for id in ids {
            guard let watch = watches.removeValue(forKey: id) else { continue }
            guard let changes = book.changes(since: watch.since, for: watch.interest) else {
                sendStartOver(watch.reply)
                continue
            }
            send(changes, to: watch)
        }
    }

    /// Sends the changes, and the progress of the active renders.
    private func send(_ changes: RenderChanges, to watch: ServerWatch) {
        let known = Set(changes.entries.map(\.id))
        let entries = changes.entries + active(in: watch.interest).filter { !known.contains($0.id) }
        sendRows(Page(entries: entries, cursor: changes.cursor), changes.gone, watch.reply)
    }
}
