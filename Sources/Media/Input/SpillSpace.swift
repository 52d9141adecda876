import Glibc
import Synchronization

/// The room on disk that the ``PictureSpill``s of a process take together.
package final class SpillSpace: Sendable {
    package static let shared = SpillSpace(limit: 1 << 30)

    private let limit: Int
    private let margin: Int
    private let isForDisks: Bool
    private let taken = Mutex(0)

    /// - Parameters:
    ///   - limit: bytes; 1 GiB is 345 frames of 1080p and 86 of 4K.
    ///   - margin: the bytes of a file system that stay free for others.
    ///   - isForDisks: refuses files in memory, which would count as the process's, and those on
    ///     other machines.
    package init(limit: Int, margin: Int = 1 << 30, isForDisks: Bool = true) {
        (self.limit, self.margin, self.isForDisks) = (limit, margin, isForDisks)
    }

    /// The bytes that are taken now.
    package var used: Int { taken.withLock { $0 } }

    /// Whether a file with this descriptor may take room.
    func accepts(_ descriptor: Int32) -> Bool { !isForDisks || LocalDisk.holds(descriptor) }

    /// Reserves bytes of the file system on which the file of a descriptor lies; false where there
    /// are too few.
    func take(_ bytes: Int, of descriptor: Int32) -> Bool {
        guard bytes <= free(on: descriptor) else { return false }
        return taken.withLock { taken in
            guard bytes <= limit - taken else { return false }
            taken += bytes
            return true
        }
    }

    /// The bytes that could be taken now.
    func available(on descriptor: Int32) -> Int {
        max(0, min(free(on: descriptor), limit - used))
    }

    /// The bytes of the file system that are free beyond the margin.
    private func free(on descriptor: Int32) -> Int {
        var disk = statvfs()
        guard fstatvfs(descriptor, &disk) == 0 else { return 0 }
        let free = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
        return free.overflow ? .max : max(0, Int(clamping: free.partialValue) - margin)
    }

    func release(_ bytes: Int) { taken.withLock { $0 -= bytes } }
}

/// Tells files on disks of this machine from those in memory and on other machines.
private enum LocalDisk {
    private static let others: Set<Substring> = ["tmpfs", "ramfs", "nfs", "nfs4", "cifs", "smb3", "9p", "ceph"]

    /// Whether an open file lies on a local disk, as far as `/proc/self/mountinfo` says (proc(5)).
    static func holds(_ descriptor: Int32) -> Bool {
        var info = stat()
        guard fstat(descriptor, &info) == 0, let mounts = fopen("/proc/self/mountinfo", "re") else { return true }
        defer { fclose(mounts) }
        let device = number(of: UInt64(info.st_dev))
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, mounts) > 0, let text = line {
            let words = String(cString: text).split(separator: " ")
            // The third word is the device; the file system's type follows a dash.
            guard words.count > 2, words[2] == device, let dash = words.firstIndex(of: "-"), dash + 1 < words.count
            else { continue }
            let type = words[dash + 1]
            return !others.contains(type) && !type.hasPrefix("fuse")
        }
        return true
    }

    /// The major and minor number of a device, `8:1`.
    private static func number(of device: UInt64) -> String {
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & ~0xFF
        return "\(major):\(minor & 0xFFFF_FFFF)"
    }
}
