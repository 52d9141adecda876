import Glibc
import Media
import PluginABI

extension PluginHost {
    /// The table behind `CUTROOM_LIBAV_LOG`. Plugins may keep it, so it is never freed.
    nonisolated(unsafe) private static let libavLog: UnsafePointer<cutroom_libav_log> = {
        let table = UnsafeMutablePointer<cutroom_libav_log>.allocate(capacity: 1)
        table.initialize(
            to: cutroom_libav_log(
                struct_size: UInt32(MemoryLayout<cutroom_libav_log>.size), reserved: 0,
                take: { lines, size in
                    guard let lines, size > 0 else { return }
                    strncpy(lines, LibavLog.takeRecent().map { $0 + "\n" }.joined(), size - 1)
                    lines[size - 1] = 0
                }))
        return UnsafePointer(table)
    }()

    /// The table of an extension that this host has; null for others.
    static func table(of id: UnsafePointer<CChar>?, revision: UInt32) -> UnsafeRawPointer? {
        guard let id, revision == 1, String(cString: id) == CUTROOM_LIBAV_LOG else { return nil }
        LibavLog.install()
        return UnsafeRawPointer(libavLog)
    }
}
