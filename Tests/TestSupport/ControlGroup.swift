import Foundation
import Glibc
import Testing

/// A control group of the system's, which bounds what processes have: of memory, or of the
/// processors' time. It is removed with this value.
public final class ControlGroup {
    public enum Bound {
        /// Bytes, with what is swapped out.
        case memory(Int)
        /// A share of one core.
        case processor(Double)

        fileprivate var controller: String { if case .memory = self { "memory" } else { "cpu" } }
    }

    private static let root = "/sys/fs/cgroup"
    /// Each controller has a tree of its own (version 1), or all have one.
    private static func folder(of controller: String) -> String? {
        let first = "\(root)/\(controller)"
        if FileManager.default.fileExists(atPath: first + "/cgroup.procs") { return first }
        let enabled = (try? String(contentsOfFile: root + "/cgroup.subtree_control", encoding: .utf8)) ?? ""
        return enabled.split(separator: " ").contains(Substring(controller)) ? root : nil
    }

    public static let isPossible: Bool = {
        [Bound.memory(64 << 20), .processor(0.5)].allSatisfy { (try? ControlGroup($0)) != nil }
    }()
    public static let absence: Comment = "this machine lets nobody make control groups"

    private let path: String

    public init(_ bound: Bound) throws {
        guard let parent = Self.folder(of: bound.controller) else { throw CocoaError(.fileNoSuchFile) }
        path = "\(parent)/cutroom-test-\(UUID().uuidString)"
        guard mkdir(path, 0o755) == 0 else { throw CocoaError(.fileWriteNoPermission) }
        let isSecond = parent == Self.root
        switch bound {
        case .memory(let bytes):
            try write("\(bytes)", isSecond ? "memory.max" : "memory.limit_in_bytes")
            // Not everywhere is swapping accounted for.
            try? write(isSecond ? "0" : "\(bytes)", isSecond ? "memory.swap.max" : "memory.memsw.limit_in_bytes")
        case .processor(let share):
            let (period, quota) = (100_000, Int(share * 100_000))
            try write(isSecond ? "\(quota) \(period)" : "\(quota)", isSecond ? "cpu.max" : "cpu.cfs_quota_us")
        }
    }

    deinit {
        // Its processes end in a moment.
        for _ in 0..<100 where rmdir(path) != 0 && errno == EBUSY { usleep(10_000) }
    }

    /// Puts a process in, with all threads that it has.
    public func add(_ process: pid_t) throws { try write("\(process)", "cgroup.procs") }

    /// Moves processes back into the usual group.
    public func release(_ processes: [pid_t]) {
        let parent = (path as NSString).deletingLastPathComponent
        for process in processes { try? Self.write("\(process)", to: parent + "/cgroup.procs") }
    }

    private func write(_ text: String, _ file: String) throws { try Self.write(text, to: "\(path)/\(file)") }

    /// In one call: such a file takes no other.
    private static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
            throw CocoaError(.fileWriteUnknown)
        }
    }
}
