import Content
import Dispatch
import FoundationEssentials
import Messaging

/// Answers the content requests of nodes, each about its own leases only. Blocking work is done on
/// separate threads.
final class ContentService: Sendable {
    private let ledger: ContentLedger
    private let index: ContentIndex
    private let deliveries = Deliveries()
    private let reach: @Sendable (String, Data) -> JobReach?
    /// The lanes: requests of one node are answered in order, those of several nodes concurrently.
    private let lanes = (0..<4).map { DispatchQueue(label: "content-\($0)") }

    init(_ ledger: ContentLedger, _ settings: ContentSettings) {
        (self.ledger, index, reach) = (ledger, ContentIndex(folder: settings.memory), settings.reach)
    }

    /// Answers a request.
    /// - Parameter then: called later, on another thread.
    func answer(
        _ question: ContentQuestion, of node: String, _ bytes: Data?,
        then: @escaping @Sendable (ContentAnswer, Data?) -> Void
    ) {
        var hasher = Hasher()
        hasher.combine(node)
        let lane = lanes[Int(UInt(bitPattern: hasher.finalize()) % UInt(lanes.count))]
        lane.async { [self] in
            let (say, bytes) = answer(question, of: node, bytes)
            then(ContentAnswer(number: question.number, say: say), bytes)
        }
    }

    private func answer(_ question: ContentQuestion, of node: String, _ bytes: Data?) -> (ContentAnswer.Say, Data?) {
        guard let grant = ledger.grant(question.lease, of: node) else { return (.unknownLease, nil) }
        guard let reach = grant.reach(reach) else {
            return (.refused(reason: "The job \(question.lease.job) names no files."), nil)
        }
        func refused(_ path: String) -> (ContentAnswer.Say, Data?) {
            (.refused(reason: "The job \(question.lease.job) does not read ‘\(path)’."), nil)
        }
        switch question.ask {
        case .describe(let path):
            return reach.reads.contains(path) ? (describe(path), nil) : refused(path)
        case .table(let path, let id, let from):
            return reach.reads.contains(path) ? table(path, id, from) : refused(path)
        case .block(let path, let id, let block):
            return reach.reads.contains(path) ? self.block(path, id, block) : refused(path)
        case .offer(let path, let id):
            if let problem = Deliveries.refusal(of: path, grant, reach) {
                return (.refused(reason: "‘\(path)’ \(problem)."), nil)
            }
            return (deliveries.offer(path, id, grant), nil)
        case .give(let path, let id, let from):
            if let problem = Deliveries.refusal(of: path, grant, reach) {
                return (.refused(reason: "‘\(path)’ \(problem)."), nil)
            }
            return (deliveries.give(path, id, from: from, bytes ?? Data()), nil)
        case .finish(let path, let id):
            if let problem = Deliveries.refusal(of: path, grant, reach) {
                return (.refused(reason: "‘\(path)’ \(problem)."), nil)
            }
            return (deliveries.finish(path, id, grant), nil)
        }
    }

    private func describe(_ path: String) -> ContentAnswer.Say {
        switch index.look(path) {
        case .known(let record, let stamp): .content(record.id, modified: stamp.modified)
        case .counting(let done, let total): .counting(done: done, total: total)
        case .failed(let problem): .missing(reason: problem.description, isMissing: problem.isMissing)
        }
    }

    /// Returns the record of the content that a node was told lies at the path, if it is still
    /// there.
    private func known(_ path: String, _ id: ContentID) -> Result<ContentRecord, ChangedContent> {
        switch index.look(path) {
        case .known(let record, _) where record.id == id: .success(record)
        case .known, .counting: .failure(ChangedContent(say: .refused(reason: "‘\(path)’ changed meanwhile.")))
        case .failed(let problem):
            .failure(
                ChangedContent(say: .missing(reason: problem.description, isMissing: problem.isMissing)))
        }
    }

    private struct ChangedContent: Error {
        var say: ContentAnswer.Say
    }

    private func table(_ path: String, _ id: ContentID, _ from: Int) -> (ContentAnswer.Say, Data?) {
        switch known(path, id) {
        case .failure(let changed): return (changed.say, nil)
        case .success(let record):
            guard (0...record.table.count).contains(from) else {
                return (.refused(reason: "‘\(path)’ has no block \(from)."), nil)
            }
            let bytes = record.table.bytes.dropFirst(from * BlockTable.digestSize)
            return (.bytes, Data(bytes.prefix(ContentWire.tableBlocks * BlockTable.digestSize)))
        }
    }

    private func block(_ path: String, _ id: ContentID, _ block: Int) -> (ContentAnswer.Say, Data?) {
        switch known(path, id) {
        case .failure(let changed): return (changed.say, nil)
        case .success(let record):
            guard (0..<record.table.count).contains(block) else {
                return (.refused(reason: "‘\(path)’ has no block \(block)."), nil)
            }
            do throws(ContentFile.Problem) {
                return (.bytes, try ContentFile(path: path).read(block: block))
            } catch {
                return (.missing(reason: error.description, isMissing: error.isMissing), nil)
            }
        }
    }
}
