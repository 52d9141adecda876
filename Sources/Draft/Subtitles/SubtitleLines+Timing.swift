/// Lines that were meant as the times of a cue, but have no `-->`. Read as text they would be
/// shown with the cue before them.
extension SubtitleLines {
    /// Returns whether a line of a SubRip file was meant as a cue's times. The more its place looks
    /// like a cue's, the less the line itself has to.
    func isBrokenTiming(_ index: Int) -> Bool {
        guard !hasArrow(index), hasColon(index) else { return false }
        let line = SubtitleTimingLine(self[index])
        let isAfterNumber = index > 0 && isNumber(index - 1)
        let isAfterBlank = index == 0 || isBlank(index - 1)
        if isAfterNumber, index == 1 || isBlank(index - 2) { return line.isProbable }
        return line.isExact(parts: isAfterNumber || isAfterBlank ? 2 : 3)
    }

    /// Returns the line of a WebVTT block without `-->` that was meant as a cue's times: its first
    /// one, or the second one after an identifier.
    func brokenTiming(inBlock block: Range<Int>) -> Int? {
        block.prefix(2).first { SubtitleTimingLine(self[$0]).isProbable }
    }
}

/// A line without `-->` that may have been meant as the times of a cue.
struct SubtitleTimingLine {
    private let text: Substring

    init(_ line: String) { text = line[...].trimmed }

    /// Characters between two times that were meant as an arrow, however it is drawn.
    private static let arrow: Set<Character> = ["-", "–", "—", "−", ">", "=", "→", "~", " ", "\t"]
    /// The longest two times with an arrow between them; settings of the cue follow.
    private static let length = 30

    /// Whether it begins with two exact times with fractions, and only an arrow between them.
    /// - Parameter parts: the number of parts that a time must have at least: 3 with its hours.
    func isExact(parts: Int) -> Bool {
        let sign = text.hasPrefix("-") ? 1 : 0
        let first = text.prefix(sign) + text.dropFirst(sign).prefix(while: Self.isPartOfTime)
        let rest = text.dropFirst(first.count).drop(while: Self.arrow.contains)
        let second = rest.prefix(while: Self.isPartOfTime)
        guard rest.dropFirst(second.count).first.map({ $0 == " " || $0 == "\t" }) ?? true else { return false }
        return [first[...], second].allSatisfy {
            SubtitleTime.read($0) != nil && $0.contains(where: { ",.".contains($0) })
                && $0.split(separator: ":").count >= parts
        }
    }

    /// Whether it begins with something like a time that another one follows, or has hardly
    /// anything but digits.
    var isProbable: Bool {
        let head = text.prefix(Self.length)
        if head.first?.isASCIIDigit == true || head.first == "-" {
            let times = head.split(whereSeparator: { !Self.isPartOfTime($0) }).filter { $0.contains(":") }
            if times.count > 1 || times.contains(where: { $0.split(separator: ":").count > 3 }) { return true }
        }
        let others = head.count { !Self.isPartOfTime($0) && !Self.arrow.contains($0) }
        return head.count { $0.isASCIIDigit } >= 8 && others <= 4
    }

    private static func isPartOfTime(_ character: Character) -> Bool {
        character.isASCIIDigit || ":,.".contains(character)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
