import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import Workers

/// Which readers stay open between jobs.
@Suite struct ReaderPoolTests {
    private final class Reader: PositionedReader {
        let number: Int
        var position: Time?
        init(_ number: Int) { self.number = number }
        func rest() -> Bool { true }
    }

    private struct Lab {
        let folder: TemporaryFolder
        let pool = ReaderPool<Reader>(idleLimit: 3)
        private(set) var opened = 0
        let identity = FileIdentity(size: 1, modified: 2, digest: "d")

        init() throws {
            folder = try TemporaryFolder()
            for name in ["a", "b", "c", "d"] { try folder.write(Data([1]), to: name) }
        }

        /// Takes a reader and gives it back.
        /// - Returns: its number, in the order of opening.
        @discardableResult
        mutating func use(_ names: String...) throws -> [Int] {
            let readers = try names.map { name in
                try pool.take(folder.file(name), identity, near: .zero) {
                    opened += 1
                    return Reader(opened)
                }
            }
            for (name, reader) in zip(names, readers) { pool.giveBack(reader, folder.file(name), identity) }
            return readers.map(\.number)
        }
    }

    /// The two files of a picture in a picture stay open from one segment to the next.
    @Test func readersOfSeveralFilesStayOpen() throws {
        var lab = try Lab()
        #expect(try lab.use("a", "b") == [1, 2])
        #expect(try lab.use("a", "b") == [1, 2])
        // One of the same file for a second clip.
        #expect(try lab.use("a", "a", "b") == [1, 3, 2])
        #expect(try lab.use("a", "b", "a").sorted() == [1, 2, 3])
    }

    @Test func readersThatTheNextJobDoesNotNeedAreClosed() throws {
        var lab = try Lab()
        try lab.use("a", "b", "c")
        lab.pool.keepOnly([lab.folder.file("b")])
        #expect(try lab.use("b") == [2])
        #expect(try lab.use("a") == [4])
        lab.pool.trim(to: 1)
        #expect(try lab.use("a", "b") == [4, 5])
        // Beyond the limit the one that is idle for longest goes.
        try lab.use("c", "d")
        #expect(try lab.use("a") == [8])
    }
}
