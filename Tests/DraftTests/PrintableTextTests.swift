import Draft
import Testing

/// Control characters are escaped.
@Suite struct PrintableTextTests {
    @Test func `commands are written as JSON writes them`() {
        #expect("a\u{1b}[31mb".printable == "a\\u001b[31mb")
        #expect("a\u{0}b\u{7f}\u{9b}".printable == "a\\u0000b\\u007f\\u009b")
        #expect("x\u{202e}y\u{2066}z\u{2028}".printable == "x\\u202ey\\u2066z\\u2028")
        #expect("one\ntwo\tthree".printable == "one\ntwo\tthree")
        #expect("one\ntwo\r".printableLine == "one\\u000atwo\\u000d")
        #expect("größe 日本 👩‍👧 e\u{301}".printable == "größe 日本 👩‍👧 e\u{301}")
    }

    @Test func `every control and direction mark is one, and no letter is`() {
        for value in Array(0...0x1F) + Array(0x7F...0x9F) + Array(0x2028...0x202E) + Array(0x2066...0x2069) {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            #expect("a\(Character(scalar))b".hasInvisibleCommands, "U+\(String(value, radix: 16))")
        }
        for text in [" ", "~", "\u{a0}", "é", "\u{200d}", "\u{2027}", "\u{202f}", "\u{2065}", "\u{206a}", "א"] {
            #expect(!text.hasInvisibleCommands)
        }
    }
}
