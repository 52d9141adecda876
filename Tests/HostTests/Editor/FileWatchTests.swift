import Farm
import Foundation
import TestSupport
import Testing

@testable import Editor

/// File changes in the ways in which programs make them.
@Suite(.waits) struct FileWatchTests {
    @Test func filesAreWatchedWhetherTheyAreThereOrNot() throws {
        try TemporaryFolder.with { folder in
            let seen = Locked<Set<String>>([])
            let watch = try FileWatch { changed in seen.withLock { $0.formUnion(changed) } }
            defer { watch.close() }
            let (there, missing, other) = (folder.file("a"), folder.file("b"), folder.file("c"))
            try folder.write("1", to: "a")
            watch.watch([there, missing])

            func expectSeen(_ path: String, _ what: String) {
                #expect(Command.until { seen.withLock { $0.remove(path) } != nil }, "\(what)")
            }
            try folder.write("2", to: "a")
            expectSeen(there, "written")
            try folder.write("3", to: "new")
            rename(folder.file("new"), there)
            expectSeen(there, "another one has its name")
            try folder.write("1", to: "b")
            expectSeen(missing, "it came")
            unlink(there)
            expectSeen(there, "it went")
            try folder.write("1", to: "c")
            try folder.write("2", to: "b")
            expectSeen(missing, "written")
            #expect(seen.withLock { !$0.contains(other) }, "nobody asked for it")
        }
    }

    /// A module that a script has read is watched after the script has ended, and may have changed
    /// meanwhile.
    @Test func whatChangedBeforeItWasWatchedIsTold() throws {
        try TemporaryFolder.with { folder in
            let seen = Locked<Set<String>>([])
            let watch = try FileWatch { changed in seen.withLock { $0.formUnion(changed) } }
            defer { watch.close() }
            // A link needs no descriptor. One of a file may be closed late, which is a change: a
            // program that another test is just starting has a copy of it.
            symlink("nowhere", folder.file("old"))
            Thread.sleep(forTimeInterval: 0.05)
            let start = Date()
            Thread.sleep(forTimeInterval: 0.05)
            try folder.write("1", to: "new")
            watch.watch([folder.file("old"), folder.file("new")], since: start)
            #expect(Command.until { seen.withLock { $0 == [folder.file("new")] } })
            // The change is known now.
            watch.watch([folder.file("old"), folder.file("new"), folder.file("none")], since: start)
            Thread.sleep(forTimeInterval: 0.3)
            #expect(seen.withLock { $0 } == [folder.file("new")])
        }
    }

    @Test func aLinkIsWatchedWithWhatItLeadsTo() throws {
        try TemporaryFolder.with { folder in
            let seen = Locked<Set<String>>([])
            let watch = try FileWatch { changed in seen.withLock { $0.formUnion(changed) } }
            defer { watch.close() }
            try folder.write("1", to: "real/file")
            symlink(folder.file("real/file"), folder.file("link"))
            watch.watch([folder.file("link")])
            try folder.write("2", to: "real/file")
            #expect(Command.until { seen.withLock { $0.contains(folder.file("real/file")) } })
        }
    }
}
