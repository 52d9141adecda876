import Composition
import Draft
import Foundation
import Glibc
import PluginABI
import PluginHosting

/// Tests of a library as a whole.
extension PluginChecker {
    /// Seconds of processor time.
    private static let longestLoading = 0.1

    func checkLoad(_ library: PluginLibrary, seconds: Double) {
        report.write(
            .library(
                .init(
                    name: library.name,
                    effects: library.effects.map { .init(id: $0.descriptor.id, kind: $0.descriptor.kind) },
                    files: library.entry.files)))
        // Libraries of other interfaces are opened only on request.
        if seconds > Self.longestLoading, library.entry.bridge == nil {
            report.find(
                "opening, initialising and describing the library takes \(Int(seconds * 1000)) ms of processor time",
                advice:
                    "leave work to create: every command that knows plugins opens all of them; "
                    + "\(Int(Self.longestLoading * 1000)) ms are allowed"
            )
        }
        if library.effects.isEmpty, library.problems.isEmpty {
            report.find("the library has no effects", advice: "count them in effect_count")
        }
    }

    func checkSymbols(_ library: PluginLibrary) throws {
        try requireOwnInterface(library)
        guard let data = FileManager.default.contents(atPath: launch.path), let symbols = ElfSymbols(data) else {
            throw report.stop("the library has no table of dynamic symbols", advice: "link it with a usual linker")
        }
        // Marks of linkers and of sanitizers.
        let marks: Set = ["cutroom_plugin_entry", "__bss_start", "_edata", "_end", "_init", "_fini"]
        let extra = symbols.exported.filter { !marks.contains($0) && !$0.hasPrefix("__odr_asan") }
        guard let first = extra.first else { return }
        let others = extra.count == 1 ? "" : " and \(extra.count - 1) more"
        report.find(
            "it exports ‘\(first)’\(others) besides cutroom_plugin_entry",
            advice: "compile with -fvisibility=hidden and link with -Wl,--version-script=exports.map, which holds: "
                + "{ global: cutroom_plugin_entry; local: *; };")
    }

    func checkEntry(_ library: PluginLibrary) throws {
        try requireOwnInterface(library)
        let entry = library.entry
        let count = entry.effectCount()
        for index in [count, count &+ 1, .max] where entry.effect(index).table != nil {
            report.find(
                "effect(\(index)) is not null, but there are \(count) effects",
                advice: "return null at and above effect_count")
        }
        // Another user in the process begins to use it.
        report.at("init for the second time")
        let status = entry.initialize(host.makeTable(.usual), launch.path)
        if status != CUTROOM_OK {
            report.find(
                "init returns \(status) when called for the second time",
                advice: "count calls, and return CUTROOM_OK to each")
        }
        report.at("deinit of the second init")
        entry.deinitialize()
        report.at("describing after init, init, deinit")
        if entry.effectCount() != count {
            report.find(
                "effect_count changed from \(count) to \(entry.effectCount())",
                advice: "give the same answers each time")
        }
        for effect in library.effects {
            report.at("extension of \(effect.descriptor.id)")
            if let get = effect.table.extension, get(effect.original, "org.example.nobody-has-this", 1) != nil {
                report.find(
                    "extension answers an unknown id with a table",
                    advice: "compare the id, and return null to unknown ones")
            }
        }
    }

    func checkDescriptors(_ library: PluginLibrary) throws {
        for problem in library.problems { report.find(problem.reason, advice: "mend the descriptor") }
        if library.name.isBroken {
            report.find("the name of the library is not UTF-8", advice: EffectDescriptor.textAdvice)
        }
        let entry = library.entry
        for (index, effect) in library.effects.enumerated() where library.problems.isEmpty {
            let id = effect.descriptor.id
            if entry.effect(UInt32(index)).table != effect.original {
                report.find(
                    "effect(\(index)) gives another address when asked again", advice: "give the same table each time")
            } else if let again = try? PluginEffectTable(
                entry.effect(UInt32(index)), path: launch.path, digest: library.digest, files: library.entry.files),
                again.descriptor != effect.descriptor
            {
                report.find(
                    "the descriptor of \(id) changes", advice: "leave descriptors as they are until the process ends")
            }
            // The plugin is not at fault for what a bridge refuses.
            if library.entry.bridge == nil, let refusal = effect.descriptor.refusal {
                report.find(
                    "effect \(id) is refused by every render: \(refusal)",
                    advice:
                        "declare less: CUTROOM_STATE_SEQUENTIAL needs no frames around the current one, and a parameter can "
                        + "name a file in place of the network")
            }
            for defect in effect.descriptor.oddNumbers + effect.descriptor.brokenTexts {
                report.find("effect \(id) \(defect.what)", advice: defect.advice)
            }
            for defect in effect.contradictions { report.find("effect \(id) \(defect.what)", advice: defect.advice) }
        }
    }

    /// What a bridge presents has an entry of the bridge's.
    private func requireOwnInterface(_ library: PluginLibrary) throws {
        if let bridge = library.entry.bridge { throw report.skip("it is a \(bridge) plugin") }
    }
}

extension PluginEffectTable {
    /// Declarations that do not go together.
    fileprivate var contradictions: [(what: String, advice: String)] {
        var list: [(what: String, advice: String)] = []
        let isSound = table.kind == CUTROOM_KIND_AUDIO_FILTER
        let isEither = table.kind == CUTROOM_KIND_ANALYSER || table.kind == CUTROOM_KIND_SOURCE
        let pictures = formats.contains(.rgba8) || formats.contains(.rgbaFloat)
        let sound = formats.contains(.pcmFloatPlanar)
        if isSound ? !sound : isEither ? !(pictures || sound) : !pictures {
            list.append(
                (
                    "lists none of the formats that every host has",
                    "list \(isSound ? "PCMF32_PLANAR" : "RGBA8 or RGBAF32") besides others"
                ))
        }
        if isSound, formats.contains(where: { $0 != .pcmFloatPlanar }) {
            list.append(("is an audio filter and lists a format of pictures", "list formats of sound only"))
        }
        if !isSound, !isEither, sound {
            list.append(("is no effect of sound and lists a format of sound", "leave it out"))
        }
        if !isSound, table.capabilities & CUTROOM_WANTS_KEY != 0 {
            list.append(("wants a key and is no audio filter", "do not declare CUTROOM_WANTS_KEY"))
        }
        if Set(formats).count < formats.count { list.append(("lists a format twice", "list each once, best first")) }
        if table.state != CUTROOM_STATE_PURE, table.reset == nil {
            list.append(("has state and no reset", "write reset, which forgets all frames so far"))
        }
        if table.state == CUTROOM_STATE_WARM_UP, table.warm_up == 0 {
            list.append(("declares a warm-up of no frames", "set warm_up, or declare CUTROOM_STATE_PURE"))
        }
        if table.capabilities & CUTROOM_CAN_SHARE_INSTANCE != 0,
            table.state != CUTROOM_STATE_PURE || table.concurrency != CUTROOM_CONCURRENCY_REENTRANT
        {
            list.append(
                (
                    "can share its instance, but is not both pure and re-entrant",
                    "declare all three, or do not declare CUTROOM_CAN_SHARE_INSTANCE"
                ))
        }
        return list
    }
}

extension EffectDescriptor {
    fileprivate static let textAdvice = "save the source in UTF-8, and let the compiler keep it (-fexec-charset=UTF-8)"

    /// Whole numbers whose bounds or defaults are not whole.
    fileprivate var oddNumbers: [(what: String, advice: String)] {
        parameters.filter(CheckValues.isWhole).flatMap { parameter in
            let bounds = parameter.minimum < parameter.maximum ? [parameter.minimum, parameter.maximum] : []
            let numbers = bounds.map { ("bound", $0) } + parameter.initial.map { ("default", $0) }
            return numbers.filter { $0.1 != $0.1.rounded() }.map { name, number in
                (
                    what: "has the parameter ‘\(parameter.id)’ of whole numbers with the \(name) \(number)",
                    advice: "make it whole, or use CUTROOM_PARAM_DOUBLE"
                )
            }
        }
    }

    /// Texts in which bytes had to be replaced.
    fileprivate var brokenTexts: [(what: String, advice: String)] {
        let own = [("name", name), ("version", version), ("vendor", vendor), ("license", license), ("help", help)]
        let texts =
            own
            + parameters.flatMap { parameter in
                [
                    ("label", parameter.label), ("unit", parameter.unit), ("help", parameter.help),
                    ("default", parameter.initialText),
                ].map { ("\($0) of the parameter ‘\(parameter.id)’", $1) }
                    + parameter.choices.map { ("choice \($0) of the parameter ‘\(parameter.id)’", $0) }
            }
        return texts.filter { $0.1.isBroken }.map { (what: "has a \($0.0) that is not UTF-8", advice: Self.textAdvice) }
    }
}

extension String {
    /// True where it was made of bytes that are not UTF-8.
    fileprivate var isBroken: Bool { unicodeScalars.contains("\u{FFFD}") }
}
