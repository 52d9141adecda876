/// Planar samples that were made and not yet taken, with the index of the first.
final class SampleQueue {
    private(set) var start = 0
    private var count = 0
    private var planes: [UnsafeMutablePointer<Float>]
    private var capacity = 4096

    init(channels: Int) {
        planes = (0..<channels).map { _ in .allocate(capacity: 4096) }
    }

    deinit { for plane in planes { plane.deallocate() } }

    /// The index after the last sample.
    var end: Int { start + count }

    func reset(to position: Int) {
        start = position
        count = 0
    }

    /// Lets `write` put up to `limit` samples at the end, for each channel; it returns how many it
    /// wrote.
    func append<E: Error>(
        upTo limit: Int, _ write: ([UnsafeMutablePointer<Float>], Int) throws(E) -> Int
    ) throws(E) {
        reserve(count + limit)
        count += try write(planes.map { $0 + count }, limit)
    }

    private func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        capacity = max(needed, 2 * capacity)
        for channel in planes.indices {
            let larger = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
            larger.update(from: planes[channel], count: count)
            planes[channel].deallocate()
            planes[channel] = larger
        }
    }

    func drop(before position: Int) {
        let dropped = min(count, max(0, position - start))
        guard dropped > 0 else { return }
        count -= dropped
        start += dropped
        for plane in planes { plane.update(from: plane + dropped, count: count) }
    }

    /// Puts the samples of another queue in the place of those with the same indices from `first`
    /// on.
    func replace(by other: SampleQueue, from first: Int) {
        let shared = max(first, start, other.start)..<max(first, start, other.start, min(end, other.end))
        for (plane, source) in zip(planes, other.planes) {
            (plane + (shared.lowerBound - start)).update(
                from: source + (shared.lowerBound - other.start), count: shared.count)
        }
    }

    /// Forgets the samples from `position` on.
    func cut(at position: Int) { count = min(count, max(0, position - start)) }

    /// Copies at most `wanted` samples from `position` on into the caller's planes at `offset`;
    /// returns how many.
    func copy(from position: Int, count wanted: Int, into targets: [UnsafeMutablePointer<Float>], at offset: Int) -> Int
    {
        guard position >= start, position < end else { return 0 }
        let taken = min(wanted, end - position)
        for (plane, target) in zip(planes, targets) {
            (target + offset).update(from: plane + (position - start), count: taken)
        }
        return taken
    }

    /// The samples of one channel from ``start`` on, until the next call that changes this queue.
    func samples(_ channel: Int) -> UnsafeMutablePointer<Float> { planes[channel] }
}
