import Files
import FoundationEssentials
import Glibc
import Messaging

/// The files that a worker whose process has ended left in its folder, and what they say about its
/// end.
///
/// All of this touches files and may block on a disk: not for the queue's thread. A plugin may have
/// put anything into the folder, so only regular files are opened.
struct WorkerRemains: Sendable {
    let launch: WorkerLaunch
    let pid: Int32
    /// The file with its standard error.
    let log: String
    /// The value of ``MemoryKills/count`` when it was started.
    var memoryKills: UInt64?

    /// The most bytes of standard error in a failure's evidence; of these last bytes, the last
    /// lines are kept.
    private static let tailBytes = 16 << 10
    private static let tailLines = 40
    /// The longest note of a fault, which is one line.
    private static let longestNote = 64 << 10
    /// The number of kept logs, the newest ones.
    private static let keptLogs = 20

    /// Examines the folder.
    /// - Parameters:
    ///   - logDirectory: the folder that keeps the standard error of crashed workers.
    ///   - explainsFault: see ``JobQueue/Configuration/explainsFault``.
    func examine(_ status: WorkerExit.Status, logDirectory: String?, explainsFault: (Data) -> String?) -> WorkerExit {
        var exit = WorkerExit(status)
        let crumb = Breadcrumb.read(file: launch.breadcrumb)
        exit.culprit = crumb?.place
        exit.blame = crumb.map { PluginBlame(path: $0.path, effectID: $0.effectID, frame: $0.frame) }
        exit.fault = Self.end(of: launch.fault, most: Self.longestNote).flatMap { explainsFault(Data($0)) }
        exit.mayBeOutOfMemory = MemoryKills.count != memoryKills
        exit.errorTail = errorTail
        if status != .code(0), !status.isFromOutside {
            let memory = Self.end(of: launch.memory, most: 64).flatMap {
                MemoryAtDeath(String(decoding: $0, as: UTF8.self))
            }
            exit.lack =
                status == .signal(SIGXCPU)
                ? WorkerLack.text(processorTime: ProcessLimit(.processorTime))
                : WorkerLack.text(exit.errorTail, memory, [ProcessLimit(.addressSpace), ProcessLimit(.data)])
        }
        if status != .code(0), !status.isFromOutside, let logDirectory { exit.log = keepLog(in: logDirectory) }
        return exit
    }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(atPath: launch.directory) }

    private var errorTail: String {
        let lines = String(decoding: Self.end(of: log, most: Self.tailBytes) ?? [], as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: true)
        return lines.suffix(Self.tailLines).joined(separator: "\n")
    }

    /// Returns the last bytes of a file; nil if it is missing or empty.
    private static func end(of path: String, most: Int) -> [UInt8]? {
        guard let file = try? OpenFile(path, .readOnly, [.nonBlocking, .noFollow]), let info = try? file.status(),
            info.st_mode & S_IFMT == S_IFREG, info.st_size > 0
        else { return nil }
        let count = min(Int(info.st_size), most)
        return Array((try? file.read(count, at: Int64(info.st_size) - Int64(count))) ?? Data())
    }

    private func keepLog(in folder: String) -> String? {
        let path = "\(folder)/worker-\(pid)-\(launch.worker).log"
        var info = stat()
        guard lstat(log, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: path)
        guard (try? FileManager.default.copyItem(atPath: log, toPath: path)) != nil else { return nil }
        Self.removeOldLogs(in: folder)
        return path
    }

    private static func removeOldLogs(in folder: String) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasPrefix("worker-")
        }
        guard names.count > keptLogs else { return }
        let logs = names.map { name in
            var info = stat()
            lstat("\(folder)/\(name)", &info)
            return (path: "\(folder)/\(name)", time: (info.st_mtim.tv_sec, info.st_mtim.tv_nsec))
        }
        for old in logs.sorted(by: { $0.time > $1.time }).dropFirst(keptLogs) { unlink(old.path) }
    }
}
