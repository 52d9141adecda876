import CFFmpeg
import Draft

/// Still pictures from files.
public enum ImageFile {
    /// The file's picture, or the first frame of an animation or a video, as it is stored: rotation is left to
    /// ``CanvasConverter``. The caller shares it; see ``Picture``. It is as large as the file's: let go of it early.
    /// - Throws: `noVideo`, `decode`, and what opening throws.
    public static func load(path: String) throws(MediaError) -> Picture {
        let demuxer = try Demuxer(path: path, pulse: { _ in })
        return try decodeFirst(demuxer, try pictureStream(of: demuxer)).picture
    }

    /// The picture upright in RGBA with straight alpha, stretched to the size where one is given (the other side keeps
    /// the picture's own length where only one is). The caller's own.
    ///
    /// Without a size the stored values of RGB files come through unchanged, 16-bit ones rounded to 8: look-up images
    /// depend on that.
    public static func rgba(path: String, width: Int? = nil, height: Int? = nil) throws(MediaError) -> Picture {
        try Still(path: path).rgba(width: width, height: height)
    }

    private static func pictureStream(of demuxer: Demuxer) throws(MediaError) -> Demuxer.Stream {
        guard let stream = demuxer.video else {
            throw MediaError(.noVideo, "read the picture of", path: demuxer.path, reason: "it has no picture")
        }
        return stream
    }

    /// A decoded picture and what its file says of it: what is stretched to several sizes is decoded once. As large as the
    /// file's picture.
    public struct Still {
        public let picture: Picture
        let orientation: Orientation
        /// The colour that it was multiplied with; nil: straight alpha, or none.
        let matte: Color?

        init(picture: Picture, orientation: Orientation, matte: Color?) {
            (self.picture, self.orientation, self.matte) = (picture, orientation, matte)
        }

        /// - Throws: `noVideo`, `decode`, and what opening throws.
        public init(path: String) throws(MediaError) {
            let demuxer = try Demuxer(path: path, pulse: { _ in })
            self = try ImageFile.decodeFirst(demuxer, try ImageFile.pictureStream(of: demuxer))
        }

        /// As ``ImageFile/rgba(path:width:height:)``.
        public func rgba(width: Int? = nil, height: Int? = nil) throws(MediaError) -> Picture {
            try RGBAConversion.upright(
                SourcePixels(picture.frame), orientation, width: width, height: height, matte: matte)
        }
    }

    static func decodeFirst(_ demuxer: Demuxer, _ stream: Demuxer.Stream) throws(MediaError) -> Still {
        let decoder = try Decoder(stream, path: demuxer.path)
        let (packet, frame) = (try Packet(), try Frame())
        while true {
            switch try decoder.receive(into: frame) {
            case .frame:
                let tags = try ImageTags(demuxer.file, format: demuxer.formatName)
                let known = [Orientation(frame: frame), Orientation(stream: stream), tags.orientation]
                let orientation = known.first { $0 != Orientation() } ?? Orientation()
                return Still(
                    picture: Picture(decoded: frame, time: .zero, isMirrored: orientation.isMirrored),
                    orientation: orientation, matte: tags.isPremultiplied ? .black : nil)
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
