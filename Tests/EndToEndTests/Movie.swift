import Foundation
import TestSupport

/// What ffprobe, which shares no code with the product, says about a file.
struct Movie: Decodable {
    struct Stream: Decodable {
        var codecType: String
        var width: Int?
        var height: Int?
        var frameRate: String?
        var frames: String?
        var duration: String?
        var channels: Int?
        var sampleRate: String?

        enum CodingKeys: String, CodingKey {
            case codecType = "codec_type"
            case width, height, duration, channels
            case frameRate = "r_frame_rate"
            case frames = "nb_read_frames"
            case sampleRate = "sample_rate"
        }
    }

    var streams: [Stream]

    init(_ path: String) throws {
        let output = try Command.run([
            "ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", path,
        ])
        guard output.succeeded else { throw ToolFailure("ffprobe \(path): \(output)") }
        self = try JSONDecoder().decode(Movie.self, from: output.stdout)
    }

    var picture: Stream? { streams.first { $0.codecType == "video" } }
    var sound: Stream? { streams.first { $0.codecType == "audio" } }
    var frames: Int? { picture?.frames.flatMap { Int($0) } }
    /// Seconds.
    var pictureDuration: Double? { picture?.duration.flatMap { Double($0) } }
    var soundDuration: Double? { sound?.duration.flatMap { Double($0) } }
}

/// The boxes at the top of an MP4 file, in order (ISO/IEC 14496-12, 4.2).
func boxes(of path: String) throws -> [String] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var names: [String] = []
    var offset = 0
    while offset + 8 <= data.count {
        let size = data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        names.append(String(decoding: data[offset + 4..<offset + 8], as: UTF8.self))
        guard size >= 8 else { break }
        offset += size
    }
    return names
}
