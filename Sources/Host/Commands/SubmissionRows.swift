import Foundation
import HostCore
import ServerClient
import SwiftCSV
import Values

/// The rows of a table, each of which is a render of a script: a column sets the parameter of its
/// name.
struct SubmissionRows {
    struct Row {
        /// From 1; nil if there is no table.
        var number: Int?
        /// The line of the table's file on which it begins, from 1.
        var line: Int?
        var values: [(column: String, text: String)]

        /// `Row 3 (line 4)`; nil if there is no table.
        var label: String? {
            number.map { number in "Row \(number)\(line.map { " (line \($0))" } ?? "")" }
        }

        /// The values in the form of `--set`.
        var parameters: [String] { values.map { "\($0.column)=\($0.text)" } }

        /// Replaces `{row}`, `{script}` and the parameters' names in braces in a name.
        /// - Parameter parameters: those of `--set`.
        /// - Throws: for a value that would lead to another folder, and for unknown placeholders.
        func name(_ pattern: String, script: String, _ parameters: [String]) throws(HostError) -> String {
            let stem = ((script as NSString).lastPathComponent as NSString).deletingPathExtension
            var known = ["script": stem]
            for parameter in parameters + self.parameters {
                guard let equals = parameter.firstIndex(of: "=") else { continue }
                known[String(parameter[..<equals])] = String(parameter[parameter.index(after: equals)...])
            }
            if let number { known["row"] = "\(number)" }
            var (result, rest) = ("", pattern[...])
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                let word = String(rest[rest.index(after: open)..<close])
                guard let text = known[word] else {
                    throw HostError(
                        .usage,
                        sentence(
                            "‘{\(word)}’ in the output's name is not a placeholder\(suggestion(for: word, in: known.keys.sorted()))"
                        ))
                }
                guard !text.contains("/"), !text.isEmpty, text != ".", text != ".." else {
                    throw HostError(.usage, "‘\(text)’, the value of ‘{\(word)}’, cannot be part of a file name.")
                }
                result += rest[..<open] + text
                rest = rest[rest.index(after: close)...]
            }
            return result + rest
        }
    }

    let rows: [Row]

    /// The maximum number of rows.
    private static let most = 100_000
    /// The maximum number of wrong rows in a message.
    private static let mostNamed = SubmissionBatch.mostNamed

    /// Reads a table.
    /// - Parameter path: a CSV file in UTF-8 whose first line names the columns; nil: one row
    ///   without values.
    /// - Throws: if it is not a table, or a row has not as many fields as the header.
    init(_ path: String?) throws(HostError) {
        guard let path else {
            rows = [Row(number: nil, values: [])]
            return
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HostError(.noInput, "The table ‘\(path)’ cannot be read.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw HostError(.data, "The table ‘\(path)’ is not valid UTF-8.")
        }
        let records = CSVRecord.records(in: text)
        let delimiter = CSVDelimiter.guessed(string: records.first?.text ?? "")
        let header = try records.first?.fields(delimiter, "The header of the table ‘\(path)’") ?? []
        guard records.count > 1, header.allSatisfy({ !$0.isEmpty }), Set(header).count == header.count else {
            throw HostError(
                .data,
                "The table ‘\(path)’ needs a header line with a unique name for each column, and at least one row.")
        }
        guard records.count - 1 <= Self.most else {
            throw HostError(
                .data, "The table ‘\(path)’ has \(records.count - 1) rows, but can have at most \(Self.most).")
        }
        var (rows, wrong): ([Row], [Finding]) = ([], [])
        for (number, record) in records.enumerated().dropFirst() {
            var row = Row(number: number, line: record.line, values: [])
            do throws(HostError) {
                let name = "\(row.label ?? "") of the table ‘\(path)’"
                row.values = Self.pairs(header, try record.fields(delimiter, name, columns: header.count))
                rows.append(row)
            } catch {
                wrong += error.findings
            }
        }
        if wrong.count > Self.mostNamed {
            let more = wrong.count - Self.mostNamed
            wrong = wrong.prefix(Self.mostNamed) + [Finding("\(counted(more, "more row", "more rows")) like these.")]
        }
        guard wrong.isEmpty else { throw HostError(.data, wrong) }
        self.rows = rows
    }

    private static func pairs(_ header: [String], _ fields: [String]) -> [(column: String, text: String)] {
        zip(header, fields).map { ($0, $1) }
    }
}
