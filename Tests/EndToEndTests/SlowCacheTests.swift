import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A cache that does not answer: its lock is somebody else's, or its disk stands still. Jobs,
    /// workers and the file go on.
    @Suite struct SlowCacheTests {
        private static func edit(_ studio: Studio) throws {
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_title('Slow', { size = 24 })")
        }

        private static let arguments = ["render", "edit.lua", "-o", "out.mp4", "--progress", "json", "--verbose"]

        /// The file is whole, and no worker was ended or missed.
        private static func expectUndisturbed(_ studio: Studio, _ end: Command.Output) throws {
            #expect(end.succeeded, "\(end)")
            for sign in ["killing worker", "was silent", "ended unexpectedly", "is tried again"] {
                #expect(!end.stderr.contains(sign), "\(end)")
            }
            let lines = try ProgressLines(end.text)
            for stage in ["rendering", "assembling", "verifying"] {
                let last = lines.progress.last { $0.stage == stage }
                #expect(last?.done == 120 && last?.total == 120, "\(stage): \(end)")
            }
            #expect(try Movie(studio.file("out.mp4")).frames == 120)
            studio.expectClean()
        }

        /// Takes the cache's lock and holds it until it is closed.
        private static func takeLock(_ studio: Studio) throws -> Int32 {
            try FileManager.default.createDirectory(
                atPath: studio.cache + "/cutroom", withIntermediateDirectories: true)
            let lock = open(studio.cache + "/cutroom/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
            return lock
        }

        @Test func `a lock that is never given back costs what would be kept, and nothing else`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let lock = try Self.takeLock(studio)
            defer { close(lock) }
            let end = try studio.start(Self.arguments).wait(timeout: 120)
            try Self.expectUndisturbed(studio, end)
            #expect(
                end.stderr.contains("cutroom: warning: ") && end.stderr.contains("not cached")
                    && end.stderr.contains("does not answer"), "\(end)")
            #expect(studio.cachedParts == 0)
        }

        @Test func `a lock that is given back when the file is there costs nothing`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let lock = try Self.takeLock(studio)
            let render = try studio.start(Self.arguments)
            let isThere = Command.until(timeout: 100) {
                FileManager.default.fileExists(atPath: studio.file("out.mp4")) || !render.isRunning
            }
            close(lock)
            #expect(isThere)
            let end = render.wait()
            try Self.expectUndisturbed(studio, end)
            #expect(!end.stderr.contains("not cached"), "\(end)")
            #expect(studio.cachedParts == 3)
        }

        @Test(.enabled(if: !Sanitizer.isActive, "a sanitizer wants to be loaded first"))
        func `a disk that stands still until the file is there costs nothing`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            try TestPlugin.build(
                Project.root + "/Tests/EndToEndTests/Fixtures/slow_disk.c", to: studio.file("slow_disk.so"))
            studio.environment["LD_PRELOAD"] = studio.file("slow_disk.so")
            studio.environment["SLOW_DISK_GATE"] = studio.file("gate")
            let render = try studio.start(Self.arguments)
            let isThere = Command.until(timeout: 100) {
                FileManager.default.fileExists(atPath: studio.file("out.mp4")) || !render.isRunning
            }
            #expect(isThere && studio.cachedParts == 0)
            try studio.folder.write("", to: "gate")
            let end = render.wait()
            try Self.expectUndisturbed(studio, end)
            #expect(FileManager.default.fileExists(atPath: studio.file("gate.waited")), "the disk was never slow")
            #expect(studio.cachedParts == 3)
        }

        @Suite(.listens) struct Sweep {
            /// Longer than a lease and than all waits, in a render that goes on after it.
            @Test func `a lock that is held for twenty seconds ends nobody`() throws {
                let studio = try Studio()
                try Fixture.plugin("hang", ["SECONDS=2"], as: "hang", in: studio)
                try studio.script(
                    "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"test.hang\", { range = { 3, 0.4 } })")
                // Twelve frames of two seconds each.
                let lock = try takeLock(studio)
                let render = try studio.start(arguments)
                #expect(!Command.until(timeout: 20) { !render.isRunning }, "it ended before the lock was given back")
                close(lock)
                let end = render.wait(timeout: 60)
                try expectUndisturbed(studio, end)
                #expect(studio.cachedParts > 0, "\(end)")
            }
        }
    }
}
