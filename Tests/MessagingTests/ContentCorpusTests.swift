import Content
import Foundation
import FuzzSubjects
import TestSupport
import Testing

@testable import Messaging

/// The initial inputs of `make fuzz-messages` for content messages, and those that it has found.
@Suite struct ContentCorpusTests {
    private static let folder = Project.root + "/Tests/Fuzz/Corpus/content"

    /// One message of each kind, with its bytes, by the names of their inputs.
    private static var all: [String: [Data]] {
        get throws {
            let id = try #require(ContentID(digest: String(repeating: "0a", count: 32), size: 300_000))
            let digests = Data(repeating: 7, count: 2 * BlockTable.digestSize)
            let questions: [(String, ContentQuestion.Ask, Data?)] = [
                ("describe", .describe(path: "/media/ü.mp4"), nil), ("table", .table(path: "/m", id, from: 1), digests),
                ("block", .block(path: "/m", id, 1), nil), ("offer", .offer(path: "/p", id), nil),
                ("give", .give(path: "/p", id, from: 4096), Data([1, 2, 3])), ("finish", .finish(path: "/p", id), nil),
            ]
            let answers: [(String, ContentAnswer.Say, Data?)] = [
                ("content", .content(id, modified: 1_700_000_000_000_000_000), digests),
                ("counting", .counting(done: 1, total: 2), nil), ("bytes", .bytes, Data([0])), ("has", .has(4096), nil),
                ("kept", .kept, nil), ("missing", .missing(reason: "‘/m’ is gone", isMissing: true), nil),
                ("unknown-lease", .unknownLease, nil), ("refused", .refused(reason: "no"), nil),
                ("lacking", .lacking(reason: "no space"), nil),
            ]
            let lease = Lease(job: "r1.1-segment-3", epoch: 9)
            var all: [String: [Data]] = [:]
            for (name, ask, bytes) in questions {
                all[name] = ContentWire.encode(ContentQuestion(number: .max, lease: lease, ask: ask), bytes)
            }
            for (name, say, bytes) in answers {
                all[name] = ContentWire.encode(ContentAnswer(number: 1, say: say), bytes)
            }
            return all
        }
    }

    @Test func `every input of the corpus is read without a fault`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(name)"))
            #expect(ContentSubject.problem(bytes) == nil, "\(name)")
        }
        #expect(try Set(names).isSuperset(of: Self.all.keys))
    }

    @Test func `every kind is read as it was written`() throws {
        for (name, frames) in try Self.all {
            #expect(ContentSubject.problem(MessageSubject.bytes(of: frames)) == nil, "\(name)")
            let question = ContentWire.decode(ContentQuestion.self, frames)
            let answer = ContentWire.decode(ContentAnswer.self, frames)
            #expect((question == nil) != (answer == nil), "\(name)")
        }
    }
}
