import Values

/// Times as subtitle files write them.
enum SubtitleTime {
    /// `1:02:03,450`, `02:03.45`, `-0:00:01.0`: hours may be left out, and a comma and a point mean
    /// the same.
    static func read(_ text: Substring) -> Time? {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let parts = rest.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        let last = parts[parts.count - 1].split(
            maxSplits: 1, omittingEmptySubsequences: false,
            whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") })
        var total: Int64 = 0
        for (index, digits) in (parts.dropLast() + [last[0]]).enumerated() {
            guard let number = number(digits, most: 4), index == 0 || number < 60 else { return nil }
            total = total * 60 + number
        }
        var time = Time(flicks: total * Time.flicksPerSecond)
        if last.count == 2 {
            guard let fraction = number(last[1], most: 9) else { return nil }
            let unit = (0..<last[1].count).reduce(Int64(1)) { unit, _ in unit * 10 }
            time += Time(value: fraction, timeBase: 1, unit)
        }
        return isNegative ? -time : time
    }

    private static func number(_ digits: Substring.UTF8View, most: Int) -> Int64? {
        guard (1...most).contains(digits.count) else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 48)
        }
        return value
    }

    /// `00:00:01,000 --> 00:00:04,000 line:0`: the two times and what follows them.
    static func readLine(_ line: String) -> (start: Time, end: Time, rest: Substring)? {
        guard let arrow = line.range(of: "-->") else { return nil }
        let before = line[..<arrow.lowerBound].trimmed
        let after = line[arrow.upperBound...].trimmed
        let second = after.prefix { $0 != " " && $0 != "\t" }
        guard let start = read(before), let end = read(second) else { return nil }
        return (start, end, after[second.endIndex...].trimmed)
    }

    /// Returns the error about a line that was meant as a cue's times, and is not.
    /// - Parameter index: counted from 0.
    static func defect(of lines: SubtitleLines, at index: Int, like example: String) -> SubtitleFile.Defect {
        let line = Value.quoted(String(lines[index].prefix(60)))
        return SubtitleFile.Defect(
            line: index + 1, "\(line) does not say when a cue is shown; write it like ‘\(example)’")
    }
}

extension Substring {
    /// Without spaces and tabs at its ends.
    var trimmed: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return text
    }
}

extension String {
    /// The first place where `other` stands.
    fileprivate func range(of other: String) -> Range<String.Index>? {
        let (here, there) = (utf8, Array(other.utf8))
        var index = here.startIndex
        while index < here.endIndex {
            if here[index...].starts(with: there) { return index..<here.index(index, offsetBy: there.count) }
            index = here.index(after: index)
        }
        return nil
    }
}
