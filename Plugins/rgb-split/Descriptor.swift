import PluginABI

/// Order of the parameters, and so of the values in a call.
enum Parameter: Int, CaseIterable { case amount, angle }

/// A literal's own bytes: they end with a zero and live as long as the process, as the interface
/// asks for.
private func text(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// `values` in memory that is never given back: descriptors stay valid until the process ends.
private func immortal<T>(_ values: [T]) -> UnsafePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: values.count)
    memory.initialize(from: values, count: values.count)
    return UnsafePointer(memory)
}

private func number(
    _ id: StaticString, _ label: StaticString, unit: StaticString, help: StaticString, _ range: ClosedRange<Double>,
    initial: Double, flags: UInt32 = 0
) -> cutroom_param {
    var param = cutroom_param()
    param.type = CUTROOM_PARAM_DOUBLE
    param.flags = CUTROOM_PARAM_ANIMATABLE | flags
    param.id = text(id)
    param.label = text(label)
    param.unit = text(unit)
    param.help = text(help)
    param.minimum = range.lowerBound
    param.maximum = range.upperBound
    param.initial.0 = initial
    return param
}

/// Built once, on first use; never written afterwards.
nonisolated(unsafe) private let descriptor: UnsafePointer<cutroom_effect> = {
    var effect = cutroom_effect()
    effect.struct_size = UInt32(MemoryLayout<cutroom_effect>.size)
    effect.kind = CUTROOM_KIND_FILTER
    effect.capabilities = CUTROOM_CAN_ROW_SLICES | CUTROOM_CAN_SHARE_INSTANCE | CUTROOM_IGNORES_TIMELINE
    effect.concurrency = CUTROOM_CONCURRENCY_REENTRANT
    effect.state = CUTROOM_STATE_PURE
    effect.determinism = CUTROOM_DETERMINISM_MACHINE
    effect.formats = immortal([CUTROOM_FORMAT_RGBA8])
    effect.format_count = 1
    effect.id = text("org.cutroom.rgb_split")
    effect.version = text("1.0.0")
    effect.name = text("RGB split")
    effect.vendor = text("Cutroom")
    effect.license = text("MIT")
    effect.help = text("Moves the red and the blue picture apart, like a misaligned lens or a worn tape.")
    effect.params = immortal([
        number(
            "amount", "Amount", unit: "px", help: "How far red and blue each move, in opposite directions.", 0...500,
            initial: 8,
            flags: CUTROOM_PARAM_IN_PIXELS),
        number(
            "angle", "Angle", unit: "°", help: "The direction in which red moves, clockwise from the right.",
            -360...360,
            initial: 0),
    ])
    effect.param_count = UInt32(Parameter.allCases.count)
    effect.param_stride = UInt32(MemoryLayout<cutroom_param>.stride)
    effect.create = { _, _, _, instance in
        instance?.pointee = nil  // no state
        return CUTROOM_OK
    }
    effect.destroy = { _ in }
    effect.process = { _, call in
        guard let call else { return CUTROOM_ERROR_FATAL }
        return process(call)
    }
    return immortal([effect])
}()

@_cdecl("rgb_split_init") func pluginInit(_ host: UnsafePointer<cutroom_host>?, _ path: UnsafePointer<CChar>?)
    -> cutroom_status
{
    CUTROOM_OK
}

@_cdecl("rgb_split_effect_count") func pluginEffectCount() -> UInt32 { 1 }

@_cdecl("rgb_split_effect") func pluginEffect(_ index: UInt32) -> UnsafePointer<cutroom_effect>? {
    index == 0 ? descriptor : nil
}
