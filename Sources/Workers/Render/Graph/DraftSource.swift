import Composition
import Draft
import Media

/// The pictures of a draft that another one shows: at its own size and rate, and with alpha where nothing lies in it.
///
/// Played forwards each of its frames is made once, and played backwards too: a few at a time, in their own order. What is kept is bounded.
final class DraftSource: MovingSource {
    private let slice: Slice
    private let info: VideoStreamInfo
    private let supplies: PictureSupplies
    private let clock: SliceClock
    private let request: (Int) -> FileSource.Request?
    private var pictures: DraftPictures?
    /// Frames of the draft that were made, as far as they may be asked for again.
    private var kept: [Int: StoredPicture] = [:]
    /// The frame that is being made, for messages.
    private var current = 0

    /// Bytes of pictures that are made at once where a draft is played backwards.
    private static let backwardBytes = 64 << 20

    /// - Parameters:
    ///   - slice: the part of the draft that is shown.
    ///   - info: of its pictures: see ``Composition/MediaFile/withMatte``.
    ///   - clock: of the slice that shows it.
    ///   - request: what a frame shows, in the part's time; nil: nothing.
    init(
        _ slice: Slice, _ info: VideoStreamInfo, _ supplies: PictureSupplies, _ clock: SliceClock,
        _ request: @escaping (Int) -> FileSource.Request?
    ) {
        self.slice = slice
        self.info = info
        self.supplies = supplies
        self.clock = clock
        self.request = request
    }

    var node: any Node<StoredPicture> { self }

    func frame(_ number: Int) throws -> StoredPicture? {
        current = number
        switch request(number) {
        case .before(let time, let direction)?, .between(let time, let direction, _)?:
            return try picture(slice.frame(before: time), direction)
        case .at(let time)?: return try picture(slice.frame(at: time), .forwards)
        case nil: return nil
        }
    }

    func neighbours(_ number: Int) throws -> Neighbours? {
        current = number
        guard case .between(let time, let direction, let mix)? = request(number) else {
            return try frame(number).map { Neighbours(first: $0, second: nil, share: 0) }
        }
        let index = slice.frame(before: time)
        let (start, next) = (
            Time(frame: index, rate: slice.frameRate), Time(frame: index + 1, rate: slice.frameRate)
        )
        let isMixed = index + 1 < slice.frameCount && time > start && mix.gaps.contains(next - start) && next < mix.end
        // The later one first where the draft runs backwards.
        let second = isMixed && direction == .backwards ? try picture(index + 1, direction) : nil
        let first = try picture(index, direction)
        guard isMixed else { return Neighbours(first: first, second: nil, share: 0) }
        let share = Double((time - start).flicks) / Double((next - start).flicks)
        return Neighbours(first: first, second: try second ?? picture(index + 1, direction), share: min(1, share))
    }

    func close() {
        pictures?.close()
        (pictures, kept) = (nil, [:])
    }

    private func picture(_ index: Int, _ direction: VideoReader.Direction) throws -> StoredPicture {
        if let known = kept[index] { return known }
        var first = index
        if direction == .backwards {
            let bytes = slice.size.width * slice.size.height * (slice.color.isHDR ? 4 : 2)
            first = max(0, index - max(1, Self.backwardBytes / bytes) + 1)
        }
        // Of what was made the neighbour alone may be asked for again.
        kept = kept.filter { abs($0.key - index) == 1 }
        for frame in first...index { kept[frame] = try make(frame) }
        guard let made = kept[index] else { throw GraphBuilder.noPlace }
        return made
    }

    private func make(_ index: Int) throws -> StoredPicture {
        let made = try pictures ?? open()
        pictures = made
        return StoredPicture(try made.picture(index), info)
    }

    private func open() throws -> DraftPictures {
        let inner = SliceClock(slice) { [clock, unowned self] _ in clock.outputFrame(of: current) }
        return try DraftPictures(slice, hasAlpha: info.hasAlpha, inner, supplies)
    }
}

extension MediaFile {
    /// A draft's pictures with alpha have nothing but black where they are transparent.
    var withMatte: MediaFile {
        guard draft != nil, info.video?.hasAlpha == true else { return self }
        var file = self
        file.info.video?.matte = .black
        return file
    }
}
