import Composition
import Draft
import PluginABI
import PluginHosting

/// The effect under test, and with what.
struct CheckSubject {
    let library: PluginLibrary
    let effect: PluginEffectTable
    let report: CheckReport
    let seed: UInt64
    let host: CheckHost
    let hostTable: UnsafePointer<cutroom_host>
    let binding: ParameterBinding
    /// Parameters whose value is constant for an instance.
    let isSetupOnly: [Bool]

    init(_ library: PluginLibrary, _ effect: PluginEffectTable, report: CheckReport, seed: UInt64, host: CheckHost) {
        (self.library, self.effect, self.report, self.seed, self.host) = (library, effect, report, seed, host)
        hostTable = host.makeTable(.usual)
        binding = ParameterBinding(effect.descriptor.parameters)
        let table = effect.table
        isSetupOnly = (0..<effect.descriptor.parameters.count).map { index in
            guard let first = table.params else { return false }
            let param = (UnsafeRawPointer(first) + index * Int(table.param_stride)).assumingMemoryBound(
                to: cutroom_param.self)
            return param.pointee.flags & CUTROOM_PARAM_SETUP_ONLY != 0
        }
    }

    var kind: EffectDescriptor.Kind { effect.descriptor.kind }
    var state: EffectDescriptor.State { effect.descriptor.state }
    var defaults: CheckValues { .defaults(binding) }
    var contents: CheckContents { CheckContents(seed: seed) }

    var inputCount: Int { effect.descriptor.inputCount }

    func can(_ capability: UInt32) -> Bool { effect.table.capabilities & capability != 0 }

    /// The usual setting for each format of the effect that the check knows, with each meaning of
    /// alpha.
    var everySetting: [CheckSetting] { effect.formats.map(CheckSetting.usual).flatMap(\.everyAlpha) }

    /// The settings that show what an effect does: without alpha, as filters and transitions get
    /// their pictures, and with it, as what an effect keeps may show there alone. A source's
    /// pictures always have it, as they lie over others.
    var settings: [CheckSetting] {
        everySetting.filter { setting in
            let hasAlpha = setting.everyAlpha.count > 1
            return setting.alpha == .straight || setting.alpha == .none && !(hasAlpha && kind == .source)
        }
    }

    /// Stops tests that compare frames where the effect says that they may differ.
    func requireDeterminism() throws {
        if effect.table.determinism == CUTROOM_DETERMINISM_NONE {
            throw report.skip("the effect declares no determinism")
        }
    }

    func requirePure() throws {
        if state != .pure {
            throw report.skip("the effect is \(state == .warmUp ? "exact after a warm-up" : "sequential"), not pure")
        }
        try requireDeterminism()
    }

    // MARK: Instances

    /// - Returns: nil where `create` refuses the format or size, or a value with a sentence: both
    ///   are its right.
    /// - Throws: after reporting any other failure.
    func make(
        _ setting: CheckSetting, _ values: CheckValues? = nil, structures: LentStructures.Size = .usual,
        host: UnsafePointer<cutroom_host>? = nil
    ) throws -> CheckInstance? {
        let values = values ?? defaults
        report.at("create, \(setting.forPeople), \(values.forPeople(binding))\(structures.forPeople)")
        let attempt = CheckInstance.make(self, setting, values, structures: structures, host: host ?? hostTable)
        switch attempt {
        case .made(let instance): return instance
        case .refused(CUTROOM_ERROR_FORMAT, _): return nil
        case .refused(CUTROOM_ERROR_PARAM, .some): return nil
        case .refused(let status, let message):
            throw report.stop(
                "create failed with status \(status)\(said(message, status))",
                advice: "make an instance, or return CUTROOM_ERROR_FORMAT for a size or format that it cannot do")
        }
    }

    /// An instance for a setting that every effect must be able to do.
    func need(_ setting: CheckSetting, _ values: CheckValues? = nil) throws -> CheckInstance {
        if let instance = try make(setting, values) { return instance }
        throw report.stop(
            "create refuses an ordinary \(setting.isSound ? "block of sound" : "size")",
            advice: "accept every size in a listed format, or leave the format out of the list")
    }

    func said(_ message: String?, _ status: Int32) -> String { ": " + (message ?? PluginError.meaning(of: status)) }

    /// Frames of a new instance, one after another.
    func run(_ frames: some Sequence<Int>, _ setting: CheckSetting, _ values: CheckValues? = nil) throws
        -> [CheckResult]
    {
        let instance = try need(setting, values)
        return try frames.map { try instance.frame(CheckShot($0)) }
    }

    // MARK: Comparing

    /// Reports where two results that should be equal are not.
    func expectEqual(
        _ a: CheckResult, _ b: CheckResult, _ setting: CheckSetting, _ what: String, advice: String
    ) {
        guard let difference = a.difference(from: b, setting, kind) else { return }
        report.find("\(what): \(difference)", advice: advice)
    }
}
