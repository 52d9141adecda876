import Draft
import Synchronization

/// The memory that the decoded pictures of all open files of a process take together.
///
/// A small file can hold pictures of gigabytes, and each use of it has a reader of its own. So each
/// reader reserves what it holds at most before it opens its file, and is refused where all of them
/// would take more than ``limit``.
final class PictureMemory: Sendable {
    static let shared = PictureMemory()

    /// Bytes: 8 readers of 8K video, or 120 of 1080p.
    static let limit = 2 << 30

    private let used = Mutex(0)

    /// Reserved until it is let go.
    final class Share: Sendable {
        fileprivate let bytes: Int
        fileprivate let memory: PictureMemory

        fileprivate init(_ bytes: Int, _ memory: PictureMemory) { (self.bytes, self.memory) = (bytes, memory) }
        deinit { memory.used.withLock { $0 -= bytes } }
    }

    /// What one reader of these pictures holds: the decoder's own frames, the one that is shown,
    /// and the next. An animation's decoder has canvases besides.
    static func need(_ video: VideoStreamInfo, format: String) -> Int {
        let isAnimation = ["gif", "apng", AnimatedWebP.format].contains(format)
        let isWhole = video.hasAlpha || isAnimation
        let bytesPerPixel = isWhole ? 4 : video.hdr == nil ? 2 : 3
        return need(
            width: video.width, height: video.height, bytesPerPixel, frames: isAnimation ? 5 : 4)
    }

    static func need(width: Int, height: Int, _ bytesPerPixel: Int, frames: Int) -> Int {
        width * height * bytesPerPixel * frames
    }

    /// - Throws: `overBudget`.
    func reserve(_ bytes: Int, path: String) throws(MediaError) -> Share {
        let others = used.withLock { used -> Int? in
            guard bytes <= Self.limit - used else { return used }
            used += bytes
            return nil
        }
        if let others { throw Self.refusal(bytes, others, path: path) }
        return Share(bytes, self)
    }

    /// - Throws: `overBudget` where a file is too large even alone.
    static func check(_ bytes: Int, path: String) throws(MediaError) {
        if bytes > limit { throw refusal(bytes, 0, path: path) }
    }

    private static func refusal(_ bytes: Int, _ others: Int, path: String) -> MediaError {
        let beside = others == 0 ? "" : ", beside \(others >> 20) MiB of other files that are shown with it"
        let advice = others == 0 ? "make it smaller" : "make it smaller, or use it less often at a time"
        return MediaError(
            .overBudget, "read the picture of", path: path,
            reason:
                "its pictures take \(bytes >> 20) MiB while they are read\(beside), and \(limit >> 20) MiB is the limit; "
                + advice)
    }
}
