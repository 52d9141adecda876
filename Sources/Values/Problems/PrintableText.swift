extension Unicode.Scalar {
    /// Whether a terminal obeys it instead of showing it, or it changes the direction of the text
    /// around it: controls (C0, DEL, C1), line and paragraph separators, and the marks of the
    /// bidirectional algorithm (U+202A–E, U+2066–9; UAX 9).
    public var isInvisibleCommand: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension StringProtocol {
    /// Whether it has a character that no name may have: see
    /// ``Swift/Unicode/Scalar/isInvisibleCommand``.
    public var hasInvisibleCommands: Bool { unicodeScalars.contains(where: \.isInvisibleCommand) }

    /// The text with such characters written as `\u001b`, except for line ends and tabs. JSON stays
    /// the same JSON.
    public var printable: String { printable(keeping: ["\n", "\t"]) }

    /// The same for a text that is one line: line ends and tabs are written out too.
    public var printableLine: String { printable(keeping: []) }

    private func printable(keeping kept: Set<Unicode.Scalar>) -> String {
        let isWritten = { (scalar: Unicode.Scalar) in scalar.isInvisibleCommand && !kept.contains(scalar) }
        guard unicodeScalars.contains(where: isWritten) else { return String(self) }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if isWritten(scalar) {
                let digits = String(scalar.value, radix: 16)
                result.append(
                    contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
