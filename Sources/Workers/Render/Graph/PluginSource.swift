import Composition
import Draft
import Media

/// The pictures that a plugin's source makes, in the format that it works in; with straight alpha
/// unless that is 4:2:0.
final class PluginSource: FrameMaker {
    private let opener: PluginOpener
    private let stage: PictureStage
    private var run: PluginRun?
    /// Memory for each frame in turn.
    private var memory: PluginPicture?

    init(_ opener: PluginOpener, _ stage: PictureStage) {
        self.opener = opener
        self.stage = stage
    }

    /// The picture at a moment. One in 4:2:0 is the receiver's own; another is good until the next
    /// one is made, and may be written to.
    func make(_ moment: Moment) throws -> PluginPicture? {
        let run = try run ?? opener.open()
        self.run = run
        let (width, height) = (stage.size.width, stage.size.height)
        let picture =
            try memory ?? PluginPicture.rgba(run.format, width: width, height: height)
            ?? .canvas(try Picture(width: width, height: height, format: stage.color.pictureFormat))
        if run.format != .yuv420p8 { memory = picture }
        try run.make(picture, at: moment)
        return picture
    }

    func close() { (run, memory) = (nil, nil) }
}
