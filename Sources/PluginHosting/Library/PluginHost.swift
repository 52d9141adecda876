import Composition
import Glibc
import PluginABI
import Synchronization

/// The host's side of the interface: one `cutroom_host` table with the functions behind it.
///
/// Plugins may keep the table, and libraries are never unloaded, so a host is never freed. Its
/// functions are called from any thread.
package final class PluginHost: Sendable {
    package enum LogLevel: Int32, Sendable { case debug, info, warning, error }

    package typealias Log = @Sendable (LogLevel, String) -> Void

    private let log: Log
    private let isCancelled: @Sendable () -> Bool
    /// What a plugin says during init, where there is no call yet.
    let initialization = PluginCallContext()

    /// - Parameters:
    ///   - log: takes a line of a plugin's log.
    ///   - isCancelled: true when the job's result is not wanted any more.
    package init(log: @escaping Log, isCancelled: @escaping @Sendable () -> Bool) {
        self.log = log
        self.isCancelled = isCancelled
    }

    /// Every table that was made: they stay referenced, as plugins may keep them.
    private static let immortal = Mutex<[UInt]>([])

    /// Makes the table that plugins see. It and this object live until the process ends.
    func makeTable() -> UnsafePointer<cutroom_host> {
        var host = cutroom_host()
        host.struct_size = UInt32(MemoryLayout<cutroom_host>.size)
        host.abi_major = CUTROOM_ABI_MAJOR
        host.abi_minor = CUTROOM_ABI_MINOR
        host.context = Unmanaged.passRetained(self).toOpaque()
        host.name = UnsafePointer(strdup("cutroom"))
        host.version = UnsafePointer(strdup(Engine.version))
        host.log = { context, level, message in
            guard let host = PluginHost.from(context), let text = pluginText(message) else { return }
            host.log(LogLevel(rawValue: min(max(level, 0), 3)) ?? .info, text)
        }
        host.error = { context, handle, message in
            guard let host = PluginHost.from(context), let text = pluginText(message) else { return }
            let call = handle.map { Unmanaged<PluginCallContext>.fromOpaque($0).takeUnretainedValue() }
            (call ?? host.initialization).message.withLock { $0 = text }
        }
        host.cancelled = { context, _ in PluginHost.from(context)?.isCancelled() == true ? 1 : 0 }
        host.emit = { _, handle, key, numbers, count in
            guard let handle else { return CUTROOM_ERROR_PARAM }
            return Unmanaged<PluginCallContext>.fromOpaque(handle).takeUnretainedValue().emit(key, numbers, count)
        }
        host.alloc = { _, size, alignment in
            var memory: UnsafeMutableRawPointer?
            guard alignment.nonzeroBitCount == 1, alignment <= 4096 else { return nil }
            return posix_memalign(&memory, max(alignment, MemoryLayout<Int>.size), max(size, 1)) == 0 ? memory : nil
        }
        host.release = { _, memory in free(memory) }
        // A job has one thread: parallelism is across segments.
        host.parallel = { _, task, data, count in
            guard let task else { return CUTROOM_ERROR_PARAM }
            for index in 0..<count { task(data, index) }
            return CUTROOM_OK
        }
        host.extension = { _, id, revision in PluginHost.table(of: id, revision: revision) }
        let table = UnsafeMutablePointer<cutroom_host>.allocate(capacity: 1)
        table.initialize(to: host)
        Self.immortal.withLock { $0.append(UInt(bitPattern: table)) }
        return UnsafePointer(table)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> PluginHost? {
        context.map { Unmanaged<PluginHost>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// A text that a plugin gave: what is not UTF-8 is repaired, what is longer than 4 096 bytes cut.
/// Nil for null.
package func pluginText(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, 4096))
    return String(decoding: bytes, as: UTF8.self)
}
