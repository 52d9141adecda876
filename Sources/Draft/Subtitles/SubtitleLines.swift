/// A file's text as lines, which end with CR, LF or both.
struct SubtitleLines {
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var ranges: [Range<Int>] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] == 10 || bytes[index] == 13 {
                ranges.append(start..<index)
                if bytes[index] == 13, index + 1 < bytes.count, bytes[index + 1] == 10 { index += 1 }
                start = index + 1
            }
            index += 1
        }
        if start < bytes.count { ranges.append(start..<bytes.count) }
        self.ranges = ranges
    }

    var count: Int { ranges.count }

    subscript(index: Int) -> String { String(decoding: bytes[ranges[index]], as: UTF8.self) }

    /// Nothing but spaces and tabs.
    func isBlank(_ index: Int) -> Bool { bytes[ranges[index]].allSatisfy { $0 == 32 || $0 == 9 } }

    /// Digits and spaces only, and at least one digit: the number of a cue.
    func isNumber(_ index: Int) -> Bool {
        let line = bytes[ranges[index]]
        return line.contains { (48...57).contains($0) }
            && line.allSatisfy { (48...57).contains($0) || $0 == 32 || $0 == 9 }
    }

    /// Whether `-->` is in it.
    func hasArrow(_ index: Int) -> Bool {
        let range = ranges[index]
        guard range.count >= 3 else { return false }
        return (range.lowerBound...(range.upperBound - 3)).contains {
            bytes[$0] == 45 && bytes[$0 + 1] == 45 && bytes[$0 + 2] == 62
        }
    }

    func hasColon(_ index: Int) -> Bool { bytes[ranges[index]].contains(58) }

    func hasPrefix(_ prefix: String, _ index: Int) -> Bool { bytes[ranges[index]].starts(with: prefix.utf8) }

    /// Lines joined with line feeds, without blank ones at both ends.
    func text(_ lines: Range<Int>) -> String {
        var lines = lines
        while let first = lines.first, isBlank(first) { lines = lines.dropFirst() }
        while let last = lines.last, isBlank(last) { lines = lines.dropLast() }
        return lines.map { self[$0] }.joined(separator: "\n")
    }
}

/// A subtitle file's bytes as text.
public enum SubtitleText {
    /// UTF-8 with or without a byte order mark, or UTF-16 with one.
    /// - Parameter name: the file's, for the command that the error suggests.
    public static func decode(_ bytes: [UInt8], name: String) throws(SubtitleFile.Defect) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return try utf8(bytes.dropFirst(3), name) }
        if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes.dropFirst(2)) { UInt16($1) << 8 | UInt16($0) } }
        if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes.dropFirst(2)) { UInt16($0) << 8 | UInt16($1) } }
        return try utf8(bytes[...], name)
    }

    private static func utf8(_ bytes: ArraySlice<UInt8>, _ name: String) throws(SubtitleFile.Defect) -> String {
        if bytes.prefix(4000).count(where: { $0 == 0 }) > 1 {
            throw .init("it has bytes of zero, as UTF-16 without a byte order mark has; \(advice("UTF-16LE", name))")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .init(line: firstBadLine(bytes), "this is not UTF-8; \(advice("WINDOWS-1252", name))")
        }
        return text
    }

    private static func advice(_ encoding: String, _ name: String) -> String {
        let short = name.split(separator: "/").last.map(String.init) ?? name
        return "convert the file, from \(encoding) for instance with: "
            + "iconv -f \(encoding) -t UTF-8 '\(short)' > 'utf8-\(short)'"
    }

    private static func firstBadLine(_ bytes: ArraySlice<UInt8>) -> Int {
        var line = 1
        for part in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            if String(validating: part, as: UTF8.self) == nil { return line }
            line += 1
        }
        return line
    }

    private static func utf16(
        _ bytes: ArraySlice<UInt8>, _ unit: (UInt8, UInt8) -> UInt16
    ) throws(SubtitleFile.Defect) -> String {
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
            throw .init("it begins as UTF-16 does, but is not; save it as UTF-8")
        }
        return text
    }
}
