import PluginABI
import Values

/// A sample format of the plugin interface.
package enum PluginFormat: UInt32, CaseIterable, Sendable {
    case rgba8 = 1
    case rgbaFloat = 2
    case yuv420p8 = 3
    case pcmFloatPlanar = 256

    /// The name used in effect metadata and messages.
    package var name: String {
        switch self {
        case .rgba8: "rgba8"
        case .rgbaFloat: "rgbaf32"
        case .yuv420p8: "yuv420p8"
        case .pcmFloatPlanar: "pcmf32_planar"
        }
    }

    /// Bytes that a row of each plane uses, and its rows, for a picture of `width` × `height`.
    /// Empty for sound.
    package func planes(width: Int, height: Int) -> [(rowBytes: Int, rows: Int)] {
        switch self {
        case .rgba8: return [(4 * width, height)]
        case .rgbaFloat: return [(16 * width, height)]
        case .yuv420p8:
            let chroma = (rowBytes: (width + 1) / 2, rows: (height + 1) / 2)
            return [(width, height), chroma, chroma]
        case .pcmFloatPlanar: return []
        }
    }
}

/// What the samples mean, by the code points of ITU-T H.273.
package struct PluginColor: Hashable, Sendable {
    package var primaries: UInt32
    package var transfer: UInt32
    package var matrix: UInt32
    package var isFullRange: Bool

    /// The SDR canvas: BT.709, limited range.
    package static let canvasYUV = PluginColor(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)
    /// The SDR canvas as RGB: BT.709 primaries and transfer, full range.
    package static let canvasRGB = PluginColor(primaries: 1, transfer: 1, matrix: 0, isFullRange: true)

    /// The colours of sound, which has none: code point 2 is unspecified.
    package static let unspecified = PluginColor(primaries: 2, transfer: 2, matrix: 2, isFullRange: false)

    package static func canvas(_ format: PluginFormat, _ color: ColorSystem = .sdr) -> PluginColor {
        switch color {
        case .sdr: format == .yuv420p8 ? canvasYUV : canvasRGB
        // BT.2020's primaries; ARIB STD-B67 or SMPTE ST 2084.
        case .hlg: PluginColor(primaries: 9, transfer: 18, matrix: 0, isFullRange: true)
        case .pq: PluginColor(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        }
    }
}

/// A picture or a block of sound lent to a plugin for one call: where its samples lie and what they
/// mean. It owns nothing; the lender keeps the planes alive, and does not touch them otherwise,
/// until the call is over.
package struct PluginFrame {
    package enum Alpha: UInt32, Sendable {
        case none = 0
        case straight, premultiplied
    }

    package var format: PluginFormat
    /// Pixels.
    package var width: Int
    package var height: Int
    /// The first byte of each plane's top row.
    package var planes: [UnsafeMutablePointer<UInt8>]
    /// Bytes from row to row; positive and at least a row's length.
    package var strides: [Int]
    package var color: PluginColor
    package var alpha: Alpha = .none
    /// 0 unspecified, else one more than H.273's Chroma420SampleLocType (1: left), as libav counts
    /// it.
    package var chromaLocation: UInt32 = 0
    package var pixelAspect: Rational = .one
    /// When the frame begins, in the time of the timeline.
    package var time: Time = .zero
    package var duration: Time = .zero
    /// The frame's number on the timeline; of a block of sound, its first sample's number.
    package var index: Int = 0
    /// The form of the sound, which has one plane with a row for each channel; then width and
    /// height are 0. Nil for pictures.
    package var sound: PluginSound?
    /// Samples in each channel of a block of sound; 0 for pictures.
    package var sampleCount = 0

    package init(
        format: PluginFormat, width: Int, height: Int, planes: [UnsafeMutablePointer<UInt8>], strides: [Int],
        color: PluginColor? = nil
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes
        self.strides = strides
        self.color = color ?? .canvas(format)
    }

    /// A block of sound.
    /// - Parameters:
    ///   - samples: the first channel's first sample.
    ///   - stride: samples from one channel to the next.
    package init(_ sound: PluginSound, samples: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
        let bytes = UnsafeMutableRawPointer(samples).assumingMemoryBound(to: UInt8.self)
        self.init(
            format: .pcmFloatPlanar, width: 0, height: 0, planes: [bytes], strides: [4 * stride], color: .unspecified)
        self.sound = sound
        sampleCount = count
    }

    /// Nil where the planes fit the format and size; else what does not.
    var defect: String? {
        if let sound {
            let isWhole = planes.count == 1 && strides.count == 1 && sampleCount > 0 && strides[0] >= 4 * sampleCount
            return isWhole && sound.channels > 0 ? nil : "a block of sound needs one plane with a row for each channel"
        }
        let expected = format.planes(width: width, height: height)
        if expected.isEmpty { return "\(format.name) is not a picture" }
        if width < 1 || height < 1 { return "a picture of \(width)×\(height) pixels is empty" }
        if planes.count != expected.count || strides.count != expected.count {
            return "\(format.name) has \(expected.count) planes, not \(planes.count)"
        }
        for (stride, plane) in zip(strides, expected) where stride < plane.rowBytes {
            return "a stride of \(stride) bytes is shorter than a row of \(plane.rowBytes)"
        }
        return nil
    }

    /// Makes every sample black, transparent where there is alpha, or silent: what an effect finds
    /// in its output.
    func clear() {
        if let sound {
            for channel in 0..<sound.channels {
                (planes[0] + channel * strides[0]).update(repeating: 0, count: 4 * sampleCount)
            }
            return
        }
        let black: [Int32] = format == .yuv420p8 ? [color.isFullRange ? 0 : 16, 128, 128] : [0]
        for (index, plane) in format.planes(width: width, height: height).enumerated() {
            for row in 0..<plane.rows {
                (planes[index] + row * strides[index]).update(repeating: UInt8(black[index]), count: plane.rowBytes)
            }
        }
        if format != .yuv420p8, alpha == .none { makeOpaque() }
    }

    private func makeOpaque() {
        for row in 0..<height {
            let start = UnsafeMutableRawPointer(planes[0] + row * strides[0])
            for x in 0..<width {
                if format == .rgba8 {
                    start.storeBytes(of: 255, toByteOffset: 4 * x + 3, as: UInt8.self)
                } else {
                    start.storeBytes(of: 1, toByteOffset: 16 * x + 12, as: Float.self)
                }
            }
        }
    }

    /// The interface's form of it.
    var abi: cutroom_frame {
        var frame = cutroom_frame()
        frame.struct_size = UInt32(MemoryLayout<cutroom_frame>.size)
        frame.format = format.rawValue
        (frame.width, frame.height) = (Int32(width), Int32(height))
        frame.plane_count = UInt32(planes.count)
        let bits = zip(planes, strides).reduce(4096) { $0 | UInt(bitPattern: $1.0) | UInt(bitPattern: $1.1) }
        frame.plane_align = UInt32(1 << bits.trailingZeroBitCount)
        func plane(_ i: Int) -> UnsafeMutablePointer<UInt8>? { i < planes.count ? planes[i] : nil }
        func stride(_ i: Int) -> Int { i < strides.count ? strides[i] : 0 }
        frame.plane = (plane(0), plane(1), plane(2), plane(3))
        frame.stride = (stride(0), stride(1), stride(2), stride(3))
        frame.primaries = color.primaries
        frame.transfer = color.transfer
        frame.matrix = color.matrix
        frame.full_range = color.isFullRange ? 1 : 0
        frame.alpha = alpha.rawValue
        frame.chroma_loc = chromaLocation
        frame.pixel_aspect = pixelAspect.abi
        frame.pts = time.abi
        frame.duration = duration.abi
        frame.index = Int64(index)
        if let sound {
            frame.sample_rate = UInt32(sound.rate)
            frame.sample_count = UInt32(sampleCount)
            frame.channel_count = UInt32(sound.channels)
            frame.channel_mask = sound.channelMask
        }
        return frame
    }
}

extension Rational {
    var abi: cutroom_rational { cutroom_rational(num: numerator, den: denominator) }
}

extension Time {
    /// Exact: a flick is a fraction of a second.
    var abi: cutroom_rational { cutroom_rational(num: flicks, den: Time.flicksPerSecond) }
}
