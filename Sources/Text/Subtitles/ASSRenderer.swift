import CASS
import Composition
import Draft
import Synchronization
import Values

/// Draws events of Advanced SubStation Alpha with libass. Owns its library, track and renderer;
/// confined to the thread that made it.
///
/// libass moves events out of each other's way and remembers where they went, so that what it draws
/// depends on what it drew before. A picture must not, since a slice may begin anywhere: whenever
/// other events are shown than before, it gets them anew, and so every picture is made of the
/// events that are shown at its time, and of nothing else.
package struct ASSRenderer: ~Copyable {
    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private let track: UnsafeMutablePointer<ASS_Track>
    private var given: [SubtitleCue] = []

    /// fontconfig, which libass asks, is not asked by two threads at once.
    private static let turn = Mutex(())

    /// - Parameters:
    ///   - header: the script's information and styles.
    ///   - fonts: the section of fonts; empty: there is none.
    package init?(header: String, fonts: String, canvas: Canvas.Size) {
        guard let library = ass_library_init() else { return nil }
        cutroom_ass_be_silent(library)
        ass_set_extract_fonts(library, 1)
        guard let renderer = ass_renderer_init(library), let track = ass_new_track(library) else {
            ass_library_done(library)
            return nil
        }
        (self.library, self.renderer, self.track) = (library, renderer, track)
        var text = Array((header + "\n" + fonts + SubtitleFile.eventsHeader).utf8CString)
        ass_process_codec_private(track, &text, Int32(text.count - 1))
        ass_set_check_readorder(track, 0)
        ass_set_frame_size(renderer, Int32(canvas.width), Int32(canvas.height))
        ass_set_storage_size(renderer, Int32(canvas.width), Int32(canvas.height))
        ass_set_pixel_aspect(renderer, 1)
        Self.turn.withLock { _ in
            ass_set_fonts(renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
        }
    }

    deinit {
        ass_free_track(track)
        ass_renderer_done(renderer)
        ass_library_done(library)
    }

    /// What is shown at a time.
    /// - Parameter cues: those that are shown then.
    /// - Returns: nil where it is what was returned before.
    package mutating func render(_ cues: [SubtitleCue], at time: Time) -> TitleBitmap? {
        let isNew = cues != given
        if isNew {
            ass_flush_events(track)
            for (number, cue) in cues.enumerated() {
                let (start, end) = (cue.start.milliseconds, -((-cue.end).milliseconds))
                var event = Array(cue.matroskaEvent(number: number).utf8CString)
                ass_process_chunk(track, &event, Int32(event.count - 1), start, max(1, end - start))
            }
            given = cues
        }
        var change: Int32 = 0
        let images = Self.turn.withLock { _ in
            UInt(bitPattern: ass_render_frame(renderer, track, time.milliseconds, &change))
        }
        guard isNew || change != 0 else { return nil }
        return Self.bitmap(of: UnsafeMutablePointer(bitPattern: images))
    }

    /// libass' images one over another: each is a shape in a colour.
    private static func bitmap(of images: UnsafeMutablePointer<ASS_Image>?) -> TitleBitmap {
        var area = TitleArea.nothing
        for image in sequence(first: images, next: { $0?.pointee.next }).prefix(while: { $0 != nil }) {
            guard let image = image?.pointee, image.w > 0, image.h > 0 else { continue }
            let (x, y) = (Int(image.dst_x), Int(image.dst_y))
            area = area.union(TitleArea(left: x, top: y, right: x + Int(image.w), bottom: y + Int(image.h)))
        }
        guard !area.isEmpty else { return .empty }
        // Premultiplied, with 65025 for all, so that many layers of little cover lose nothing.
        var canvas = [SIMD4<UInt32>](repeating: .zero, count: area.width * area.height)
        for image in sequence(first: images, next: { $0?.pointee.next }).prefix(while: { $0 != nil }) {
            guard let image = image?.pointee, image.w > 0, image.h > 0, let bytes = image.bitmap else { continue }
            let color = image.color
            // The lowest byte is how transparent it is.
            let opacity = 255 - color & 255
            let paint = SIMD4<UInt32>(color >> 24, color >> 16 & 255, color >> 8 & 255, 255)
            for y in 0..<Int(image.h) {
                let row = bytes + y * Int(image.stride)
                let start = (Int(image.dst_y) + y - area.top) * area.width + Int(image.dst_x) - area.left
                for x in 0..<Int(image.w) where row[x] != 0 {
                    let cover = UInt32(row[x]) * opacity
                    let rest = canvas[start + x] &* (65025 - cover) &+ 32512
                    canvas[start + x] = (paint &* cover &+ 127) / 255 &+ rest / 65025
                }
            }
        }
        return TitleBitmap(premultiplied: canvas, area)
    }
}

extension Time {
    /// Whole ones that have passed.
    fileprivate var milliseconds: Int64 {
        let perMillisecond = Time.flicksPerSecond / 1000
        return flicks >= 0 ? flicks / perMillisecond : -((-flicks + perMillisecond - 1) / perMillisecond)
    }
}
