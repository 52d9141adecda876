import Files
import Foundation
import Glibc
import Recording
import Values

/// The file of a part that a browser records: what arrives is appended, and goes to the disk at
/// least each second. Use it on one thread.
final class BrowserPart {
    let path: String
    /// The longest part in seconds; nil: no limit.
    let limit: Double?
    private let file: OpenFile
    /// Why the part ends, once that is known.
    var end: PartEndReport?
    /// Seconds since the browser was told to end the part.
    var ending = 0.0
    private(set) var size: Int64 = 0
    private var progress = BrowserReport.Progress(duration: 0)
    private var synced = ContinuousClock.now
    /// What the file has that may not be on the disk yet.
    private var isDirty = false

    private static let pace = Duration.seconds(1)

    /// Creates the file.
    init(path: String, limit: Int64?) throws(Errno) {
        self.path = path
        self.limit = limit.map { Time(flicks: $0).seconds }
        file = try OpenFile(path, .writeOnly, [.create, .truncate], permissions: .readableByAll)
    }

    func append(_ bytes: Data) throws(Errno) {
        try file.write(bytes)
        size += Int64(bytes.count)
        isDirty = true
        if ContinuousClock.now - synced >= Self.pace { try sync() }
    }

    func sync() throws(Errno) {
        guard isDirty else { return }
        guard fdatasync(file.descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
        (isDirty, synced) = (false, .now)
    }

    func note(_ progress: BrowserReport.Progress) { self.progress = progress }

    /// Whether the part has reached its limit.
    var isOver: Bool { limit.map { progress.duration >= $0 } ?? false }

    var report: PartProgress {
        var disk = statvfs()
        let isKnown = statvfs((path as NSString).deletingLastPathComponent, &disk) == 0
        return PartProgress(
            duration: (Time(seconds: progress.duration) ?? .zero).flicks, size: size,
            free: isKnown ? Int64(clamping: UInt64(disk.f_bavail) * UInt64(disk.f_frsize)) : nil, level: progress.level)
    }
}
