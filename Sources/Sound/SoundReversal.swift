import Media

/// A source's samples backwards: sample *k* of the reversal is sample `end − 1 − k` of the source.
///
/// Sound can be decoded forwards only, so it is read in blocks, the last one first, and one block
/// is held. A block is long against the second that a decoder needs to run in (``AudioReader``), so
/// little is decoded twice.
final class SoundReversal {
    private let reader: any SampleSource
    private let end: Int
    private let block: PlanarBuffer
    /// Which block is held: number n has the reversal's samples from `n · capacity` on.
    private var held: Int?

    /// Samples: ten seconds at 48 kHz, 4 MB in stereo.
    static let usualBlockSize = 480_000

    /// - Parameter end: the source's sample before which the reversal begins.
    init(of reader: any SampleSource, before end: Int, channels: Int, blockSize: Int = usualBlockSize) {
        self.reader = reader
        self.end = end
        block = PlanarBuffer(channels: channels, capacity: blockSize)
    }

    /// Fills `planes` with `count` samples of the reversal from `start` on; outside the source is
    /// silence, and `start` may be negative. Rising ranges decode once.
    /// - Throws: as ``AudioReader``.
    func read(from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        let size = block.capacity
        var done = 0
        while done < count {
            let position = start + done
            // Rounded down, also below zero.
            let number = position >= 0 ? position / size : -((size - 1 - position) / size)
            if number != held {
                held = nil
                try reader.read(from: end - (number + 1) * size, count: size, into: block.planes)
                held = number
            }
            let offset = position - number * size
            let length = min(count - done, size - offset)
            for (plane, target) in zip(block.planes, planes) {
                // Backwards from the block's end.
                let from = plane + (size - 1 - offset)
                for index in 0..<length { target[done + index] = from[-index] }
            }
            done += length
        }
    }
}
