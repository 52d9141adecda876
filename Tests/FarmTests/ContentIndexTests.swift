import Content
import FoundationEssentials
import TestSupport
import Testing

@testable import Farm

@Suite struct ContentIndexTests {
    /// Digests from its notes count like those that it has computed: both are kept for a bounded
    /// number of files.
    @Test func whatItRemembersIsBounded() throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let notes = folder + "/notes"
        FileNotes(folder: notes).prepare()
        let paths = (0..<4200).map { "\(folder)/\($0)" }
        for path in paths { try Data(path.utf8).write(to: URL(filePath: path)) }
        for _ in 0..<2 {
            let index = ContentIndex(folder: notes)
            for path in paths {
                guard case .known = index.look(path) else {
                    Issue.record("‘\(path)’ is not known")
                    return
                }
            }
            #expect(index.count <= 4096)
        }
    }
}
