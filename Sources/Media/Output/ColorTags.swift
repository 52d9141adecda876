import CFFmpeg
import Values

/// What the numbers of a picture mean, as an encoder writes it into its stream and a muxer into its
/// file.
struct ColorTags: Hashable {
    var range: AVColorRange
    var matrix: AVColorSpace
    var primaries: AVColorPrimaries
    var transfer: AVColorTransferCharacteristic

    /// The canvas: BT.709, limited range.
    static let canvas = ColorTags(
        range: AVCOL_RANGE_MPEG, matrix: AVCOL_SPC_BT709, primaries: AVCOL_PRI_BT709, transfer: AVCOL_TRC_BT709)

    /// An HDR canvas: BT.2100 with the matrix of non-constant luminance, limited range.
    static func canvas(_ color: ColorSystem) -> ColorTags {
        guard color.isHDR else { return canvas }
        return ColorTags(
            range: AVCOL_RANGE_MPEG, matrix: AVCOL_SPC_BT2020_NCL, primaries: AVCOL_PRI_BT2020,
            transfer: color == .hlg ? AVCOL_TRC_ARIB_STD_B67 : AVCOL_TRC_SMPTE2084)
    }

    /// The canvas as RGB for a screen. What a BT.709 video is shown with is the screen's sRGB, not
    /// the camera's curve: a picture tagged with that would be shown darker than the video.
    static let screen = ColorTags(
        range: AVCOL_RANGE_JPEG, matrix: AVCOL_SPC_RGB, primaries: AVCOL_PRI_BT709, transfer: AVCOL_TRC_IEC61966_2_1)

    /// JPEG's own: BT.601 (525 or 625 lines have the same matrix), full range (ITU-T T.871, 7).
    static let jfif = ColorTags(
        range: AVCOL_RANGE_JPEG, matrix: AVCOL_SPC_SMPTE170M, primaries: AVCOL_PRI_BT709,
        transfer: AVCOL_TRC_IEC61966_2_1)

    func apply(to context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.color_range = range
        context.pointee.colorspace = matrix
        context.pointee.color_primaries = primaries
        context.pointee.color_trc = transfer
    }

    func apply(to parameters: UnsafeMutablePointer<AVCodecParameters>) {
        parameters.pointee.color_range = range
        parameters.pointee.color_space = matrix
        parameters.pointee.color_primaries = primaries
        parameters.pointee.color_trc = transfer
    }

    func agree(with parameters: AVCodecParameters) -> Bool {
        parameters.color_range == range && parameters.color_space == matrix && parameters.color_primaries == primaries
            && parameters.color_trc == transfer
    }

    /// Some encoders look at the frame, not at what was said before.
    func apply(to frame: Frame) {
        frame.raw.pointee.color_range = range
        frame.raw.pointee.colorspace = matrix
        frame.raw.pointee.color_primaries = primaries
        frame.raw.pointee.color_trc = transfer
    }
}
