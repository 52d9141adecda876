import CZeroMQ
import Content
import FoundationEssentials

/// What a node without the server's storage asks of a server, about one of its leases: the inputs of the lease's job, and whether the server takes
/// in what it has made. Every question may be asked twice.
public struct ContentQuestion: Codable, Sendable, Equatable {
    /// Told back with the answer.
    public var number: UInt64
    public var lease: Lease
    public var ask: Ask

    public enum Ask: Codable, Sendable, Equatable {
        /// What lies at a path that the job reads.
        case describe(path: String)
        /// The digests of its blocks, from one of them on.
        case table(path: String, ContentID, from: Int)
        case block(path: String, ContentID, Int)
        /// A file that the run has made, by the path that it would have on the server.
        case offer(path: String, ContentID)
        /// Bytes of it, which come along with the question.
        case give(path: String, ContentID, from: Int64)
        /// All of it is there.
        case finish(path: String, ContentID)
    }

    public init(number: UInt64, lease: Lease, ask: Ask) { (self.number, self.lease, self.ask) = (number, lease, ask) }
}

public struct ContentAnswer: Codable, Sendable, Equatable {
    public var number: UInt64
    public var say: Say

    public enum Say: Codable, Sendable, Equatable {
        /// - `modified`: the file's time, in nanoseconds since 1970.
        case content(ContentID, modified: Int64)
        /// It is being read for its digest: ask again.
        case counting(done: Int64, total: Int64)
        /// What was asked for comes along.
        case bytes
        /// The server has so many bytes of the result, from its beginning on.
        case has(Int64)
        /// The server has the result, and it is what it was said to be.
        case kept
        /// The server has no file there, for this reason; `isMissing`: nothing is there.
        case missing(reason: String, isMissing: Bool)
        /// The node has no such lease now.
        case unknownLease
        /// No, and asking again does not help.
        case refused(reason: String)
        /// The server's machine lacks something.
        case lacking(reason: String)
    }

    public init(number: UInt64, say: Say) { (self.number, self.say) = (number, say) }
}

/// The form of these messages: a frame of JSON, and where bytes come along a frame of them.
public enum ContentWire {
    /// The bytes of a result that are sent with one question, at most. Of an input a block is sent at a time.
    public static let pieceSize = BlockTable.blockSize
    /// The most digests that are sent with one answer.
    public static let tableBlocks = 8192
    /// The largest frame of JSON.
    public static let largestText = 64 << 10
    /// ZeroMQ drops a peer that sends a larger frame than this.
    static let largestFrame = Int64(512 << 10)
    /// Messages that wait to be sent to one peer.
    static let highWaterMark: Int32 = 64
    /// Questions that a node asks without having an answer, for one file.
    public static let window = 16

    /// - Returns: nil for bytes that are no such message.
    public static func decode<Message: Decodable>(_: Message.Type, _ frames: some RandomAccessCollection<Data>) -> (
        message: Message, bytes: Data?
    )? {
        guard (1...2).contains(frames.count), let text = frames.first, text.count <= largestText,
            let message = try? JSONDecoder().decode(Message.self, from: text)
        else { return nil }
        return (message, frames.count == 2 ? frames.last : nil)
    }

    public static func encode(_ message: some Encodable, _ bytes: Data? = nil) -> [Data] {
        // Texts and numbers can always be encoded; what is empty is answered by nobody.
        [(try? JSONEncoder().encode(message)) ?? Data()] + (bytes.map { [$0] } ?? [])
    }
}

extension ZMQSocket {
    /// The server's socket for content. As ``remoteRouter(context:key:overIPv6:)``, with messages of bounded size, few of which wait to be sent to a peer.
    public static func contentRouter(
        context: ZMQContext, key: KeyPair, overIPv6: Bool = false
    ) throws(ZMQError) -> ZMQSocket {
        let socket = try remoteRouter(context: context, key: key, overIPv6: overIPv6)
        try socket.set(ZMQ_SNDHWM, ContentWire.highWaterMark, "SNDHWM")
        try socket.set(ZMQ_MAXMSGSIZE, ContentWire.largestFrame, "MAXMSGSIZE")
        return socket
    }
}
