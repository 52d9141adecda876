import Draft
import HostCore
import ServerClient

/// The errors of a table's rows. An error that several rows share is listed once.
struct RowErrors {
    private var groups: [(error: HostError, rows: [SubmissionRows.Row])] = []
    /// The number of rows with an error.
    private(set) var count = 0

    /// Whether there are so many that further rows need not be checked.
    var isFull: Bool { count >= SubmissionBatch.mostNamed }

    mutating func add(_ error: HostError, of row: SubmissionRows.Row) {
        count += 1
        if let index = groups.firstIndex(where: { $0.error.message == error.message }) {
            groups[index].rows.append(row)
        } else {
            groups.append((error, [row]))
        }
    }

    /// Returns one error with all of them; nil if there are none.
    /// - Parameter unchecked: the number of rows that were not checked.
    func joined(unchecked: Int) -> HostError? {
        guard let first = groups.first?.error else { return nil }
        var error = first
        error.findings = groups.flatMap { group in group.error.findings.map { $0.prefixed(Self.label(group.rows)) } }
        error.details = groups.flatMap(\.error.details)
        if unchecked > 0 {
            let wrong = counted(count, "row has an error", "rows have errors")
            let rest = counted(unchecked, "further row was", "further rows were")
            error.findings.append(Finding("\(wrong); \(rest) not checked."))
        }
        return error
    }

    /// `Row 3 (line 4)`, or `Rows 3, 5–9`.
    private static func label(_ rows: [SubmissionRows.Row]) -> String {
        guard rows.count > 1 else { return rows.first?.label ?? "" }
        var ranges: [ClosedRange<Int>] = []
        for number in rows.compactMap(\.number) {
            if let last = ranges.last, (last.upperBound...last.upperBound + 1).contains(number) {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
        return (ranges.count == 1 && ranges[0].count == 1 ? "Row " : "Rows ") + texts.joined(separator: ", ")
    }
}

extension Finding {
    /// Returns the finding with words before its sentence.
    func prefixed(_ words: String) -> Finding {
        guard !words.isEmpty else { return self }
        var finding = self
        (finding.text, finding.message) = ("\(words): \(text)", "\(words): \(message)")
        return finding
    }
}
