/// Sound that is made once, from its first sample on.
package protocol SoundStream: AnyObject {
    /// Fills `planes`, one for each channel, with the next `count` samples.
    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws

    /// Gives decoders back. No call may follow.
    func close()
}

/// Float samples of all channels in one piece of memory, as plugins are lent them.
package final class SoundBlock {
    package let samples: UnsafeMutablePointer<Float>
    /// Samples from one channel to the next, which is as many as each has.
    package let stride: Int
    let channels: Int

    /// - Parameter capacity: samples in each channel, at least.
    package init(channels: Int, capacity: Int) {
        // A whole number of 64 bytes.
        stride = (capacity + 15) / 16 * 16
        self.channels = channels
        let count = stride * channels
        samples = UnsafeMutableRawPointer.allocate(byteCount: 4 * count, alignment: 64)
            .bindMemory(to: Float.self, capacity: count)
        samples.initialize(repeating: 0, count: count)
    }

    deinit { samples.deallocate() }

    /// The channels from sample `offset` on.
    package func planes(from offset: Int) -> [UnsafeMutablePointer<Float>] {
        (0..<channels).map { samples + $0 * stride + offset }
    }

    /// Every sample of the range is a number.
    func isFinite(from offset: Int, count: Int) -> Bool {
        planes(from: offset).allSatisfy { plane in
            // The sum of what is finite may overflow, but a product with zero is zero then, and
            // else not a number.
            var sum: Float = 0
            for index in 0..<count { sum += plane[index] * 0 }
            return sum == 0
        }
    }
}
