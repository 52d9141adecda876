import CFFmpeg
import Draft

/// A run of consecutive decoded frames in presentation order, for showing them backwards.
///
/// Video can be decoded forwards only, from a key frame. So the stretch from the key frame before the wanted frame is decoded
/// up to it, and of that the last frames are held that fit into a number of bytes; when they have been shown, the same stretch is
/// decoded again up to the first of them. Frames that have been passed are let go.
struct BackwardWindow {
    private let budget: Int
    /// Not a slice: that would keep what was removed from it.
    private var frames: [Picture] = []
    private var bytes = 0
    /// When the frame after the last one is presented, the far future at the end of the stream; nil while it is not known.
    private var end: Time?
    /// No frame is presented before the first one.
    private var startsFile = false
    /// The frame after the last one is held, too.
    var holdsNext = false
    /// nil where none follows the last one, or it is not held.
    private(set) var next: Picture?

    /// - Parameter budget: bytes of decoded frames. Two are held whatever their size.
    init(budget: Int) { self.budget = budget }

    var isEmpty: Bool { frames.isEmpty }
    var first: Picture? { frames.first }
    var last: Picture? { frames.last }

    mutating func forget() {
        frames = []
        (bytes, end, startsFile, next) = (0, nil, false, nil)
    }

    // MARK: Filling

    mutating func begin(with frame: Picture, isFirstOfFile: Bool) {
        forget()
        hold(frame)
        startsFile = isFirstOfFile
    }

    /// Takes over the frame that follows (nil: none does), unless it is presented at or after `limit`: then it only says where
    /// the last one ends.
    mutating func append(_ frame: Picture?, limit: Time) {
        guard let frame, frame.time < limit else {
            end = frame?.time ?? Time(flicks: .max)
            if holdsNext { next = frame }
            return
        }
        hold(frame)
        while bytes > budget, frames.count > 2 { dropFirst() }
    }

    mutating func dropFirst() {
        bytes -= frames.removeFirst().memorySize
        startsFile = false
    }

    private mutating func hold(_ frame: Picture) {
        frames.append(frame)
        bytes += frame.memorySize
    }

    /// It is known what follows the last frame.
    var isComplete: Bool { end != nil }

    // MARK: Showing

    /// The last frame presented before `limit`, where this window knows it. What is presented later is let go.
    mutating func picture(before limit: Time) -> Picture? {
        guard let first = frames.first, let end, limit <= end else { return nil }
        if first.time >= limit { return startsFile ? first : nil }
        while let last = frames.last, last.time >= limit {
            bytes -= last.memorySize
            self.end = last.time
            if holdsNext { next = last }
            frames.removeLast()
        }
        return frames.last
    }
}

extension Picture {
    /// Bytes that the frame's planes keep alive.
    fileprivate var memorySize: Int {
        let buffers = frame.raw.pointee.buf
        return [buffers.0, buffers.1, buffers.2, buffers.3].reduce(0) { $0 + Int($1?.pointee.size ?? 0) }
    }
}
