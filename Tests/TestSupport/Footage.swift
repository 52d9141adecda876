import Foundation

/// Small generated media, each made once for all tests of a run.
public enum Footage {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var made: [String: String] = [:]

    /// Removed when the test process ends.
    private static let folder: String = {
        var template = Array("/tmp/cutroom-footage-XXXXXX".utf8CString)
        if mkdtemp(&template) == nil { return "/nonexistent" }
        atexit { try? FileManager.default.removeItem(atPath: Footage.folder) }
        return String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    private static func once(_ name: String, _ make: (TestMedia, String) throws -> Void) throws -> String {
        lock.lock()
        defer { lock.unlock() }
        if let path = made[name] { return path }
        try make(TestMedia(inFolder: folder), name)
        made[name] = folder + "/" + name
        return folder + "/" + name
    }

    /// Any other file that ffmpeg makes.
    public static func made(_ name: String, _ arguments: [String]) throws -> String {
        try once(name) { _, name in try FFmpeg.make(arguments, at: folder + "/" + name) }
    }

    /// 160×96, 4 s, frames that tell their index.
    public static var indexed: String {
        get throws { try once("indexed.mp4") { _ = try $0.indexedFrames($1, size: (160, 96), count: 120) } }
    }
    /// 160×96, 4 s, a moving test pattern with a 440 Hz tone.
    public static var pattern: String {
        get throws { try once("pattern.mp4") { _ = try $0.testPattern($1, size: (160, 96), seconds: 4) } }
    }
    /// Like ``pattern``, without sound.
    public static var silent: String {
        get throws { try once("silent.mp4") { _ = try $0.testPattern($1, size: (160, 96), seconds: 2, tone: nil) } }
    }
    /// Four seconds of 440 Hz.
    public static var tone: String { get throws { try once("tone.wav") { _ = try $0.tone($1, seconds: 4) } } }
    public static var still: String { get throws { try once("still.png") { _ = try $0.image($1, size: (160, 96)) } } }

    /// 200 frames of 64×64 at 30 a second; all of frame n has luma 20 + n.
    public static var ramp: String {
        get throws {
            try made(
                "ramp.mkv",
                [
                    "-f", "lavfi", "-i",
                    "color=black:size=64x64:rate=30:duration=6.666,format=yuv420p,geq=lum='20+N':cb=128:cr=128",
                    "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709",
                    "-color_primaries", "bt709", "-color_trc", "bt709",
                ])
        }
    }

    /// The folder that `Scripts/media.sh` fills.
    public static var examples: String {
        get throws {
            let script = Project.root + "/Scripts/media.sh"
            return try Kept.file("examples", from: [Kept.content(of: script)]) { folder in
                let output = try Command.run(["bash", script, folder], timeout: 300)
                guard output.succeeded else { throw ToolFailure("media.sh: \(output)") }
            }
        }
    }

    /// Two seconds of one colour, 160×96.
    public static func solid(_ color: String) throws -> String {
        try once("solid-\(color).mp4") { _ = try $0.solid($1, color: color, size: (160, 96)) }
    }

    /// A picture given by ffmpeg's geq expressions, tagged and stored as the canvas is, two seconds
    /// long.
    public static func drawn(_ name: String, lum: String, cb: String, cr: String) throws -> String {
        try made(
            name,
            [
                "-f", "lavfi", "-i",
                "color=black:size=160x96:rate=30:duration=2,format=yuv420p,geq=lum='\(lum)':cb='\(cb)':cr='\(cr)'",
                "-c:v", "libx264", "-preset", "ultrafast", "-crf", "4", "-pix_fmt", "yuv420p", "-colorspace", "bt709",
                "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
            ])
    }
}

extension String {
    /// The text as a literal of a Lua script.
    public var lua: String {
        "\"" + replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
