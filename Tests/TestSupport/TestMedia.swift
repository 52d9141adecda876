import Foundation

/// Makes small media whose content a test can tell: which frame it is, which tone, where the click
/// and the flash are.
public struct TestMedia: Sendable {
    /// Absolute.
    public let folder: String

    public init(in folder: TemporaryFolder) { self.folder = folder.path }
    public init(inFolder path: String) { folder = path }

    private static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p"]

    private func make(_ name: String, _ arguments: [String]) throws -> String {
        let path = folder + "/" + name
        try FFmpeg.make(arguments, at: path)
        return path
    }

    /// FFmpeg's moving test pattern, with a tone unless `tone` is nil.
    public func testPattern(
        _ name: String = "pattern.mp4", size: (Int, Int) = (320, 180), rate: String = "30", seconds: Double = 2,
        tone: Int? = 440, options: [String] = []
    ) throws -> String {
        let picture = ["-f", "lavfi", "-i", "testsrc2=size=\(size.0)x\(size.1):rate=\(rate):duration=\(seconds)"]
        let sound =
            tone.map { ["-f", "lavfi", "-i", "sine=frequency=\($0):sample_rate=48000:duration=\(seconds)"] } ?? []
        return try make(name, picture + sound + Self.x264 + ["-c:a", "aac"] + options)
    }

    /// One colour; `color` as ffmpeg names it.
    public func solid(
        _ name: String, color: String, size: (Int, Int) = (320, 180), rate: String = "30", seconds: Double = 2
    ) throws -> String {
        try make(
            name,
            ["-f", "lavfi", "-i", "color=\(color):size=\(size.0)x\(size.1):rate=\(rate):duration=\(seconds)"]
                + Self.x264)
    }

    /// Frames that carry their index (``FrameCode``), without sound. `size` must be a multiple of
    /// 16.
    public func indexedFrames(
        _ name: String = "indexed.mp4", size: (Int, Int) = (320, 176), rate: String = "30", count: Int = 60,
        options: [String] = []
    ) throws -> String {
        let bits = FrameCode.bits
        let code = "geq=lum='if(mod(floor(N/pow(2,floor(X*\(bits)/W))),2),235,16)':cb=128:cr=128"
        return try make(
            name,
            [
                "-f", "lavfi", "-i", "color=black:size=\(size.0)x\(size.1):rate=\(rate),format=yuv420p,\(code)",
                "-frames:v", "\(count)",
            ] + Self.x264 + options)
    }

    /// A sine tone. The extension of `name` decides the codec (`wav`, `m4a`, …).
    public func tone(
        _ name: String = "tone.wav", frequency: Int = 440, seconds: Double = 2, rate: Int = 48_000, channels: Int = 1
    ) throws -> String {
        try make(
            name,
            [
                "-f", "lavfi", "-i", "sine=frequency=\(frequency):sample_rate=\(rate):duration=\(seconds)", "-ac",
                "\(channels)",
            ])
    }

    /// A white frame, else black, and a click of 2 ms, else silence, which begin together at each
    /// whole second.
    public func clickAndFlash(
        _ name: String = "click.mp4", size: (Int, Int) = (160, 96), rate: Int = 30, seconds: Int = 3
    ) throws -> String {
        try make(
            name,
            [
                "-f", "lavfi", "-i",
                "color=black:size=\(size.0)x\(size.1):rate=\(rate):duration=\(seconds),drawbox=c=white:t=fill:enable='not(mod(n,\(rate)))'",
                "-f", "lavfi", "-i",
                "aevalsrc='if(lt(mod(t,1),0.002),0.9*sin(2*PI*2000*mod(t,1)),0)':sample_rate=48000:duration=\(seconds)",
            ] + Self.x264 + ["-g", "15", "-c:a", "aac", "-b:a", "192k"])
    }

    /// A still of FFmpeg's test pattern. The extension of `name` decides the format (`png`, `jpg`).
    public func image(_ name: String = "still.png", size: (Int, Int) = (320, 180)) throws -> String {
        try make(name, ["-f", "lavfi", "-i", "testsrc2=size=\(size.0)x\(size.1)", "-frames:v", "1", "-update", "1"])
    }

    /// An image of one colour with alpha, `rgba` as ffmpeg names it, e.g. `red@0.5`.
    public func sticker(_ name: String = "sticker.png", rgba: String = "red@0.5", size: (Int, Int) = (64, 64)) throws
        -> String
    {
        try make(
            name,
            [
                "-f", "lavfi", "-i", "color=\(rgba):size=\(size.0)x\(size.1),format=rgba", "-frames:v", "1", "-update",
                "1",
            ])
    }

    /// An animated GIF: `count` frames at ten per second.
    public func animation(_ name: String = "animation.gif", size: (Int, Int) = (64, 64), count: Int = 10) throws
        -> String
    {
        try make(name, ["-f", "lavfi", "-i", "testsrc2=size=\(size.0)x\(size.1):rate=10", "-frames:v", "\(count)"])
    }

    /// The Hald look-up image that changes nothing: `level`³ pixels on a side.
    public func identityHald(_ name: String = "hald.png", level: Int = 8) throws -> String {
        try make(name, ["-f", "lavfi", "-i", "haldclutsrc=level=\(level)", "-frames:v", "1", "-update", "1"])
    }

    /// A `.cube` table with `size` entries on a side; `map` gives red, green and blue in 0…1 for
    /// each.
    public func cube(
        _ name: String = "look.cube", size: Int = 17,
        _ map: (Double, Double, Double) -> (Double, Double, Double) = { ($0, $1, $2) }
    ) throws -> String {
        var text = "TITLE \"test\"\nLUT_3D_SIZE \(size)\n"
        for blue in 0..<size {
            for green in 0..<size {
                for red in 0..<size {
                    let scale = 1 / Double(size - 1)
                    let out = map(Double(red) * scale, Double(green) * scale, Double(blue) * scale)
                    text += "\(out.0) \(out.1) \(out.2)\n"
                }
            }
        }
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}

/// A frame index as upright bars of equal width, the lowest bit at the left, white for one:
/// survives scaling and encoding.
public enum FrameCode {
    public static let bits = 16

    /// The index that a luma plane shows; nil where some bar is neither dark nor bright.
    public static func index(luma: [UInt8], width: Int, height: Int) -> Int? {
        var result = 0
        for bit in 0..<bits {
            let x = (2 * bit + 1) * width / (2 * bits)
            switch luma[height / 2 * width + x] {
            case 0..<90: break
            case 166...255: result |= 1 << bit
            default: return nil
            }
        }
        return result
    }

    /// The indexes that the frames of a file show, in order.
    public static func indexes(of path: String) throws -> [Int?] {
        try FFmpeg.grayFrames(of: path, width: 4 * bits, height: 4).map { index(luma: $0, width: 4 * bits, height: 4) }
    }
}
