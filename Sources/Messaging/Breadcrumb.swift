import Files
import Glibc
import Synchronization

/// The plugin call that a worker is inside of. It is written to a shared page just before each call
/// into foreign code and erased after it, so that the host can tell in which plugin, and at which
/// frame, a worker died.
public struct Breadcrumb: Hashable, Sendable {
    public enum Phase: UInt8, Sendable {
        case load = 1
        case initialize, describe, create, process, destroy
    }

    public var phase: Phase
    /// The library's absolute path.
    public var path: String
    /// The library's display name; its file name until the library has given one.
    public var plugin: String
    /// The id of the effect; empty outside the calls of an effect.
    public var effectID: String
    /// The output frame; nil outside ``Phase/process``, and for sound.
    public var frame: Int?
    /// The output time of sound in seconds; nil outside ``Phase/process``.
    public var seconds: Double?

    public init(
        phase: Phase, path: String, plugin: String, effectID: String = "", frame: Int? = nil, seconds: Double? = nil
    ) {
        self.phase = phase
        self.path = path
        self.plugin = plugin
        self.effectID = effectID
        self.frame = frame
        self.seconds = seconds
    }

    /// Reads the record in `file`; nil if the worker was in no plugin, or the file is missing, torn
    /// or not a breadcrumb. Never traps, whatever a plugin's stray write left there.
    public static func read(file: String) -> Breadcrumb? {
        // A plugin may have put a FIFO there; opening it must not block.
        guard let bytes = try? OpenFile(file, .readOnly, .nonBlocking).read(Layout.size), bytes.count == Layout.size
        else { return nil }
        return Breadcrumb(page: Array(bytes))
    }
}

extension Breadcrumb {
    /// The call as half a sentence for people: plugin, path, effect, and frame or time.
    public var place: String {
        var text = "plugin \(plugin) (\(path))"
        if !effectID.isEmpty, effectID != plugin { text += ", effect \(effectID)" }
        if let seconds { return text + ", at \((seconds * 1000).rounded() / 1000) s" }
        return frame.map { text + ", at frame \($0)" } ?? text + ", in its \(phase) call"
    }
}

/// The layout of the page: magic, sequence (odd during a write), then the record, of which `length`
/// bytes are used (0: none), and their FNV-1a hash. Numbers are in native byte order, as readers
/// and writers share the machine.
private enum Layout {
    static let size = 8192
    static let magic: UInt64 = 0x3142_4d55_5243_5243
    static let (magicAt, sequenceAt, lengthAt, hashAt, recordAt) = (0, 8, 16, 24, 32)

    /// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension Breadcrumb {
    /// The record: phase, frame (−1: none), seconds (NaN: none), then each text with its length
    /// before it.
    fileprivate var record: [UInt8] {
        var bytes: [UInt8] = [phase.rawValue]
        withUnsafeBytes(of: Int64(frame ?? -1)) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: (seconds ?? .nan).bitPattern) { bytes.append(contentsOf: $0) }
        for (text, limit) in [(plugin, 255), (effectID, 255), (path, 4096)] {
            let utf8 = text.utf8.prefix(limit)
            withUnsafeBytes(of: UInt16(utf8.count)) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: utf8)
        }
        return bytes
    }

    fileprivate init?(page: [UInt8]) {
        func number<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
            page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }
        let length = number(UInt64.self, at: Layout.lengthAt)
        guard page.count == Layout.size, number(UInt64.self, at: Layout.magicAt) == Layout.magic,
            number(UInt64.self, at: Layout.sequenceAt) % 2 == 0, length >= 17, length <= Layout.size - Layout.recordAt
        else { return nil }
        let end = Layout.recordAt + Int(length)
        guard Layout.hash(page[Layout.recordAt..<end]) == number(UInt64.self, at: Layout.hashAt),
            let phase = Phase(rawValue: page[Layout.recordAt])
        else { return nil }
        let frame = number(Int64.self, at: Layout.recordAt + 1)
        // A stray write may have left any number there.
        let isFrame = (0...1 << 40).contains(frame)
        let seconds = Double(bitPattern: number(UInt64.self, at: Layout.recordAt + 9))
        var offset = Layout.recordAt + 17
        var texts: [String] = []
        for _ in 0..<3 {
            guard offset + 2 <= end else { return nil }
            let count = Int(number(UInt16.self, at: offset))
            guard offset + 2 + count <= end else { return nil }
            texts.append(String(decoding: page[(offset + 2)..<(offset + 2 + count)], as: UTF8.self))
            offset += 2 + count
        }
        self.init(
            phase: phase, path: texts[2], plugin: texts[0], effectID: texts[1], frame: isFrame ? Int(frame) : nil,
            seconds: abs(seconds) < 1e9 ? seconds : nil)
    }
}

/// The writer of breadcrumbs, in the worker. A shared file mapping survives any death of the
/// process, and costs no system call per frame. Used from one thread.
public final class BreadcrumbWriter {
    private let page: UnsafeMutableRawPointer
    private var sequence: UInt64 = 0

    /// Creates or empties `path` and maps it.
    /// - Returns: nil on failure, with the reason in `errno`.
    public init?(breadcrumbPath path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(Layout.size)) == 0,
            let memory = mmap(nil, Layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { return nil }
        page = memory
        page.storeBytes(of: Layout.magic, toByteOffset: Layout.magicAt, as: UInt64.self)
    }

    deinit { munmap(page, Layout.size) }

    /// Writes a breadcrumb to the page.
    public func write(_ crumb: Breadcrumb) {
        let record = crumb.record
        update {
            (page + Layout.recordAt).copyMemory(from: record, byteCount: record.count)
            page.storeBytes(of: Layout.hash(record), toByteOffset: Layout.hashAt, as: UInt64.self)
            page.storeBytes(of: UInt64(record.count), toByteOffset: Layout.lengthAt, as: UInt64.self)
        }
    }

    /// Notes that the worker is in no plugin.
    public func clear() {
        update { page.storeBytes(of: 0, toByteOffset: Layout.lengthAt, as: UInt64.self) }
    }

    /// Updates the record. The fences keep the compiler from moving a part of the record out from
    /// between the two stores of the sequence.
    private func update(_ body: () -> Void) {
        page.storeBytes(of: sequence &+ 1, toByteOffset: Layout.sequenceAt, as: UInt64.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        body()
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        sequence &+= 2
        page.storeBytes(of: sequence, toByteOffset: Layout.sequenceAt, as: UInt64.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
}
