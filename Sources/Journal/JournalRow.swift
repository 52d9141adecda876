import Foundation
import GRDB
import Renders

/// Decodes rows of the journal. Values are within their valid ranges, whatever the file contains.
enum JournalRow {
    /// Why a row is not valid, as half a sentence.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// Renders are numbered from 1; the upper bound leaves room to increment the number.
    static let lastRender: Int64 = 1 << 53

    static func entry(_ row: Row) throws -> RenderEntry {
        guard let id = Int64.fromDatabaseValue(row["id"]), let data = Data.fromDatabaseValue(row["entry"]) else {
            throw Problem(description: "it is not an entry")
        }
        let entry = try JSONDecoder().decode(RenderEntry.self, from: data)
        guard (1...lastRender).contains(id), entry.id.number == id else {
            throw Problem(description: "it has the number \(entry.id), but is stored as \(id)")
        }
        return entry
    }

    static func lease(_ row: Row) throws -> (RenderID, key: String, JournalLease) {
        guard let id = Int64.fromDatabaseValue(row["render"]), let key = String.fromDatabaseValue(row["key"]),
            let data = Data.fromDatabaseValue(row["lease"])
        else { throw Problem(description: "it is not a lease") }
        return (RenderID(id), key, try JSONDecoder().decode(JournalLease.self, from: data))
    }

    /// Returns a part's key and file; nil if the row is damaged.
    static func part(_ row: Row) -> (key: String, file: Data)? {
        guard let key = String.fromDatabaseValue(row["key"]), let file = Data.fromDatabaseValue(row["file"]) else {
            return nil
        }
        return (key, file)
    }

    /// Returns a line of a log, which says so if it is damaged.
    static func note(_ row: Row) -> RenderNote {
        let time = Double.fromDatabaseValue(row["time"]) ?? 0
        guard let text = String.fromDatabaseValue(row["text"]) else {
            return RenderNote(time: time, .warning, "This line of the log is damaged in the journal.")
        }
        let level = String.fromDatabaseValue(row["level"]).flatMap { RenderNote.Level(rawValue: $0) }
        return RenderNote(time: time, level ?? .info, text)
    }

    /// Describes the error in a row as half a sentence, without the decoder's own text.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        func place(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "it" : "‘" + path.map(\.stringValue).joined(separator: ".") + "’"
        }
        switch error {
        case .keyNotFound(let key, let context): return "\(place(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context), .typeMismatch(_, let context):
            return "\(place(context.codingPath)) has the wrong type"
        case .dataCorrupted(let context): return "\(place(context.codingPath)) is damaged"
        @unknown default: return "it is damaged"
        }
    }
}
