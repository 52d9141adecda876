import Content
import Foundation
import TestSupport
import Testing

@Suite struct FileNotesTests {
    @Test func `a note is read by its question alone`() throws {
        let folder = try TemporaryFolder()
        let notes = FileNotes(folder: folder.file("notes"))
        // Without its folder there is no note, and no error.
        notes.write(Data("lost".utf8), on: "a")
        #expect(notes.read("a") == nil)
        notes.prepare()
        notes.write(Data("one".utf8), on: "a")
        notes.write(Data("two".utf8), on: "b")
        notes.write(Data("three".utf8), on: "a")
        #expect(notes.read("a") == Data("three".utf8) && notes.read("b") == Data("two".utf8) && notes.read("c") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("notes")).count == 2)
    }

    @Test func `the oldest of very many go`() throws {
        let folder = try TemporaryFolder()
        let notes = FileNotes(folder: folder.path)
        notes.write(Data("old".utf8), on: "old")
        let old = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: folder.file(old))
        notes.write(Data("new".utf8), on: "new")
        for number in 0..<19_998 { close(open(folder.file("\(number)"), O_CREAT | O_WRONLY, 0o600)) }
        notes.prepare()
        #expect(notes.read("old") != nil)
        close(open(folder.file("more"), O_CREAT | O_WRONLY, 0o600))
        notes.prepare()
        #expect(notes.read("old") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 10_000)
    }
}
