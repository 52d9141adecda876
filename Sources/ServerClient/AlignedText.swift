/// Formats rows as lines with aligned columns.
/// - Parameter rows: all of the same length.
func alignedText(_ rows: [[String]]) -> String {
    guard let first = rows.first else { return "" }
    let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        // Foundation's padding counts UTF-16 units, and would truncate names.
        let line = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(
            separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
}
