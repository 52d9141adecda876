import CFFmpeg
import Delivery

/// The samples that a sound encoder takes, made from planar floats of −1…1.
enum SoundFormat {
    case planarFloat
    case interleavedFloat
    /// Interleaved, 16 bits.
    case int16
    /// Interleaved, 24 bits in the upper part of 32.
    case int24

    init(_ codec: AudioCodec) {
        self =
            switch codec {
            case .aac, .mp3: .planarFloat
            case .opus: .interleavedFloat
            case .flac, .pcm_s16: .int16
            case .pcm_s24: .int24
            }
    }

    var libav: AVSampleFormat {
        switch self {
        case .planarFloat: AV_SAMPLE_FMT_FLTP
        case .interleavedFloat: AV_SAMPLE_FMT_FLT
        case .int16: AV_SAMPLE_FMT_S16
        case .int24: AV_SAMPLE_FMT_S32
        }
    }

    /// Fills `frame`'s buffers with `count` samples of each plane; integers are rounded to the
    /// nearest and clipped.
    func fill(_ frame: Frame, from planes: [UnsafePointer<Float>], count: Int) {
        let channels = planes.count
        for (channel, plane) in planes.enumerated() {
            switch self {
            case .planarFloat:
                guard let bytes = frame.raw.pointee.extended_data[channel] else { continue }
                UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Float.self).update(from: plane, count: count)
            case .interleavedFloat:
                guard let to = interleaved(frame, Float.self) else { continue }
                for index in 0..<count { to[index * channels + channel] = plane[index] }
            case .int16:
                guard let to = interleaved(frame, Int16.self) else { continue }
                for index in 0..<count {
                    to[index * channels + channel] = Int16(min(max((plane[index] * 32_768).rounded(), -32_768), 32_767))
                }
            case .int24:
                guard let to = interleaved(frame, Int32.self) else { continue }
                for index in 0..<count {
                    let value = Int32(min(max((plane[index] * 8_388_608).rounded(), -8_388_608), 8_388_607))
                    to[index * channels + channel] = value << 8
                }
            }
        }
    }

    private func interleaved<Sample>(_ frame: Frame, _: Sample.Type) -> UnsafeMutablePointer<Sample>? {
        frame.raw.pointee.extended_data[0].map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Sample.self) }
    }
}
