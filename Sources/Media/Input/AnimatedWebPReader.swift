import CWebP
import Values

/// The frames of an animated WebP file, in order, by libwebp. Each frame may lean on all before it,
/// so going back starts again.
final class AnimatedWebPReader: PictureReading {
    private let path: String
    private let interrupter: Interrupter
    private let animation: AnimatedWebP
    /// libwebp reads from here as long as its decoder lives.
    private let content: UnsafeMutableBufferPointer<UInt8>
    private let decoder: OpaquePointer
    private var index = 0
    /// Frames that were decoded so far, again where reading began again.
    private(set) var decodedFrames = 0

    init(path: String, pulse: @escaping Pulse) throws(MediaError) {
        self.path = path
        interrupter = Interrupter(pulse)
        let file = try InputFile(path: path, interrupter: interrupter)
        guard let animation = try AnimatedWebP(file) else {
            throw MediaError(.decode, "read the picture of", path: path, reason: "it is not an animation any more")
        }
        self.animation = animation
        var bytes = try file.bytes(at: 0, count: animation.byteCount)
        // In a truncated file the complete frames are read: its header is changed to promise no
        // more.
        let length = UInt32(bytes.count - 8)
        for byte in 0..<4 { bytes[4 + byte] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(byte))) }
        let content = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = content.initialize(from: bytes)
        var data = WebPData(bytes: content.baseAddress, size: content.count)
        var options = WebPAnimDecoderOptions()
        WebPAnimDecoderOptionsInit(&options)
        options.color_mode = MODE_RGBA
        guard let decoder = WebPAnimDecoderNew(&data, &options) else {
            content.deallocate()
            throw MediaError(.decode, "read the picture of", path: path, reason: "its animation is damaged")
        }
        self.content = content
        self.decoder = decoder
    }

    deinit {
        WebPAnimDecoderDelete(decoder)
        content.deallocate()
    }

    var tolerance: Time { .zero }
    var firstTimestamp: Int64? { nil }
    /// Each seek begins at the first frame.
    var isSpoiled: Bool { false }
    var startsOver: Bool { true }

    /// The caller's own. A damaged frame ends the animation.
    func next() throws(MediaError) -> Picture? {
        try interrupter.check("read", path: path)
        var (pixels, timestamp): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
        guard index < animation.ends.count, WebPAnimDecoderHasMoreFrames(decoder) != 0,
            DecoderCalls.current.during(path, { WebPAnimDecoderGetNext(decoder, &pixels, &timestamp) }) != 0, let pixels
        else { return nil }
        let picture = try Picture(width: animation.width, height: animation.height, format: .rgba)
        for row in 0..<animation.height {
            (picture.plane(0) + row * picture.stride(0)).update(
                from: pixels + row * 4 * animation.width, count: 4 * animation.width)
        }
        index += 1
        decodedFrames += 1
        return Picture(decoded: picture.frame, time: index == 1 ? .zero : animation.ends[index - 2])
    }

    func mayLack(after shown: Time) -> Bool { false }

    func damage(shown: Time, at time: Time) -> Range<Time>? { nil }

    func seek(to time: Time, before limit: Int64?, hurryUntil end: Time?) -> Bool { false }

    func restart() throws(MediaError) {
        WebPAnimDecoderReset(decoder)
        index = 0
    }

    func seekPays(to time: Time, from position: Time) -> Bool { false }
}
