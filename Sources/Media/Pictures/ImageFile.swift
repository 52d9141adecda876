import CFFmpeg
import Draft

/// Still pictures from files.
public enum ImageFile {
    /// The file's picture, or the first frame of an animation or a video, as it is stored: rotation is left to
    /// ``CanvasConverter``. The caller shares it; see ``Picture``.
    /// - Throws: `noVideo`, `decode`, and what opening throws.
    public static func load(path: String) throws(MediaError) -> Picture {
        let demuxer = try Demuxer(path: path, pulse: {})
        return try decodeFirst(demuxer, try pictureStream(of: demuxer))
    }

    /// The picture upright in RGBA with straight alpha, stretched to the size where one is given (the other side keeps
    /// the picture's own length where only one is). The caller's own.
    ///
    /// Without a size the stored values of RGB files come through unchanged, 16-bit ones rounded to 8: look-up images
    /// depend on that.
    public static func rgba(path: String, width: Int? = nil, height: Int? = nil) throws(MediaError) -> Picture {
        let demuxer = try Demuxer(path: path, pulse: {})
        let stream = try pictureStream(of: demuxer)
        let picture = try decodeFirst(demuxer, stream)
        var orientation = Orientation(frame: picture.frame)
        if orientation == Orientation() { orientation = Orientation(stream: stream) }
        var rgba = try RGBAConversion.convert(SourcePixels(picture.frame))
        if orientation != Orientation() { rgba = try RGBAConversion.turn(rgba, orientation) }
        let size = (width ?? rgba.width, height ?? rgba.height)
        return size == (rgba.width, rgba.height) ? rgba : try RGBAConversion.stretch(rgba, width: size.0, height: size.1)
    }

    private static func pictureStream(of demuxer: Demuxer) throws(MediaError) -> Demuxer.Stream {
        guard let stream = demuxer.video else {
            throw MediaError(.noVideo, "read the picture of", path: demuxer.path, reason: "it has no picture")
        }
        return stream
    }

    static func decodeFirst(_ demuxer: Demuxer, _ stream: Demuxer.Stream) throws(MediaError) -> Picture {
        let decoder = try Decoder(stream, path: demuxer.path)
        let (packet, frame) = (try Packet(), try Frame())
        while true {
            switch try decoder.receive(into: frame) {
            case .frame:
                let mirrored = Orientation(frame: frame).isMirrored || Orientation(stream: stream).isMirrored
                return Picture(decoded: frame, time: .zero, isMirrored: mirrored)
            case .ended:
                throw MediaError(
                    .decode, "read the picture of", path: demuxer.path, reason: "it cannot be decoded; the file is damaged")
            case .wantsPacket:
                var found = false
                while !found, try demuxer.read(into: packet) { found = packet.streamIndex == stream.index }
                decoder.send(found ? packet : nil)
            }
        }
    }
}
