import Composition
import Draft
import Media

/// The decoded pictures of a file that moves, as they are stored: with their alpha, before any conversion.
final class FileSource: Node {
    /// Which of the file's pictures a frame shows.
    enum Request {
        /// The last one before a source time; later frames ask for later times, or for earlier ones.
        case before(Time, VideoReader.Direction)
        /// The last one at or before a source time.
        case at(Time)

        var time: Time {
            switch self {
            case .before(let time, _), .at(let time): time
            }
        }
    }

    private let file: MediaFile
    private let pool: ReaderPool<VideoReader>?
    private let pulse: Pulse
    private let request: (Int) -> Request?
    private var reader: VideoReader?

    /// - Parameters:
    ///   - pool: where an open decoder may be waiting and goes back to; nil: the decoder is this node's alone.
    ///   - request: what a frame shows; nil: nothing.
    init(
        _ file: MediaFile, from pool: ReaderPool<VideoReader>?, pulse: @escaping Pulse,
        _ request: @escaping (Int) -> Request?
    ) {
        self.file = file
        self.pool = pool
        self.pulse = pulse
        self.request = request
    }

    func frame(_ number: Int) throws -> StoredPicture? {
        guard let request = request(number) else { return nil }
        guard let info = file.info.video else { throw file.hasNoPicture }
        let reader = try opened(near: request.time)
        switch request {
        case .before(let time, let direction):
            return StoredPicture(try reader.picture(before: time, playing: direction), info)
        case .at(let time): return StoredPicture(try reader.picture(at: time), info)
        }
    }

    /// Gives the decoder back to the pool.
    func close() {
        if let reader { pool?.giveBack(reader, file.path, file.info.identity) }
        reader = nil
    }

    private func opened(near time: Time) throws -> VideoReader {
        if let reader { return reader }
        try file.checkUnchanged()
        let open = { [file, pulse] in try VideoReader(path: file.path, info: file.info, pulse: pulse) }
        let opened = try pool?.take(file.path, file.info.identity, near: time, open: open) ?? open()
        reader = opened
        return opened
    }
}

extension VideoReader: PositionedReader {}
extension AudioReader: PositionedReader {}
