import Hashing
import Messaging
import TestSupport
import Testing

@testable import Workers

@Suite struct DigestTests {
    @Test func itIsSizeAndHashOfTheWholeFile() throws {
        try TemporaryFolder.with { folder in
            // More than one block, and not a whole number of them.
            let text = String(repeating: "0123456789", count: 250_000) + "x"
            try folder.write(text, to: "part")
            let found = try WorkerContext(plugins: LoadedPlugins(breadcrumb: "")).digest(folder.file("part"))
            #expect(found.size == 2_500_001 && found.digest == SHA256.hash(Array(text.utf8)))
        }
    }

    @Test func whatCannotBeReadIsSaidInOneSentence() throws {
        try TemporaryFolder.with { folder in
            let paths = [(folder.path, "Is a directory"), (folder.file("gone"), "No such file or directory")]
            for (path, reason) in paths {
                let failure = #expect(throws: JobFailure.self) {
                    _ = try WorkerContext(plugins: LoadedPlugins(breadcrumb: "")).digest(path)
                }
                #expect(failure?.message == "The rendered part ‘\(path)’ cannot be read: \(reason); render again.")
            }
        }
    }
}
