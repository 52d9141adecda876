import Draft
import Values

/// What an effect works on.
public enum EffectStage: Hashable, Sendable, Codable {
    case picture(PictureStage)
    case sound(SoundStage)

    /// What a use of an effect would work on in a render of the draft, which may be one that shows
    /// the effect's own.
    /// - Parameter descriptor: the effect's.
    public init(of use: DraftPluginUse, _ descriptor: EffectDescriptor, in draft: Draft, _ catalog: Catalog) {
        let frameRate = use.draft.frameRate(catalog)
        if descriptor.kind == .audioFilter {
            let codec = draft.export.audioCodec(in: draft.export.usualContainer) ?? .aac
            let form = draft.soundForm(codec, catalog)
            self = .sound(
                SoundStage(sampleRate: form.sampleRate, channels: form.channels, frameRate: frameRate))
        } else {
            self = .picture(
                PictureStage(
                    size: use.overlaySize ?? use.draft.size(catalog), color: use.draft.canvas.color,
                    frameRate: frameRate,
                    isOverlay: use.overlaySize != nil || use.isInLayer))
        }
    }
}

/// The pictures that an effect works on, or that a source makes.
public struct PictureStage: Hashable, Sendable, Codable {
    public var size: Canvas.Size
    public var color: ColorSystem
    public var frameRate: Rational
    /// They are laid over others, or are a layer's, so they have alpha.
    public var isOverlay: Bool
}

/// The sound that an effect works on.
public struct SoundStage: Hashable, Sendable, Codable {
    public var sampleRate: Int
    public var channels: Int
    /// The picture's, for plugins to know.
    public var frameRate: Rational
}

extension Slice {
    /// The stage of what works on whole pictures, the canvas' or a layer's.
    public func stage(_ size: Canvas.Size) -> PictureStage {
        PictureStage(size: size, color: color, frameRate: frameRate, isOverlay: false)
    }

    /// The stage of what is laid over the canvas, and of what works on a layer's pictures.
    public func overlayStage(_ size: Canvas.Size) -> PictureStage {
        PictureStage(size: size, color: color, frameRate: frameRate, isOverlay: true)
    }
}

extension SoundMix {
    public var stage: SoundStage {
        SoundStage(sampleRate: sampleRate, channels: channels, frameRate: frameRate)
    }
}
