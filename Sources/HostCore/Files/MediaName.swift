import Foundation

/// The kind of a media file, as its name tells: a folder of a thousand files must not open them
/// all.
package enum MediaName: String, Sendable {
    case video, image, sound

    /// Reads the extension of a path.
    /// - Returns: nil for one that is not known to be that of a media file.
    package init?(path: String) {
        guard let kind = Self.kinds[(path as NSString).pathExtension.lowercased()] else { return nil }
        self = kind
    }

    private static let kinds: [String: MediaName] = {
        var kinds: [String: MediaName] = [:]
        for suffix in [
            "mp4", "mov", "mkv", "webm", "m4v", "avi", "mts", "m2ts", "ts", "mpg", "mpeg", "wmv", "flv", "3gp", "mxf",
            "gif", "ogv",
        ] {
            kinds[suffix] = .video
        }
        for suffix in ["png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff", "heic", "avif"] { kinds[suffix] = .image }
        for suffix in ["mp3", "m4a", "wav", "flac", "ogg", "opus", "aac", "aif", "aiff", "wma"] {
            kinds[suffix] = .sound
        }
        return kinds
    }()
}
