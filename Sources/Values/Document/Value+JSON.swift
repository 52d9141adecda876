import Foundation

extension Value {
    /// JSON in one stable form: keys sorted by their UTF-8, two spaces of indent, short lists of
    /// scalars on one line, numbers in their shortest form, a newline at the end. Equal values are
    /// equal bytes.
    public var json: String {
        var out = ""
        write(to: &out, indent: 0)
        return out + "\n"
    }

    /// Reads JSON (RFC 8259). Throws a ``Problem`` with the line and what is wrong there.
    public init(json: Data, file: String) throws(Problem) {
        self = try JSONReader.read(Array(json), file: file)
    }

    private func write(to out: inout String, indent: Int) {
        switch self {
        case .null, .function: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .number(let value): out += Value.text(of: value)
        case .string(let value): Value.quote(value, to: &out)
        case .array(let items):
            let isFlat = items.allSatisfy {
                if case .array = $0 { false } else if case .object = $0 { false } else { true }
            }
            writeList("[", "]", items.count, isFlat: isFlat, indent: indent, to: &out) { index, out, indent in
                items[index].write(to: &out, indent: indent)
            }
        case .object(let fields):
            let keys = fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            writeList("{", "}", keys.count, isFlat: false, indent: indent, to: &out) { index, out, indent in
                Value.quote(keys[index], to: &out)
                out += ": "
                fields[keys[index]]?.write(to: &out, indent: indent)
            }
        }
    }

    private func writeList(
        _ open: String, _ close: String, _ count: Int, isFlat: Bool, indent: Int, to out: inout String,
        item: (Int, inout String, Int) -> Void
    ) {
        out += open
        for index in 0..<count {
            if index > 0 { out += isFlat ? ", " : "," }
            if !isFlat { out += "\n" + String(repeating: "  ", count: indent + 1) }
            item(index, &out, indent + 1)
        }
        if !isFlat, count > 0 { out += "\n" + String(repeating: "  ", count: indent) }
        out += close
    }

    private static func quote(_ text: String, to out: inout String) {
        out += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\t": out += "\\t"
            case "\r": out += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        out += "\""
    }
}
