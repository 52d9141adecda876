import Foundation
import Testing

/// The `ffmpeg` command line tool, which makes and reads the media of tests. The product never
/// needs it.
///
///     @Test(.enabled(if: FFmpeg.isPresent, FFmpeg.absence))
public enum FFmpeg {
    public static let isPresent = Command.isInstalled("ffmpeg") && Command.isInstalled("ffprobe")
    public static let absence: Comment = "the ffmpeg command is not installed"

    /// Runs ffmpeg quietly; throws its messages where it fails.
    @discardableResult
    public static func run(_ arguments: [String], timeout: Double = 120) throws -> Command.Output {
        let output = try Command.run(
            ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y"] + arguments, timeout: timeout)
        guard output.succeeded else {
            throw Command.Failure(description: "ffmpeg \(arguments.joined(separator: " ")): \(output)")
        }
        return output
    }

    /// Makes a file, as `ffmpeg ARGUMENTS… PATH` does, or copies what it made of the same arguments
    /// and files before.
    public static func make(_ arguments: [String], at path: String) throws {
        let name = (path as NSString).lastPathComponent
        let made = try Kept.file(name, from: arguments.map(Kept.content)) { try run(arguments + [$0]) }
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyItem(atPath: made, toPath: path)
    }

    /// All pictures of a file as 8-bit luma, one array of `width` × `height` bytes for each frame
    /// that is stored (none doubled, none dropped).
    public static func grayFrames(of path: String, width: Int, height: Int) throws -> [[UInt8]] {
        let data = try run([
            "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
            "scale=\(width):\(height):flags=area,format=gray",
            "-f", "rawvideo", "-",
        ]).stdout
        return stride(from: 0, to: data.count, by: width * height).map {
            Array(data[$0..<min($0 + width * height, data.count)])
        }
    }

    /// All sound of a file as 32-bit float samples, channels interleaved.
    public static func samples(of path: String, rate: Int = 48_000, channels: Int = 1) throws -> [Float] {
        let data = try run(["-i", path, "-map", "0:a:0", "-ar", "\(rate)", "-ac", "\(channels)", "-f", "f32le", "-"])
            .stdout
        return data.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
    }

    /// All sound of a file at 48 kHz, 32-bit float samples, its own channels interleaved.
    public static func sound(of path: String) throws -> (channels: Int, samples: [Float]) {
        let wave = try run([
            "-i", path, "-map", "0:a:0", "-ar", "48000", "-c:a", "pcm_f32le", "-bitexact", "-f", "wav", "-",
        ]).stdout
        // A RIFF file's chunk ‘fmt ’ comes first, its channels at byte 22; ‘data’ comes last.
        guard wave.count > 44, let data = wave.range(of: Data("data".utf8)) else {
            throw ToolFailure("ffmpeg makes no sound of \(path)")
        }
        let channels = Int(wave[22]) | Int(wave[23]) << 8
        let samples = wave[(data.upperBound + 4)...].withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
        return (channels, samples)
    }

    /// `ffprobe`'s value for one entry, e.g. `stream=nb_frames`, of the first stream that `stream`
    /// selects.
    public static func probe(_ path: String, _ entry: String, stream: String = "v:0") throws -> String {
        // Counted is what is decoded, which takes long.
        let count = entry.contains("nb_read_frames") ? ["-count_frames"] : []
        let output = try Command.run(
            ["ffprobe", "-v", "error", "-select_streams", stream] + count + [
                "-show_entries", entry, "-of", "default=noprint_wrappers=1:nokey=1", path,
            ])
        guard output.succeeded else { throw Command.Failure(description: "ffprobe \(path): \(output)") }
        return output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
