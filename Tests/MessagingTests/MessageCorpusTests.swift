import Foundation
import FuzzSubjects
import TestSupport
import Testing

@testable import Messaging

/// The initial inputs of `make fuzz-messages`, and those that it has found.
@Suite struct MessageCorpusTests {
    private static let folder = Project.root + "/Tests/Fuzz/Corpus/messages"

    @Test func `every input of the corpus is read without a fault`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(names.count >= MessageCodingTests.all.count)
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(name)"))
            #expect(MessageSubject.problem(bytes) == nil, "\(name)")
        }
    }

    /// Frames are joined and split as in the inputs.
    @Test func `every kind of message is among the inputs' forms`() {
        for message in MessageCodingTests.all {
            let (header, body) = message.encoded()
            let bytes = MessageSubject.bytes(of: [header, body])
            #expect(MessageSubject.frames(of: bytes) == [header, body] && MessageSubject.problem(bytes) == nil)
        }
    }
}
