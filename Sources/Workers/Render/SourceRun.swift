import CKernels
import Composition
import Draft
import Media

/// A plugin's source that makes a clip's pictures. What has alpha lies over the draft's background.
///
/// A source that lists 4:2:0 first says that its pictures have no alpha, and fills an SDR canvas directly.
final class SourceRun {
    private let run: PluginRun
    private let size: Canvas.Size
    private let color: ColorSystem
    private var made: PluginPicture?

    init(_ use: CompositionEffect, _ slice: Slice, _ workshop: Workshop) throws {
        run = try PluginRun(use, slice.stage, workshop)
        (size, color) = (slice.size, slice.color)
    }

    /// - Returns: a new canvas picture, the caller's own.
    func picture(at moment: Moment, over background: Color) throws -> Picture {
        let result = try Picture.background(background, width: size.width, height: size.height, color)
        let picture =
            try made ?? PluginPicture.rgba(run.format, width: size.width, height: size.height) ?? .canvas(result)
        try run.make(picture, at: moment)
        switch picture {
        case .canvas: return result
        case .bytes(let rgba):
            ck_rgba_over_color(
                rgba.plane(0), rgba.stride(0), Int32(size.width), Int32(size.height),
                [background.red, background.green, background.blue])
            picture.write(to: result)
        case .floats(let floats):
            let canvas = FloatPicture(width: size.width, height: size.height)
            canvas.read(result)
            canvas.blend(floats, x: 0, y: 0)
            canvas.write(to: result)
        }
        made = picture
        return result
    }
}
