import CFFmpeg
import Content
import Draft
import Files
import Glibc
import Hashing

/// A regular file opened for reading, and libav's view of it (`AVIOContext`).
///
/// libav never sees a path: it reads through this object's descriptor. So no name is taken for a
/// protocol, an address or a pattern, and a pipe or device cannot make it wait, because only a
/// regular file gets this far.
final class InputFile {
    let path: String
    private let file: OpenFile
    let size: Int64
    /// Nanoseconds since 1970.
    let modified: Int64
    /// nil where the file may still come.
    let stamp: FileStamp?
    private let interrupter: Interrupter
    private(set) var context: UnsafeMutablePointer<AVIOContext>!
    /// The bytes that libav takes for the whole file, and its position in the file.
    private var extent: Range<Int64>
    private var position: Int64 = 0
    private var watcher: ((_ read: UnsafeRawBufferPointer, _ offset: Int64) -> Void)?
    /// Where the file comes while it is read.
    private let coming: PartialContent?

    private static let bufferSize = 64 << 10

    /// - Parameter part: the bytes that libav reads as if they were the whole file; nil: all are.
    init(path: String, part: Range<Int64>? = nil, interrupter: Interrupter) throws(MediaError) {
        LibavLog.install()
        self.path = path
        self.interrupter = interrupter
        let status: stat
        do throws(Errno) {
            // Without `nonBlocking`, opening a pipe waits for its other end.
            let opened = try OpenFile(path, .readOnly, .nonBlocking)
            status = try opened.status()
            file = opened
        } catch {
            throw Self.openError(error.rawValue, path: path)
        }
        size = Int64(status.st_size)
        modified = status.st_mtim.nanoseconds
        extent = part?.clamped(to: 0..<max(0, size)) ?? 0..<max(0, size)
        position = extent.lowerBound
        coming = PartialContent(path: path, size: size)
        stamp = coming == nil ? FileStamp(status) : nil
        if let refusal = Self.refusal(mode: status.st_mode, size: size, path: path) { throw refusal }
    }

    deinit {
        if context != nil {
            av_freep(&context.pointee.buffer)
            avio_context_free(&context)
        }
    }

    private static func refusal(mode: mode_t, size: Int64, path: String) -> MediaError? {
        switch mode & S_IFMT {
        case S_IFREG:
            size > 0 ? nil : MediaError(.empty, "read", path: path, reason: "the file is empty (0 bytes)")
        case S_IFDIR:
            MediaError(.isDirectory, "read", path: path, reason: "it is a folder; name a file in it")
        default:
            MediaError(
                .notRegularFile, "read", path: path,
                reason: "it is a pipe, socket or device; save its content to a file first")
        }
    }

    private static func openError(_ error: Int32, path: String) -> MediaError {
        switch error {
        case ENOENT, ENOTDIR: MediaError(.notFound, "read", path: path, reason: "there is no such file")
        case EACCES, EPERM:
            MediaError(.permissionDenied, "read", path: path, reason: "you have no permission to read it")
        // A socket, or a device without a driver.
        case ENXIO, ENODEV:
            MediaError(
                .notRegularFile, "read", path: path,
                reason: "it is a pipe, socket or device; save its content to a file first")
        case EMFILE, ENFILE:
            MediaError(.openFiles, "read", path: path, reason: MediaError.lackOfFiles(error))
        default: MediaError(.read, "read", path: path, reason: String(cString: strerror(error)))
        }
    }

    /// The bytes at `offset`, fewer at the end of the file.
    /// - Parameter isSearched: something is searched for in them, so a hole ends it.
    func bytes(at offset: Int64, count: Int, isSearched: Bool = false) throws(MediaError) -> [UInt8] {
        var failure: Errno?
        if !isThere(offset, count) {
            if interrupter.thrown != nil { throw interrupter.cancelled("read", path: path) }
            throw MediaError(.read, "read", path: path, reason: "it has not come")
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            do throws(Errno) { filled = try file.read(into: buffer, at: offset) } catch { failure = error }
        }
        if let failure { throw MediaError(.read, "read", path: path, reason: "\(failure)") }
        if !interrupter.spend(bytes.count) || !interrupter.goesOn() {
            throw interrupter.cancelled("read", path: path)
        }
        if isSearched, !bytes.withUnsafeBytes({ interrupter.look(at: $0, from: offset) }) {
            throw interrupter.cancelled("read", path: path)
        }
        return bytes
    }

    /// Waits for bytes that are still to come.
    private func isThere(_ offset: Int64, _ count: Int) -> Bool {
        guard let coming else { return true }
        // The thread that fetches them watches their progress.
        let start = min(offset, size)
        return coming.wait(for: start..<start + min(Int64(count), size - start)) { interrupter.goesOn(advances: true) }
    }

    /// Hides from libav what lies from the byte `end` on. To be called before libav reads.
    func hide(from end: Int64) { extent = extent.clamped(to: 0..<max(0, end)) }

    /// Tells the pulse, and a probe's budget, that the file has what is searched for.
    func found() {
        interrupter.budget?.found()
        _ = interrupter.goesOn(advances: true)
    }

    /// Shows `watcher` what libav reads, with its place in the file, and first what it has read
    /// already.
    func watch(
        _ watcher: @escaping (_ read: UnsafeRawBufferPointer, _ offset: Int64) -> Void
    ) throws(MediaError) {
        var seen = extent.lowerBound
        while seen < position {
            let block = try bytes(at: seen, count: Int(min(1 << 20, position - seen)))
            guard !block.isEmpty else { break }
            block.withUnsafeBytes { watcher($0, seen) }
            seen += Int64(block.count)
        }
        self.watcher = watcher
    }

    /// What tells this version of the file from another: size, time, and a hash of head and tail,
    /// 64 KiB each.
    func identity() throws(MediaError) -> FileIdentity {
        let span = 64 << 10
        var hash = SHA256()
        hash.update(try bytes(at: 0, count: min(span, Int(size))))
        hash.update(try bytes(at: max(0, size - Int64(span)), count: min(span, Int(size))))
        return FileIdentity(size: size, modified: modified, digest: hash.finish())
    }

    /// libav's handle on the file, made on first use and owned by this object.
    func ioContext() throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        if let context { return context }
        guard let buffer = av_malloc(Self.bufferSize) else { throw .outOfMemory("read", path: path) }
        context = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
            Unmanaged.passUnretained(self).toOpaque(), { InputFile.from($0).read($1, $2) }, nil,
            { InputFile.from($0).seek($1, $2) })
        guard let context else {
            av_free(buffer)
            throw .outOfMemory("read", path: path)
        }
        return context
    }

    private static func from(_ opaque: UnsafeMutableRawPointer?) -> InputFile {
        Unmanaged<InputFile>.fromOpaque(opaque!).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
        guard interrupter.goesOn() else { return cutroom_AVERROR_EXIT }
        guard isThere(position, Int(count)) else {
            return interrupter.thrown == nil ? cutroom_AVERROR_EIO : cutroom_AVERROR_EXIT
        }
        let count = Int32(min(Int64(count), max(0, extent.upperBound - position)))
        guard count > 0 else { return cutroom_AVERROR_EOF }
        guard let got = try? file.read(into: .init(start: buffer, count: Int(count)), at: position) else {
            return cutroom_AVERROR_EIO
        }
        // More at once than the buffer takes is a packet whose size is known.
        if got > 0, count <= Self.bufferSize,
            !interrupter.look(at: UnsafeRawBufferPointer(start: buffer, count: got), from: position)
        {
            return cutroom_AVERROR_EXIT
        }
        if got > 0 { watcher?(UnsafeRawBufferPointer(start: buffer, count: got), position) }
        position += Int64(got)
        guard interrupter.spend(got) else { return cutroom_AVERROR_EXIT }
        return got == 0 ? cutroom_AVERROR_EOF : Int32(got)
    }

    /// The largest position instead of one that is no number of 64 bits.
    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let sum = a.addingReportingOverflow(b)
        return sum.overflow ? (b > 0 ? .max : 0) : sum.partialValue
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return Int64(extent.count)
        case SEEK_SET: position = Self.sum(extent.lowerBound, offset)
        case SEEK_CUR: position = Self.sum(position, offset)
        case SEEK_END: position = Self.sum(extent.upperBound, offset)
        default: return Int64(cutroom_AVERROR_EINVAL)
        }
        position = max(position, extent.lowerBound)
        return position - extent.lowerBound
    }
}
