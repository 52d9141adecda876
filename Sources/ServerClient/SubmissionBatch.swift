import Foundation
import HostCore
import Renders

/// Submits several renders together, in chunks: all are accepted, or none. Blocks: do not call from
/// asynchronous code.
package struct SubmissionBatch: ~Copyable {
    private var connection: ServerConnection
    private let count: Int
    /// Returns the name of a row for messages.
    private let name: (Int) -> String
    private let start: ContinuousClock.Instant
    private var sent = 0

    /// The maximum number of renders and of document bytes in a chunk.
    private static let (rows, bytes) = (500, 2 << 20)
    /// The maximum number of rejected rows in a message.
    package static let mostNamed = 20
    /// The bytes that a client may send at once, and then per second: the server drops the excess
    /// (``RequestLimiter``).
    private static let (atOnce, perSecond) = (32 << 20, 3.0 * 1_048_576)

    /// Asks whether so many renders would be accepted, before they are prepared.
    package init(
        to server: ServerAddress, count: Int, name: @escaping (Int) -> String
    ) throws(HostError) {
        var client = try ServerConnection(server)
        guard case .checked = try client.ask(.check([], of: count)) else { throw HostError.unfittingAnswer }
        connection = client
        self.count = count
        self.name = name
        start = ContinuousClock.now
    }

    /// Checks all submissions on the server.
    /// - Throws: the reasons for those that it would not accept.
    package mutating func check(_ submissions: [ServerRequest.Submission]) throws(HostError) {
        var (problems, checked): ([RenderBatches.Problem], Int) = ([], 0)
        for range in Self.chunks(submissions) where problems.count < Self.mostNamed {
            checked = range.upperBound
            let chunk = Array(submissions[range])
            guard case .checked(let found) = try ask(.check(chunk, of: count), chunk) else {
                throw HostError.unfittingAnswer
            }
            problems += found.map { RenderBatches.Problem(row: range.lowerBound + $0.row, reason: $0.reason) }
        }
        try refuse(problems, unchecked: submissions.count - checked)
    }

    /// Submits the renders.
    /// - Returns: receipts, in order.
    package mutating func submit(_ submissions: [ServerRequest.Submission]) throws(HostError) -> [ServerResponse
        .Receipt]
    {
        let batch = UInt64.random(in: 1...(1 << 53))
        var (problems, checked): ([RenderBatches.Problem], Int) = ([], 0)
        do throws(HostError) {
            for range in Self.chunks(submissions) where problems.count < Self.mostNamed {
                checked = range.upperBound
                let chunk = Array(submissions[range])
                let ask = ServerRequest.Operation.stage(batch, from: range.lowerBound, chunk)
                guard case .checked(let found) = try self.ask(ask, chunk) else { throw HostError.unfittingAnswer }
                problems += found
            }
            try refuse(problems, unchecked: submissions.count - checked)
        } catch {
            _ = try? connection.ask(.abandon(batch))
            throw error
        }
        let end = ServerRequest.Operation.finish(batch, count: submissions.count)
        guard case .submitted(let receipts) = try connection.ask(end), receipts.count == submissions.count else {
            throw HostError.unfittingAnswer
        }
        return receipts
    }

    /// - Parameter unchecked: the number of submissions that the server has not checked.
    private func refuse(_ problems: [RenderBatches.Problem], unchecked: Int) throws(HostError) {
        guard !problems.isEmpty else { return }
        let named = problems.prefix(Self.mostNamed)
        var texts = named.map { (0..<count).contains($0.row) ? name($0.row) + $0.reason : $0.reason }
        let more = problems.count - named.count
        if more + unchecked > 0 {
            let others = more > 0 ? "\(counted(more, "further render is", "further renders are")) refused" : ""
            let rest = unchecked > 0 ? "\(counted(unchecked, "render was", "renders were")) not checked" : ""
            texts.append([others, rest].filter { !$0.isEmpty }.joined(separator: ", and ") + ".")
        }
        throw HostError(.data, texts)
    }

    /// Sends a request without exceeding the server's rate limit.
    private mutating func ask(
        _ ask: ServerRequest.Operation, _ chunk: [ServerRequest.Submission]
    ) throws(HostError) -> ServerResponse.Body {
        if connection.address.isRemote {
            let allowed = Double(sent - Self.atOnce) / Self.perSecond
            let early = allowed - (ContinuousClock.now - start) / .seconds(1)
            if early > 0 { usleep(UInt32(min(early, 600) * 1_000_000)) }
        }
        sent += chunk.reduce(0) { $0 + Self.size(of: $1) }
        return try connection.ask(ask)
    }

    /// Returns the approximate size of the request in bytes.
    private static func size(of submission: ServerRequest.Submission) -> Int {
        // Quotation marks in the document are escaped.
        submission.request.document.utf8.count * 5 / 4 + 1024
    }

    private static func chunks(_ submissions: [ServerRequest.Submission]) -> [Range<Int>] {
        var (chunks, first, size): ([Range<Int>], Int, Int) = ([], 0, 0)
        for index in submissions.indices {
            let more = Self.size(of: submissions[index])
            if index > first, index - first >= Self.rows || size + more > Self.bytes {
                chunks.append(first..<index)
                (first, size) = (index, 0)
            }
            size += more
        }
        if first < submissions.count { chunks.append(first..<submissions.count) }
        return chunks
    }
}
