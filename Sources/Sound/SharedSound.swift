/// A stream with several readers, each in order and at its own pace. Samples that the slowest may
/// still need are kept: as many as the others run ahead.
final class SharedSound {
    private let source: any SoundStream
    private var block: SoundBlock
    /// The sample at the block's offset zero, and the one after the last that is there.
    private var base: Int
    private var filled: Int

    /// - Parameter first: the number of the source's next sample.
    init(_ source: any SoundStream, channels: Int, from first: Int = 0) {
        self.source = source
        (base, filled) = (first, first)
        block = SoundBlock(channels: channels, capacity: 2 * SoundMixer.blockSize)
    }

    func close() { source.close() }

    /// Samples for which there is room.
    var capacity: Int { block.stride }

    /// A reader whose first sample is number `first`.
    func stream(from first: Int) -> any SoundStream { Reader(self, first) }

    /// No samples before `first` will be requested.
    func forget(before first: Int) {
        // Moved when half of it is over, so that little is moved twice.
        guard first - base >= block.stride / 2 else { return }
        shift(to: min(first, filled))
    }

    /// Copies samples of which none is forgotten.
    fileprivate func read(from first: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        if first + count > filled { try fill(to: first + count) }
        for (target, plane) in zip(planes, block.planes(from: first - base)) {
            target.update(from: plane, count: count)
        }
    }

    private func fill(to end: Int) throws {
        if end - base > block.stride { grow(to: 2 * (end - base)) }
        try source.read(count: end - filled, into: block.planes(from: filled - base))
        filled = end
    }

    private func grow(to capacity: Int) {
        let larger = SoundBlock(channels: block.channels, capacity: capacity)
        for (target, plane) in zip(larger.planes(from: 0), block.planes(from: 0)) {
            target.update(from: plane, count: filled - base)
        }
        block = larger
    }

    private func shift(to first: Int) {
        for plane in block.planes(from: 0) { plane.update(from: plane + (first - base), count: filled - first) }
        base = first
    }

    private final class Reader: SoundStream {
        private let shared: SharedSound
        private var position: Int

        init(_ shared: SharedSound, _ first: Int) { (self.shared, position) = (shared, first) }

        func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
            try shared.read(from: position, count: count, into: planes)
            position += count
        }

        /// The owner of the shared source ends it.
        func close() {}
    }
}
