import Composition
import Draft
import Media

/// Pictures that move, and what a clip shows of them: a file's, or a draft's.
protocol MovingSource: Node where Output == StoredPicture {
    /// Itself, for those who take any node of pictures.
    var node: any Node<StoredPicture> { get }

    /// The one or two pictures of a frame.
    func neighbours(_ number: Int) throws -> Neighbours?
}

/// Neighbours among pictures that move, and how much of the second one is shown: 0 … 1.
struct Neighbours {
    var first: StoredPicture
    var second: StoredPicture?
    var share: Double
}

/// The decoded pictures of a file that moves, as they are stored: with their alpha, before any conversion.
final class FileSource: MovingSource {
    /// Which of the file's pictures a frame shows.
    enum Request {
        /// The last one before a source time; later frames ask for later times, or for earlier ones.
        case before(Time, VideoReader.Direction)
        /// The last one at or before a source time.
        case at(Time)
        /// The last one before a source time or, where pictures are far enough apart, a mix of it and the next one.
        case between(Time, VideoReader.Direction, Mix)

        var time: Time {
            switch self {
            case .before(let time, _), .at(let time), .between(let time, _, _): time
            }
        }
    }

    /// Which pictures are mixed.
    struct Mix {
        /// How far apart they are: further than what an output frame shows of the source.
        var gaps: Range<Time>
        /// The source time before which both lie.
        var end: Time
    }

    private let file: MediaFile
    private let pool: ReaderPool<VideoReader>?
    private let damage: DamageNotes
    private let pulse: Pulse
    private let request: (Int) -> Request?
    private var reader: VideoReader?

    /// - Parameters:
    ///   - pool: where an open decoder may be waiting and goes back to; nil: the decoder is this node's alone.
    ///   - request: what a frame shows; nil: nothing.
    init(
        _ file: MediaFile, from pool: ReaderPool<VideoReader>?, _ damage: DamageNotes, pulse: @escaping Pulse,
        _ request: @escaping (Int) -> Request?
    ) {
        self.file = file
        self.pool = pool
        self.damage = damage
        self.pulse = pulse
        self.request = request
    }

    var node: any Node<StoredPicture> { self }

    func frame(_ number: Int) throws -> StoredPicture? {
        guard let request = request(number) else { return nil }
        guard let info = file.info.video else { throw file.hasNoPicture }
        let reader = try opened(near: request.time)
        switch request {
        case .before(let time, let direction), .between(let time, let direction, _):
            return note(StoredPicture(try reader.picture(before: time, playing: direction), info), of: reader)
        case .at(let time): return note(StoredPicture(try reader.picture(at: time), info), of: reader)
        }
    }

    private func note(_ picture: StoredPicture, of reader: VideoReader) -> StoredPicture {
        if let range = reader.damage { damage.note(file, isSound: false, range) }
        return picture
    }

    /// See ``MovingSource``.
    func neighbours(_ number: Int) throws -> Neighbours? {
        guard let request = request(number) else { return nil }
        guard let info = file.info.video else { throw file.hasNoPicture }
        guard case .between(let time, let direction, let mix) = request else {
            return try frame(number).map { Neighbours(first: $0, second: nil, share: 0) }
        }
        let reader = try opened(near: time)
        let (first, next) = try reader.pictures(around: time, playing: direction)
        if let range = reader.damage { damage.note(file, isSound: false, range) }
        let alone = Neighbours(first: StoredPicture(first, info), second: nil, share: 0)
        // A container's coarse timestamps make no gap.
        let tolerance = Time(flicks: Time.flicksPerSecond / 1000)
        guard let next, time > first.time, mix.gaps.contains(next.time - first.time - tolerance),
            next.time < mix.end - tolerance
        else { return alone }
        let share = Double((time - first.time).flicks) / Double((next.time - first.time).flicks)
        return Neighbours(first: alone.first, second: StoredPicture(next, info), share: min(1, share))
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
        let opened: VideoReader
        do {
            opened = try pool?.take(file.path, file.info.identity, near: time, open: open) ?? open()
        } catch let error as MediaError where error.code == .overBudget {
            // Readers that are kept for the next segment make room.
            pool?.closeAll()
            opened = try open()
        }
        reader = opened
        return opened
    }
}

extension VideoReader: PositionedReader {}
extension AudioReader: PositionedReader {}
