import Composition
import Draft
import Media
import Messaging

/// One clip's pictures, converted to the canvas once each.
final class ClipPictures {
    private let file: MediaFile
    private let workshop: Workshop
    private let makeConverter: () -> CanvasConverter
    private let stillName: StillShelf.Name
    private lazy var converter = makeConverter()
    private var reader: VideoReader?
    /// The decoded picture that was shown last and what it became on the canvas: several output frames may show it.
    private var last: (decoded: Picture, canvas: Picture)?
    private var still: Picture?

    convenience init(_ clip: CompositionClip, _ file: MediaFile, _ slice: Slice, _ workshop: Workshop) throws {
        try self.init(
            file, size: slice.size, mode: clip.mode, background: slice.background, color: slice.color, workshop)
    }

    init(
        _ file: MediaFile, size: Canvas.Size, mode: ContentMode, background: Color = .black, color: ColorSystem = .sdr,
        _ workshop: Workshop
    ) throws {
        try workshop.checkUnchanged(file)
        self.file = file
        self.workshop = workshop
        makeConverter = {
            CanvasConverter(width: size.width, height: size.height, mode: mode, background: background, color: color)
        }
        stillName = StillShelf.Name(
            path: file.path, identity: file.info.identity, width: size.width, height: size.height, mode: mode,
            background: background, color: color)
    }

    /// The canvas picture just before source time `time`. Shared: do not write to it.
    /// - Parameter isReversed: later pictures are asked for with earlier times.
    func picture(before time: Time, isReversed: Bool) throws -> Picture {
        guard let video = file.info.video else {
            throw JobFailure(.input, "‘\(file.path)’ has no picture.")
        }
        if file.info.kind == .image {
            if let still { return still }
            let picture = try workshop.stills.picture(stillName) {
                // A converter of its own: the usual one keeps hold of what it converted last.
                try makeConverter().convert(try ImageFile.load(path: file.path), info: video)
            }
            still = picture
            return picture
        }
        let reader = try openReader(near: time)
        let decoded = try reader.picture(before: time, playing: isReversed ? .backwards : .forwards)
        if let last, last.decoded === decoded { return last.canvas }
        let canvas = try converter.convert(decoded, info: video)
        last = (decoded, canvas)
        return canvas
    }

    private func openReader(near time: Time) throws -> VideoReader {
        if let reader { return reader }
        let opened = try workshop.video.take(file.path, file.info.identity, near: time) {
            try VideoReader(path: file.path, info: file.info, pulse: workshop.libavPulse)
        }
        reader = opened
        return opened
    }

    /// Gives the decoder back to the pool.
    func close() {
        if let reader { workshop.video.giveBack(reader, file.path, file.info.identity) }
        reader = nil
        last = nil
    }
}

extension VideoReader: PositionedReader {}
extension AudioReader: PositionedReader {}
