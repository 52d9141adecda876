import Draft
import Foundation
import Jobs
import TestSupport
import Testing
import Values

@testable import HostCore

@Suite struct MediaMemoryTests {
    private let folder: TemporaryFolder
    private let file: DraftFile

    init() throws {
        folder = try TemporaryFolder()
        file = DraftFile(folder.file("a.mp4"))
        try Data("one".utf8).write(to: URL(fileURLWithPath: file.path))
    }

    private func memory(_ finder: String = "1.0") -> MediaMemory {
        MediaMemory(folder: folder.file("media"), finder: finder)
    }

    /// Returns a worker's reply about the current file.
    private func reply(size: Int64? = nil) throws -> ProbeJob.Reply {
        var status = stat()
        try #require(stat(file.path, &status) == 0)
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        let identity = FileIdentity(size: size ?? Int64(status.st_size), modified: modified, digest: "d")
        let video = VideoStreamInfo(
            codec: "h264", width: 320, height: 180, rotation: 0, frameRate: Rational(30000, 1001), start: .zero,
            duration: Time(flicks: 1_234_567), bitRate: nil, hasAlpha: false)
        return ProbeJob.Reply(
            files: [ProbeJob.File(info: MediaInfo(kind: .media, format: "mov", identity: identity, video: video))],
            libraries: "libav 1", missingCodecs: [:])
    }

    /// The file was just written; the memory is given a later time.
    private static var later: Int64 { MediaMemory.now + 10_000_000_000 }

    private func keep(_ reply: ProbeJob.Reply, now: Int64 = later) async throws {
        let memory = memory()
        memory.keep(reply, of: file, try #require(memory.look(at: file)), now: now)
        await memory.close()
    }

    @Test func `what was found is known again by another command`() async throws {
        #expect(memory().look(at: file)?.info == nil)
        let reply = try reply()
        try await keep(reply)
        let glance = try #require(memory().look(at: file))
        #expect(glance.info == reply.files[0].info && glance.libraries == "libav 1")
        let other = DraftFile(folder.file("b.mp4"))
        let many = await memory().look(at: [file, other, file])
        #expect(many.count == 1 && many[file]?.info == glance.info)
    }

    @Test func `a changed file, another kind of question and another version of Cutroom are new`() async throws {
        try await keep(try reply())
        #expect(memory("1.1").look(at: file)?.info == nil)
        #expect(memory().look(at: DraftFile(file.path, .data))?.info == nil)
        // The same size and time of modification: the time of the status change differs.
        var status = stat()
        try #require(stat(file.path, &status) == 0)
        try Data("two".utf8).write(to: URL(fileURLWithPath: file.path))
        var times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, file.path, &times, 0) == 0)
        #expect(memory().look(at: file)?.info == nil)
    }

    @Test func `a file under another name is new`() async throws {
        try await keep(try reply())
        let other = folder.file("a.srt")
        try #require(link(file.path, other) == 0)
        #expect(memory().look(at: DraftFile(other))?.info == nil)
    }

    @Test func `what is young or long, has changed meanwhile or could not be read is not kept`() async throws {
        let whole = try reply()
        try await keep(whole, now: MediaMemory.now)
        #expect(memory().look(at: file)?.info == nil)
        try await keep(try reply(size: 7))
        #expect(memory().look(at: file)?.info == nil)
        var failed = whole
        failed.files = [ProbeJob.File(failure: "it is damaged")]
        try await keep(failed)
        #expect(memory().look(at: file)?.info == nil)
        var long = whole
        long.files[0].info?.format = String(repeating: "x", count: 16 << 10)
        try await keep(long)
        #expect(memory().look(at: file)?.info == nil)
        let memory = memory()
        let glance = try #require(memory.look(at: file))
        try Data("three".utf8).write(to: URL(fileURLWithPath: file.path))
        memory.keep(whole, of: file, glance, now: Self.later)
        await memory.close()
        #expect(memory.look(at: file)?.info == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file("media")))
    }

    @Test func `a damaged note is none`() async throws {
        try await keep(try reply())
        let notes = try FileManager.default.contentsOfDirectory(atPath: folder.file("media"))
        let path = folder.file("media") + "/" + (try #require(notes.first))
        let note = try Data(contentsOf: URL(fileURLWithPath: path))
        for damaged in [
            Data(), note.prefix(64), note.dropLast(), Data(note.map { $0 == UInt8(ascii: "3") ? $0 + 1 : $0 }),
        ] {
            try #require(damaged != note)
            try damaged.write(to: URL(fileURLWithPath: path))
            #expect(memory().look(at: file)?.info == nil)
        }
        try note.write(to: URL(fileURLWithPath: path))
        #expect(memory().look(at: file)?.info != nil)
    }

    @Test func `a folder, and nothing at all, have no memory`() throws {
        #expect(memory().look(at: DraftFile(folder.path)) == nil)
        #expect(memory().look(at: DraftFile(folder.file("missing"))) == nil)
    }
}
