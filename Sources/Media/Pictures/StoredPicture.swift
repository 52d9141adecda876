import CFFmpeg
import Draft
import Values

/// A decoded picture as its file stores it, with its alpha, and what the file says of it: how it is
/// turned, and what it was multiplied with. As large as the file's picture.
///
/// It becomes a canvas picture by ``CanvasConverter``, which lays it over a background, or RGBA
/// with straight alpha by ``rgba(width:height:)``.
public struct StoredPicture {
    /// Shared; see ``Picture``.
    public let picture: Picture
    let orientation: Orientation
    /// The colour that it was multiplied with; nil: straight alpha, or none.
    let matte: Color?
    /// The decoder found damage in it, and has shown what it could. Only known of a picture file.
    public let isDamaged: Bool

    init(picture: Picture, orientation: Orientation, matte: Color?, isDamaged: Bool = false) {
        (self.picture, self.orientation, self.matte) = (picture, orientation, matte)
        self.isDamaged = isDamaged
    }

    /// A picture of a file that moves.
    /// - Parameter info: the stream's, for rotation and alpha.
    public init(_ picture: Picture, _ info: VideoStreamInfo) {
        var orientation = Orientation()
        (orientation.rotation, orientation.isMirrored) = (info.rotation, picture.isMirrored)
        self.init(picture: picture, orientation: orientation, matte: info.matte)
    }

    /// The file's picture, or the first frame of an animation or a video.
    /// - Throws: `noVideo`, `decode`, and what opening throws.
    public init(path: String) throws(MediaError) {
        let demuxer = try Demuxer(path: path, pulse: { _ in })
        self = try ImageFile.decodeFirst(demuxer, try ImageFile.pictureStream(of: demuxer))
    }

    /// The picture upright in RGBA with straight alpha, stretched to the size where one is given
    /// (the other side keeps the picture's own length where only one is). The caller's own.
    public func rgba(width: Int? = nil, height: Int? = nil) throws(MediaError) -> Picture {
        try RGBAConversion.upright(SourcePixels(picture.frame), orientation, width: width, height: height, matte: matte)
    }
}
