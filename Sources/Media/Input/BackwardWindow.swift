import CFFmpeg
import Values

/// A run of consecutive decoded frames in presentation order, for showing them backwards.
///
/// Video can be decoded forwards only, from a key frame. So the stretch from the key frame before
/// the wanted frame is decoded up to it, and the last frames of it are held: as many in memory as
/// fit into a number of bytes, and those before them in a ``PictureSpill``. When all have been
/// shown, the same stretch is decoded again up to the first of them. Frames that have been passed
/// are let go.
struct BackwardWindow {
    private enum Held {
        case inMemory(Picture)
        case onDisk(PictureSpill.Stored)

        var time: Time {
            switch self {
            case .inMemory(let picture): picture.time
            case .onDisk(let stored): stored.time
            }
        }
    }

    /// Bytes of decoded frames in memory.
    var budget: Int
    /// Where frames go that do not fit into memory; nil: they are dropped.
    private var spill: PictureSpill?
    /// Those on disk come first. Not a slice: that would keep what was removed from it.
    private var frames: [Held] = []
    private var onDisk = 0
    /// Of the frames in memory.
    private var bytes = 0
    /// When the frame after the last one is presented, the far future at the end of the stream; nil
    /// while it is not known.
    private var end: Time?
    /// No frame is presented before the first one.
    private var startsFile = false
    /// The frame after the last one is held, too.
    var holdsNext = false
    /// nil where none follows the last one, or it is not held.
    private(set) var next: Picture?
    /// Frames were dropped for lack of room since the window was begun.
    private(set) var hasOverflowed = false

    /// - Parameter budget: bytes of decoded frames in memory. Two are held whatever their size.
    init(budget: Int) { self.budget = budget }

    var isEmpty: Bool { frames.isEmpty }
    /// Frames are on disk.
    var isSpilled: Bool { onDisk > 0 }
    var firstTime: Time? { frames.first?.time }
    var lastTime: Time? { frames.last?.time }

    /// Whether this very picture is the last one.
    func ends(with picture: Picture) -> Bool {
        if case .inMemory(let last)? = frames.last { last === picture } else { false }
    }

    /// Lets frames go to disk. Called while the window is empty.
    mutating func use(_ spill: PictureSpill) { self.spill = spill }

    mutating func forget() {
        while !frames.isEmpty { release(frames.removeLast()) }
        (bytes, end, startsFile, next, hasOverflowed) = (0, nil, false, nil, false)
    }

    // MARK: Filling

    mutating func begin(with frame: Picture, isFirstOfFile: Bool) {
        forget()
        hold(frame)
        startsFile = isFirstOfFile
    }

    /// Takes over the frame that follows (nil: none does), unless it is presented at or after
    /// `limit`: then it only says where the last one ends.
    /// - Parameter earliest: no frame will be wanted that is presented before; nil: any may be.
    mutating func append(_ frame: Picture?, limit: Time, earliest: Time?) {
        guard let frame, frame.time < limit else {
            end = frame?.time ?? Time(flicks: .max)
            if holdsNext { next = frame }
            return
        }
        hold(frame)
        if let earliest { while frames.count > 2, frames[1].time < earliest { dropFirst() } }
        while bytes > budget, frames.count - onDisk > 2 { makeRoom() }
    }

    /// Moves the first frame in memory to disk, or drops it with those before it.
    private mutating func makeRoom() {
        guard case .inMemory(let picture) = frames[onDisk] else { return }
        while let spill {
            if let stored = spill.store(picture) {
                frames[onDisk] = .onDisk(stored)
                onDisk += 1
                bytes -= picture.memorySize
                return
            }
            // The place of the first one may be enough.
            guard onDisk > 0 else { break }
            hasOverflowed = true
            dropFirst()
        }
        hasOverflowed = true
        dropFirst()
    }

    mutating func dropFirst() {
        release(frames.removeFirst())
        startsFile = false
    }

    private mutating func hold(_ frame: Picture) {
        frames.append(.inMemory(frame))
        bytes += frame.memorySize
    }

    /// Accounts for a frame that was removed.
    private mutating func release(_ held: Held) {
        switch held {
        case .inMemory(let picture): bytes -= picture.memorySize
        case .onDisk(let stored):
            onDisk -= 1
            spill?.free(stored)
        }
    }

    /// It is known what follows the last frame.
    var isComplete: Bool { end != nil }

    // MARK: Showing

    /// The last frame presented before `limit`, where this window knows it. Later frames are
    /// released.
    mutating func picture(before limit: Time) -> Picture? {
        guard let first = frames.first, let end, limit <= end, first.time < limit || startsFile else { return nil }
        while let index = frames.indices.last, index > 0, frames[index].time >= limit {
            if holdsNext, index == 1 || frames[index - 1].time < limit {
                guard let following = load(index) else { return nil }
                next = following
            }
            self.end = frames[index].time
            release(frames.removeLast())
        }
        return load(frames.count - 1)
    }

    /// Returns the frame at an index, from disk where it is there. The frames are forgotten where
    /// that fails, and no more of them go to disk.
    private mutating func load(_ index: Int) -> Picture? {
        switch frames[index] {
        case .inMemory(let picture): return picture
        case .onDisk(let stored):
            guard let picture = spill?.restore(stored) else {
                frames.remove(at: index)
                onDisk -= 1
                forget()
                spill = nil
                return nil
            }
            frames[index] = .inMemory(picture)
            onDisk -= 1
            bytes += picture.memorySize
            return picture
        }
    }
}

extension Picture {
    /// Bytes that the frame's planes keep alive.
    fileprivate var memorySize: Int {
        let buffers = frame.raw.pointee.buf
        return [buffers.0, buffers.1, buffers.2, buffers.3].reduce(0) { $0 + Int($1?.pointee.size ?? 0) }
    }
}
