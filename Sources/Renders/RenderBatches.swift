/// Renders that are submitted in chunks: a value that tracks the rows of each batch. The book
/// contains nothing of an incomplete batch; a client that disconnects leaves nothing behind.
///
/// Invariants:
/// - A batch is finished only if each of its rows has arrived once, in order, and none was refused.
/// - The open batches of a submitter, their rows and their bytes are limited.
public struct RenderBatches: Sendable {
    public struct Limits: Sendable {
        /// Open batches in total, and of one submitter.
        public var (batches, batchesOfOne) = (64, 4)
        /// Rows of open batches in total, and of one submitter.
        public var (rows, rowsOfOne) = (300_000, 100_000)
        /// Bytes of the requests of one submitter.
        public var bytesOfOne = 2 << 30
        /// Seconds until the next chunk.
        public var patience = 60.0

        public init() {}
    }

    /// The submitter of a batch, and a number that the client has chosen at random.
    public struct ID: Hashable, Sendable {
        public var submitter: String
        public var number: UInt64

        public init(submitter: String, number: UInt64) { (self.submitter, self.number) = (submitter, number) }
    }

    /// Why a row cannot be accepted.
    public struct Problem: Hashable, Sendable, Codable {
        /// The index in the whole batch, from 0.
        public var row: Int
        /// A sentence.
        public var reason: String

        public init(row: Int, reason: String) { (self.row, self.reason) = (row, reason) }
    }

    private struct Batch: Sendable {
        var tickets: [RenderTicket] = []
        /// The keys of rows, with the digests of their requests.
        var keys: [String: (row: Int, digest: String)] = [:]
        var bytes = 0
        var isRefused = false
        var deadline: Double
    }

    private let limits: Limits
    private var batches: [ID: Batch] = [:]

    public init(_ limits: Limits = Limits()) { self.limits = limits }

    public var count: Int { batches.count }
    /// When the first batch is dropped unless its next chunk arrives; nil if there is none.
    public var deadline: Double? { batches.values.map(\.deadline).min() }

    /// Returns the number of rows that a submitter has in open batches.
    public func rows(of submitter: String) -> Int {
        batches.reduce(0) { $0 + ($1.key.submitter == submitter ? $1.value.tickets.count : 0) }
    }

    /// Adds a chunk.
    /// - Parameters:
    ///   - first: the index of its first row in the batch; 0 starts the batch, even if it exists.
    ///   - rows: a ticket and the size of its request, or why the row is refused.
    ///   - book: the book that will contain the renders.
    /// - Returns: the rows that cannot be accepted. A batch with such rows is never finished.
    /// - Throws: if the whole batch is dropped.
    public mutating func stage(
        _ id: ID, from first: Int, _ rows: [Result<(ticket: RenderTicket, bytes: Int), RenderBook.Refusal>],
        in book: RenderBook, at now: Double
    ) throws(RenderBook.Refusal) -> [Problem] {
        var batch = batches.removeValue(forKey: id) ?? Batch(deadline: now)
        if first == 0 { batch = Batch(deadline: now) }
        guard first == batch.tickets.count else {
            throw RenderBook.Refusal(
                "The renders from row \(first) on cannot be accepted: the server has \(batch.tickets.count) rows of this submission, "
                    + "because it was interrupted or took too long; submit again.")
        }
        try checkLimits(id, batch, adding: rows.count, rows.reduce(0) { $0 + ((try? $1.get())?.bytes ?? 0) })
        var problems: [Problem] = []
        for (index, row) in rows.enumerated() {
            let number = first + index
            do throws(RenderBook.Refusal) {
                let (ticket, bytes) = try row.get()
                try Self.check(ticket, number, &batch, book)
                batch.tickets.append(ticket)
                batch.bytes += bytes
            } catch {
                problems.append(Problem(row: number, reason: error.description))
                // The row still counts, so that the next chunk fits.
                batch.tickets.append(RenderTicket(name: "", output: "", submitter: id.submitter, digest: ""))
            }
        }
        batch.isRefused = batch.isRefused || !problems.isEmpty
        batch.deadline = now + limits.patience
        batches[id] = batch
        return problems
    }

    /// Finishes a batch.
    /// - Parameter count: the number of its rows.
    /// - Returns: its tickets, in order.
    public mutating func finish(_ id: ID, count: Int) throws(RenderBook.Refusal) -> [RenderTicket] {
        guard let batch = batches.removeValue(forKey: id), batch.tickets.count == count, !batch.isRefused else {
            throw RenderBook.Refusal(
                "The submission is incomplete: it was interrupted, took too long, or has rows that were rejected; "
                    + "submit again.")
        }
        return batch.tickets
    }

    public mutating func abandon(_ id: ID) { batches[id] = nil }

    /// Drops the batches whose next chunk did not arrive in time, and returns them.
    public mutating func expire(at now: Double) -> [ID] {
        let late = batches.filter { !($0.value.deadline > now) }.map(\.key)
        for id in late { batches[id] = nil }
        return late
    }

    public func contains(_ id: ID) -> Bool { batches[id] != nil }

    private func checkLimits(
        _ id: ID, _ batch: Batch, adding rows: Int, _ bytes: Int
    ) throws(RenderBook.Refusal) {
        let own = batches.filter { $0.key.submitter == id.submitter }
        let ownRows = own.reduce(batch.tickets.count + rows) { $0 + $1.value.tickets.count }
        let ownBytes = own.reduce(batch.bytes + bytes) { $0 + $1.value.bytes }
        guard ownRows <= limits.rowsOfOne, ownBytes <= limits.bytesOfOne else {
            throw RenderBook.Refusal(
                "\(ownRows) renders with \(ownBytes >> 20) MiB are too many; at most \(limits.rowsOfOne) renders with "
                    + "\(limits.bytesOfOne >> 20) MiB can be submitted at once.")
        }
        let all = batches.reduce(batch.tickets.count + rows) { $0 + $1.value.tickets.count }
        guard own.count < limits.batchesOfOne, batches.count < limits.batches, all <= limits.rows else {
            throw RenderBook.Refusal("The server is busy with too many other submissions; submit again later.")
        }
    }

    private static func check(
        _ ticket: RenderTicket, _ row: Int, _ batch: inout Batch, _ book: RenderBook
    ) throws(RenderBook.Refusal) {
        _ = try book.check(ticket)
        guard let key = ticket.key else { return }
        if let (other, digest) = batch.keys[key], digest != ticket.digest {
            throw RenderBook.Refusal(
                "Row \(other + 1) has the same key ‘\(key)’, but is a different request; give each its own key.")
        }
        if batch.keys[key] == nil { batch.keys[key] = (row, ticket.digest) }
    }
}
