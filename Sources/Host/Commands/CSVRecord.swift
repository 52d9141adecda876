import HostCore
import SwiftCSV

/// A record of a CSV file: one line, or several if a quoted field has line breaks.
struct CSVRecord {
    /// Without the line break at its end.
    let text: String
    /// The line of the file on which it begins, from 1.
    let line: Int
    /// Whether the file ends before a quotation mark is closed.
    let isOpen: Bool

    /// Splits a file into records. Blank lines are left out. Quotation marks and line breaks are
    /// those of SwiftCSV, which splits records into fields.
    static func records(in text: String) -> [CSVRecord] {
        var (records, line, isQuoted): ([CSVRecord], Int, Bool) = ([], 1, false)
        var (start, startLine) = (text.startIndex, 1)
        func add(until end: String.Index) {
            let found = text[start..<end]
            guard !found.allSatisfy({ $0.isWhitespace && $0 != "\t" || $0 == "\u{FEFF}" }) else { return }
            records.append(CSVRecord(text: String(found), line: startLine, isOpen: isQuoted))
        }
        for index in text.indices {
            let character = text[index]
            if character == "\"" { isQuoted.toggle() }
            guard character.isNewline else { continue }
            line += 1
            guard !isQuoted else { continue }
            add(until: index)
            (start, startLine) = (text.index(after: index), line)
        }
        add(until: text.endIndex)
        return records
    }

    /// Returns the fields.
    /// - Parameters:
    ///   - name: the record in messages.
    ///   - columns: how many there must be; nil: any number.
    func fields(_ delimiter: CSVDelimiter, _ name: String, columns: Int? = nil) throws(HostError) -> [String] {
        guard !isOpen else {
            throw HostError(
                .data,
                "\(name) opens a quotation mark that the file does not close; add the closing one, or quote the field and double a mark that belongs to the text."
            )
        }
        let fields: [String]
        do {
            // Without a line break at its end, SwiftCSV leaves out an empty last field.
            fields = try EnumeratedCSV(string: text + "\n", delimiter: delimiter, loadColumns: false).header
        } catch {
            throw HostError(
                .data,
                "\(name) has text beside a quotation mark; quote the whole field, and double the quotation marks in it."
            )
        }
        guard let columns, fields.count != columns else { return fields }
        throw HostError(
            .data,
            "\(name) has \(counted(fields.count, "field", "fields")), but the header has \(counted(columns, "column", "columns"))."
        )
    }
}
