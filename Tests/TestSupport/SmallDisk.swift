import Foundation
import Testing

/// A disk in memory that holds little, and that one program alone sees: it is mounted in that
/// program's own namespace.
public enum SmallDisk {
    /// What comes before a command that mounts for itself alone. Root mounts; others do so in a
    /// user namespace, where the system allows that.
    public static let namespace =
        ["unshare", "--mount", "--propagation", "private"] + (geteuid() == 0 ? [] : ["--map-root-user"])

    public static let isPossible =
        (try? Command.run(namespace + ["mount", "-t", "tmpfs", "none", "/mnt"]))?.succeeded == true
    public static let absence: Comment = "this machine lets nobody mount a disk"

    /// What comes before a command, so that `folder` is a disk of so many KiB for it.
    public static func shell(at folder: String, kibibytes: Int) -> [String] {
        namespace + [
            "sh", "-c", "mount -t tmpfs -o mode=700,size=\(kibibytes)k none \"$0\" && exec \"$@\"", folder,
        ]
    }

    /// What comes before a command, so that it sees what the process sees, and works in `folder`.
    public static func shell(beside process: pid_t, in folder: String) -> [String] {
        ["nsenter", "--target", "\(process)", "--mount"] + (geteuid() == 0 ? [] : ["--user", "--preserve-credentials"])
            + ["env", "-C", folder]
    }

    public static func resize(at folder: String, of process: pid_t, kibibytes: Int) throws {
        _ = try Command.run(
            shell(beside: process, in: "/") + ["mount", "-o", "remount,size=\(kibibytes)k", folder])
    }
}
