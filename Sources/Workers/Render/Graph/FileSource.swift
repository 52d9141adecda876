import Composition
import Media
import Values

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

/// The decoded pictures of a file that moves, as they are stored: with their alpha, before any
/// conversion.
final class FileSource: MovingSource {
    /// Which of the file's pictures a frame shows.
    enum Request {
        /// The last one before a source time; later frames ask for later times, or for earlier
        /// ones.
        case before(Time, VideoReader.Direction)
        /// The last one at or before a source time.
        case at(Time)
        /// The last one before a source time or, where pictures are far enough apart, a mix of it
        /// and the next one.
        case between(Time, VideoReader.Direction, Mix)

        var time: Time {
            switch self {
            case .before(let time, _), .at(let time), .between(let time, _, _): time
            }
        }

        var isBackwards: Bool {
            switch self {
            case .before(_, let direction), .between(_, let direction, _): direction == .backwards
            case .at: false
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
    private let spillFolder: String?
    private let pulse: Pulse
    private let request: (Int) -> Request?
    private var reader: VideoReader?
    /// Decodes the frames after the last one on a thread of its own; nil: none does.
    private var ahead: Ahead?
    /// The last answer.
    private var last: (number: Int, withNext: Bool, answer: Answer)?

    private struct Ahead {
        var frames: DecodeAhead<Answer>
        var withNext: Bool
        var memory: PictureMemory.Share
    }

    /// How many frames lie ready at most.
    private static let depth = 2

    /// What the reader shows for a frame.
    private struct Answer {
        var picture: Picture
        /// The picture after that, where it was asked for.
        var next: Picture?
        var damage: Range<Time>?
    }

    /// - Parameters:
    ///   - pool: where an open decoder may be waiting and goes back to; nil: the decoder is this
    ///     node's alone.
    ///   - spillFolder: where frames may lie that play backwards; nil: nowhere.
    ///   - request: what a frame shows; nil: nothing.
    init(
        _ file: MediaFile, from pool: ReaderPool<VideoReader>?, _ damage: DamageNotes, spillFolder: String? = nil,
        pulse: @escaping Pulse, _ request: @escaping (Int) -> Request?
    ) {
        self.file = file
        self.pool = pool
        self.damage = damage
        self.spillFolder = spillFolder
        self.pulse = pulse
        self.request = request
    }

    var node: any Node<StoredPicture> { self }

    func frame(_ number: Int) throws -> StoredPicture? {
        guard let answer = try answer(number, withNext: false) else { return nil }
        guard let info = file.info.video else { throw file.hasNoPicture }
        return StoredPicture(answer.picture, info)
    }

    /// See ``MovingSource``.
    func neighbours(_ number: Int) throws -> Neighbours? {
        guard let request = request(number) else { return nil }
        guard let info = file.info.video else { throw file.hasNoPicture }
        guard case .between(let time, _, let mix) = request else {
            return try frame(number).map { Neighbours(first: $0, second: nil, share: 0) }
        }
        guard let answer = try answer(number, withNext: true) else { return nil }
        let first = answer.picture
        let alone = Neighbours(first: StoredPicture(first, info), second: nil, share: 0)
        // A container's coarse timestamps make no gap.
        let tolerance = Time(flicks: Time.flicksPerSecond / 1000)
        guard let next = answer.next, time > first.time, mix.gaps.contains(next.time - first.time - tolerance),
            next.time < mix.end - tolerance
        else { return alone }
        let share = Double((time - first.time).flicks) / Double((next.time - first.time).flicks)
        return Neighbours(first: alone.first, second: StoredPicture(next, info), share: min(1, share))
    }

    /// Returns what a frame shows, and notes its damage.
    /// - Parameter withNext: the picture after it is wanted, too.
    private func answer(_ number: Int, withNext: Bool) throws -> Answer? {
        // Two graphs may share the source.
        if let last, last.number == number, last.withNext == withNext { return last.answer }
        guard let found = try decodedAhead(number, withNext: withNext) ?? decode(number, withNext: withNext) else {
            return nil
        }
        if let range = found.damage { damage.note(file, isSound: false, range) }
        last = (number, withNext, found)
        return found
    }

    /// Returns what a frame shows where it is the next one of those that are decoded ahead.
    private func decodedAhead(_ number: Int, withNext: Bool) throws -> Answer? {
        guard let ahead else { return nil }
        if ThreadPool.shared.width == 1 || !PictureMemory.shared.hasSpare { ahead.frames.finish() }
        if ahead.withNext == withNext, let result = try ahead.frames.take(number, pulse: pulse) {
            return try result.get()
        }
        stopAhead()
        return nil
    }

    private func decode(_ number: Int, withNext: Bool) throws -> Answer? {
        guard let request = request(number) else { return nil }
        guard file.info.video != nil else { throw file.hasNoPicture }
        let reader = try opened(request, of: number)
        let found = try Self.answer(to: request, of: reader, withNext: withNext)
        // Two frames in a row: others follow.
        if last?.number == number - 1 { startAhead(reader, after: number, withNext: withNext) }
        return found
    }

    private func startAhead(_ reader: VideoReader, after number: Int, withNext: Bool) {
        // Besides those that lie ready, the node shows one that the reader holds no more.
        guard ThreadPool.shared.width > 1,
            let memory = PictureMemory.shared.reserveSpare(Self.depth + 1, of: file.info)
        else { return }
        let frames = DecodeAhead(after: number, depth: Self.depth) { [request] number in
            try request(number).map { try Self.answer(to: $0, of: reader, withNext: withNext) }
        }
        reader.pulse = { [unowned frames] in try frames.pulse(advances: $0) }
        if frames.start() {
            ahead = Ahead(frames: frames, withNext: withNext, memory: memory)
        } else {
            reader.pulse = pulse
        }
    }

    private static func answer(to request: Request, of reader: VideoReader, withNext: Bool) throws -> Answer {
        switch request {
        case .between(let time, let direction, _) where withNext:
            let (picture, next) = try reader.pictures(around: time, playing: direction)
            return Answer(picture: picture, next: next, damage: reader.damage)
        case .before(let time, let direction), .between(let time, let direction, _):
            return Answer(picture: try reader.picture(before: time, playing: direction), damage: reader.damage)
        case .at(let time): return Answer(picture: try reader.picture(at: time), damage: reader.damage)
        }
    }

    private func stopAhead() {
        guard let ahead else { return }
        let leftovers = ahead.frames.stop(pulse: pulse)
        reader?.pulse = pulse
        reader?.withdraw(leftovers.count, hasFailed: leftovers.hasFailed)
        self.ahead = nil
    }

    /// Gives the decoder back to the pool.
    func close() {
        stopAhead()
        if let reader { pool?.giveBack(reader, file.path, file.info.identity) }
        (reader, last) = (nil, nil)
    }

    private func opened(_ request: Request, of number: Int) throws -> VideoReader {
        if let reader { return reader }
        try file.checkUnchanged()
        let open = { [file, pulse] in try VideoReader(path: file.path, info: file.info, pulse: pulse) }
        let opened: VideoReader
        do {
            opened = try pool?.take(file.path, file.info.identity, near: request.time, open: open) ?? open()
        } catch let error as MediaError where error.code == .overBudget {
            // Readers that are kept for the next segment make room.
            pool?.closeAll()
            opened = try open()
        }
        opened.spillFolder = spillFolder
        if request.isBackwards { opened.earliest = earliestTime(from: number) }
        reader = opened
        return opened
    }

    /// Returns the earliest source time that is asked for while the frames from `number` on play
    /// backwards.
    private func earliestTime(from number: Int) -> Time? {
        var earliest: Time?
        var number = number
        while let request = request(number), request.isBackwards {
            earliest = min(earliest ?? request.time, request.time)
            number += 1
        }
        return earliest
    }
}

extension VideoReader: PositionedReader {}
extension AudioReader: PositionedReader {}
