import CIsolation
import Foundation

/// What this process has given up so that the code of others, plugins and libraries over hostile
/// files, can do little harm: the network, other processes, and writing outside of a few folders.
/// For the rest of its life, and for all that it starts.
///
/// Where the kernel cannot do a part of it, the work goes on without: ``description`` says what is
/// in force.
struct Isolation: CustomStringConvertible {
    /// 0, or a negative errno.
    private let network: Int32
    /// The version of Landlock, or a negative errno.
    private let writing: Int32

    /// To be called before the process has other threads.
    /// - Parameters:
    ///   - own: this process's own folder, where temporary files go from now on.
    ///   - writable: other folders, with all below them, that it may write to; those that are not
    ///     there are left out.
    ///   - connects: it may make local sockets still.
    static func enter(own: String, writable: [String] = [], connects: Bool) -> Isolation {
        setenv("TMPDIR", own, 1)
        let folders = ([own] + writable).map { strdup($0) }
        defer { for folder in folders { free(folder) } }
        let writing = cisolation_limit_writing(folders.map { UnsafePointer($0) }, folders.count)
        return Isolation(network: cisolation_refuse_calls(connects), writing: writing)
    }

    /// No new connections, not even to this machine's services; what is open stays. Nor is the
    /// scheduling of other processes changed. From any thread, for all.
    ///
    /// Where that fails and the first step did not, ``description`` says too much, and the worker's
    /// standard error what is missing.
    static func endConnecting() {
        awaitMessagingThreads()
        let result = cisolation_refuse_calls(false)
        guard result != 0, !lacks(result) else { return }
        let text =
            "isolation: plugins can make local sockets and change the scheduling of other processes (seccomp: \(reason(result)))\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Waits until libzmq's threads have begun: each sets its own scheduling, which is refused
    /// later and would end the process, and takes its name after that. On a busy machine the second
    /// one may begin late.
    private static func awaitMessagingThreads() {
        let tasks = "/proc/self/task"
        for _ in 0..<2000 {
            let ids = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            let names = ids.compactMap { try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8) }
            if ["ZMQbg/Reaper", "ZMQbg/IO"].allSatisfy({ wanted in names.contains { $0.hasPrefix(wanted) } }) {
                return
            }
            usleep(1000)
        }
    }

    var description: String {
        let network = network == 0 ? "refused by seccomp" : "not limited (seccomp: \(Self.reason(network)))"
        let writing =
            writing > 0
            ? "limited by Landlock \(writing)"
            : "not limited (Landlock: \(writing == -EOPNOTSUPP ? "switched off when this machine was started" : Self.reason(writing)))"
        return "network: \(network); writing: \(writing)"
    }

    private static func lacks(_ code: Int32) -> Bool { [ENOSYS, EINVAL, EOPNOTSUPP].contains(-code) }

    private static func reason(_ code: Int32) -> String {
        lacks(code) ? "this kernel has none" : String(cString: strerror(-code))
    }
}
