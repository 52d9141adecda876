import CKernels
import Draft
import Media
import Messaging
import Values

/// A piece of a layer as it is laid over the canvas: RGBA of floats, R′G′B′ as the canvas encodes
/// it, premultiplied by alpha.
final class PremultipliedPicture {
    let floats: FloatPicture

    var width: Int { floats.width }
    var height: Int { floats.height }

    /// The content is undefined.
    init(width: Int, height: Int) { floats = FloatPicture(width: width, height: height) }

    /// The pixels of a picture in other columns and rows.
    /// - Parameters:
    ///   - across: the picture's columns for those of the result, or for its rows where it is
    ///     transposed; `down`: the same of rows.
    ///   - isTransposed: the picture's rows become columns.
    convenience init(
        _ picture: LayerPicture, across: SampleLine, down: SampleLine, isTransposed: Bool, color: ColorSystem
    ) throws {
        let result = PremultipliedPicture(width: across.count, height: down.count)
        try result.resample(picture, across, down, color)
        var orientation: ck_orientation = 0
        if across.isReversed { orientation |= CK_REVERSED_COLUMNS }
        if down.isReversed { orientation |= CK_REVERSED_ROWS }
        if isTransposed { orientation |= CK_TRANSPOSED }
        guard orientation != 0 else {
            self.init(result.floats)
            return
        }
        let (width, height) = isTransposed ? (down.count, across.count) : (across.count, down.count)
        self.init(width: width, height: height)
        ck_reorient_rgba(
            floats.floats, floats.stride, result.floats.floats, result.floats.stride, Int32(across.count),
            Int32(down.count), orientation)
    }

    /// Another one in other columns and rows.
    convenience init(enlarging other: PremultipliedPicture, across: SampleLine, down: SampleLine) throws {
        self.init(width: across.count, height: down.count)
        try resample(
            other.floats.floats, other.floats.stride, CK_RGBAF_PRE, (other.width, other.height), across, down)
    }

    private init(_ floats: FloatPicture) { self.floats = floats }

    private func resample(
        _ picture: LayerPicture, _ across: SampleLine, _ down: SampleLine, _ color: ColorSystem
    ) throws {
        let size = (width: picture.width, height: picture.height)
        func resample(_ bytes: UnsafeRawPointer, _ stride: Int, _ samples: ck_samples) throws {
            try self.resample(bytes, stride, samples, size, across, down)
        }
        switch picture.pixels {
        case .canvas(let colors) where !colors.hasAlpha:
            // Plane by plane, as it is stored: a whole picture of floats costs several times as
            // much.
            try self.resample(size, across, down) {
                guard let resampler = ResamplerCache.shared.take($0) else { return -1 }
                defer { ResamplerCache.shared.give(resampler) }
                let (red, blue) = colors.lumaWeights
                return ck_yuv_resampler_run(
                    resampler.kernel, floats.floats, floats.stride, colors.kernel, colors.isTenBits ? 10 : 8, red, blue)
            }
        case .rgba(let rgba) where !color.isHDR: try resample(rgba.plane(0), rgba.stride(0), CK_RGBA8)
        case .rgba(let rgba):
            let light = FloatPicture(width: rgba.width, height: rgba.height)
            try light.read(rgba: rgba, color)
            try resample(light.floats, light.stride, CK_RGBAF)
        case .floats(let made): try resample(made.floats, made.stride, CK_RGBAF)
        case .canvas(let colors):
            let straight = FloatPicture(width: colors.width, height: colors.height)
            straight.read(colors)
            colors.writeAlpha(to: straight)
            try resample(straight.floats, straight.stride, CK_RGBAF)
        }
    }

    private func resample(
        _ bytes: UnsafeRawPointer, _ stride: Int, _ samples: ck_samples, _ size: (width: Int, height: Int),
        _ across: SampleLine, _ down: SampleLine
    ) throws {
        try resample(size, across, down) {
            ck_resample_rgba(floats.floats, floats.stride, bytes, stride, samples, $0)
        }
    }

    /// - Parameter kernel: returns 0 where it could.
    private func resample(
        _ size: (width: Int, height: Int), _ across: SampleLine, _ down: SampleLine, by kernel: (ck_resampling) -> Int32
    ) throws {
        let map = ck_resampling(
            in_width: Int32(size.width), in_height: Int32(size.height), out_width: Int32(width),
            out_height: Int32(height), scale_x: across.scale, scale_y: down.scale, first_x: across.first,
            first_y: down.first)
        guard kernel(map) == 0 else {
            throw JobFailure(
                .resource,
                "A layer's picture of \(size.width)×\(size.height) pixels cannot be drawn at \(width)×\(height).")
        }
    }

    /// Keeps what lies in a rectangle with round corners, in pixels of this picture.
    func keep(_ shape: ck_round_rect) {
        ck_crop_rgba(floats.floats, floats.stride, Int32(width), Int32(height), shape)
    }

    /// Keeps what a mask of the same size lets through.
    func mask(_ mask: PremultipliedPicture, _ use: LayerLook.MaskUse) {
        ck_mask_rgba(
            floats.floats, floats.stride, mask.floats.floats, mask.floats.stride, Int32(width), Int32(height),
            use.kind == .luma ? CK_MASK_LUMA : CK_MASK_ALPHA, use.isInverted ? 1 : 0)
    }

    /// - Parameter sigma: the standard deviation in pixels.
    func blur(_ sigma: Double) throws {
        guard ck_blur_rgba(floats.floats, floats.stride, Int32(width), Int32(height), min(16384, sigma)) == 0 else {
            throw JobFailure(.resource, "There is no memory left for a blur of \(width)×\(height) pixels.")
        }
    }

    /// The picture where a map says it is.
    /// - Parameter map: columns and rows of the result to those of this picture.
    func turned(width: Int, height: Int, _ map: ck_affine) -> PremultipliedPicture {
        let result = PremultipliedPicture(width: width, height: height)
        ck_turn_rgba(
            result.floats.floats, result.floats.stride, Int32(width), Int32(height), floats.floats, floats.stride,
            Int32(self.width), Int32(self.height), map)
        return result
    }
}

/// Where the samples of a row, or of a column, of a resampled picture lie in the picture that it is
/// made of: sample n at `first` + n · `scale`, middles of pixels at whole numbers.
struct SampleLine {
    var count: Int
    var scale: Double
    var first: Double
    /// The samples are taken in the order of the picture, but put in the reverse order.
    var isReversed = false

    /// The same line in the other direction of a picture that is `size` pixels long.
    func reversed(in size: Int) -> SampleLine {
        SampleLine(
            count: count, scale: scale, first: Double(size - 1) - first - Double(count - 1) * scale,
            isReversed: !isReversed)
    }
}
