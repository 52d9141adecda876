import CFFmpeg
import CKernels
import Values

/// What a limited-range Y′CbCr picture's numbers mean, range apart: that is the scaler's business.
struct PictureCoding: Hashable {
    enum Transfer: Hashable {
        /// BT.709, BT.601, sRGB and their kin are shown by the same displays and are not told
        /// apart.
        case sdr
        /// Hybrid log-gamma.
        case hlg
        /// Perceptual quantisation of content that reaches `peak` cd/m².
        case pq(peak: Int)
        /// SDR with room above white, as the kernels make it of HDR.
        case mapped
    }

    var matrix: ColorMatrix
    var primaries: ColorPrimaries
    var transfer: Transfer

    static let bt709 = PictureCoding(matrix: .bt709, primaries: .bt709, transfer: .sdr)
    /// HDR after its tones were mapped.
    static let toneMapped = PictureCoding(matrix: .bt2020, primaries: .bt2020, transfer: .mapped)

    /// A canvas's.
    static func canvas(_ color: ColorSystem) -> PictureCoding {
        switch color {
        case .sdr: .bt709
        case .hlg: PictureCoding(matrix: .bt2020, primaries: .bt2020, transfer: .hlg)
        case .pq: PictureCoding(matrix: .bt2020, primaries: .bt2020, transfer: .pq(peak: usualPeak))
        }
    }

    /// The same numbers are the same light: the peak of PQ is not in them.
    func isSameLight(as other: PictureCoding) -> Bool {
        guard matrix == other.matrix, primaries == other.primaries else { return false }
        return switch (transfer, other.transfer) {
        case (.pq, .pq): true
        default: transfer == other.transfer
        }
    }

    /// This coding where the peak has no say.
    var withoutPeak: PictureCoding {
        guard case .pq = transfer else { return self }
        var coding = self
        coding.transfer = .pq(peak: Self.usualPeak)
        return coding
    }

    /// cd/m²: what PQ content is mastered for where its file does not say; HLG's nominal display
    /// has the same.
    static let usualPeak = 1000

    var kernel: ck_coding {
        let xy = primaries
        var coding = ck_coding()
        (coding.kr, coding.kb) = (matrix.red, matrix.blue)
        coding.xy = (xy.red.x, xy.red.y, xy.green.x, xy.green.y, xy.blue.x, xy.blue.y, xy.white.x, xy.white.y)
        switch transfer {
        case .sdr: coding.transfer = CK_SDR
        case .hlg: coding.transfer = CK_HLG
        case .mapped: coding.transfer = CK_MAPPED
        case .pq(let peak): (coding.transfer, coding.peak) = (CK_PQ, Double(peak))
        }
        return coding
    }
}

extension ColorSystem {
    /// The coding of a canvas.
    public var pictureFormat: Picture.Format { isHDR ? .yuv420p10 : .yuv420p }

    /// nil for SDR, and for what is read as SDR.
    init?(transfer: AVColorTransferCharacteristic) {
        switch PictureCoding.Transfer(tag: transfer, peak: nil) {
        case .hlg: self = .hlg
        case .pq: self = .pq
        case .sdr, .mapped: return nil
        }
    }
}

extension PictureCoding.Transfer {
    /// From a frame's tag. Linear light and the logarithmic curves of cameras are not known here
    /// and read as SDR.
    /// - Parameter peak: cd/m², as the file says; nil: it does not.
    init(tag: AVColorTransferCharacteristic, peak: Int?) {
        switch tag {
        case AVCOL_TRC_ARIB_STD_B67: self = .hlg
        case AVCOL_TRC_SMPTE2084: self = .pq(peak: peak ?? PictureCoding.usualPeak)
        default: self = .sdr
        }
    }
}

extension SourcePixels {
    /// What the numbers mean once the scaler has made the range limited, and BT.709 Y′CbCr of RGB.
    /// - Parameters:
    ///   - isRGB: the scaler gets RGB.
    ///   - peak: see ``VideoStreamInfo/peak``.
    func coding(isRGB: Bool, peak: Int?) -> PictureCoding {
        let raw = frame.raw.pointee
        let transfer = PictureCoding.Transfer(tag: raw.color_trc, peak: peak)
        var coding = PictureCoding(
            matrix: isRGB ? .bt709 : matrix, primaries: ColorPrimaries(tag: raw.color_primaries), transfer: transfer)
        // HDR is BT.2100's, which has one set of primaries and one matrix.
        if transfer != .sdr {
            if raw.color_primaries == AVCOL_PRI_UNSPECIFIED { coding.primaries = .bt2020 }
            if raw.colorspace == AVCOL_SPC_UNSPECIFIED, !isRGB { coding.matrix = .bt2020 }
        }
        return coding
    }
}
