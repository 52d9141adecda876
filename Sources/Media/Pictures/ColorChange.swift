import CKernels

/// How a scaled picture of one coding becomes one of the canvas's.
///
/// What differs decides the way: nothing; the matrix alone, which is linear in the colour
/// differences; primaries, which takes linear light; or HDR, whose tones are mapped to SDR of
/// BT.2020 first. On an HDR canvas light stays as it is.
enum ColorChange {
    case none
    case matrix(ck_matrix_change)
    case nearPrimaries(ColorTable)
    case primaries(ColorTable)
    case tones(ColorTable, primaries: ColorTable)
    case light(ColorTable)

    /// - Parameter target: a canvas's.
    init(from source: PictureCoding, to target: PictureCoding) throws(MediaError) {
        if source.isSameLight(as: target) {
            self = .none
        } else if target.transfer != .sdr {
            self = .light(try .table(.light, from: source.withoutPeak, to: target))
        } else if source.transfer != .sdr {
            self = .tones(
                try .table(.tones, from: source, to: .toneMapped),
                primaries: try .table(.primaries, from: .toneMapped, to: target))
        } else if source.primaries == target.primaries {
            self = .matrix(ck_matrix_change(from: source.matrix, to: target.matrix))
        } else if source.primaries.isNear(target.primaries) {
            self = .nearPrimaries(try .table(.nearPrimaries, from: source, to: target))
        } else {
            self = .primaries(try .table(.primaries, from: source, to: target))
        }
    }

    var isNone: Bool { if case .none = self { true } else { false } }

    /// Whether the scaler shall keep 10 bits: HDR's curves and fine sources of wide gamuts would
    /// show bands with 8.
    func wantsTenBits(sourceBits: Int) -> Bool {
        switch self {
        case .tones, .light: true
        case .primaries: sourceBits > 8
        case .none, .matrix, .nearPrimaries: false
        }
    }

    /// Changes a picture of 10 bits in place to one of an HDR canvas.
    /// - Precondition: the target is HDR.
    func apply(inPlace picture: ck_picture) {
        if case .light(let table) = self { ck_light_apply(picture, picture, table.kernel) }
    }

    /// Changes `source`, which may be 10 bits deep where that is wanted, to 8 bits; both may be one
    /// picture of 8 bits.
    /// - Precondition: the target is SDR.
    func apply(_ source: ck_picture, isTenBits: Bool, to target: ck_picture) {
        switch self {
        case .none, .light: break
        case .matrix(let change): ck_change_matrix(target, change)
        case .nearPrimaries(let table): ck_lut_apply(target, source, table.kernel)
        case .primaries(let table):
            if isTenBits {
                ck_gamut_apply_10_8(target, source, table.kernel)
            } else {
                ck_gamut_apply(target, source, table.kernel)
            }
        case .tones(let tones, let primaries):
            if isTenBits {
                ck_lut_apply_10(source, source, tones.kernel)
                ck_gamut_apply_10_8(target, source, primaries.kernel)
            } else {
                ck_lut_apply(target, source, tones.kernel)
                ck_gamut_apply(target, target, primaries.kernel)
            }
        }
    }
}

extension ck_matrix_change {
    init(from source: ColorMatrix, to target: ColorMatrix) {
        func changed(_ cb: Double, _ cr: Double) -> (y: Double, cb: Double, cr: Double) {
            let rgb = source.decode(0, cb, cr)
            return target.encode(rgb.r, rgb.g, rgb.b)
        }
        func fixed(_ value: Double) -> Int32 { Int32((value * 16_384).rounded()) }
        let (u, v) = (changed(1, 0), changed(0, 1))
        // Luma has 219 steps, the colour differences 224.
        self.init(
            luma_from_u: fixed(u.y * 219 / 224), luma_from_v: fixed(v.y * 219 / 224), u_from_u: fixed(u.cb),
            u_from_v: fixed(v.cb), v_from_u: fixed(u.cr), v_from_v: fixed(v.cr))
    }
}

extension Picture {
    /// A part of this picture's first three planes as the kernels take them; `x` and `y` are even.
    /// Valid while this picture lives.
    func kernel(x: Int, y: Int, width: Int, height: Int) -> ck_picture {
        let bytes = format == .yuv420p10 ? 2 : 1
        func first(_ plane: Int) -> UnsafeMutablePointer<UInt8> {
            let shift = plane == 0 ? 0 : 1
            return self.plane(plane) + (y >> shift) * stride(plane) + (x >> shift) * bytes
        }
        return ck_make_picture(
            first(0), stride(0), first(1), stride(1), first(2), stride(2), Int32(width), Int32(height))
    }
}
