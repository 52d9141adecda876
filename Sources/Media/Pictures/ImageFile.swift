import CFFmpeg
import Draft

/// Still pictures from files.
public enum ImageFile {
    /// The file's picture, or the first frame of an animation or a video, as it is stored: rotation
    /// is left to ``CanvasConverter``. The caller shares it; see ``Picture``. It is as large as the
    /// file's: let go of it early.
    /// - Throws: `noVideo`, `decode`, and what opening throws.
    public static func load(path: String) throws(MediaError) -> Picture {
        try StoredPicture(path: path).picture
    }

    /// The picture upright in RGBA with straight alpha, stretched to the size where one is given
    /// (the other side keeps the picture's own length where only one is). The caller's own.
    ///
    /// Without a size the stored values of RGB files come through unchanged, 16-bit ones rounded to
    /// 8: look-up images depend on that.
    public static func rgba(path: String, width: Int? = nil, height: Int? = nil) throws(MediaError) -> Picture {
        try StoredPicture(path: path).rgba(width: width, height: height)
    }

    static func pictureStream(of demuxer: Demuxer) throws(MediaError) -> Demuxer.Stream {
        guard let stream = demuxer.video else {
            throw MediaError(.noVideo, "read the picture of", path: demuxer.path, reason: "it has no picture")
        }
        return stream
    }

    static func decodeFirst(_ demuxer: Demuxer, _ stream: Demuxer.Stream) throws(MediaError) -> StoredPicture {
        let decoder = try Decoder(stream, path: demuxer.path)
        let (packet, frame) = (try Packet(), try Frame())
        var isDamaged = false
        while true {
            let answer = try decoder.receive(into: frame)
            isDamaged = decoder.takeComplaint() || isDamaged
            switch answer {
            case .frame:
                let tags = try ImageTags(demuxer.file, format: demuxer.formatName)
                // That it was cut off is known.
                let isCutOff = try FileEnd.isMissing(demuxer.file, format: demuxer.formatName)
                let known = [Orientation(frame: frame), Orientation(stream: stream), tags.orientation]
                let orientation = known.first { $0 != Orientation() } ?? Orientation()
                return StoredPicture(
                    picture: Picture(decoded: frame, time: .zero, isMirrored: orientation.isMirrored),
                    orientation: orientation, matte: tags.isPremultiplied ? .black : nil,
                    isDamaged: (isDamaged || frame.isDamaged) && !isCutOff)
            case .ended:
                if try FileEnd.isMissing(demuxer.file, format: demuxer.formatName) {
                    throw MediaError(
                        .truncated, "read the picture of", path: demuxer.path,
                        reason: "it was cut off, and what is left cannot be decoded; copy or download it again")
                }
                throw MediaError(
                    .decode, "read the picture of", path: demuxer.path,
                    reason: "it cannot be decoded; the file is damaged")
            case .wantsPacket:
                var found = false
                while !found, try demuxer.read(into: packet) { found = packet.streamIndex == stream.index }
                decoder.send(found ? packet : nil)
            }
        }
    }
}
