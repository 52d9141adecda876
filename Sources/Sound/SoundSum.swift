/// Two streams added: the effect list's mix so far, and the layers that come in there.
final class SoundSum: SoundStream {
    private let first: any SoundStream
    private let second: any SoundStream
    private let scratch: PlanarBuffer

    init(_ first: any SoundStream, _ second: any SoundStream, channels: Int) {
        (self.first, self.second) = (first, second)
        scratch = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
    }

    func close() {
        first.close()
        second.close()
    }

    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        try first.read(count: count, into: planes)
        var done = 0
        while done < count {
            let part = min(count - done, scratch.capacity)
            try second.read(count: part, into: scratch.planes)
            for (target, plane) in zip(planes, scratch.planes) {
                for i in 0..<part { target[done + i] += plane[i] }
            }
            done += part
        }
    }
}
