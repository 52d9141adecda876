import Glibc
import PluginABI
import PluginHosting

/// A frame that the check lends: its planes in guarded memory, and the interface's description of
/// it.
final class CheckFrame {
    let setting: CheckSetting
    let planes: [GuardedPlane]
    /// Samples of sound in it more than in the setting's block.
    let margin: Int
    /// The number of the frame, or of the first sample, on the timeline.
    private let index: Int

    /// - Parameters:
    ///   - name: for messages: "the output", "input 0 (frame 3)".
    ///   - index: of the frame or, for sound, of the block's first sample, on the timeline.
    init(
        _ setting: CheckSetting, name: String, index: Int, layout: GuardedLayout, fill: UInt8, margin: Int = 0
    ) throws {
        (self.setting, self.index, self.margin) = (setting, index, margin)
        let shapes = setting.planes(margin: margin)
        planes = try shapes.enumerated().map { number, shape in
            try GuardedPlane(
                rowBytes: shape.rowBytes, rows: shape.rows, sample: setting.sample, layout: layout, fill: fill,
                name: shapes.count == 1 ? name : "\(name), plane \(number)", row: setting.isSound ? "channel" : "row")
        }
    }

    func clear() {
        for (number, plane) in planes.enumerated() {
            let clear = setting.clearRow(plane: number, bytes: plane.rowBytes)
            for row in 0..<plane.rows { memcpy(plane.data + row * plane.stride, clear, clear.count) }
        }
    }

    /// Nothing was written since ``clear()``.
    var isClear: Bool {
        for (number, plane) in planes.enumerated() {
            let clear = setting.clearRow(plane: number, bytes: plane.rowBytes)
            for row in 0..<plane.rows where memcmp(plane.data + row * plane.stride, clear, clear.count) != 0 {
                return false
            }
        }
        return true
    }

    func protect(_ protection: Int32) { for plane in planes { plane.protect(protection) } }

    var samples: [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(planes.reduce(0) { $0 + $1.rowBytes * $1.rows })
        for plane in planes { plane.append(to: &samples) }
        return samples
    }

    /// The samples of a window of sound that belong to the block.
    func samples(after before: Int) -> [UInt8] {
        guard setting.isSound, margin > 0, let plane = planes.first else { return samples }
        return (0..<plane.rows).flatMap { row in
            Array(UnsafeBufferPointer(start: plane.data + row * plane.stride + 4 * before, count: 4 * setting.width))
        }
    }

    /// The place beside the rows at which a byte was written; nil where none was.
    var brokenCanary: String? { planes.brokenCanary }

    var abi: cutroom_frame {
        var frame = cutroom_frame()
        frame.struct_size = UInt32(MemoryLayout<cutroom_frame>.size)
        frame.format = setting.format.rawValue
        frame.plane_count = UInt32(planes.count)
        let bits = planes.reduce(UInt(4096)) { $0 | UInt(bitPattern: $1.data) | UInt($1.stride) }
        frame.plane_align = UInt32(1 << bits.trailingZeroBitCount)
        withUnsafeMutableBytes(of: &frame.plane) {
            for (i, plane) in planes.enumerated() {
                $0.storeBytes(of: UInt(bitPattern: plane.data), toByteOffset: 8 * i, as: UInt.self)
            }
        }
        withUnsafeMutableBytes(of: &frame.stride) {
            for (i, plane) in planes.enumerated() { $0.storeBytes(of: plane.stride, toByteOffset: 8 * i, as: Int.self) }
        }
        frame.index = Int64(index)
        frame.pixel_aspect = cutroom_rational(num: 1, den: 1)
        if setting.isSound {
            frame.sample_rate = UInt32(CheckSetting.sampleRate)
            frame.sample_count = UInt32(setting.width + margin)
            frame.channel_count = UInt32(setting.height)
            frame.channel_mask = setting.channelMask
            frame.pts = cutroom_rational(num: Int64(index), den: Int64(CheckSetting.sampleRate))
            frame.duration = cutroom_rational(num: Int64(setting.width + margin), den: Int64(CheckSetting.sampleRate))
        } else {
            (frame.width, frame.height) = (Int32(setting.width), Int32(setting.height))
            let color = PluginColor.canvas(setting.format)
            (frame.primaries, frame.transfer, frame.matrix) = (color.primaries, color.transfer, color.matrix)
            frame.full_range = color.isFullRange ? 1 : 0
            frame.alpha = setting.alpha.rawValue
            frame.chroma_loc = setting.format == .yuv420p8 ? 1 : 0
            frame.pts = cutroom_rational(num: Int64(index), den: Int64(CheckSetting.frameRate))
            frame.duration = cutroom_rational(num: 1, den: Int64(CheckSetting.frameRate))
        }
        return frame
    }
}

extension CheckSetting {
    /// Mono is the centre; else the first speakers in the order of WAVEFORMATEXTENSIBLE's bits.
    var channelMask: UInt64 { height == 1 ? 4 : (1 << UInt64(height)) - 1 }
}
