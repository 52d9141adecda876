import Messaging
import Renders
import ServerClient

/// The identity of a client, and thus its permissions. A network client has a key, and is known by
/// nothing else.
package struct ClientIdentity: Hashable, Sendable {
    enum Standing: Hashable, Sendable {
        /// The server's own user, at the socket in its folder; has all permissions.
        case owner
        /// May manage all renders.
        case admin
        /// May submit renders, and does not see those of others.
        case submitter
    }

    /// The submitter's name in the client's renders.
    let name: String
    let standing: Standing

    /// Derives the identity from a key.
    /// - Parameter said: the name that the client gives itself, used without a key.
    init(_ holder: KeyHolder?, said: String) {
        guard let holder else {
            (name, standing) = (said, .owner)
            return
        }
        // No user has such a name: the renders of a key differ from those of a user with the same
        // name.
        name = "key:\(holder.name)"
        standing = holder.role == .admin ? .admin : .submitter
    }

    var isRemote: Bool { standing != .owner }
    /// The client sees, and may change, all renders.
    var seesAll: Bool { standing != .submitter }

    func sees(_ entry: RenderEntry) -> Bool { seesAll || entry.ticket.submitter == name }

    /// The files that the client's renders may use.
    var confinement: RenderTicket.Confinement? {
        switch standing {
        case .owner: nil
        case .admin: .shared
        case .submitter: .own
        }
    }

    /// The priorities that the client may set. A submitter can only lower the priority; raising it
    /// needs an admin.
    var priorities: ClosedRange<Int> { standing == .submitter ? -1000...0 : -1000...1000 }

    // MARK: Requests

    /// The maximum number of submissions in one request, of renders to wait for, and of renders of
    /// one submitter, ended ones included. Other clients may submit that many at a time.
    static let (mostSubmissions, mostAfter, mostRenders) = (10_000, 1000, 100_000)
    private static let (longestName, longestKey, largestDocument) = (1024, 200, 12 << 20)

    /// Returns why the client may not make this request; nil if it may. Renders of others are
    /// treated as if they did not exist.
    func refusal(of ask: ServerRequest.Operation, in book: RenderBook) -> RenderBook.Refusal? {
        switch ask {
        case .list(let listing): return refusal(ofMany: listing.ids?.count ?? 0, ServerRequest.Listing.most)
        case .watch(let watch): return refusal(ofMany: watch.ids?.count ?? 0, ServerRequest.Watch.most)
        case .rows(let listing): return refusal(ofMany: listing.ids?.count ?? 0, ServerRequest.Listing.most)
        case .check(let submissions, let all):
            return refusal(ofChunk: submissions.count) ?? refusal(ofAll: max(all, submissions.count), in: book)
        case .stage(_, let first, let submissions):
            return refusal(ofChunk: submissions.count)
                ?? refusal(ofAll: max(0, min(first, Self.mostRenders + 1)) + submissions.count, in: book)
        case .finish, .abandon: return nil
        case .upload, .give, .finishUpload:
            return isRemote ? nil : RenderBook.Refusal("A server on this machine reads the files itself.")
        case .show(let id), .log(let id), .outputs(let id), .piece(let id, _, _), .digest(let id, _):
            return refusal(of: [id], in: book)
        case .act(_, let ids): return refusal(of: ids, in: book)
        case .prioritise(let ids, let priority): return refusal(of: ids, in: book) ?? refusal(of: priority)
        case .submit(let submissions): return refusal(of: submissions, in: book)
        case .drain, .forget, .farm:
            return seesAll ? nil : RenderBook.Refusal("Only an admin may manage workers.")
        }
    }

    private func refusal(of ids: [RenderID], in book: RenderBook) -> RenderBook.Refusal? {
        let unknown = ids.first { id in book.entries[id].map { !sees($0) } ?? true }
        return unknown.map { RenderBook.Refusal("There is no render \($0).") }
    }

    private func refusal(of priority: Int) -> RenderBook.Refusal? {
        guard !priorities.contains(priority) else { return nil }
        let more = standing == .submitter ? "; an admin may set a higher one" : ""
        return RenderBook.Refusal(
            "The priority is \(priority), but must be between \(priorities.lowerBound) and \(priorities.upperBound)\(more)."
        )
    }

    private func refusal(of submissions: [ServerRequest.Submission], in book: RenderBook) -> RenderBook.Refusal? {
        if let refusal = refusal(ofChunk: submissions.count) { return refusal }
        for submission in submissions {
            if let refusal = refusal(of: submission, in: book) { return refusal }
        }
        return refusal(ofAll: submissions.count, in: book)
    }

    /// Returns why this render cannot be accepted, whatever it is submitted with.
    func refusal(of submission: ServerRequest.Submission, in book: RenderBook) -> RenderBook.Refusal? {
        if let refusal = Self.refusal(ofNamesOf: submission) { return refusal }
        if let refusal = refusal(of: submission.priority) { return refusal }
        for id in submission.after.sorted() where book.entries[id].map({ !sees($0) }) ?? true {
            return RenderBook.Refusal("There is no render \(id) to wait for.")
        }
        return nil
    }

    private func refusal(ofMany count: Int, _ most: Int) -> RenderBook.Refusal? {
        guard count > most else { return nil }
        return RenderBook.Refusal("\(count) renders are too many for one request; the limit is \(most).")
    }

    private func refusal(ofChunk count: Int) -> RenderBook.Refusal? {
        guard count > Self.mostSubmissions else { return nil }
        return RenderBook.Refusal(
            "\(count) renders are too many for one request; the limit is \(Self.mostSubmissions).")
    }

    /// Returns why so many renders cannot be accepted.
    /// - Parameter count: the total number of renders that are submitted.
    func refusal(ofAll count: Int, in book: RenderBook) -> RenderBook.Refusal? {
        guard count <= Self.mostRenders else {
            return RenderBook.Refusal(
                "\(count) renders are too many for one submission; submit at most \(Self.mostRenders) at a time.")
        }
        guard standing == .submitter else { return nil }
        let (all, isOver) = book.count(of: name).addingReportingOverflow(count)
        guard isOver || all > Self.mostRenders else { return nil }
        return RenderBook.Refusal(
            "You would have \(all) renders, but the limit is \(Self.mostRenders); remove ended renders with ‘cutroom jobs purge’."
        )
    }

    /// Checks the names that lists, logs and terminals show.
    private static func refusal(ofNamesOf submission: ServerRequest.Submission) -> RenderBook.Refusal? {
        func isFine(_ text: String, _ longest: Int) -> Bool {
            (1...longest).contains(text.utf8.count) && !text.hasInvisibleCommands
        }
        let request = submission.request
        guard isFine(request.name, longestName), isFine(request.output, 4096) else {
            return RenderBook.Refusal("A name or path is empty, too long, or contains control characters.")
        }
        guard submission.key.map({ isFine($0, longestKey) }) ?? true else {
            return RenderBook.Refusal("A key must have 1 to \(longestKey) bytes without control characters.")
        }
        guard submission.tags.count <= Tags.most, submission.tags.allSatisfy(Tags.isValid) else {
            return RenderBook.Refusal("A tag is not valid, or there are more than \(Tags.most).")
        }
        return nil
    }

    /// Checks what our own programs have checked before sending, but a network client may not have.
    static func refusal(of submission: ServerRequest.Submission) -> RenderBook.Refusal? {
        if let refusal = refusal(ofNamesOf: submission) { return refusal }
        let request = submission.request
        guard submission.after.count <= mostAfter else {
            return RenderBook.Refusal("A render can wait for at most \(mostAfter) others.")
        }
        guard request.document.utf8.count <= largestDocument else {
            return RenderBook.Refusal(
                "A draft document sent over the network can have at most \(largestDocument >> 20) MiB.")
        }
        guard request.scale.map({ $0.isFinite && $0 > 0 && $0 <= 1 }) ?? true else {
            return RenderBook.Refusal("The scale must be more than 0 and at most 1.")
        }
        return nil
    }
}
