import FoundationEssentials
import Messaging

/// Frames as they come from a socket, in one piece of bytes: before each frame its length as two
/// bytes, little-endian. The last may be cut.
public enum MessageSubject {
    public static func frames(of bytes: Data) -> [Data] {
        var (frames, rest): ([Data], Data.SubSequence) = ([], bytes[...])
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            rest = rest.dropFirst(2)
            frames.append(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return frames
    }

    public static func bytes(of frames: [Data]) -> Data {
        frames.reduce(into: Data()) { bytes, frame in
            let length = min(frame.count, Int(UInt16.max))
            bytes.append(contentsOf: [UInt8(length & 0xFF), UInt8(length >> 8)])
            bytes.append(frame.prefix(length))
        }
    }

    /// Decodes whatever it is; what can be read must say the same when it is written and read once
    /// more.
    /// - Returns: what is wrong, nil where all is well.
    public static func problem(_ bytes: Data) -> String? {
        for case .success(let message) in Message.decodeAll(frames(of: bytes)) {
            let written = again(message)
            guard let written else { return "what was read cannot be written and read: \(message)" }
            // Texts may have been cut once.
            if again(written) != written { return "it is read otherwise each time: \(written)" }
        }
        return nil
    }

    private static func again(_ message: Message) -> Message? {
        let (header, body) = message.encoded()
        return try? Message.decode([header, body]).get()
    }
}
