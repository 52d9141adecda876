import Foundation
import HostCore
import Renders
import ServerClient

/// Renders that are submitted in chunks, and checked before their files are uploaded.
extension ServerState {
    /// Stages a chunk of a batch.
    /// - Returns: the rows that cannot be accepted.
    mutating func stage(
        _ id: RenderBatches.ID, from first: Int, _ submissions: [ServerRequest.Submission], _ request: IncomingRequest
    ) throws -> [RenderBatches.Problem] {
        let rows = rows(submissions, request)
        do {
            let problems = try batches.stage(
                id, from: first, rows.map { row in row.map { ($0.ticket, $0.request.count) } }, in: book, at: now)
            if first == 0 { staged[id] = try StagedRequests(in: server.options.place.folder) }
            guard problems.isEmpty, let requests = staged[id] else { return problems }
            for case .success(let row) in rows { try requests.append(row.request) }
            return problems
        } catch {
            batches.abandon(id)
            staged[id] = nil
            throw error
        }
    }

    /// Accepts a whole batch, or nothing.
    mutating func finish(
        _ id: RenderBatches.ID, count: Int, _ client: ClientIdentity
    ) throws -> [ServerResponse.Receipt] {
        let requests = staged.removeValue(forKey: id)
        let tickets = try batches.finish(id, count: count)
        if let refusal = client.refusal(ofAll: tickets.count, in: book) { throw refusal }
        let all = try requests?.all() ?? []
        guard all.count == tickets.count else { throw HostError(.software, "The submission is incomplete.") }
        return try submit(zip(tickets, all).map { PreparedSubmission(ticket: $0, request: $1) })
    }

    /// Returns the rows that could not be accepted.
    func problems(in request: IncomingRequest) -> [RenderBatches.Problem] {
        guard case .success(.check(let submissions, _)) = request.ask else { return [] }
        return rows(submissions, request).enumerated().compactMap { row, prepared in
            do throws(RenderBook.Refusal) {
                _ = try book.check(try prepared.get().ticket)
                return nil
            } catch {
                return RenderBatches.Problem(row: row, reason: error.description)
            }
        }
    }

    private func rows(
        _ submissions: [ServerRequest.Submission], _ request: IncomingRequest
    ) -> [Result<PreparedSubmission, RenderBook.Refusal>] {
        zip(submissions, request.prepared).map { submission, prepared in
            request.client.refusal(of: submission, in: book).map { .failure($0) } ?? prepared
        }
    }

    /// Drops the batches whose next chunk did not arrive in time.
    mutating func dropLateBatches() {
        for id in batches.expire(at: now) { staged[id] = nil }
    }
}
