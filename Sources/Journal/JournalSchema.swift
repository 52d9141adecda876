import Foundation
import GRDB
import Renders

/// The tables of the journal.
enum JournalSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE renders (id INTEGER PRIMARY KEY, entry BLOB NOT NULL);
                    CREATE TABLE requests (render INTEGER PRIMARY KEY, request BLOB NOT NULL);
                    CREATE TABLE parts (render INTEGER NOT NULL, key TEXT NOT NULL, file BLOB NOT NULL, PRIMARY KEY (render, key)) WITHOUT ROWID;
                    CREATE TABLE notes (number INTEGER PRIMARY KEY, render INTEGER NOT NULL, time REAL NOT NULL, level TEXT NOT NULL, text TEXT NOT NULL);
                    CREATE INDEX notes_of_render ON notes (render, number);
                    CREATE TABLE numbers (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE leases (render INTEGER NOT NULL, key TEXT NOT NULL, lease BLOB NOT NULL, PRIMARY KEY (render, key)) WITHOUT ROWID;
                    CREATE TABLE farm (name TEXT NOT NULL);
                    INSERT INTO farm VALUES (lower(hex(randomblob(8))));
                    """)
        }
        return migrator
    }

    /// Returns whether this version knows all migrations of the file.
    static func isKnown(_ database: Database) throws -> Bool {
        try !migrator.hasBeenSuperseded(database)
    }

    /// Returns the next number of a kind; 1 if none was used, or the row is damaged.
    static func number(_ name: String, _ database: Database) throws -> Int64 {
        let statement = try database.cachedStatement(sql: "SELECT next FROM numbers WHERE name = ?")
        let row = try Row.fetchOne(statement, arguments: [name])
        let number = row.flatMap { Int64.fromDatabaseValue($0["next"]) } ?? 1
        return JournalMark.numbers.contains(number) ? max(1, number) : 1
    }

    /// Removes numbers that are out of range, and continues the numbers of renders after the last
    /// existing one.
    /// - Returns: whether there were any.
    static func repairNumbers(_ database: Database) throws -> Bool {
        try database.execute(
            sql: "DELETE FROM numbers WHERE typeof(next) <> 'integer' OR next NOT BETWEEN ? AND ?",
            arguments: [JournalMark.numbers.lowerBound, JournalMark.numbers.upperBound])
        guard database.changesCount > 0 else { return false }
        let last = try Int64.fetchOne(
            database, sql: "SELECT max(id) FROM renders WHERE id <= ?", arguments: [JournalRow.lastRender])
        if let last { try raise("render", to: last + 1, database) }
        return true
    }

    private static let commits = "commit"

    /// Returns the mark of the journal's contents.
    static func mark(_ database: Database) throws -> JournalMark {
        JournalMark(
            commits: try number(commits, database), nextRender: try number("render", database),
            nextEpoch: try number("epoch", database))
    }

    /// Counts the current transaction.
    static func countCommit(_ database: Database) throws -> JournalMark {
        try raise(commits, to: try number(commits, database) + 1, database)
        return try mark(database)
    }

    /// Skips the numbers that were used before data was lost.
    static func raise(to mark: JournalMark, _ database: Database) throws {
        try raise("render", to: mark.nextRender, database)
        try raise("epoch", to: mark.nextEpoch, database)
        try raise(commits, to: mark.commits, database)
    }

    /// Raises a number. Numbers only increase: those of removed renders are not reused.
    static func raise(_ name: String, to next: Int64, _ database: Database) throws {
        try execute(
            database,
            "INSERT INTO numbers VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next = max(next, excluded.next)",
            [name, next])
    }

    static func write(_ record: JournalRecord, _ database: Database) throws {
        switch record {
        case .entry(let entry):
            let blob = try JSONEncoder().encode(entry)
            try execute(
                database, "INSERT INTO renders VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET entry = excluded.entry",
                [entry.id.number, blob])
            try raise("render", to: entry.id.number + 1, database)
        case .request(let id, let request):
            try execute(database, "INSERT OR REPLACE INTO requests VALUES (?, ?)", [id.number, request])
        case .part(let id, let key, let file):
            try execute(database, "INSERT OR REPLACE INTO parts VALUES (?, ?, ?)", [id.number, key, file])
            try write(.noLease(id, key: key), database)
        case .lease(let id, let key, let lease):
            let blob = try JSONEncoder().encode(lease)
            try execute(database, "INSERT OR REPLACE INTO leases VALUES (?, ?, ?)", [id.number, key, blob])
        case .noLease(let id, let key):
            try execute(database, "DELETE FROM leases WHERE render = ? AND key = ?", [id.number, key])
        case .noPart(let id, let key):
            try execute(database, "DELETE FROM parts WHERE render = ? AND key = ?", [id.number, key])
        case .noParts(let id):
            try execute(database, "DELETE FROM parts WHERE render = ?", [id.number])
            try execute(database, "DELETE FROM leases WHERE render = ?", [id.number])
        case .note(let id, let note):
            try execute(
                database, "INSERT INTO notes (render, time, level, text) VALUES (?, ?, ?, ?)",
                [id.number, note.time, note.level.rawValue, note.text])
        case .remove(let id):
            for (table, column) in [
                ("renders", "id"), ("requests", "render"), ("parts", "render"), ("notes", "render"),
                ("leases", "render"),
            ] {
                try execute(database, "DELETE FROM \(table) WHERE \(column) = ?", [id.number])
            }
        case .nextEpoch(let epoch): try raise("epoch", to: Int64(clamping: epoch), database)
        }
    }

    private static func execute(_ database: Database, _ sql: String, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension JournalError {
    init(_ error: any Error, _ path: String) {
        if let error = error as? JournalError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.damaged, "The journal ‘\(path)’ cannot be read: \(error).")
            return
        }
        let reason = error.message ?? "\(error)"
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            self.init(.damaged, "The journal ‘\(path)’ is damaged (\(reason)); restore it, or move it away.")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.unavailable, "The journal ‘\(path)’ is locked by another program.")
        case .SQLITE_FULL:
            self.init(.unavailable, "The journal ‘\(path)’ cannot be written: the disk is full.")
        default: self.init(.unavailable, "The journal ‘\(path)’ cannot be used: \(reason).")
        }
    }
}
