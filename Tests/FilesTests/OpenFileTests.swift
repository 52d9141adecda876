import Files
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.waits) struct OpenFileTests {
    @Test func `bytes are read where they were written`() throws {
        let folder = try TemporaryFolder()
        let file = try OpenFile(folder.file("a"), .readWrite, .create, permissions: .ownerReadWrite)
        try file.write(Data("0123456789".utf8))
        try file.write(Data("abc".utf8), at: 4)
        let (all, end, nothing) = (try file.read(10), try file.read(3, at: 8), try file.read(3, at: 10))
        #expect(all == Data("0123abc789".utf8) && end == Data("89".utf8) && nothing.isEmpty)
        try file.resize(to: 5)
        try file.sync()
        let (size, flags) = (try file.status().st_size, fcntl(file.descriptor.rawValue, F_GETFD))
        #expect(size == 5 && flags & FD_CLOEXEC != 0)
    }

    /// Each signal that arrives during a write ends it after some of its bytes, or with EINTR.
    @Test func `a write that is interrupted again and again is whole`() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        // Without SA_RESTART.
        var (action, before) = (sigaction(), sigaction())
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGUSR2, &action, &before)
        defer { sigaction(SIGUSR2, &before, nil) }

        let bytes = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) })
        let writer = Mutex<pthread_t?>(nil)
        let outcome = Mutex<Result<Void, Errno>?>(nil)
        // A reader first, so that opening the other end does not wait.
        let end = try OpenFile(pipe, .readOnly, .nonBlocking)
        Thread.detachNewThread {
            writer.withLock { $0 = pthread_self() }
            let result = Result { () throws(Errno) in try OpenFile(pipe, .writeOnly).write(bytes) }
            // No signal is sent to a thread that has ended.
            writer.withLock { $0 = nil }
            outcome.withLock { $0 = result }
        }
        var read = Data()
        var buffer = [UInt8](repeating: 0, count: 5000)
        while read.count < bytes.count {
            writer.withLock { if let thread = $0 { pthread_kill(thread, SIGUSR2) } }
            let count = Glibc.read(end.descriptor.rawValue, &buffer, buffer.count)
            if count > 0 { read += buffer[..<count] }
            if count == 0, outcome.withLock({ $0 }) != nil { break }
        }
        while outcome.withLock({ $0 }) == nil { usleep(100) }
        try outcome.withLock { $0 }?.get()
        #expect(read == bytes)
    }

    @Test func `a full disk is reported as such`() throws {
        let file = try OpenFile("/dev/full", .writeOnly)
        #expect(throws: Errno.noSpace) { try file.write([1, 2, 3]) }
        #expect(throws: Errno.noSpace) { try file.write([1, 2, 3], at: 0) }
        #expect("\(Errno.noSpace)" == String(cString: strerror(ENOSPC)))
    }

    @Test func `errors of the system keep their reason`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try OpenFile(folder.file("none"), .readOnly) }
        #expect(throws: Errno.isDirectory) { _ = try OpenFile(folder.path, .readOnly).read(1) }
        #expect(throws: Errno.badFileDescriptor) {
            let file = try OpenFile(folder.file("a"), .writeOnly, .create, permissions: .ownerReadWrite)
            _ = try file.read(1)
        }
        #expect(throws: Errno.invalidArgument) { try OpenFile("/dev/full", .writeOnly).resize(to: 1) }
        #expect(throws: Errno.invalidArgument) { try OpenFile("/proc/self/status", .readOnly).sync() }
    }

    @Test func `a file that cannot be made whole is not there`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a")
        try OpenFile.make(path, Data("one".utf8), permissions: .readableByAll, replaces: false, isDurable: true)
        #expect(throws: Errno.fileExists) {
            try OpenFile.make(path, [1], permissions: .readableByAll, replaces: false, isDurable: false)
        }
        #expect(FileManager.default.contents(atPath: path) == Data("one".utf8))
        try OpenFile.make(path, Data("2".utf8), permissions: .readableByAll, replaces: true, isDurable: false)
        #expect(FileManager.default.contents(atPath: path) == Data("2".utf8))
        // A link to a disk that is full.
        try #require(symlink("/dev/full", folder.file("full")) == 0)
        #expect(throws: Errno.noSpace) {
            try OpenFile.make(
                folder.file("full"), [1], permissions: .readableByAll, replaces: true, isDurable: false)
        }
        #expect(folder.names == ["a"])
    }
}
