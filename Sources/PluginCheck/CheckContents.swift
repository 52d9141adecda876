import PluginHosting

/// What the inputs of a check show: noise, as it hides nothing. A function of seed, input and frame
/// alone.
struct CheckContents {
    var seed: UInt64
    /// How many samples are floats that are not-a-number, infinite, huge or tiny.
    enum Strangeness: Equatable {
        case none, some
        /// All of them, but for the alpha of an opaque picture.
        case every(Float)
    }

    var strangeness = Strangeness.none
    var isStrange: Bool { strangeness != .none }

    private static let strange: [Float] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0,
        1e9, -1e9, -1, 2,
    ]

    /// - Parameter index: the frame's number or, of sound, the number of the block's first sample.
    func write(_ planes: [GuardedPlane], setting: CheckSetting, input: Int, index: Int) {
        for (number, plane) in planes.enumerated() {
            // Sound goes on from block to block: a sample is a function of its own number.
            if setting.isSound {
                writeSound(plane, input: input, first: index)
            } else {
                writePicture(plane, setting, input, index, number)
            }
        }
    }

    /// Each row is a piece of one long row of noise, which costs little at any size.
    private func writePicture(_ plane: GuardedPlane, _ setting: CheckSetting, _ input: Int, _ index: Int, _ number: Int)
    {
        var random = CheckRandom(seed, UInt64(input), UInt64(bitPattern: Int64(index)), UInt64(number))
        let shift = 509
        let pattern = UnsafeMutableRawBufferPointer.allocate(
            byteCount: plane.rowBytes + shift * setting.pixel + 8, alignment: 16)
        defer { pattern.deallocate() }
        if setting.format == .rgbaFloat {
            let floats = pattern.bindMemory(to: Float.self)
            for i in floats.indices { floats[i] = Float(random.next() >> 40) / Float(1 << 24) }
            if setting.alpha == .premultiplied { Self.premultiply(floats) { $0 * $1 } }
            if case .every(let value) = strangeness { floats.update(repeating: value) }
            if strangeness == .some {
                for (i, value) in Self.strange.enumerated() {
                    for j in stride(from: i * 3, to: floats.count, by: 41) { floats[j] = value }
                }
            }
            if setting.alpha == .none { Self.makeOpaque(floats, 1) }
        } else {
            for i in 0..<pattern.count / 8 {
                pattern.storeBytes(of: random.next(), toByteOffset: 8 * i, as: UInt64.self)
            }
            if setting.format == .rgba8 {
                let bytes = pattern.bindMemory(to: UInt8.self)
                if setting.alpha == .premultiplied { Self.premultiply(bytes) { UInt8(UInt16($0) * UInt16($1) / 255) } }
                if setting.alpha == .none { Self.makeOpaque(bytes, 255) }
            }
        }
        for row in 0..<plane.rows {
            let start = Int(random.next() % UInt64(shift)) * setting.pixel
            UnsafeMutableRawPointer(plane.data + row * plane.stride)
                .copyMemory(from: pattern.baseAddress.unsafelyUnwrapped + start, byteCount: plane.rowBytes)
        }
    }

    private static func makeOpaque<Sample>(_ samples: UnsafeMutableBufferPointer<Sample>, _ most: Sample) {
        for i in stride(from: 3, to: samples.count, by: 4) { samples[i] = most }
    }

    /// No colour is above its pixel's alpha then.
    private static func premultiply<Sample>(
        _ samples: UnsafeMutableBufferPointer<Sample>, _ product: (Sample, Sample) -> Sample
    ) {
        for i in samples.indices where i % 4 < 3 && i | 3 < samples.count {
            samples[i] = product(samples[i], samples[i | 3])
        }
    }

    private func writeSound(_ plane: GuardedPlane, input: Int, first: Int) {
        for channel in 0..<plane.rows {
            UnsafeMutableRawPointer(plane.data + channel * plane.stride).withMemoryRebound(
                to: Float.self, capacity: plane.rowBytes / 4
            ) {
                for i in 0..<plane.rowBytes / 4 { $0[i] = sample(input: input, channel: channel, number: first + i) }
            }
        }
    }

    /// Silence past the ends of the range.
    private func sample(input: Int, channel: Int, number: Int) -> Float {
        if number < 0 { return 0 }
        var random = CheckRandom(seed, UInt64(input), UInt64(channel), UInt64(number))
        let noise = random.next()
        if case .every(let value) = strangeness { return value }
        if strangeness == .some, number % 7 == 3 { return Self.strange[Int(noise % UInt64(Self.strange.count))] }
        return Float(Int32(truncatingIfNeeded: noise)) / -Float(Int32.min) / 2
    }
}
