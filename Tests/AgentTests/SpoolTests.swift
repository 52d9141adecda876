import Content
import Foundation
import Messaging
import TestSupport
import Testing

@testable import Agent

/// The folder of unacknowledged results.
@Suite struct SpoolTests {
    private static func completion(_ epoch: UInt64, _ bytes: Int = 3) -> Completion {
        let lease = Lease(job: "job", epoch: epoch)
        return Completion(
            lease: lease, message: .completed(lease, result: Data(repeating: 10, count: bytes)), host: "h")
    }

    @Test func resultsAreThereUntilTheyAreForgotten() throws {
        try TemporaryFolder.with { folder in
            let spool = try Spool(folder: folder.file("spool"))
            let failed = Completion(
                lease: Lease(job: "x", epoch: 3),
                message: .failed(Lease(job: "x", epoch: 3), JobFailure(.input, "No.")),
                host: "h")
            #expect(spool.keep(Self.completion(1), of: 1) == nil && spool.keep(Self.completion(2, 0), of: 1) == nil)
            #expect(spool.keep(failed, of: 2) == nil)
            #expect(spool.load() == [1: [Self.completion(1), Self.completion(2, 0)], 2: [failed]])
            spool.forget(Lease(job: "job", epoch: 1), of: 1)
            #expect(spool.load() == [1: [Self.completion(2, 0)], 2: [failed]])
        }
    }

    @Test func whatIsNotWholeIsRemoved() throws {
        try TemporaryFolder.with { folder in
            let spool = try Spool(folder: folder.path)
            #expect(spool.keep(Self.completion(7), of: 1) == nil)
            let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("1-7.result")))
            for (name, data) in [
                ("1-8.result", whole.dropLast()), ("1-9.result", Data()), ("1-10.result", Data("{}\n".utf8)),
                ("1-11.result.new", whole), ("1-12.result", whole + [0]),
            ] { _ = try folder.write(Data(data), to: name) }
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("1-13.result"), withDestinationPath: "/dev/zero")
            #expect(spool.load() == [1: [Self.completion(7)]])
            #expect(Set(folder.names) == ["1-7.result", "lock"])
        }
    }

    @Test func aFolderIsForOneAgentAlone() throws {
        try TemporaryFolder.with { folder in
            let spool = try Spool(folder: folder.path)
            let problem = #expect(throws: Spool.Problem.self) { try Spool(folder: folder.path) }
            #expect(problem?.description.contains("Another cutroom-worker uses") == true)
            withExtendedLifetime(spool) {}
            #expect(throws: Spool.Problem.self) { try Spool(folder: "/dev/null/x") }
        }
    }

    @Test func whatCannotBeWrittenIsToldOf() throws {
        try TemporaryFolder.with { folder in
            let spool = try Spool(folder: folder.path)
            // A folder of that name cannot be written as a file.
            try FileManager.default.createDirectory(
                atPath: folder.file("1-7.result.new"), withIntermediateDirectories: true)
            #expect(spool.keep(Self.completion(7), of: 1) != nil)
        }
    }

    @Test func filesAreKeptAsLongAsSomebodyIsToGetThem() throws {
        try TemporaryFolder.with { folder in
            let spool = try Spool(folder: folder.file("spool"))
            for name in ["wanted", "unwanted"] {
                try FileManager.default.createDirectory(
                    atPath: "\(spool.made)/\(name)", withIntermediateDirectories: true)
                try Data([1]).write(to: URL(fileURLWithPath: "\(spool.made)/\(name)/part.1-1"))
            }
            var completion = Self.completion(1)
            let id = try #require(ContentID(digest: String(repeating: "a", count: 64), size: 1))
            completion.delivery = Delivery(
                folder: "\(spool.made)/wanted",
                files: [.init(here: "\(spool.made)/wanted/part.1-1", there: "/p/part.1-1", id: id)])
            #expect(spool.keep(completion, of: 1) == nil)
            #expect(spool.load() == [1: [completion]])
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool.made) == ["wanted"])
            completion.delivery = nil
            #expect(spool.keep(completion, of: 1) == nil && spool.load() == [1: [completion]])
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool.made).isEmpty)
        }
    }
}
