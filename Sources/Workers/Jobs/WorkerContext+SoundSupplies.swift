import Composition
import Media
import PluginHosting
import Sound
import Values

extension WorkerContext: SoundSupplies {
    func takeReader(of file: MediaFile, sampleRate: Int, channels: Int, near time: Time?) throws -> AudioReader {
        try checkUnchanged(file)
        let open = { [libavPulse] in
            try AudioReader(
                path: file.path, info: file.info, sampleRate: sampleRate, channels: channels, pulse: libavPulse)
        }
        guard let time else { return try open() }
        return try sound.take(
            file.path, file.info.identity, track: file.info.audio?.stream, near: time, open: open)
    }

    func giveBack(_ reader: AudioReader, of file: MediaFile) {
        sound.giveBack(reader, file.path, file.info.identity, track: file.info.audio?.stream)
    }

    func noteDamage(_ range: Range<Time>, of file: MediaFile) { damage.note(file, isSound: true, range) }

    func instance(
        ofEffect id: String, in plugin: PluginUse, _ setup: (LoadedEffect) -> PluginSetup
    ) throws -> (LoadedEffect, EffectInstance) {
        let loaded = try plugins.effect(id, in: plugin)
        var setup = setup(loaded)
        setup.isGuarded = plugins.isParanoid
        return (loaded, try plugins.instance(of: loaded, setup))
    }
}
