import Messaging
import Renders
import ServerClient

/// Who asks at a door, and so what he may. Everybody who asks over a network has a key, and is known by nothing else.
package struct ClientIdentity: Hashable, Sendable {
    enum Standing: Hashable, Sendable {
        /// The server's own user, at the socket in its folder: may do everything.
        case owner
        /// Looks after the renders of all.
        case admin
        /// Hands renders in, and knows of no others.
        case submitter
    }

    /// What his renders have as their submitter.
    let name: String
    let standing: Standing

    /// - Parameter said: what the asking program says of itself, where no key says it.
    init(_ holder: KeyHolder?, said: String) {
        guard let holder else {
            (name, standing) = (said, .owner)
            return
        }
        // No user is called so: a key's renders are not those of a user of the same name.
        name = "key:\(holder.name)"
        standing = holder.role == .admin ? .admin : .submitter
    }

    var isRemote: Bool { standing != .owner }
    /// He sees, and may change, the renders of all.
    var seesAll: Bool { standing != .submitter }

    func sees(_ entry: RenderEntry) -> Bool { seesAll || entry.ticket.submitter == name }

    /// How much his renders may name.
    var confinement: RenderTicket.Confinement? {
        switch standing {
        case .owner: nil
        case .admin: .shared
        case .submitter: .own
        }
    }

    /// The priorities that he may give. A submitter may let others go first; before others an admin lets him.
    var priorities: ClosedRange<Int> { standing == .submitter ? -1000...0 : -1000...1000 }

    // MARK: Questions

    /// The most that comes with one question, and the most renders that one submitter has, those
    /// that have ended among them; anybody else hands so many in at a time.
    static let (mostSubmissions, mostAfter, mostRenders) = (10_000, 1000, 100_000)
    private static let (longestName, longestKey, largestDocument) = (1024, 200, 12 << 20)

    /// Why he may not ask that; nil where he may. What others have is to him as if it were not there.
    func refusal(of ask: ServerRequest.Ask, in book: RenderBook) -> RenderBook.Refusal? {
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

    /// Why one render cannot be taken in, whatever it is handed in with.
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

    /// - Parameter count: how many renders are handed in altogether.
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

    /// Names that lists, logs and terminals show.
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

    /// What a program of ours has looked at already, and another one over a network may not have.
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
