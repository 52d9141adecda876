import Composition
import Draft
import Media
import Messaging

/// Subtitles as a layer. Cues are laid out and drawn when they are shown, and one picture of them is kept: the last one.
final class SubtitleLayer: Node {
    private let subtitles: ShownSubtitles
    private let fonts: MediaFile?
    private let size: Canvas.Size
    private let color: ColorSystem
    private let clock: EffectClock
    private let pulse: Pulse
    private var renderer: Renderer?
    private var drawn: Drawn?

    /// libass, where it is what draws.
    private final class Renderer {
        var ass: ASSRenderer
        init(_ ass: consuming ASSRenderer) { self.ass = ass }
    }

    private struct Drawn {
        /// Numbers of the cues that are shown.
        var cues: [Int]
        /// nil where they leave no ink on the canvas.
        var overlay: Overlay?
        var x = 0
        var y = 0
    }

    /// - Parameters:
    ///   - fonts: the ASS file, where it has fonts.
    ///   - size: the canvas's.
    ///   - color: the canvas's.
    init(
        _ subtitles: ShownSubtitles, fonts: MediaFile?, _ size: Canvas.Size, _ color: ColorSystem, _ clock: EffectClock,
        pulse: @escaping Pulse
    ) {
        self.subtitles = subtitles
        self.fonts = fonts
        self.size = size
        self.color = color
        self.clock = clock
        self.pulse = pulse
    }

    func frame(_ number: Int) throws -> Layer? {
        guard let time = clock.moment(number)?.time else { return nil }
        let shown = subtitles.cues.indices.filter { subtitles.cues[$0].isShown(at: time) }
        let opacity = subtitles.look.style.opacity.scalar(at: time)
        guard !shown.isEmpty, opacity > 0 else { return nil }
        if subtitles.format == .ass {
            if let bitmap = try drawEvents(shown, at: time) { drawn = try keep(bitmap, shown) }
        } else if drawn?.cues != shown {
            drawn = nil
            drawn = try keep(try drawTexts(shown), shown)
        }
        guard let drawn, let overlay = drawn.overlay else { return nil }
        return Layer(content: .overlay(overlay), x: drawn.x, y: drawn.y, opacity: opacity)
    }

    func close() { (drawn, renderer) = (nil, nil) }

    private func drawTexts(_ shown: [Int]) throws -> TitleBitmap {
        let titles = CueTexts.titles(shown.map { subtitles.cues[$0] }, subtitles.look, on: size)
        do throws(TitleError) {
            var bitmaps: [TitleBitmap] = []
            for title in titles { bitmaps.append(try TitleRasterizer.render(title, canvas: size)) }
            return TitleBitmap(stack: bitmaps)
        } catch {
            throw JobFailure(.input, "\(error)")
        }
    }

    /// - Returns: nil where nothing has changed since the last time.
    private func drawEvents(_ shown: [Int], at time: Time) throws -> TitleBitmap? {
        let renderer = try renderer ?? makeRenderer()
        self.renderer = renderer
        return renderer.ass.render(shown.map { subtitles.cues[$0] }, at: time)
    }

    private func makeRenderer() throws -> Renderer {
        var section = ""
        if let fonts {
            try fonts.checkUnchanged()
            section = try SubtitleReader.fonts(path: fonts.path, pulse: pulse)
        }
        guard let ass = ASSRenderer(header: subtitles.header ?? "", fonts: section, canvas: size) else {
            throw JobFailure(.resource, "libass cannot be started; is there memory left?")
        }
        return Renderer(ass)
    }

    private func keep(_ bitmap: TitleBitmap, _ cues: [Int]) throws -> Drawn {
        guard !bitmap.isEmpty else { return Drawn(cues: cues) }
        let overlay: Overlay? = try bitmap.rgba.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            return try Overlay(
                rgba: base, stride: 4 * bitmap.width, width: bitmap.width, height: bitmap.height,
                Overlay.Siting(x: bitmap.x, y: bitmap.y), color)
        }
        return Drawn(cues: cues, overlay: overlay, x: bitmap.x, y: bitmap.y)
    }
}
