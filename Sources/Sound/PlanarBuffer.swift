/// Owns one buffer of float samples for each channel.
package final class PlanarBuffer {
    package let planes: [UnsafeMutablePointer<Float>]
    /// Samples in each buffer.
    package let capacity: Int

    package init(channels: Int, capacity: Int) {
        self.capacity = capacity
        planes = (0..<channels).map { _ in
            let plane = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
            plane.initialize(repeating: 0, count: capacity)
            return plane
        }
    }

    deinit { for plane in planes { plane.deallocate() } }

    /// The buffers from sample `offset` on.
    func planes(from offset: Int) -> [UnsafeMutablePointer<Float>] { planes.map { $0 + offset } }
}
