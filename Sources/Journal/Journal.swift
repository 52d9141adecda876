import Dispatch
import Files
import Foundation
import GRDB
import Glibc
import Renders
import Synchronization

/// The durable state of a server: its renders, their requests and the parts that exist, in a SQLite
/// file.
///
/// One connection on one thread does everything, including checkpoints (SQLite before 3.51.3 may
/// damage a WAL file that several connections reset). Concurrent writes share a transaction, so
/// durability costs one sync for all of them.
public final class Journal: Sendable {
    private let database: DatabaseQueue
    private let lock: FileLock
    private let thread = DispatchQueue(label: "journal")
    private let pending = Mutex<[Batch]>([])
    private let path: String
    private let observer: (@Sendable (Commit) -> Void)?
    /// The file of the journal's ``JournalMark``.
    private let markFile: OpenFile
    /// What was lost before this journal was opened, as a sentence; nil where nothing was.
    public let loss: String?

    /// A finished transaction, for metrics.
    public struct Commit: Sendable {
        public var records: Int
        public var seconds: Double
        public var isWritten: Bool
    }

    private struct Batch: Sendable {
        var records: [JournalRecord]
        var then: @Sendable (Result<Void, JournalError>) -> Void
    }

    /// How long another program may keep the file locked before writing fails.
    private static let patience: TimeInterval = 5

    /// The contents of the journal when it was opened.
    public struct Contents: Sendable {
        public var entries: [RenderEntry]
        /// Greater than the number of any render so far.
        public var nextRender: Int64
        /// Greater than any epoch that was used.
        public var nextEpoch: UInt64
        /// The workers that make parts, by render and key.
        public var leases: [RenderID: [String: JournalLease]]
        /// The farm's name, chosen at random with the journal. Nodes recognize the server by it.
        public var farm: String
        /// Sentences about rows that cannot be read and are left in place.
        public var problems: [String] = []
    }

    /// Opens the journal in a folder, which is created if it is missing. Blocks: do not call from
    /// asynchronous code.
    /// - Parameter observer: receives each transaction, on the journal's thread.
    /// - Throws: `.inUse`, `.tooNew`, `.damaged` or `.unavailable`.
    public init(folder: String, observer: (@Sendable (Commit) -> Void)? = nil) throws(JournalError) {
        self.observer = observer
        path = folder + "/journal.sqlite"
        lock = try FileLock.journal(in: folder)
        try Self.makePrivate(path)
        do throws(Errno) {
            markFile = try OpenFile(
                folder + "/" + JournalMark.fileName, .readWrite, [.create, .noFollow], permissions: .ownerReadWrite)
        } catch {
            throw JournalError(
                .unavailable, "‘\(folder)/\(JournalMark.fileName)’ cannot be written: \(error).")
        }
        do {
            var configuration = Configuration()
            configuration.label = "journal"
            configuration.busyMode = .timeout(Self.patience)
            configuration.prepareDatabase { database in
                // Confirmed writes must survive a power failure.
                try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            let check = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            guard check == "ok" else {
                throw JournalError(
                    .damaged, "The journal ‘\(path)’ is damaged (\(check ?? "no answer")); restore it, or move it away."
                )
            }
            try JournalSchema.migrator.migrate(database)
            guard try database.read(JournalSchema.isKnown) else {
                throw JournalError(
                    .tooNew, "The journal ‘\(path)’ was written by a later version of Cutroom; use that version.")
            }
            let isRepaired = try database.write(JournalSchema.repairNumbers)
            let marked = JournalMark(path: folder + "/" + JournalMark.fileName)
            let found = try database.read(JournalSchema.mark)
            let lost = marked?.loss(in: found, path)
            // Used numbers are never reused, whatever else is lost.
            if let marked, lost != nil || isRepaired {
                try database.write { try JournalSchema.raise(to: marked, $0) }
            }
            loss = lost
        } catch {
            throw JournalError(error, path)
        }
    }

    /// Makes the database's files the user's alone. SQLite gives its log the rights of the
    /// database.
    private static func makePrivate(_ path: String) throws(JournalError) {
        for suffix in ["", "-wal", "-shm"] {
            do throws(Errno) {
                let file = try OpenFile(
                    path + suffix, .readWrite, suffix.isEmpty ? [.create, .noFollow] : .noFollow,
                    permissions: .ownerReadWrite)
                fchmod(file.descriptor.rawValue, 0o600)
            } catch {
                if !suffix.isEmpty, error == .noSuchFileOrDirectory { continue }
                throw JournalError(.unavailable, "The journal ‘\(path + suffix)’ cannot be opened: \(error).")
            }
        }
    }

    /// Records a committed transaction in the mark. A failure is ignored: without the mark, a later
    /// loss is only not detected.
    private func note(_ mark: JournalMark) { _ = mark.write(to: markFile) }

    /// Returns the readable contents. Unreadable rows are left in place and reported: one of them
    /// must not stop the others.
    public func contents() throws(JournalError) -> Contents {
        do {
            return try database.read { [path] database in
                var (problems, entries): ([String], [RenderEntry]) = ([], [])
                var leases: [RenderID: [String: JournalLease]] = [:]
                // One row at a time: there may be very many renders.
                let renders = try Row.fetchCursor(database, sql: "SELECT id, entry FROM renders ORDER BY id")
                while let row = try renders.next() {
                    do {
                        entries.append(try JournalRow.entry(row))
                    } catch {
                        let id = "\(row["id"] as DatabaseValue)"
                        problems.append(
                            "Render \(id) in the journal ‘\(path)’ cannot be read and was left out (\(JournalRow.reason(error)))."
                        )
                    }
                }
                for row in try Row.fetchAll(database, sql: "SELECT render, key, lease FROM leases") {
                    do {
                        let (render, key, lease) = try JournalRow.lease(row)
                        leases[render, default: [:]][key] = lease
                    } catch {
                        problems.append(
                            "A lease in the journal ‘\(path)’ cannot be read; its part is rendered again (\(JournalRow.reason(error)))."
                        )
                    }
                }
                return Contents(
                    entries: entries,
                    nextRender: min(try JournalSchema.number("render", database), JournalRow.lastRender + 1),
                    nextEpoch: UInt64(clamping: try JournalSchema.number("epoch", database)), leases: leases,
                    farm: try String.fetchOne(database, sql: "SELECT name FROM farm") ?? "", problems: problems)
            }
        } catch {
            throw JournalError(error, path)
        }
    }

    /// Reserves epochs for leases: no other process gets them, even after a crash. Blocks: do not
    /// call from asynchronous code.
    /// - Returns: the first of them.
    public func reserveEpochs(_ count: UInt64 = 1 << 40) throws(JournalError) -> UInt64 {
        do {
            let (first, mark) = try database.write { database in
                let first = try JournalSchema.number("epoch", database)
                let (next, isOver) = first.addingReportingOverflow(Int64(clamping: count))
                guard !isOver else { throw JournalError(.unavailable, "The journal ‘\(path)’ has run out of epochs.") }
                try JournalSchema.raise("epoch", to: next, database)
                return (UInt64(clamping: first), try JournalSchema.countCommit(database))
            }
            note(mark)
            return first
        } catch {
            throw JournalError(error, path)
        }
    }

    /// The size of the files in bytes. May wait for a disk.
    public var size: Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }

    // MARK: Writing

    /// Writes all of these records, or none. Returns when they would survive a crash of the
    /// machine. Writes of one caller are made in order.
    public func write(
        _ records: [JournalRecord], isolation: isolated (any Actor)? = #isolation
    ) async throws(JournalError) {
        guard !records.isEmpty else { return }
        let result = await withCheckedContinuation { continuation in
            write(records) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Writes records without waiting.
    /// - Parameter then: called on the journal's thread.
    public func write(_ records: [JournalRecord], then: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        let isFirst = pending.withLock { pending in
            pending.append(Batch(records: records, then: then))
            return pending.count == 1
        }
        if isFirst { thread.async { self.commit() } }
    }

    /// Writes all pending records in one transaction.
    private func commit() {
        let batches = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        let result: Result<Void, JournalError>
        let start = ContinuousClock.now
        do {
            let mark = try database.write { database in
                for batch in batches { for record in batch.records { try JournalSchema.write(record, database) } }
                return try JournalSchema.countCommit(database)
            }
            note(mark)
            result = .success(())
        } catch {
            result = .failure(JournalError(error, path))
        }
        observer?(
            Commit(
                records: batches.reduce(0) { $0 + $1.records.count }, seconds: start.duration(to: .now) / .seconds(1),
                isWritten: (try? result.get()) != nil))
        for batch in batches { batch.then(result) }
    }

    // MARK: Reading

    /// Returns the request of a render; nil if there is none.
    public func request(of id: RenderID) async throws(JournalError) -> Data? {
        try await read {
            try Data.fetchOne($0, sql: "SELECT request FROM requests WHERE render = ?", arguments: [id.number])
        }
    }

    /// Returns the existing parts by their keys. A part whose row is damaged is made again.
    public func parts(of id: RenderID) async throws(JournalError) -> [String: Data] {
        try await read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT key, file FROM parts WHERE render = ?", arguments: [id.number])
            return Dictionary(rows.compactMap(JournalRow.part)) { $1 }
        }
    }

    /// Returns the files that renders have under a key. Damaged rows are left out.
    public func files(named key: String) async throws(JournalError) -> [RenderID: Data] {
        try await read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT render, file FROM parts WHERE key = ?", arguments: [key])
            let files = rows.compactMap { row -> (RenderID, Data)? in
                guard let id = Int64.fromDatabaseValue(row["render"]), let file = Data.fromDatabaseValue(row["file"])
                else { return nil }
                return (RenderID(id), file)
            }
            return Dictionary(files) { $1 }
        }
    }

    /// Returns the last lines of a render's log, in order. A damaged line says so.
    public func notes(of id: RenderID, last count: Int = 1000) async throws(JournalError) -> [RenderNote] {
        try await read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT time, level, text FROM notes WHERE render = ? ORDER BY number DESC LIMIT ?",
                arguments: [id.number, count])
            return rows.reversed().map(JournalRow.note)
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalError) -> Value {
        let result: Result<Value, JournalError> = await withCheckedContinuation { continuation in
            thread.async { [database, path] in
                do {
                    continuation.resume(returning: .success(try database.read(body)))
                } catch {
                    continuation.resume(returning: .failure(JournalError(error, path)))
                }
            }
        }
        return try result.get()
    }
}
