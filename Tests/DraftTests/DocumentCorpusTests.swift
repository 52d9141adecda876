import Foundation
import FuzzSubjects
import TestSupport
import Testing

/// The inputs that `make fuzz-messages` begins with, and those that it has found.
@Suite struct DocumentCorpusTests {
    @Test func `every input of the corpus is read without a fault`() throws {
        let folders = ["Fuzz/Corpus/documents", "Documents/Version1"].map { Project.root + "/Tests/" + $0 }
        for folder in folders {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.isEmpty)
            for name in names {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
                #expect(DocumentSubject.problem(bytes) == nil, "\(name)")
            }
        }
    }
}
