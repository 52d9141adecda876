import Draft
import Values

extension CompositionEffect {
    /// The same for a part of its own time, without what has no say there.
    func trimmed(to range: TimeRange) -> CompositionEffect {
        var effect = self
        switch content {
        case .picture(let picture): effect.content = .picture(picture.trimmed(to: range))
        case .transition(let plugin): effect.content = .transition(plugin.trimmed(to: range))
        case .source(let plugin): effect.content = .source(plugin.trimmed(to: range))
        case .layer(let look): effect.content = .layer(look.trimmed(to: range))
        case .subtitles(let subtitles): effect.content = .subtitles(subtitles.trimmed(to: range))
        }
        return effect
    }

    /// It does the same at all times of its own.
    /// - Parameter known: what ``files`` are the numbers of.
    func isAtRest(_ known: [MediaFile]) -> Bool {
        if case .layer(let look) = content { return look.isAtRest }
        if case .subtitles(let subtitles) = content { return subtitles.cues.isEmpty }
        guard case .picture(let effect) = content else { return false }
        return switch effect {
        case .lut(let look): look.intensity.keyValues.count == 1
        case .title(let title): title.opacity.isConstant && !title.isMoving
        // An animated image plays in the sticker's own time.
        case .sticker(let sticker):
            sticker.rect.isConstant && sticker.opacity.isConstant && files.allSatisfy { known[$0].info.kind == .image }
        case .filter, .overlay, .subtitles: false
        }
    }
}

extension Animated {
    /// A constant as one key; what has keys as it is.
    fileprivate var withKey: Animated {
        if case .constant(let value) = self { .keyframes([Keyframe(time: .zero, value: value)]) } else { self }
    }
}

extension PictureEffect {
    fileprivate func trimmed(to range: TimeRange) -> PictureEffect {
        switch self {
        case .lut(var look):
            // A constant intensity is part of the table, which rounds otherwise than mixing does,
            // and a frame must not depend on the part that it is made in: what has keys stays
            // mixed.
            let part = look.intensity.settled(in: range)
            look.intensity = look.intensity.isConstant ? part : part.withKey
            return .lut(look)
        case .sticker(let sticker): return .sticker(sticker.trimmed(to: range))
        case .title(let title): return .title(title.trimmed(to: range))
        case .subtitles: return self
        case .filter(let filter): return .filter(filter.trimmed(to: range))
        case .overlay(var overlay):
            overlay.source = overlay.source.trimmed(to: range)
            overlay.opacity = overlay.opacity.settled(in: range)
            return .overlay(overlay)
        }
    }
}

extension PluginEffect {
    fileprivate func trimmed(to range: TimeRange) -> PluginEffect {
        var effect = self
        effect.parameters = parameters.mapValues { value in
            switch value {
            case .numbers(let animated): .numbers(animated.settled(in: range))
            case .choices(let keys): keys.settled(in: range)
            case .text, .path: value
            }
        }
        return effect
    }
}
