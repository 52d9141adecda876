import Foundation
import Glibc
import TestSupport
import Testing

@testable import HostCore

/// The folder next to an output to which its workers write.
@Suite(.listens) struct StagingFolderTests {
    private func names(_ folder: TemporaryFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func `it is private, and goes with its value`() throws {
        let folder = try TemporaryFolder()
        do {
            let staging = StagingFolder(in: folder.path)
            try staging.make()
            var info = stat()
            #expect(stat(staging.path, &info) == 0 && info.st_mode & 0o777 == 0o700)
            try Data([1]).write(to: URL(fileURLWithPath: staging.newPath()))
            #expect(names(folder).count == 1 && names(folder)[0].hasPrefix("."))
        }
        #expect(names(folder) == [])
    }

    /// A killed command cannot clean up; the next one with the same output folder does.
    @Test func `what a killed command has left goes, and what is in use stays`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let staging = StagingFolder(in: path)
            try staging.make()
            try Data([1]).write(to: URL(fileURLWithPath: staging.newPath()))
            kill(getpid(), SIGKILL)
        }
        try #require(names(folder).count == 1)
        let abandoned = names(folder)[0]
        try folder.write("", to: ".cutroom-file.staging")
        let used = StagingFolder(in: path)
        try used.make()
        let next = StagingFolder(in: path)
        try next.make()
        #expect(!names(folder).contains(abandoned) && names(folder).count == 3, "\(names(folder))")
        #expect(FileManager.default.fileExists(atPath: used.path))
    }

    /// A folder gets its name after it is locked: a command that starts meanwhile does not remove
    /// it.
    @Test func `commands that start together keep their folders`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let kept = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<25).allSatisfy { _ in
                        let staging = StagingFolder(in: path)
                        guard (try? staging.make()) != nil else { return false }
                        usleep(500)
                        return FileManager.default.createFile(atPath: staging.newPath(), contents: Data([1]))
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(kept && names(folder) == [])
    }

    /// The leftovers of a command that is killed before it has the lock.
    @Test func `a folder that never got its name goes when it is old`() throws {
        let folder = try TemporaryFolder()
        for name in [".cutroom-old.staging.new", ".cutroom-young.staging.new"] { mkdir(folder.file(name), 0o700) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)],
            ofItemAtPath: folder.file(".cutroom-old.staging.new"))
        do {
            let staging = StagingFolder(in: folder.path)
            try staging.make()
            #expect(
                names(folder) == [(staging.path as NSString).lastPathComponent, ".cutroom-young.staging.new"].sorted())
        }
        #expect(names(folder) == [".cutroom-young.staging.new"])
    }

    @Test func `a folder that cannot be written to is told of`() throws {
        let error = #expect(throws: HostError.self) { try StagingFolder(in: "/proc/self").make() }
        #expect(error?.code == .cannotCreate && error?.message.contains("/proc/self") == true)
    }

    /// An existing folder of pictures may be another file system than its parent.
    @Test func `pictures are put together where they are to lie`() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.file("frames"), 0o755)
        func place(_ output: String) throws -> String {
            let file = try OutputFile(output, input: "a.lua", container: nil, overwrites: true)
            return (StagingFolder(for: file).path as NSString).deletingLastPathComponent
        }
        #expect(try place(folder.file("frames") + "/") == folder.file("frames"))
        #expect(try place(folder.file("new") + "/") == folder.path)
        #expect(try place(folder.file("out.mp4")) == folder.path)
        #expect(try place(folder.file("frame-%04d.png")) == folder.path)
    }
}
