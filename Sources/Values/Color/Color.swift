/// A colour in sRGB with straight alpha, 8 bits each.
public struct Color: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    public static let black = Color(red: 0, green: 0, blue: 0)
    public static let white = Color(red: 255, green: 255, blue: 255)
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)

    /// Returns the opaque colour that this one makes over an opaque one.
    public func over(_ below: Color) -> Color {
        let share = Int(alpha)
        func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 {
            let sum: Int = Int(a) * share + Int(b) * (255 - share)
            return UInt8((sum + 127) / 255)
        }
        return Color(red: mixed(red, below.red), green: mixed(green, below.green), blue: mixed(blue, below.blue))
    }
}

extension Color: CustomStringConvertible {
    /// `#rrggbb`, or `#rrggbbaa` where it is not opaque.
    public var description: String {
        let digits = Array("0123456789abcdef")
        let parts = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return "#" + String(parts.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Reads `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` and the names of CSS, in capitals or not.
    public init?(_ text: some StringProtocol) {
        guard text.first == "#" else {
            guard text.utf8.count <= 20, let named = Self.names[text.lowercased()] else { return nil }
            self = named
            return
        }
        var digits = text.dropFirst().compactMap(\.hexDigitValue)
        guard digits.count == text.count - 1 else { return nil }
        if (3...4).contains(digits.count) { digits = digits.flatMap { [$0, $0] } }
        guard digits.count == 6 || digits.count == 8 else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
    }
}

extension Color {
    /// What a colour has to be, for messages.
    public static let wanted = "a colour such as \"#ff8800\" or \"orange\""

    /// The rest of a sentence that begins with what is no colour: `is ‘orage’, but must be …; did
    /// you mean ‘orange’?`
    public static func refusal(of text: String) -> String {
        let hint = nearestName(to: text, in: names.keys).map { "; did you mean ‘\($0)’?" } ?? ""
        return "is \(Value.quoted(text)), but must be \(wanted)\(hint)"
    }

    /// The one form of a colour's text, where `text` is a name; else the text itself.
    public static func spelled(_ text: String) -> String {
        text.hasPrefix("#") ? text : Color(text)?.description ?? text
    }
}

extension Color: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let color = Color(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "‘\(text)’ is not a colour such as #ff8800"))
        }
        self = color
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
