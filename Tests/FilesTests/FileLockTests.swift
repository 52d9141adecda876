import Files
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.waits) struct FileLockTests {
    /// Another process that holds a lock until it is ended, and runs a command first.
    private struct Holder: Sendable {
        private let process: Command

        init(_ path: String, before end: String = ":") throws {
            let wait = "trap 'ends=1' TERM; echo locked; while [ -z \"$ends\" ]; do sleep 0.02; done"
            let process = try Command(["flock", path, "sh", "-c", "\(wait); \(end)", path])
            self.process = process
            try #require(Command.until { process.stdoutSoFar == "locked\n" })
        }

        /// Makes it run its command and end.
        func release() {
            // The shell has the lock, too.
            process.send(SIGTERM, toGroup: true)
        }

        func end() {
            release()
            _ = process.wait()
        }
    }

    private func failure(
        _ path: String, makes: Bool = false, patience: FileLock.Patience = .none
    ) -> FileLock.Failure? {
        do throws(FileLock.Failure) {
            _ = try FileLock(path, permissions: makes ? .ownerReadWrite : nil, patience: patience)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [FileLock.Patience.none, .brief])
    func `one process at a time has a lock`(patience: FileLock.Patience) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        let holder = try Holder(path)
        #expect(failure(path, patience: patience) == .held)
        holder.end()
        let lock = try FileLock(path, patience: patience)
        #expect(failure(path, patience: patience) == .held, "this process has it")
        let other = try Command.run(["flock", "--nonblock", path, "true"])
        #expect(other.status == 1, "so another one has not")
        withExtendedLifetime(lock) {}
    }

    @Test func `a lock ends with its value`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        for _ in 0..<3 { #expect(failure(path, makes: true) == nil) }
        #expect(try Command.run(["flock", "--nonblock", path, "true"]).succeeded)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a lock is waited for`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        let holder = try Holder(path, before: "echo done > \"$0.end\"")
        Thread.detachNewThread { holder.release() }
        let lock = try FileLock(path, patience: .unbounded)
        #expect(folder.names.contains("lock.end"), "the holder had ended")
        withExtendedLifetime(lock) {}
    }

    /// The holder puts another file into the place of the one for which this process waits.
    @Test func `a lock is that of the file which has the name`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        let holder = try Holder(path, before: "echo new > \"$0.new\"; mv \"$0.new\" \"$0\"")
        Thread.detachNewThread {
            // So that this process waits most of the time; it has to be right however long it
            // takes.
            usleep(50_000)
            holder.release()
        }
        let lock = try FileLock(path, patience: .unbounded)
        let text = try lock.file.read(10)
        #expect(text == Data("new\n".utf8))
        #expect(failure(path) == .held)
    }

    @Test func `a lock on a file that was removed is no lock`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        let removed = try FileLock(path, permissions: .ownerReadWrite)
        unlink(path)
        #expect(failure(path) == .cannotOpen(.noSuchFileOrDirectory))
        let new = try FileLock(path, permissions: .ownerReadWrite)
        #expect(failure(path) == .held)
        withExtendedLifetime((removed, new)) {}
    }

    @Test func `what cannot be opened or locked says why`() throws {
        let folder = try TemporaryFolder()
        #expect(failure(folder.file("a/b"), makes: true) == .cannotOpen(.noSuchFileOrDirectory))
        #expect(failure(folder.path) == .cannotOpen(.isDirectory))
        #expect(FileLock.Failure.cannotLock(.init(rawValue: ENOLCK)).reason == Errno(rawValue: ENOLCK))
        #expect(FileLock.Failure.held.reason == .wouldBlock)
    }
}
