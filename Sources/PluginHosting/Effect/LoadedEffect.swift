import Draft
import Messaging
import PluginABI

extension PluginPlace {
    fileprivate var frame: Int? { if case .frame(let frame) = self { frame } else { nil } }
    fileprivate var seconds: Double? { if case .time(let time) = self { time.seconds } else { nil } }
}

/// An effect of a library that is open: makes instances.
package final class LoadedEffect {
    package let effect: PluginEffectTable
    /// The library's name for people.
    let plugin: String
    let binding: ParameterBinding
    private let host: UnsafePointer<cutroom_host>
    let trail: PluginTrail

    package var descriptor: EffectDescriptor { effect.descriptor }

    init(_ effect: PluginEffectTable, plugin: String, host: UnsafePointer<cutroom_host>, trail: PluginTrail) {
        self.effect = effect
        self.plugin = plugin
        self.host = host
        self.trail = trail
        binding = ParameterBinding(effect.descriptor.parameters)
    }

    /// The first format in the effect's order that the host offers; nil where there is none.
    func preferredFormat(among offered: some Sequence<PluginFormat>) -> PluginFormat? {
        let offered = Set(offered)
        return effect.formats.first(where: offered.contains)
    }

    /// The picture format in which it works: of bytes the first that is offered, where it has one
    /// and they lose nothing; else floats. Nil where there is none.
    /// - Parameter isHDR: bytes would lose what the pictures are there for.
    package func pictureFormat(among offered: [PluginFormat] = [.yuv420p8, .rgba8], isHDR: Bool = false)
        -> PluginFormat?
    {
        (isHDR ? nil : preferredFormat(among: offered)) ?? preferredFormat(among: [.rgbaFloat])
    }

    /// - Throws: where the format is not one of the effect's, a value is wrong, or the effect
    ///   refuses.
    package func makeInstance(_ setup: PluginSetup) throws(PluginError) -> EffectInstance {
        guard effect.formats.contains(setup.format) else {
            let list = effect.formats.map(\.name).joined(separator: ", ")
            throw error(
                .unsupportedFormat, "create",
                reason: "it cannot work with \(setup.format.name) frames, only with \(list)")
        }
        let values = try resolve(setup.values, operation: "create")
        let context = PluginCallContext()
        let storage = PluginValueStorage(count: values.count)
        storage.store(values)
        var abi = cutroom_setup()
        abi.struct_size = UInt32(MemoryLayout<cutroom_setup>.size)
        abi.format = setup.format.rawValue
        (abi.width, abi.height) = (Int32(setup.width), Int32(setup.height))
        abi.pixel_aspect = setup.pixelAspect.abi
        abi.frame_rate = setup.frameRate.abi
        abi.primaries = setup.color.primaries
        abi.transfer = setup.color.transfer
        abi.matrix = setup.color.matrix
        abi.full_range = setup.color.isFullRange ? 1 : 0
        if let sound = setup.sound {
            abi.sample_rate = UInt32(sound.rate)
            abi.max_samples = UInt32(sound.maximumSamples)
            abi.channel_count = UInt32(sound.channels)
            abi.channel_mask = sound.channelMask
        }
        abi.max_threads = UInt32(max(1, setup.maximumThreads))
        abi.quality = setup.isDraft ? CUTROOM_QUALITY_DRAFT : CUTROOM_QUALITY_FINAL
        abi.value_count = UInt32(values.count)
        abi.values = UnsafePointer(storage.values)
        abi.handle = context.handle
        var instance: UnsafeMutableRawPointer?
        let status = trail.mark(crumb(.create)) {
            withExtendedLifetime((context, storage)) { effect.table.create(effect.original, host, &abi, &instance) }
        }
        guard status == CUTROOM_OK else {
            throw error(
                .init(status: status), "create", status: status,
                reason: context.takeMessage() ?? PluginError.meaning(of: status))
        }
        return EffectInstance(self, instance: instance, setup: setup)
    }

    func resolve(
        _ inputs: [String: ParameterInput], operation: String, at place: PluginPlace? = nil
    ) throws(PluginError) -> [ParameterBinding.Value] {
        do throws(ParameterBinding.Rejection) {
            return try binding.resolve(inputs)
        } catch {
            throw self.error(.invalidParameter, operation, at: place, reason: error.reason)
        }
    }

    func crumb(_ phase: Breadcrumb.Phase, at place: PluginPlace? = nil) -> Breadcrumb {
        Breadcrumb(
            phase: phase, path: descriptor.path, plugin: plugin, effectID: descriptor.id, frame: place?.frame,
            seconds: place?.seconds)
    }

    package func error(
        _ code: PluginError.Code, _ operation: String, at place: PluginPlace? = nil, status: Int32? = nil,
        reason: String
    ) -> PluginError {
        PluginError(
            code: code, operation: operation, path: descriptor.path, plugin: plugin, effectID: descriptor.id,
            place: place,
            status: status, reason: reason)
    }
}

extension PluginError.Code {
    init(status: cutroom_status) {
        switch status {
        case CUTROOM_ERROR_CANCELLED: self = .cancelled
        case CUTROOM_ERROR_RETRY: self = .retry
        case CUTROOM_ERROR_FORMAT: self = .unsupportedFormat
        case CUTROOM_ERROR_PARAM: self = .invalidParameter
        default: self = .failed
        }
    }
}
