import Foundation
import Values

/// Warnings that one object's own values give.
extension TimelineBuilder {
    /// How far a range may reach past an end without a warning: lengths are often known only to the
    /// frame.
    static let slack = Time(flicks: Time.flicksPerSecond / 10)
    /// A larger factor, 20 dB, is taken for a percentage.
    static let loudest = 10.0

    /// - Parameter whole: what ends, as people call it.
    mutating func warnOfEnd(_ range: TimeRange, _ end: Time, _ whole: String, _ object: String, _ origin: Origin?) {
        guard range.start < end, range.end > end + Self.slack else { return }
        warn(
            object,
            "its range \(range) reaches past the end of \(whole) at \(end.forPeople) s; what is there is used", origin)
    }

    mutating func warnOfTimeRange(_ wished: TimeRange, _ duration: Time) {
        guard wished.start < .zero || wished.end > duration + Self.slack,
            let rendered = wished.intersection(TimeRange(start: .zero, duration: duration))
        else { return }
        warn(
            "draft",
            "its time_range \(wished) reaches past the end at \(duration.forPeople) s; \(rendered) is rendered",
            draft.timeRangeOrigin)
    }

    mutating func warnOfLoudness(_ volume: Animated, _ object: String, _ origin: Origin?) {
        guard let most = volume.keyValues.compactMap(\.first).max(), most > Self.loudest, most <= 100 else { return }
        func text(_ number: Double) -> String { Value.text(of: (number * 1e6).rounded() / 1e6) }
        warn(
            object,
            "‘volume’ is \(text(most)), which is \(Int((20 * log10(most)).rounded())) dB louder than the file; "
                + "\(text(most)) % of its level is \(text(most / 100))", origin)
    }

    /// Warns of a missing parameter without which the plugin does nothing useful.
    mutating func warnOfExpected(_ effect: PluginEffect, _ object: String, _ origin: Origin?) {
        for parameter in catalog.effect(effect.effectID)?.parameters ?? [] where parameter.isExpected {
            switch effect.parameters[parameter.id] {
            case nil, .text("")?, .path("")?: break
            default: continue
            }
            var help = parameter.help
            if help.hasSuffix(".") { help.removeLast() }
            help = help.prefix(1).lowercased() + help.dropFirst()
            warn(object, "has no ‘\(parameter.id)’" + (help.isEmpty ? "" : " (\(help))"), origin)
        }
    }

    // MARK: Places

    /// - Parameter rect: left, top, width and height.
    mutating func warnOfPlace(_ rect: Animated, _ object: String, _ entry: Effect) {
        let canvas = draft.size(catalog)
        guard rect.keyValues.allSatisfy({ $0.count == 4 }), !rect.meets(canvas) else { return }
        warn(object, "lies outside the canvas, which is \(canvas), all the time", entry.origin(of: "rect"))
    }

    /// A layer, or a clip of the main track.
    /// - Parameter margin: how far beyond its edges there is something to see.
    mutating func warnOfPlace(_ clip: Clip, _ length: Length, _ object: String, margin: Double = 0) {
        guard let placement = clip.placement else { return }
        let canvas = draft.size(catalog)
        let picture = length.info?.video.map { Canvas.Size(width: $0.width, height: $0.height) }
        guard !placement.mayMeet(canvas, picture: picture, margin: margin) else { return }
        warn(
            object, "lies outside the canvas, which is \(canvas), all the time",
            clip.origin(of: "position", "anchor", "margin", "size", "width", "height", "scale"))
    }

    /// - Returns: whether it warned.
    mutating func warnOfPlace(_ title: Title, _ object: String, _ entry: Effect) -> Bool {
        guard title.path == nil else { return false }
        let canvas = draft.size(catalog)
        var isOutside = false
        // Its box is not wider than this; its height is not known here.
        if case .pixels(let x) = title.x { isOutside = x >= canvas.width || x + (title.width ?? canvas.width) <= 0 }
        if case .pixels(let y) = title.y { isOutside = isOutside || y >= canvas.height }
        guard isOutside else { return false }
        warn(object, "lies outside the canvas, which is \(canvas)", entry.origin(of: "position", "width"))
        return true
    }

    mutating func warnOfFont(_ title: Title, _ object: String, _ entry: Effect) {
        var told: Set<TitleFont> = []
        for font in title.fonts where told.insert(font).inserted {
            guard let other = catalog.substitutes[font] else { continue }
            let name = Value.quoted(font.name.hasSuffix(",") ? String(font.name.dropLast()) : font.name)
            warn(
                object, "there is no font \(name) here; \(Value.quoted(other)) is used",
                entry.origin(of: "font", "font_file", "text"))
        }
    }

    mutating func warnOfNoText(_ title: Title, _ object: String, _ entry: Effect) {
        let text = title.isMarkup ? (try? TitleMarkup(title.text))?.plain ?? title.text : title.text
        guard text.allSatisfy(\.isWhitespace), text.isEmpty || title.background == .clear else { return }
        warn(object, "has an empty text, so there is nothing to see", entry.origin(of: "text"))
    }

    /// Warns of markup that is shown as it is written.
    mutating func warnOfMarkup(_ title: Title, _ object: String, _ entry: Effect) {
        guard !title.isMarkup, title.text.contains("</"),
            let tag = (try? TitleMarkup(title.text))?.runs.lazy.compactMap(\.tags.first).first
        else { return }
        warn(
            object,
            "its text is shown with tags such as \(Value.quoted(String(tag.prefix(60)))), because it has no ‘markup = true’",
            entry.origin(of: "text"))
    }

    /// A side below a pixel is a share that was meant in percents.
    mutating func warnOfSide(_ side: Animated?, _ key: String, _ object: String, _ origin: Origin?) {
        guard let values = side?.keyValues, let most = values.compactMap(\.first).max(), most > 0, most < 1,
            values.allSatisfy({ $0.count == 1 })
        else { return }
        warn(
            object,
            "its \(key) is \(Value.text(of: most)), less than a pixel; a share of the canvas is written "
                + "\"\(Value.text(of: (most * 1e6).rounded() / 1e4))%\"", origin)
    }
}

extension Animated {
    /// Whether the rectangle (left, top, width, height) covers some of the canvas at any time.
    fileprivate func meets(_ canvas: Canvas.Size) -> Bool {
        switch self {
        case .function: true
        case .constant(let rect): Self.meets(rect, rect, canvas)
        case .keyframes(let keys):
            keys.last.map { Self.meets($0.value, $0.value, canvas) } ?? true
                || zip(keys, keys.dropFirst()).contains { a, b in
                    Self.meets(a.value, a.easing == .hold ? a.value : b.value, canvas)
                }
        }
    }

    /// The same of a rectangle on its way, which is straight whatever the easing.
    private static func meets(_ a: [Double], _ b: [Double], _ canvas: Canvas.Size) -> Bool {
        func insides(_ rect: [Double]) -> [Double] {
            [Double(canvas.width) - rect[0], rect[0] + rect[2], Double(canvas.height) - rect[1], rect[1] + rect[3]]
        }
        // The share of the way on which all four are above zero.
        var (low, high) = (0.0, 1.0)
        for (from, to) in zip(insides(a), insides(b)) where min(from, to) <= 0 {
            guard max(from, to) > 0 else { return false }
            let crossing = from / (from - to)
            if to > from { low = max(low, crossing) } else { high = min(high, crossing) }
        }
        return low < high
    }
}
