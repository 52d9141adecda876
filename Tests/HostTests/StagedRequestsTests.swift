import Foundation
import TestSupport
import Testing

@testable import HostCore
@testable import Server

/// Renders submitted in chunks, before they are accepted.
@Suite struct StagedRequestsTests {
    @Test func `requests come back as they were, and leave no file`() throws {
        let folder = try TemporaryFolder()
        let requests = [Data(), Data("a".utf8), Data(repeating: 7, count: 300_000), Data(), Data("b".utf8)]
        var all: [Data] = []
        do {
            let staged = try StagedRequests(in: folder.path)
            #expect(try staged.all() == [])
            for request in requests { try staged.append(request) }
            #expect(staged.count == 5)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            all = try staged.all()
        }
        // They are still there after the file is closed.
        #expect(all == requests)
    }

    @Test func `a folder that is not there is a sentence`() throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: HostError.self) { try StagedRequests(in: folder.file("none")) }
        #expect(error.message.hasPrefix("The server cannot store the submission: "))
    }
}
