import Draft
import Foundation
import Media
import TestSupport
import Testing

/// A test's own folder and the media that it makes there: ffmpeg's command line over its patterns
/// and tones.
struct Lab {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func path(_ name: String) -> String { folder.file(name) }

    /// Makes a file as `ffmpeg ARGUMENTS… NAME` does, and returns its path.
    @discardableResult
    func make(_ name: String, _ arguments: String...) throws -> String {
        try FFmpeg.make(arguments, at: path(name))
        return path(name)
    }

    @discardableResult
    func make(_ name: String, _ arguments: [String]) throws -> String {
        try FFmpeg.make(arguments, at: path(name))
        return path(name)
    }

    /// A video of ``Numbered`` frames.
    func numbered(_ name: String, rate: String, count: Int, _ arguments: [String]) throws -> String {
        try FFmpeg.make(Numbered.source(rate: rate, count: count) + arguments, at: path(name))
        return path(name)
    }

    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try folder.write(Data(bytes), to: name)
    }

    /// ffprobe's answer, one entry a line.
    static func entries(_ path: String, _ arguments: String...) throws -> [String] {
        let output = try Command.run(["ffprobe", "-v", "error"] + arguments + ["-of", "csv=p=0", path])
        try #require(output.succeeded, "ffprobe \(path): \(output)")
        return output.text.split(separator: "\n").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: ", ")) }
    }

    /// One frame after ffmpeg's own conversion, as planar bytes.
    static func rawFrame(_ path: String, filter: String, format: String = "yuv420p", frame: Int = 0) throws -> [UInt8] {
        let data = try FFmpeg.run([
            "-i", path, "-vf", "select=eq(n\\,\(frame)),\(filter)", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
            format, "-",
        ]).stdout
        return Array(data)
    }

    /// Where each packet's bytes lie in the file.
    static func packetRanges(_ path: String, stream: String = "v") throws -> [Range<Int>] {
        try entries(path, "-select_streams", stream, "-show_entries", "packet=size,pos").compactMap { line in
            let numbers = line.split(separator: ",").compactMap { Int($0) }
            return numbers.count == 2 ? numbers[1]..<(numbers[1] + numbers[0]) : nil
        }
    }
}

/// A video whose frames carry their own number: ten bars of 16 pixels, white for a one bit, lowest
/// bit left.
enum Numbered {
    private static let bits = 10

    static func source(rate: String, count: Int) -> [String] {
        [
            "-f", "lavfi", "-i",
            "color=black:s=160x32:r=\(rate),format=yuv420p,"
                + "geq=lum='16+219*mod(floor(N/pow(2\\,floor(X/16)))\\,2)':cb=128:cr=128,trim=end_frame=\(count)",
        ]
    }

    /// The number in a picture of this pattern, at its own size.
    static func read(_ picture: Picture) -> Int {
        (0..<bits).reduce(0) { number, bit in
            let luma = picture.plane(0)[16 * picture.stride(0) + 16 * bit + 8]
            return number | (luma > 126 ? 1 << bit : 0)
        }
    }
}

extension AudioReader {
    func samples(from start: Int, count: Int, channels: Int) throws -> [[Float]] {
        let planes = (0..<channels).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: max(1, count)) }
        defer { for plane in planes { plane.deallocate() } }
        try read(from: start, count: count, into: planes)
        return planes.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }
}

extension Picture {
    func bytes(ofPlane index: Int) -> [UInt8] {
        let size = size(ofPlane: index)
        let count = format == .rgba ? size.width * 4 : size.width
        return (0..<size.height).flatMap { row in
            Array(UnsafeBufferPointer(start: plane(index) + row * stride(index), count: count))
        }
    }

    /// Planes one after the other without padding, as ffmpeg's rawvideo writes them.
    var packed: [UInt8] { (0..<planeCount).flatMap { bytes(ofPlane: $0) } }
}

/// Peak signal-to-noise ratio in decibels; infinite for equal bytes, zero for other lengths.
func peakSignalToNoise(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Double {
    guard a.count == b.count, !a.isEmpty else { return 0 }
    let squares = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
    return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / Double(squares))
}

/// What a room's border throws, or nil where it does not.
func thrown(_ body: () throws(MediaError) -> Void) -> MediaError? {
    do throws(MediaError) {
        try body()
        return nil
    } catch {
        return error
    }
}
