import Composition
import Draft
import Media
import PluginHosting
import Values

/// The process that a mix runs in, which owns the decoders and the plugins. Its calls come once for
/// each span, filter or block of samples, never for each sample.
package protocol SoundSupplies: AnyObject {
    /// Returns a reader of a file's sound for the caller's use alone.
    /// - Parameter time: the source time to be read first, where the reader may be one that was
    ///   given back earlier at the same rate; nil: a new reader.
    /// - Throws: where the file cannot be read, or is not the one that the plan was made with.
    func takeReader(of file: MediaFile, sampleRate: Int, channels: Int, near time: Time?) throws -> AudioReader

    /// Takes back a reader that was taken near a time.
    func giveBack(_ reader: AudioReader, of file: MediaFile)

    /// Notes a damaged range of a file's sound, in source time.
    func noteDamage(_ range: Range<Time>, of file: MediaFile)

    /// Returns a plugin's effect, and an instance of it that may be shared with equal requests.
    /// - Parameter setup: called with the effect.
    /// - Throws: where the plugin cannot be used, or refuses its parameters.
    func instance(
        ofEffect id: String, in plugin: PluginUse, _ setup: (LoadedEffect) -> PluginSetup
    ) throws -> (LoadedEffect, EffectInstance)

    /// Reports that the work continues.
    /// - Parameter advances: a bounded piece of work was finished, which counts as progress.
    /// - Throws: where the work is cancelled.
    func pulse(advances: Bool) throws
}

extension SoundSupplies {
    /// Returns an instance of an audio filter, made for the largest blocks of a mix.
    /// - Throws: where the plugin cannot be used, or refuses its parameters.
    package func instance(
        of filter: PluginEffect, in plugin: PluginUse, for stage: SoundStage
    ) throws -> (LoadedEffect, EffectInstance) {
        try instance(ofEffect: filter.effectID, in: plugin) { loaded in
            var setup = PluginSetup(sound: PluginSound(stage), frameRate: stage.frameRate)
            setup.values = filter.setupValues(loaded.descriptor)
            return setup
        }
    }
}

extension PluginSound {
    /// The form in which filters get the sound of a mix.
    package init(_ stage: SoundStage) {
        self.init(rate: stage.sampleRate, channels: stage.channels, maximumSamples: SoundMix.filterGrid)
    }
}
