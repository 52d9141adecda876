import CFFmpeg
import CPosix
import Glibc

enum LibavText {
    /// libav's own words for an error number.
    static func describe(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AV_ERROR_MAX_STRING_SIZE)) { buffer in
            av_strerror(code, buffer.baseAddress, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }
}

extension MediaError {
    /// An error of libav as ours. `fallback` is the code where the number itself does not decide.
    static func libav(
        _ result: Int32, _ operation: String, path: String?, fallback: Code, reason: String? = nil
    ) -> MediaError {
        let (code, words): (Code, String?) =
            switch result {
            case cutroom_AVERROR_ENOSPC, cutroom_AVERROR_EDQUOT:
                (.diskFull, "the disk is full; free some space or choose another folder")
            case cutroom_AVERROR_EFBIG:
                (.diskFull, "the file may not become so large: \(limitOfFiles)")
            case cutroom_AVERROR_ENOENT: (.notFound, "the file or its folder does not exist")
            // Not EPERM: it is −1, which parts of libav return for any failure.
            case cutroom_AVERROR_EACCES: (.permissionDenied, "you have no permission to use it")
            case cutroom_AVERROR_EISDIR: (.isDirectory, "it is a folder, not a file")
            case cutroom_AVERROR_ENOMEM: (.outOfMemory, "there is not enough memory")
            case -EMFILE, -ENFILE: (.openFiles, lackOfFiles(-result))
            case cutroom_AVERROR_EXIT: (.cancelled, "the work was stopped")
            default: (fallback, nil)
            }
        let isInput = fallback == .notMedia || fallback == .decode
        let general = isInput ? "it is damaged, or of a kind that is not known here" : LibavText.describe(result)
        return MediaError(code, operation, path: path, reason: words ?? reason ?? general, libav: result)
    }

    private static var limitOfFiles: String {
        var (soft, hard) = (UInt64.max, UInt64.max)
        guard cposix_limit(CPOSIX_FILE_SIZE, &soft, &hard) == 0, soft != .max else {
            return "the file system does not take it; choose another folder"
        }
        return "the limit for this process is \(soft) bytes (ulimit -f \(soft >> 10)); raise it"
    }

    /// The sentence for `EMFILE`, with the limit, and for `ENFILE`.
    static func lackOfFiles(_ code: Int32) -> String {
        var (soft, hard) = (UInt64.max, UInt64.max)
        guard code == EMFILE, cposix_limit(CPOSIX_OPEN_FILES, &soft, &hard) == 0, soft != .max else {
            return "the system has too many files open; close some programs"
        }
        return "the process has as many files open as it may have, \(soft) (ulimit -n \(soft)); raise that limit"
    }

    static func outOfMemory(_ operation: String, path: String? = nil) -> MediaError {
        MediaError(.outOfMemory, operation, path: path, reason: "there is not enough memory")
    }
}

/// Throws where a libav call failed (a negative result).
@inline(__always) @discardableResult
func check(
    _ result: Int32, _ operation: @autoclosure () -> String, path: String?, _ fallback: MediaError.Code
) throws(MediaError) -> Int32 {
    guard result < 0 else { return result }
    throw MediaError.libav(result, operation(), path: path, fallback: fallback)
}
