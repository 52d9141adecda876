import CPosix
import Files
import Foundation
import Glibc
import HostCore
import Recording
import Synchronization

/// The folder of a recording's takes, beside its draft, with their journal. One process has it at a
/// time.
package final class TakeFolder: Sendable {
    package let path: String
    private let lock: FileLock
    private let journal: OpenFile
    /// The descriptor of ``keepRoom()``; negative: there is none.
    private let reserve = Mutex<Int32>(-1)

    /// Opens the folder, and makes it where it is missing.
    /// - Parameter draft: the absolute path of the draft: `talk.cutroom` has the folder
    ///   `talk.takes`.
    /// - Throws: `unavailable` where another recorder has it; `cannotCreate`.
    package init(draft: String) throws(HostError) {
        let path = Self.path(draft: draft)
        if mkdir(path, 0o777) != 0, errno != EEXIST {
            throw HostError(.cannotCreate, "The folder ‘\(path)’ cannot be made: \(Self.text(errno)).")
        }
        let lock = try Self.lock(path)
        let journal = try Self.journal(path)
        (self.path, self.lock) = (path, lock)
        self.journal = journal
    }

    /// The folder of a draft's takes.
    package static func path(draft: String) -> String { (draft as NSString).deletingPathExtension + ".takes" }

    /// The takes of a draft as its journal says, without a lock: another process may be recording.
    /// There are none where the journal is missing or cannot be read.
    package static func takes(draft: String) -> TakeList {
        let name = path(draft: draft) + "/journal.jsonl"
        guard let file = try? OpenFile(name, .readOnly), let size = try? Int(file.status().st_size),
            size <= longestJournal, let data = try? file.read(size)
        else { return TakeList() }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        return TakeList(lines.compactMap { JournalRecord(line: $0) })
    }

    private static func lock(_ path: String) throws(HostError) -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(path + "/lock", permissions: .readableByAll, patience: .brief)
        } catch {
            if case .held = error {
                throw HostError(.unavailable, "Another recorder is recording into ‘\(path)’; end it first.")
            }
            throw HostError(.cannotCreate, "The folder ‘\(path)’ cannot be locked: \(error.reason).")
        }
    }

    private static func journal(_ path: String) throws(HostError) -> OpenFile {
        let name = path + "/journal.jsonl"
        do throws(Errno) {
            return try OpenFile(name, .readWrite, [.create, .append], permissions: .readableByAll)
        } catch {
            throw HostError(.cannotCreate, "‘\(name)’ cannot be written: \(error).")
        }
    }

    /// Reads the journal. A last line that was cut off is completed by a line break, so that the
    /// next record has a line of its own.
    package func records() throws(HostError) -> [JournalRecord] {
        let text: String
        do throws(Errno) {
            let size = Int(try journal.status().st_size)
            text = size > Self.longestJournal ? "" : String(decoding: try journal.read(size), as: UTF8.self)
            if !text.isEmpty, !text.hasSuffix("\n") { try journal.write(Array("\n".utf8)) }
            if size > Self.longestJournal { throw .fileTooLarge }
        } catch {
            throw HostError(.cannotCreate, "‘\(path)/journal.jsonl’ cannot be read: \(error).")
        }
        return text.split(separator: "\n").compactMap { JournalRecord(line: $0) }
    }

    /// Bytes: more than the records of all takes that a recording may have.
    private static let longestJournal = 64 << 20

    /// Appends a record and waits until it is on the disk.
    package func append(_ record: JournalRecord) throws(HostError) {
        do throws(Errno) {
            if case .joined = record { try syncFolder() }
            let size = try journal.status().st_size
            do throws(Errno) {
                try journal.write(Array((record.line + "\n").utf8))
                try journal.sync()
            } catch {
                // The next record has a line of its own.
                try? journal.resize(to: Int64(size))
                throw error
            }
        } catch {
            throw HostError(.cannotCreate, "‘\(path)/journal.jsonl’ cannot be written: \(error).")
        }
    }

    /// Keeps room on the disk, so that the journal and the draft can be written when a take has
    /// filled it. The room has no name and goes with this process.
    package func keepRoom() {
        let path = file("room")
        reserve.withLock { reserve in
            guard reserve < 0 else { return }
            reserve = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            unlink(path)
            // Less is better than nothing.
            if reserve >= 0 { _ = posix_fallocate(reserve, 0, Self.room) }
        }
    }

    /// Gives that room away.
    package func useRoom() {
        reserve.withLock { reserve in
            if reserve >= 0 { close(reserve) }
            reserve = -1
        }
    }

    deinit { useRoom() }

    /// Bytes: more than the draft and the journal of hundreds of takes.
    private static let room = 512 << 10

    /// Waits until the names of the files are on the disk.
    package func syncFolder() throws(Errno) { try OpenFile(path, .readOnly).sync() }

    /// The highest number of a file's name.
    package var highestNumber: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { Int($0.prefix { $0.isNumber }) }.filter { $0 <= JournalRecord.mostTakes }.max() ?? 0
    }

    /// The names of a take's file and of its second picture's, which may not exist.
    private static func both(_ name: String) -> [String] { [name, Take.second(of: name)] }

    /// Gives parts other names, under which they stay.
    package func keep(_ names: [String]) throws(HostError) {
        for name in names {
            let (path, kept) = (file(name), file(name) + ".damaged")
            if link(path, kept) == 0 || errno == EEXIST || errno == ENOENT { continue }
            // Some file systems have no second names.
            try move(path, kept)
        }
        try? syncFolder()
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// A path for a photo that no file has.
    package var newPhoto: String {
        let taken = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let highest = taken.filter { $0.hasPrefix("photo-") }.compactMap { Int($0.dropFirst(6).prefix { $0.isNumber }) }
        return file("photo-\((highest.max() ?? 0) + 1).png")
    }

    package func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// Removes those of these files that exist.
    package func remove(_ names: [String]) { for name in names.flatMap(Self.both) { unlink(file(name)) } }

    private var discards: String { path + "/discarded" }

    /// Moves a file to the discarded ones, unless it is there.
    package func discard(_ name: String) throws(HostError) {
        if mkdir(discards, 0o777) != 0, errno != EEXIST {
            throw HostError(.cannotCreate, "The folder ‘\(discards)’ cannot be made: \(Self.text(errno)).")
        }
        for name in Self.both(name) { try move(file(name), discards + "/" + name) }
    }

    /// Moves a file back from the discarded ones, unless it is back.
    package func restore(_ name: String) throws(HostError) {
        for name in Self.both(name) { try move(discards + "/" + name, file(name)) }
    }

    /// Removes a discarded file, and the folder of the last one.
    package func removeDiscarded(_ name: String) {
        for name in Self.both(name) { unlink(discards + "/" + name) }
        rmdir(discards)
    }

    private func move(_ from: String, _ to: String) throws(HostError) {
        guard rename(from, to) != 0, errno != ENOENT else {
            try? syncFolder()
            return
        }
        throw HostError(.cannotCreate, "‘\(from)’ cannot be moved to ‘\(to)’: \(Self.text(errno)).")
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
