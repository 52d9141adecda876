import Draft
import Synchronization

/// The memory that the decoded pictures of all open files of a process take together.
///
/// A small file can hold pictures of gigabytes, and each use of it has a reader of its own. So each
/// reader reserves what it holds at most before it opens its file, and is refused where all of them
/// would take more than ``limit``.
package final class PictureMemory: Sendable {
    package static let shared = PictureMemory()

    /// Bytes: 8 readers of 8K video, or 120 of 1080p.
    static let limit = 2 << 30

    private struct Used {
        /// What readers need.
        var needed = 0
        /// What is decoded ahead, which only makes them faster.
        var spare = 0
    }

    private let used = Mutex(Used())

    package init() {}

    /// Reserved until it is let go.
    package final class Share: Sendable {
        fileprivate let bytes: Int
        fileprivate let isSpare: Bool
        fileprivate let memory: PictureMemory

        fileprivate init(_ bytes: Int, isSpare: Bool = false, _ memory: PictureMemory) {
            (self.bytes, self.isSpare, self.memory) = (bytes, isSpare, memory)
        }

        deinit { memory.used.withLock { if isSpare { $0.spare -= bytes } else { $0.needed -= bytes } } }
    }

    /// What one reader of these pictures holds: the decoder's own frames, the one that is shown,
    /// and the next. An animation's decoder has canvases besides.
    static func need(_ video: VideoStreamInfo, format: String) -> Int {
        need(video, format: format, frames: isAnimation(format) ? 5 : 4)
    }

    private static func isAnimation(_ format: String) -> Bool { ["gif", "apng", AnimatedWebP.format].contains(format) }

    private static func need(_ video: VideoStreamInfo, format: String, frames: Int) -> Int {
        let isWhole = video.hasAlpha || isAnimation(format)
        let bytesPerPixel = isWhole ? 4 : video.hdr == nil ? 2 : 3
        return need(width: video.width, height: video.height, bytesPerPixel, frames: frames)
    }

    static func need(width: Int, height: Int, _ bytesPerPixel: Int, frames: Int) -> Int {
        width * height * bytesPerPixel * frames
    }

    /// Whether a spare share remains below ``limit``, beside readers that were opened since. Its
    /// owner lets it go otherwise: a reader is never refused because of it.
    package var hasSpare: Bool { used.withLock { $0.needed + $0.spare <= Self.limit } }

    /// Reserves memory for frames of a file that lie ready, besides those that its reader holds.
    /// - Returns: nil where there is not enough left.
    package func reserveSpare(_ frames: Int, of info: MediaInfo) -> Share? {
        guard let video = info.video else { return nil }
        let bytes = Self.need(video, format: info.format, frames: frames)
        let isGranted = used.withLock { used in
            guard bytes <= Self.limit - used.needed - used.spare else { return false }
            used.spare += bytes
            return true
        }
        return isGranted ? Share(bytes, isSpare: true, self) : nil
    }

    /// - Throws: `overBudget`.
    func reserve(_ bytes: Int, path: String) throws(MediaError) -> Share {
        let others = used.withLock { used -> Int? in
            guard bytes <= Self.limit - used.needed else { return used.needed }
            used.needed += bytes
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
