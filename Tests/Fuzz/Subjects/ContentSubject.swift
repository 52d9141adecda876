import Content
import FoundationEssentials
import Messaging

/// What nodes without the server's storage and the server say to each other, in frames as
/// ``MessageSubject`` has them.
public enum ContentSubject {
    /// Decodes whatever it is, as a question and as an answer; what can be read must say the same
    /// when it is written and read once more. The bytes that come along are taken for digests and
    /// for a block.
    /// - Returns: what is wrong, nil where all is well.
    public static func problem(_ bytes: Data) -> String? {
        let frames = MessageSubject.frames(of: bytes)
        if let (question, bytes) = ContentWire.decode(ContentQuestion.self, frames) {
            guard isKept(question, bytes) else { return "what was read cannot be written and read: \(question)" }
            switch question.ask {
            case .describe: break
            case .table(_, let id, let block), .block(_, let id, let block): look(at: bytes, id, block)
            case .offer(_, let id), .give(_, let id, _), .finish(_, let id): look(at: bytes, id, 0)
            }
        }
        if let (answer, bytes) = ContentWire.decode(ContentAnswer.self, frames) {
            guard isKept(answer, bytes) else { return "what was read cannot be written and read: \(answer)" }
            if case .content(let id, _) = answer.say { look(at: bytes, id, 1) }
        }
        return nil
    }

    private static func isKept<Message: Codable & Equatable>(_ message: Message, _ bytes: Data?) -> Bool {
        guard let again = ContentWire.decode(Message.self, ContentWire.encode(message, bytes)) else { return false }
        return again.message == message && again.bytes == bytes
    }

    private static func look(at bytes: Data?, _ id: ContentID, _ block: Int) {
        guard let bytes, let table = BlockTable(bytes, of: id) else { return }
        precondition(table.count == BlockTable.count(of: id.size))
        _ = table.holds(block, bytes)
        if (0..<table.count).contains(block) { precondition(!BlockTable.range(block, of: id.size).isEmpty) }
    }
}
