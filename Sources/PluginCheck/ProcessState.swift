import Foundation
import Glibc

/// What of a process no plugin may change, as it was at one time. For what belongs to a thread see
/// ``ThreadState``.
struct ProcessState {
    enum Aspect: String, CaseIterable {
        case locale
        case folder = "current folder"
    }

    private let values: [Aspect: String]
    /// The number of this process's threads.
    let threads: Int

    init() {
        let folder = getcwd(nil, 0)
        defer { free(folder) }
        values = [
            // The thread's own locale, where it has one, is another one than the process's.
            .locale: (setlocale(LC_ALL, nil).map { String(cString: $0) } ?? "")
                + (uselocale(nil) == Self.global ? "" : " (of the thread)"),
            .folder: folder.map { String(cString: $0) } ?? "",
        ]
        threads = Self.threadCount
    }

    static var threadCount: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }
    static var openFiles: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    /// Pages of address space.
    static var mappedPages: Int {
        let text =
            FileManager.default.contents(atPath: "/proc/self/statm").map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }

    /// What changed since then: a sentence without a full stop.
    func change(of aspect: Aspect, since before: ProcessState, by call: String) -> String? {
        guard let new = values[aspect], let old = before.values[aspect], new != old else { return nil }
        return "\(call) changes the \(aspect.rawValue) from ‘\(old)’ to ‘\(new)’"
    }

    /// `LC_GLOBAL_LOCALE`, a macro that Swift cannot import: ((locale_t) -1L).
    private static var global: locale_t? { locale_t(bitPattern: -1) }
}

/// Standard output of this process, kept in a file to see what a plugin writes there.
struct StandardOutput {
    private let descriptor: Int32

    /// - Parameter path: of a file that the host removes, as the one that is made beside it.
    init?(beside path: String) {
        descriptor = open(path + ".out", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0, dup2(descriptor, STDOUT_FILENO) >= 0 else { return nil }
    }

    /// What was written so far, at most some lines.
    var text: String {
        // The plugin shares this process's buffers.
        fflush(nil)
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
