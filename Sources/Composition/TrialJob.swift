import Draft

/// Makes an instance of a plugin's effect as a render would, and drops it again: whether the plugin takes the values that cannot
/// change with time (a chain of filters, a model) only it can say.
public struct TrialJob: Sendable, Codable, Hashable {
    /// With the parameters that cannot change with time.
    public var effect: PluginEffect
    public var plugin: PluginUse
    public var stage: EffectStage

    /// - Parameter catalog: has what is known of the files and the plugin.
    /// - Returns: nil where it lacks the plugin.
    public init?(_ use: DraftPluginUse, of draft: Draft, _ catalog: Catalog) {
        guard let descriptor = catalog.effect(use.effect.effectID) else { return nil }
        effect = use.effect
        effect.parameters = effect.parameters.filter { id, _ in
            descriptor.parameters.first { $0.id == id }?.isAnimatable == false
        }
        plugin = PluginUse(descriptor)
        let frameRate = draft.frameRate(catalog)
        if descriptor.kind == .audioFilter {
            let audio = draft.export.audio
            stage = .sound(
                SoundStage(
                    sampleRate: audio.usedSampleRate, channels: audio.usedChannels, frameRate: frameRate))
        } else {
            stage = .picture(
                PictureStage(
                    size: use.overlaySize ?? draft.size(catalog), color: draft.canvas.color, frameRate: frameRate,
                    isOverlay: use.overlaySize != nil))
        }
    }

    public struct Reply: Sendable, Codable {
        /// What the plugin does not take, and why, as a sentence without a subject; nil: nothing.
        public var refusal: String?

        public init(refusal: String?) { self.refusal = refusal }
    }
}

/// What an effect works on.
public enum EffectStage: Hashable, Sendable, Codable {
    case picture(PictureStage)
    case sound(SoundStage)
}

/// The pictures that an effect works on, or that a source makes.
public struct PictureStage: Hashable, Sendable, Codable {
    public var size: Canvas.Size
    public var color: ColorSystem
    public var frameRate: Rational
    /// They are laid over others, so they have alpha.
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
    /// The canvas's.
    public var stage: PictureStage {
        PictureStage(size: size, color: color, frameRate: frameRate, isOverlay: false)
    }

    /// Of what is laid over the canvas.
    public func overlayStage(_ size: Canvas.Size) -> PictureStage {
        PictureStage(size: size, color: color, frameRate: frameRate, isOverlay: true)
    }
}

extension SoundJob {
    public var stage: SoundStage {
        SoundStage(sampleRate: encoding.sampleRate, channels: encoding.channels, frameRate: frameRate)
    }
}
