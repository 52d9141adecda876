import Foundation
import GRDB
import Glibc
import Renders
import TestSupport
import Testing

@testable import Journal

/// The contents of a journal, and what remains of them after a restart.
@Suite(.listens) struct JournalTests {
    private func entries(_ count: Int) throws -> [RenderEntry] {
        var book = RenderBook(limit: 1)
        for number in 0..<count {
            _ = try book.submit(
                RenderTicket(name: "cut \(number)", output: "/out", submitter: "ann", digest: "d"), at: 5.25)
        }
        return book.entries.values.sorted { $0.id < $1.id }
    }

    @Test func `what was written is there again`() async throws {
        let folder = try TemporaryFolder()
        let entries = try entries(3)
        let (first, second) = (entries[0].id, entries[1].id)
        do {
            let journal = try Journal(folder: folder.path)
            #expect(try journal.contents().entries.isEmpty)
            try await journal.write(entries.map { .entry($0) })
            try await journal.write([
                .request(first, Data("what".utf8)), .part(first, key: "a", Data("A".utf8)),
                .part(first, key: "b", Data("B".utf8)), .part(second, key: "a", Data("2".utf8)),
                .note(first, RenderNote(time: 1, .info, "begun")), .note(first, RenderNote(time: 2, .error, "no")),
                .note(second, RenderNote(time: 3, .info, "other")), .nextEpoch(4000),
            ])
            try await journal.write([.noPart(first, key: "b"), .remove(entries[2].id), .nextEpoch(17)])
        }
        let journal = try Journal(folder: folder.path)
        let contents = try journal.contents()
        #expect(contents.entries == Array(entries.prefix(2)))
        #expect(contents.nextRender == 4 && contents.nextEpoch == 4000, "numbers only grow")
        #expect(try await journal.request(of: first) == Data("what".utf8))
        #expect(try await journal.request(of: second) == nil)
        #expect(try await journal.parts(of: first) == ["a": Data("A".utf8)])
        #expect(try await journal.files(named: "a") == [first: Data("A".utf8), second: Data("2".utf8)])
        #expect(try await journal.files(named: "b").isEmpty)
        #expect(try await journal.notes(of: first).map(\.text) == ["begun", "no"])
        #expect(try await journal.notes(of: first, last: 1).map(\.level) == [.error])
    }

    @Test func `leases are there until their parts are, and epochs are given out once`() async throws {
        let folder = try TemporaryFolder()
        let (id, other) = (RenderID(1), RenderID(2))
        func lease(_ epoch: UInt64) -> JournalLease { JournalLease(job: "j", epoch: epoch, worker: "n/1") }
        var (name, first) = ("", UInt64(0))
        do {
            let journal = try Journal(folder: folder.path)
            first = try journal.reserveEpochs()
            #expect(first >= 1)
            #expect(try journal.reserveEpochs(10) == first + 1 << 40)
            try await journal.write([
                .lease(id, key: "a", lease(1)), .lease(id, key: "b", lease(2)), .lease(id, key: "b", lease(3)),
                .lease(id, key: "c", lease(4)), .lease(other, key: "a", lease(5)),
            ])
            try await journal.write([.part(id, key: "a", Data()), .noLease(id, key: "c"), .noParts(other)])
            name = try journal.contents().farm
        }
        let journal = try Journal(folder: folder.path)
        let contents = try journal.contents()
        #expect(contents.leases == [id: ["b": lease(3)]])
        #expect(contents.farm == name && !name.isEmpty, "nodes know the server by it")
        #expect(try journal.reserveEpochs() == first + 1 << 40 + 10)
        try await journal.write([.remove(id)])
        #expect(try journal.contents().leases.isEmpty)
    }

    @Test func `many write at once, each whole`() async throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(folder: folder.path)
        let id = RenderID(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await journal.write([
                        .part(id, key: "\(number)", Data()), .part(RenderID(2), key: "\(number)", Data()),
                    ])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await journal.parts(of: id).count == 500)
        #expect(try await journal.parts(of: RenderID(2)).count == 500)
    }

    @Test func `a journal belongs to one server`() throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(folder: folder.path)
        let error = try #require(throws: JournalError.self) { try Journal(folder: folder.path) }
        #expect(error.code == .inUse && error.message.contains(folder.path))
        withExtendedLifetime(journal) {}
    }

    @Test func `what is no journal, or a later one, is told and left alone`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "no journal ", count: 1000), to: "journal.sqlite")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try #require(throws: JournalError.self) { try Journal(folder: folder.path) }.code == .damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)

        let later = try TemporaryFolder()
        do { _ = try Journal(folder: later.path) }
        let database = try DatabaseQueue(path: later.file("journal.sqlite"))
        try database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
        try database.close()
        #expect(try #require(throws: JournalError.self) { try Journal(folder: later.path) }.code == .tooNew)
    }

    @Test func `a folder that cannot be made is a sentence`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "file")
        let error = try #require(throws: JournalError.self) { try Journal(folder: file + "/state") }
        #expect(error.code == .unavailable && error.message.contains(file))
    }

    /// Another program has locked the file: the journal waits, and then reports it; nothing is
    /// written partially.
    @Test func `a locked journal is waited for`() async throws {
        let folder = try TemporaryFolder()
        let journal = try Journal(folder: folder.path)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.file("journal.sqlite"), configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        async let written: Void = journal.write([.part(RenderID(1), key: "a", Data())])
        try await Task.sleep(for: .milliseconds(300))
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await written
        #expect(try await journal.parts(of: RenderID(1)).count == 1)
    }

    /// No other row is lost, and the message names the row in plain words.
    @Test func `rows that cannot be read are left out and told of`() async throws {
        let folder = try TemporaryFolder()
        let entries = try entries(4)
        do {
            let journal = try Journal(folder: folder.path)
            try await journal.write(entries.map { .entry($0) })
            try await journal.write([
                .lease(entries[0].id, key: "a", JournalLease(job: "j", epoch: 1, worker: "n/1")),
                .lease(entries[0].id, key: "b", JournalLease(job: "j", epoch: 2, worker: "n/1")),
            ])
        }
        let database = try DatabaseQueue(path: folder.file("journal.sqlite"))
        try await database.write { database in
            try database.execute(sql: "UPDATE renders SET entry = '{\"id\": 2}' WHERE id = 2")
            try database.execute(sql: "UPDATE renders SET id = 9223372036854775807 WHERE id = 3")
            try database.execute(sql: "UPDATE leases SET lease = X'00FF' WHERE key = 'b'")
            try database.execute(sql: "UPDATE numbers SET next = -9223372036854775808 WHERE name = 'epoch'")
        }
        try database.close()
        let journal = try Journal(folder: folder.path)
        let contents = try journal.contents()
        #expect(contents.entries.map(\.id.number) == [1, 4] && contents.leases[RenderID(1)]?.keys.sorted() == ["a"])
        #expect(contents.problems.count == 3 && contents.nextRender == 5 && journal.loss == nil)
        #expect(contents.problems[0].contains("Render 2 ") && contents.problems[0].contains("‘ticket’ is missing"))
        #expect(!contents.problems.joined().contains("Context") && !contents.problems.joined().contains("CodingKeys"))
        #expect(try journal.reserveEpochs(5) == 1)
    }

    /// The log and the parts of a render, and the counters.
    @Test func `damaged rows of a render stop nothing`() async throws {
        let folder = try TemporaryFolder()
        do {
            let journal = try Journal(folder: folder.path)
            try await journal.write(try entries(2).map { .entry($0) })
            for text in ["first", "second", "third", "fourth"] {
                try await journal.write([.note(RenderID(1), RenderNote(time: 5, .error, text))])
                try await journal.write([.part(RenderID(1), key: text, Data([1]))])
            }
            _ = try journal.reserveEpochs(100)
        }
        let database = try DatabaseQueue(path: folder.file("journal.sqlite"))
        try await database.write { database in
            try database.execute(sql: "UPDATE notes SET time = 'x' WHERE text = 'first'")
            try database.execute(sql: "UPDATE notes SET level = X'00FF' WHERE text = 'second'")
            try database.execute(sql: "UPDATE notes SET text = X'FFFE' WHERE text = 'third'")
            try database.execute(sql: "UPDATE parts SET key = X'FFFE' WHERE key = 'first'")
            try database.execute(sql: "UPDATE numbers SET next = 9223372036854775807 WHERE name = 'commit'")
            try database.execute(sql: "UPDATE numbers SET next = 'x' WHERE name = 'render'")
            try database.execute(sql: "UPDATE numbers SET next = X'00' WHERE name = 'epoch'")
        }
        try database.close()
        let journal = try Journal(folder: folder.path)
        let notes = try await journal.notes(of: RenderID(1))
        #expect(notes.map(\.time) == [0, 5, 5, 5])
        #expect(notes.map(\.level) == [.error, .info, .warning, .error])
        #expect(notes[2].text.contains("damaged") && notes[3].text == "fourth")
        #expect(try await journal.parts(of: RenderID(1)).keys.sorted() == ["fourth", "second", "third"])
        #expect(try journal.contents().nextRender == 3)
        #expect(try journal.reserveEpochs(1) == 101)
    }

    /// A mark whose numbers leave no room to increment them is ignored.
    @Test(arguments: ["9223372036854775807", "4611686018427387905", "-1", "x"])
    func `a mark that says wild numbers is none`(number: String) async throws {
        let folder = try TemporaryFolder()
        do {
            let journal = try Journal(folder: folder.path)
            try await journal.write(try entries(1).map { .entry($0) })
        }
        for numbers in ["\(number) 1 1", "1 \(number) 1", "1 1 \(number)"] {
            try folder.write("CTRMMRK1 \(numbers)\n", to: "journal.mark")
            let journal = try Journal(folder: folder.path)
            #expect(journal.loss == nil)
            #expect(try journal.contents().nextRender == 2)
            try await journal.write([.part(RenderID(1), key: "a", Data())])
        }
    }

    /// SQLite considers a truncated log an older state, which is equally valid.
    @Test(arguments: [0, 2]) func `a log that was cut is told of, and its numbers are not given out again`(
        share: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let journal = try Journal(folder: path)
            var book = RenderBook(limit: 1)
            for number in 0..<30 {
                let ticket = RenderTicket(name: "cut \(number)", output: "/o", submitter: "ann", digest: "d")
                try await journal.write([.entry(try book.submit(ticket, at: 1).entry)])
            }
            _ = try journal.reserveEpochs(1000)
            kill(getpid(), SIGKILL)
        }
        let log = folder.file("journal.sqlite-wal")
        let size = try #require(FileManager.default.contents(atPath: log)?.count)
        try #require(size > 0)
        truncate(log, share == 0 ? 0 : size / share)
        let journal = try Journal(folder: path)
        let contents = try journal.contents()
        #expect(contents.entries.count < 30)
        let loss = try #require(journal.loss)
        #expect(loss.contains("renders \(contents.entries.count + 1) to 30 are lost"), "\(loss)")
        #expect(contents.nextRender == 31 && contents.nextEpoch == 1001)
    }

    /// A loss is reported once, and only if there was one.
    @Test func `a journal that is whole is told of as nothing else`() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<4 {
            let journal = try Journal(folder: folder.path)
            #expect(journal.loss == nil)
            try await journal.write([.part(RenderID(1), key: "\(round)", Data())])
            _ = try journal.reserveEpochs(1)
        }
        // An older copy in place of the journal.
        let path = folder.file("journal.sqlite")
        let old = try Data(contentsOf: URL(fileURLWithPath: path))
        do {
            let journal = try Journal(folder: folder.path)
            try await journal.write([.part(RenderID(1), key: "last", Data())])
        }
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        // As a new file: a connection that closes late writes to the file that it has open.
        try old.write(to: URL(fileURLWithPath: path), options: .atomic)
        #expect(try Journal(folder: folder.path).loss?.contains("an older copy") == true)
        #expect(try Journal(folder: folder.path).loss == nil, "it is told once")
    }

    @Test func `its files are its user's alone`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("journal.sqlite")
        do { _ = try Journal(folder: folder.path) }
        chmod(path, 0o644)
        let journal = try Journal(folder: folder.path)
        try await journal.write([.part(RenderID(1), key: "a", Data())])
        for file in ["journal.sqlite", "journal.sqlite-wal", "journal.mark"] {
            var info = stat()
            #expect(stat(folder.file(file), &info) == 0 && info.st_mode & 0o777 == 0o600, "\(file)")
        }
        withExtendedLifetime(journal) {}
    }

    /// The writing process is killed at a random moment: confirmed records exist, and none is
    /// partial.
    @Test func `nothing that was promised is lost to a kill`() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<4 {
            let (folder, told) = (folder.path, folder.file("told"))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder as String, told = told as String, round = round as Int] in
                let journal = try Journal(folder: folder)
                let file = open(told, O_WRONLY | O_CREAT | O_APPEND, 0o600)
                for number in 0... {
                    // A slow machine has promised a few by then, too.
                    if number == 6 {
                        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50 * round)) {
                            kill(getpid(), SIGKILL)
                        }
                    }
                    let key = "\(round)-\(number)"
                    try await journal.write([
                        .part(RenderID(1), key: key, Data()), .part(RenderID(2), key: key, Data()),
                    ])
                    let line = key + "\n"
                    line.withCString { _ = write(file, $0, strlen($0)) }
                }
            }
        }
        let journal = try Journal(folder: folder.path)
        let promised = try String(contentsOfFile: folder.file("told"), encoding: .utf8).split(separator: "\n").map(
            String.init)
        let (first, second) = (try await journal.parts(of: RenderID(1)), try await journal.parts(of: RenderID(2)))
        #expect(promised.count > 20 && Set(promised).subtracting(first.keys).isEmpty)
        #expect(Set(first.keys) == Set(second.keys), "a transaction is whole")
    }
}
