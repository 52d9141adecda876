/// Reads JSON (RFC 8259) into a ``Value``. Strict, with the line of what is wrong, and bounded: a
/// document that nests deeper than any draft is refused, and so is a key that is given twice.
struct JSONReader {
    /// A draft needs about ten.
    private static let maximumDepth = 100

    private let bytes: [UInt8]
    private let file: String
    private var position = 0
    private var depth = 0

    static func read(_ bytes: [UInt8], file: String) throws(Problem) -> Value {
        var reader = JSONReader(bytes: bytes, file: file)
        // Some editors begin a file with a byte order mark.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { reader.position = 3 }
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.expected("nothing after the end") }
        return value
    }

    private init(bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
    }

    private mutating func value() throws(Problem) -> Value {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try nested { reader throws(Problem) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(Problem) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func nested(_ read: (inout JSONReader) throws(Problem) -> Value) throws(Problem) -> Value {
        depth += 1
        guard depth <= Self.maximumDepth else { throw problem("it nests deeper than \(Self.maximumDepth) levels") }
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(Problem) -> Value {
        var fields: [String: Value] = [:]
        skipSpace()
        if take("}") { return .object(fields) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
            let key = try string()
            guard fields[key] == nil else { throw problem("the key \(Value.quoted(key)) is given twice") }
            skipSpace()
            guard take(":") else { throw expected("‘:’") }
            fields[key] = try value()
            skipSpace()
        } while take(",")
        guard take("}") else { throw expected("‘,’ or ‘}’") }
        return .object(fields)
    }

    private mutating func array() throws(Problem) -> Value {
        var items: [Value] = []
        skipSpace()
        if take("]") { return .array(items) }
        repeat {
            items.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw expected("‘,’ or ‘]’") }
        return .array(items)
    }

    private mutating func word(_ word: StaticString, _ value: Value) throws(Problem) -> Value {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual(word.description.utf8) else {
            throw expected("a value")
        }
        position = end
        return value
    }

    private mutating func number() throws(Problem) -> Double {
        let start = position
        take("-")
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else {
            position = start
            throw expected("a value")
        }
        if take("."), digits() == 0 { throw expected("a digit") }
        if take("e") || take("E") {
            if !take("-") { take("+") }
            if digits() == 0 { throw expected("a digit") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            throw problem("the number \(Value.quoted(text)) is too large")
        }
        return number
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        return position - start
    }

    // MARK: Texts

    private mutating func string() throws(Problem) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let result = String(validating: text, as: UTF8.self) else { throw problem("a text is not UTF-8") }
                return result
            case UInt8(ascii: "\\"): text.append(contentsOf: Array(String(try escape()).utf8))
            case 0..<0x20:
                throw problem(
                    "a text has a control character; write it as \\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
                )
            default: text.append(byte)
            }
        }
        throw problem("a text has no end")
    }

    private mutating func escape() throws(Problem) -> Unicode.Scalar {
        guard let byte = peek else { throw problem("a text has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            if let scalar = Unicode.Scalar(first) { return scalar }
            // The first half of a pair (UTF-16) needs its second.
            if 0xd800..<0xdc00 ~= first, take("\\"), take("u") {
                let second = try hexadecimal()
                let pair = 0x10000 + (first & 0x3ff) << 10 + (second & 0x3ff)
                if 0xdc00..<0xe000 ~= second, let scalar = Unicode.Scalar(pair) { return scalar }
            }
            throw problem("a text has half of a surrogate pair")
        default: throw problem("a text has the unknown escape ‘\\\(Unicode.Scalar(byte))’")
        }
    }

    private mutating func hexadecimal() throws(Problem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw expected("four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    @discardableResult
    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    // MARK: Problems

    private func problem(_ reason: String) -> Problem {
        let line = 1 + bytes[..<min(position, bytes.count)].count { $0 == 0x0a }
        return Problem("document", "this is not valid JSON: \(reason)", origin: Origin(file: file, line: line))
    }

    private func expected(_ what: String) -> Problem {
        guard let byte = peek else { return problem("it ends where \(what) should be") }
        let found = 0x20..<0x7f ~= byte ? "‘\(Unicode.Scalar(byte))’" : "byte \(byte)"
        return problem("\(found) is where \(what) should be")
    }
}
