/// Where two values differ, for the message of a test that compares large ones.
enum Difference {
    /// The first lines of the values' structure that are not the same, after those that lead to
    /// them.
    static func first<T>(_ one: T, _ other: T) -> String {
        let (lines, others) = (structure(of: one), structure(of: other))
        let place = zip(lines, others).prefix { $0 == $1 }.count
        let context = lines[max(0, place - 6)..<place].map { "  \($0)" }
        let found =
            lines.dropFirst(place).prefix(2).map { "- \($0)" } + others.dropFirst(place).prefix(2).map { "+ \($0)" }
        return (context + found).joined(separator: "\n")
    }

    /// The structure without the origins, which do not count where drafts are compared.
    private static func structure<T>(of value: T) -> [Substring] {
        var text = ""
        dump(value, to: &text)
        var (lines, skipped): ([Substring], Int?) = ([], nil)
        for line in text.split(separator: "\n") {
            let depth = line.prefix { $0 == " " }.count
            if let outer = skipped, depth > outer { continue }
            skipped = line.lowercased().contains("origin: ") ? depth : nil
            if skipped == nil { lines.append(line) }
        }
        return lines
    }
}
