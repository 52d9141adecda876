import Foundation
import SwiftCSV

/// The rows of a table, each of which is a render of a script: a column gives the parameter of its name.
struct SubmissionRows {
    struct Row {
        /// From 1; nil where there is no table.
        var number: Int?
        var values: [(column: String, text: String)]

        /// The values as `--set` has them.
        var parameters: [String] { values.map { "\($0.column)=\($0.text)" } }

        /// A name with `{row}`, `{script}` and the columns in braces replaced.
        /// - Throws: for a value that would lead into another folder.
        func name(_ pattern: String, script: String) throws(HostError) -> String {
            let stem = ((script as NSString).lastPathComponent as NSString).deletingPathExtension
            var result = pattern.replacing("{script}", with: stem)
            if let number { result = result.replacing("{row}", with: "\(number)") }
            for (column, text) in values where result.contains("{\(column)}") {
                guard !text.contains("/"), !text.isEmpty, text != ".", text != ".." else {
                    throw HostError(
                        .usage, "‘\(text)’ in column ‘\(column)’ of row \(number ?? 0) cannot be part of a file's name."
                    )
                }
                result = result.replacing("{\(column)}", with: text)
            }
            return result
        }
    }

    let rows: [Row]

    /// The most rows that are taken at a time.
    private static let most = 100_000

    /// - Parameter path: of a CSV file in UTF-8 whose first line names the columns; nil: one row without values.
    init(_ path: String?) throws(HostError) {
        guard let path else {
            rows = [Row(number: nil, values: [])]
            return
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HostError(.noInput, "The table ‘\(path)’ cannot be read.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw HostError(.data, "The table ‘\(path)’ is not in UTF-8.")
        }
        let table: EnumeratedCSV
        do {
            table = try EnumeratedCSV(string: text, loadColumns: false)
        } catch {
            throw HostError(.data, "The table ‘\(path)’ cannot be read: \(error).")
        }
        let header = table.header
        guard !table.rows.isEmpty, header.allSatisfy({ !$0.isEmpty }), Set(header).count == header.count else {
            throw HostError(
                .data,
                "The table ‘\(path)’ needs a first line with a name for each column, each once, and rows below it.")
        }
        guard table.rows.count <= Self.most else {
            throw HostError(
                .data, "The table ‘\(path)’ has \(table.rows.count) rows, but at most \(Self.most) go at a time.")
        }
        var rows: [Row] = []
        for (index, fields) in table.rows.enumerated() {
            guard fields.count == header.count else {
                throw HostError(
                    .data,
                    "Row \(index + 1) of the table ‘\(path)’ has \(counted(fields.count, "field", "fields")), but there are \(counted(header.count, "column", "columns"))."
                )
            }
            rows.append(Row(number: index + 1, values: Array(zip(header, fields)).map { ($0, $1) }))
        }
        self.rows = rows
    }
}
