import Composition
import Draft
import Media
import Messaging
import Text
import Values

/// Subtitles as a layer. Cues are laid out and drawn when they are shown, and one picture of them
/// is kept: the last one.
final class SubtitleLayer: Node {
    private let subtitles: ShownSubtitles
    private let fonts: MediaFile?
    private let size: Canvas.Size
    private let color: ColorSystem
    private let clock: EffectClock
    private let pulse: Pulse
    private var renderer: Renderer?
    private var drawn: Drawn?
    /// Of the cues that are shown, and those of them whose words are said.
    private var titles: [Title] = []
    private var moving: [MovingTitle?] = []

    /// libass, where it is what draws.
    private final class Renderer {
        var ass: ASSRenderer
        init(_ ass: consuming ASSRenderer) { self.ass = ass }
    }

    private struct Drawn {
        /// Numbers of the cues that are shown.
        var cues: [Int]
        /// For each title with timed words, the current word.
        var words: [[Int]?] = []
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

    func frame(_ number: Int) throws -> PaintedLayer? {
        guard let time = clock.moment(number)?.time else { return nil }
        let shown = subtitles.cues.indices.filter { subtitles.cues[$0].isShown(at: time) }
        let opacity = subtitles.look.style.opacity.scalar(at: time)
        guard !shown.isEmpty, opacity > 0 else { return nil }
        if subtitles.format == .ass {
            if let bitmap = try drawEvents(shown, at: time) { drawn = try keep(bitmap, shown) }
        } else {
            if drawn?.cues != shown {
                drawn = nil
                try lay(shown)
            }
            let words = moving.map { $0?.state(at: time) }
            if drawn == nil || drawn?.words != words {
                drawn = nil
                drawn = try keep(try drawTexts(at: time), shown, words)
            }
        }
        guard let drawn, let overlay = drawn.overlay else { return nil }
        return PaintedLayer(content: .overlay(overlay), x: drawn.x, y: drawn.y, opacity: opacity)
    }

    func close() {
        (drawn, renderer) = (nil, nil)
        (titles, moving) = ([], [])
    }

    /// Lays out the titles of some cues.
    private func lay(_ shown: [Int]) throws {
        do throws(TitleError) {
            titles = try CueLayout.titles(shown.map { subtitles.cues[$0] }, subtitles.look, on: size)
            moving = []
            for title in titles { moving.append(title.spoken.isEmpty ? nil : try MovingTitle(title, canvas: size)) }
        } catch {
            throw JobFailure(.input, "\(error)")
        }
    }

    private func drawTexts(at time: Time) throws -> TitleBitmap {
        do throws(TitleError) {
            var bitmaps: [TitleBitmap] = []
            for (title, moving) in zip(titles, moving) {
                if let moving {
                    bitmaps.append(try moving.bitmap(at: time))
                } else {
                    bitmaps.append(try TitleRasterizer.render(title, canvas: size))
                }
            }
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

    private func keep(_ bitmap: TitleBitmap, _ cues: [Int], _ words: [[Int]?] = []) throws -> Drawn {
        Drawn(cues: cues, words: words, overlay: try Overlay.made(of: bitmap, color), x: bitmap.x, y: bitmap.y)
    }
}
