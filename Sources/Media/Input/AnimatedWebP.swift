import Draft
import Values

/// What an animated WebP file is made of, told by its chunks (WebP Container Specification);
/// nothing is decoded.
///
/// libav reads no animated WebP before version 8, so these files go past it: libwebp decodes them
/// (``AnimatedWebPReader``).
struct AnimatedWebP {
    /// The name for ``MediaInfo/format``.
    static let format = "webp"

    let width: Int
    let height: Int
    let hasAlpha: Bool
    /// When each frame ends.
    let ends: [Time]
    /// The bytes from the file's start up to the end of the last whole frame.
    let byteCount: Int

    private static let headLength = 30
    private static let animationFlag: UInt8 = 0x02
    private static let alphaFlag: UInt8 = 0x10
    /// Larger files are refused, since they are held whole.
    private static let sizeLimit = Int64(1) << 30

    /// nil for everything but an animated WebP file.
    init?(_ file: InputFile) throws(MediaError) {
        let head = try file.bytes(at: 0, count: Self.headLength)
        guard head.count == Self.headLength, head[0..<4].elementsEqual("RIFF".utf8),
            head[8..<16].elementsEqual("WEBPVP8X".utf8),
            head[20] & Self.animationFlag != 0
        else { return nil }
        width = Self.number(head[24..<27]) + 1
        height = Self.number(head[27..<30]) + 1
        hasAlpha = head[20] & Self.alphaFlag != 0
        guard width * height <= Decoder.pixelLimit, file.size <= Self.sizeLimit else {
            throw MediaError(
                .unsupported, "read", path: file.path,
                reason: "it is an animation of \(width)×\(height) pixels, which is too large")
        }
        try PictureMemory.check(PictureMemory.need(width: width, height: height, 4, frames: 5), path: file.path)
        var (ends, position, end) = ([Time](), Int64(12), Int64(12))
        while position + 8 <= file.size {
            let chunk = try file.bytes(at: position, count: 24)
            guard chunk.count >= 8 else { break }
            let length = Int64(Self.number(chunk[4..<8]))
            position += 8 + length + length % 2
            // Bytes behind the cut belong to no complete frame.
            guard position <= file.size else { break }
            end = position
            guard chunk[0..<4].elementsEqual("ANMF".utf8), chunk.count == 24 else { continue }
            let milliseconds = Self.number(chunk[20..<23])
            // As browsers do: what asks to be shown for no time at all is shown for a tenth of a
            // second.
            let shown = Time(value: Int64(milliseconds <= 10 ? 100 : milliseconds), timeBase: 1, 1000)
            ends.append((ends.last ?? .zero) + shown)
        }
        guard !ends.isEmpty else {
            throw MediaError(
                .truncated, "read", path: file.path,
                reason: "it is an animation without a whole frame; the download was cut off")
        }
        self.ends = ends
        byteCount = Int(end)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// nil for everything but an animated WebP file.
    static func probe(
        path: String, _ budget: ReadingBudget, pulse: @escaping Pulse
    ) throws(MediaError) -> MediaInfo? {
        let interrupter = Interrupter(pulse, budget: budget)
        try interrupter.check("read", path: path)
        let file = try InputFile(path: path, interrupter: interrupter)
        guard let animation = try AnimatedWebP(file), let duration = animation.ends.last else { return nil }
        // A damaged frame is found now, as it would be in a still picture.
        _ = try AnimatedWebPReader(path: path, pulse: pulse).next()
        let average = Rational(Int64(animation.ends.count) * Time.flicksPerSecond, duration.flicks)
        return MediaInfo(
            kind: .media, format: format, identity: try file.identity(),
            video: VideoStreamInfo(
                codec: "webp", width: animation.width, height: animation.height, rotation: 0, frameRate: average,
                start: .zero,
                duration: duration, bitRate: nil, hasAlpha: animation.hasAlpha))
    }
}
