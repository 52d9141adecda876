import CZeroMQ
import Content
import FoundationEssentials

/// A request of a node without the server's storage, about one of its leases: for the inputs of the
/// lease's job, or to upload its outputs. Every request may be repeated.
public struct ContentQuestion: Codable, Sendable, Equatable {
    /// The number of the request, repeated in the answer.
    public var number: UInt64
    public var lease: Lease
    public var ask: Ask

    public enum Ask: Codable, Sendable, Equatable {
        /// Asks what lies at a path that the job reads.
        case describe(path: String)
        /// Asks for the digests of the blocks, from an index on.
        case table(path: String, ContentID, from: Int)
        case block(path: String, ContentID, Int)
        /// Offers a file that the run has made, by the path that it would have on the server.
        case offer(path: String, ContentID)
        /// Sends bytes of an offered file, in a frame of their own.
        case give(path: String, ContentID, from: Int64)
        /// Says that all of an offered file was sent.
        case finish(path: String, ContentID)
    }

    public init(number: UInt64, lease: Lease, ask: Ask) { (self.number, self.lease, self.ask) = (number, lease, ask) }
}

public struct ContentAnswer: Codable, Sendable, Equatable {
    public var number: UInt64
    public var say: Say

    public enum Say: Codable, Sendable, Equatable {
        /// The file's content.
        /// - `modified`: the modification time, in nanoseconds since 1970.
        case content(ContentID, modified: Int64)
        /// The file is being hashed: ask again.
        case counting(done: Int64, total: Int64)
        /// The requested bytes, in a frame of their own.
        case bytes
        /// The server has the first bytes of the output, up to this number.
        case has(Int64)
        /// The server has the output, and its digest is right.
        case kept
        /// The server has no such file, for this reason; `isMissing`: nothing lies at the path.
        case missing(reason: String, isMissing: Bool)
        /// The node does not hold this lease now.
        case unknownLease
        /// A refusal; asking again does not help.
        case refused(reason: String)
        /// The server lacks a resource.
        case lacking(reason: String)
    }

    public init(number: UInt64, say: Say) { (self.number, self.say) = (number, say) }
}

/// The encoding of these messages: a frame of JSON, and a second frame if there are bytes.
public enum ContentWire {
    /// The most bytes of an output in one request. Inputs are sent a block at a time.
    public static let pieceSize = BlockTable.blockSize
    /// The most digests in one answer.
    public static let tableBlocks = 8192
    /// The largest frame of JSON.
    public static let largestText = 64 << 10
    /// The frame size above which ZeroMQ drops the peer.
    static let largestFrame = Int64(512 << 10)
    /// The most messages that wait to be sent to one peer.
    static let highWaterMark: Int32 = 64
    /// The most unanswered requests of a node for one file.
    public static let window = 16

    /// Decodes a message.
    /// - Returns: nil for any other bytes.
    public static func decode<Message: Decodable>(_: Message.Type, _ frames: some RandomAccessCollection<Data>) -> (
        message: Message, bytes: Data?
    )? {
        guard (1...2).contains(frames.count), let text = frames.first, text.count <= largestText,
            let message = try? JSONDecoder().decode(Message.self, from: text)
        else { return nil }
        return (message, frames.count == 2 ? frames.last : nil)
    }

    public static func encode(_ message: some Encodable, _ bytes: Data? = nil) -> [Data] {
        // Texts and numbers can always be encoded; an empty frame would get no answer.
        [(try? JSONEncoder().encode(message)) ?? Data()] + (bytes.map { [$0] } ?? [])
    }
}

extension ZMQSocket {
    /// Makes the server's socket for content. It resembles ``remoteRouter(context:key:overIPv6:)``,
    /// with messages of bounded size, few of which wait for a peer.
    public static func contentRouter(
        context: ZMQContext, key: KeyPair, overIPv6: Bool = false
    ) throws(ZMQError) -> ZMQSocket {
        let socket = try remoteRouter(context: context, key: key, overIPv6: overIPv6)
        try socket.set(ZMQ_SNDHWM, ContentWire.highWaterMark, "SNDHWM")
        try socket.set(ZMQ_MAXMSGSIZE, ContentWire.largestFrame, "MAXMSGSIZE")
        return socket
    }
}
