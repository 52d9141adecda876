import Foundation
import Hashing
import Synchronization

/// Files that take long to make and are the same each time: compiled plugins, media of ffmpeg. Each
/// is made once, for all tests of all test processes, and kept in the build folder under what it is
/// made from.
public enum Kept {
    private static let folder = Project.products + "/kept"
    private static let locks = Mutex<[String: NSLock]>([:])

    /// The path of the file that `make` makes from `parts`; it is shared, and must not be written
    /// to.
    /// - Parameters:
    ///   - name: the file's name, whose extension `make` may go by.
    ///   - parts: everything that decides the content.
    ///   - make: makes the file, or a folder, at the path that it is given.
    public static func file(_ name: String, from parts: [String], _ make: (String) throws -> Void) throws -> String {
        let place = folder + "/" + digest(parts + [name])
        let path = place + "/" + name
        let lock = locks.withLock { all in
            let lock = all[place] ?? NSLock()
            all[place] = lock
            return lock
        }
        return try lock.withLock {
            if FileManager.default.fileExists(atPath: path) { return path }
            let new = "\(place).\(getpid())"
            try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: true)
            do { try make(new + "/" + name) } catch {
                try? FileManager.default.removeItem(atPath: new)
                throw error
            }
            // Another test process may have been faster.
            if rename(new, place) != 0 { try FileManager.default.removeItem(atPath: new) }
            return path
        }
    }

    /// An argument as it decides what a command makes: a file by its content, any other text as it
    /// is.
    public static func content(of argument: String) -> String {
        guard argument.hasPrefix("/"), let data = FileManager.default.contents(atPath: argument) else {
            return argument
        }
        return SHA256.hash(data)
    }

    private static func digest(_ parts: [String]) -> String {
        SHA256.hash(parts.joined(separator: "\0").utf8)
    }
}
