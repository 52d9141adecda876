import Values

/// Layers: how long they are, where they lie in time and on the canvas.
extension TimelineBuilder {
    /// What can be said of a layer without its timeline.
    /// - Returns: nil where it has no length.
    mutating func check(_ layer: Layer, _ object: String, _ entry: Effect) -> Length? {
        var clip = layer.clip
        (clip.origin, clip.changes) = (entry.origin, entry.changes)
        if layer.start < .zero {
            report(object, "starts at \(layer.start.forPeople) s, but must not start before 0", entry.origin(of: "at"))
        }
        if let mask = layer.mask, let info = readable(DraftFile(mask.path), object + ", mask", entry.origin(of: "mask"))
        {
            if info.video == nil {
                report(object + ", mask", "‘\(mask.path)’ has no picture", entry.origin(of: "mask"))
            }
        }
        if let shadow = layer.shadow { checkShadow(shadow, object, entry) }
        let length = check(clip, object)
        // What slides, spins or pops may cross the canvas on its way.
        let isMoved = [layer.enter, layer.leave].contains { $0.map { $0.kind != .fade } ?? false }
        if let length, !isMoved { warnOfPlace(clip, length, object, margin: layer.shadow?.reach ?? 0) }
        return length
    }

    /// Where a layer lies on the timeline before it; nil where it does not lie there.
    mutating func place(_ layer: Layer, _ length: Length, _ object: String, _ entry: Effect, in stack: Stack)
        -> TimeRange?
    {
        let rest = stack.duration - layer.start
        guard rest > .zero, layer.start >= .zero else {
            if stack.isCertain, layer.start >= .zero {
                report(
                    object,
                    "starts at \(layer.start.forPeople) s, but the timeline before it is only \(stack.duration.forPeople) s long",
                    entry.origin(of: "at"))
            }
            return nil
        }
        let duration = layer.isOpenEnded ? rest : length.duration
        if stack.isCertain, duration > rest + Self.slack {
            warn(
                object,
                "reaches \((duration - rest).forPeople) s past the end of the timeline before it at "
                    + "\(stack.duration.forPeople) s; what is there is used",
                entry.origin(of: "at", "range", "duration", "speed"))
        }
        let range = TimeRange(start: layer.start, duration: min(duration, rest))
        let (enter, leave) = (layer.enter?.duration ?? .zero, layer.leave?.duration ?? .zero)
        if enter + leave > range.duration {
            warn(
                object,
                "enters and leaves in \((enter + leave).forPeople) s, but is shown for \(range.duration.forPeople) s only",
                entry.origin(of: "enter", "leave", "duration", "range"))
        }
        return range
    }

    private mutating func checkShadow(_ shadow: LayerShadow, _ object: String, _ entry: Effect) {
        check(
            shadow.blur, "shadow_blur", LayerShadow.blurRange, object, entry.origin(of: "shadow_blur"))
        let range = LayerShadow.offsetRange
        for value in shadow.offset.keyValues
        where !(1...2).contains(value.count) || !value.allSatisfy(range.contains) {
            report(
                object,
                "‘shadow_offset’ is { \(value.map { Value.text(of: $0) }.joined(separator: ", ")) }, but must be two numbers of pixels, "
                    + "to the right and down, between \(Value.text(of: range.lowerBound)) and \(Value.text(of: range.upperBound))",
                entry.origin(of: "shadow_offset"))
            return
        }
    }

    /// - Parameter origin: where a property was set.
    mutating func checkPlacement(_ placement: Placement, _ object: String, _ origin: (String) -> Origin?) {
        Placement.options.checkRanges(of: placement) { check($1, $0, $2, object, origin($0)) }
        let canvas = draft.size(catalog)
        checkSide(placement.width, "width", of: canvas.width, object, origin("width"))
        checkSide(placement.height, "height", of: canvas.height, object, origin("height"))
        warnOfSide(placement.width, "width", object, origin("width"))
        warnOfSide(placement.height, "height", object, origin("height"))
        for rect in placement.crop.keyValues {
            guard rect.count == 4, rect[0] >= 0, rect[1] >= 0, rect[2] > 0, rect[3] > 0, rect[0] + rect[2] <= 1.000001,
                rect[1] + rect[3] <= 1.000001
            else {
                report(
                    object,
                    "‘crop’ is { \(rect.map { Value.text(of: $0) }.joined(separator: ", ")) }, but must be "
                        + "{ left, top, width, height } within 0 … 1 of the picture",
                    origin("crop"))
                return
            }
        }
        if placement.position.keyValues.contains(where: { ![2, 4].contains($0.count) }) {
            report(object, "‘position’ must be two lengths, x and y", origin("position"))
        }
        if placement.cornerRadius.keyValues.contains(where: { $0.contains { $0 < 0 } || $0.count > 2 }) {
            report(object, "‘corner_radius’ must be a length, not below 0", origin("corner_radius"))
        }
    }

    private mutating func checkSide(
        _ side: Animated?, _ key: String, of whole: Int, _ object: String, _ origin: Origin?
    ) {
        for value in side?.keyValues ?? [] {
            let pixels = value.count == 1 ? value[0] : value.count == 2 ? value[0] + value[1] * Double(whole) : 0
            guard pixels > 0, pixels <= Placement.sideRange.upperBound else {
                report(
                    object,
                    "its \(key) is \(Value.text(of: pixels)) pixels, but must be above 0 and at most "
                        + Value.text(of: Placement.sideRange.upperBound), origin)
                return
            }
        }
    }
}

extension Layer {
    /// The layer's clip in the layer's own time.
    /// - Parameters:
    ///   - duration: how long it is shown.
    ///   - index: its place in the effect list.
    func placed(_ length: TimelineBuilder.Length, _ duration: Time, _ index: Int) -> PlacedClip {
        var piece = length.content
        piece.timeline.duration = duration
        return PlacedClip(
            index: index, clip: clip, info: length.info, piece: piece, time: length.time, source: length.source,
            overlap: .zero)
    }
}
