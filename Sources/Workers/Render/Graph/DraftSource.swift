import Composition
import Draft
import Media
import Values

/// The pictures of a draft that another one shows: at its own size and rate, and with alpha where
/// nothing lies in it.
///
/// Each of its frames is made once. Frames that play backwards are made many at a time, in their
/// own order: the last ones are kept in memory and the others in a file, both within bounds.
final class DraftSource: MovingSource {
    private let slice: Slice
    private let info: VideoStreamInfo
    private let supplies: PictureSupplies
    private let clock: SliceClock
    private let request: (Int) -> FileSource.Request?
    private var pictures: DraftPictures?
    /// Frames of the draft that were made, as far as they may be asked for again.
    private var kept: [Int: StoredPicture] = [:]
    /// The frames that do not fit into memory.
    private var spilled: [Int: PictureSpill.Stored] = [:]
    private var spill: PictureSpill?
    private var hasTriedSpill = false
    /// How many pictures the file holds, where it held fewer than there seemed to be room for.
    private var spillLimit = Int.max
    /// The frame that is being made, for messages.
    private var current = 0

    /// Bytes of pictures in memory while a draft is played backwards.
    private let memory: Int

    /// - Parameters:
    ///   - slice: the part of the draft that is shown.
    ///   - info: of its pictures: see ``Composition/MediaFile/withMatte``.
    ///   - clock: of the slice that shows it.
    ///   - memory: bytes of pictures in memory while the draft is played backwards.
    ///   - request: what a frame shows, in the part's time; nil: nothing.
    init(
        _ slice: Slice, _ info: VideoStreamInfo, _ supplies: PictureSupplies, _ clock: SliceClock,
        memory: Int = 64 << 20, _ request: @escaping (Int) -> FileSource.Request?
    ) {
        self.memory = memory
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
        (pictures, kept, spilled, spill) = (nil, [:], [:], nil)
    }

    private func picture(_ index: Int, _ direction: VideoReader.Direction) throws -> StoredPicture {
        if let known = kept[index] { return known }
        // Only the neighbour may be requested again.
        kept = kept.filter { abs($0.key - index) == 1 }
        if let stored = spilled.removeValue(forKey: index), let picture = spill?.restore(stored) {
            let known = StoredPicture(picture, info)
            kept[index] = known
            return known
        }
        return try direction == .forwards ? keep(index) : makeStretch(before: index)
    }

    private func keep(_ index: Int) throws -> StoredPicture {
        let made = try make(index)
        kept[index] = made
        return made
    }

    /// Makes a frame and as many of those that are shown after it as there is room for.
    private func makeStretch(before index: Int) throws -> StoredPicture {
        for stored in spilled.values { spill?.free(stored) }
        spilled = [:]
        openSpill()
        let inMemory = max(1, memory / bytes)
        let onDisk = min(spillLimit, spill?.room(forPicturesOf: bytes) ?? 0)
        let frames = following(index, count: inMemory + onDisk)
        for (place, frame) in frames.reversed().enumerated() {
            guard place < frames.count - inMemory else {
                _ = try keep(frame)
                continue
            }
            guard let stored = spill?.store(try make(frame).picture) else {
                // The disk is full: with as many as it holds, the stretch ends at a later frame.
                spillLimit = spilled.count
                return try makeStretch(before: index)
            }
            spilled[frame] = stored
        }
        return try kept[index] ?? keep(index)
    }

    /// The bytes of a picture, each row of which begins at a multiple of 64.
    private var bytes: Int {
        let (width, height) = (slice.size.width, slice.size.height)
        func aligned(_ samples: Int) -> Int { (samples * (slice.color.isHDR ? 2 : 1) + 63) & ~63 }
        let planes = info.hasAlpha ? 2 : 1
        return planes * aligned(width) * height + 2 * aligned(width / 2) * (height / 2)
    }

    private func openSpill() {
        guard !hasTriedSpill, let folder = supplies.spillFolder else { return }
        hasTriedSpill = true
        spill = supplies.makeSpill(folder)
    }

    /// Returns a frame and those before it that the outer draft's next frames show backwards,
    /// falling.
    private func following(_ index: Int, count: Int) -> [Int] {
        var found = [index]
        var number = current
        while found.count < count, let request = request(number), request.isBackwards {
            let first = slice.frame(before: request.time)
            // A mixed frame shows the one after it as well.
            let isMixed = if case .between = request { true } else { false }
            for frame in [first + 1, first] where frame < found[found.count - 1] && (frame == first || isMixed) {
                found.append(frame)
            }
            number += 1
        }
        return found
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
