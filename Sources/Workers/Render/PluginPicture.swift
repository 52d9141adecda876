import CKernels
import Media
import Messaging
import PluginHosting

/// A canvas picture as a plugin sees it: the canvas' own 4:2:0, RGBA of bytes, or RGBA of floats.
enum PluginPicture {
    case canvas(Picture)
    case bytes(Picture)
    case floats(FloatPicture)

    /// - Parameter canvas: the picture whose size it has; its samples are not read, and are the
    ///   plugin's own in 4:2:0.
    init(_ format: PluginFormat, like canvas: Picture) throws(MediaError) {
        self = try Self.rgba(format, width: canvas.width, height: canvas.height) ?? .canvas(canvas)
    }

    /// RGBA of any size, with undefined content; nil for another format.
    static func rgba(_ format: PluginFormat, width: Int, height: Int) throws(MediaError) -> PluginPicture? {
        switch format {
        case .rgba8: .bytes(try Picture(width: width, height: height, format: .rgba))
        case .rgbaFloat: .floats(FloatPicture(width: width, height: height))
        default: nil
        }
    }

    func read(_ canvas: Picture) {
        switch self {
        case .canvas: break
        case .bytes(let rgba):
            ThreadPool.shared.bands(of: canvas.height) { rows in
                ck_rgba_from_yuv(
                    rgba.plane(0) + rows.lowerBound * rgba.stride(0), rgba.stride(0), canvas.kernel(rows))
            }
            canvas.writeAlpha(toRGBA: rgba)
        case .floats(let floats):
            floats.read(canvas)
            canvas.writeAlpha(to: floats)
        }
    }

    /// Alpha is kept where the canvas picture has one. The colour of what is transparent is lost
    /// then.
    /// - Parameter filter: how chroma is taken from pixels: `CK_CHROMA_INVERSE` where they were
    ///   read from the canvas.
    func write(to canvas: Picture, _ filter: ck_chroma_filter) throws {
        switch self {
        case .canvas: break
        case .bytes(let rgba):
            if canvas.hasAlpha {
                try spread { ck_spread_rgba(rgba.plane(0), rgba.stride(0), Int32(rgba.width), Int32(rgba.height)) }
                canvas.readAlpha(ofRGBA: rgba)
            }
            ThreadPool.shared.bands(of: canvas.height) { rows in
                ck_yuv_from_rgba(
                    canvas.kernel(rows), rgba.plane(0) + rows.lowerBound * rgba.stride(0), rgba.stride(0), filter)
            }
        case .floats(let floats):
            if canvas.hasAlpha {
                try spread {
                    ck_spread_rgbaf(floats.floats, floats.stride, Int32(floats.width), Int32(floats.height))
                }
                canvas.readAlpha(of: floats)
            }
            floats.write(to: canvas, filter)
        }
    }

    private func spread(_ kernel: () -> Int32) throws {
        guard kernel() == 0 else {
            throw JobFailure(.resource, "There is no memory left for the colours of a layer with alpha.")
        }
    }

    /// Gives a canvas picture that this one was written to the samples of `original`, wherever this
    /// one's pixels are those of `given`. Only bytes lose anything on their way, so others need
    /// nothing.
    /// - Parameter given: `original` in this format.
    func keepUnchanged(of original: Picture, _ given: PluginPicture, in canvas: Picture) {
        guard case .bytes(let rgba) = self, case .bytes(let before) = given,
            (before.width, before.height) == (rgba.width, rgba.height)
        else { return }
        ck_keep_yuv(
            canvas.kernel, original.kernel, rgba.plane(0), rgba.stride(0), before.plane(0), before.stride(0))
    }

    /// Valid while this object lives.
    func lent(_ color: PluginColor) -> PluginFrame {
        switch self {
        case .canvas(let picture): lend(picture, .yuv420p8, 3, color, chromaLocation: 1)
        case .bytes(let picture): lend(picture, .rgba8, 1, color)
        case .floats(let floats): floats.lent(color)
        }
    }

    private func lend(
        _ picture: Picture, _ format: PluginFormat, _ planes: Int, _ color: PluginColor, chromaLocation: UInt32 = 0
    ) -> PluginFrame {
        var frame = PluginFrame(
            format: format, width: picture.width, height: picture.height, planes: (0..<planes).map(picture.plane),
            strides: (0..<planes).map(picture.stride), color: color)
        frame.chromaLocation = chromaLocation
        return frame
    }
}
