/// An address of the form `tcp://HOST:PORT`. ZeroMQ itself accepts numbers that are not valid
/// ports.
public enum TCPAddress {
    /// Returns whether an address is valid.
    /// - Parameter forListening: whether the port may be `*`, for any free one, and the host `*`,
    ///   for all of this machine's addresses.
    public static func isValid(_ text: String, forListening: Bool = false) -> Bool {
        guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return false }
        let host = text[text.index(text.startIndex, offsetBy: 6)..<max(colon, text.index(text.startIndex, offsetBy: 6))]
        let port = text[text.index(after: colon)...]
        if forListening, port == "*" { return !host.isEmpty }
        return !host.isEmpty && (forListening || host != "*") && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && (UInt16(port) ?? 0) > 0
    }
}
