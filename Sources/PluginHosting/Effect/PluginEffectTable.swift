import Draft
import PluginABI

/// An effect's table as the plugin gave it, copied and checked, and what it says in the model's
/// terms.
package struct PluginEffectTable {
    /// What is wrong with a descriptor: a sentence without a subject.
    package struct Defect: Error {
        /// Nil where not even that could be read.
        var effectID: String?
        var reason: String
    }

    /// The plugin's own, which `create` wants back.
    package let original: UnsafePointer<cutroom_effect>
    /// A copy of this host's size: fields that the plugin's table does not have are zero.
    package private(set) var table: cutroom_effect
    package private(set) var descriptor: EffectDescriptor
    /// Best first; formats that this host does not know are left out.
    package let formats: [PluginFormat]

    package init(_ effect: PluginEntry.Effect, path: String, digest: String, files: [String] = []) throws(Defect) {
        guard let pointer = effect.table else { throw Defect(reason: "the plugin has no table for it") }
        original = pointer
        let needed = MemoryLayout<cutroom_effect>.offset(of: \.process)! + MemoryLayout<UInt>.size
        let size = UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)
        guard size >= needed else {
            throw Defect(reason: "its table has \(size) bytes; version 1.0 has at least \(needed)")
        }
        var table = cutroom_effect()
        cutroom_copy(&table, MemoryLayout<cutroom_effect>.size, pointer)
        // A source has nothing to look around in.
        if table.kind == CUTROOM_KIND_SOURCE { (table.reach_before, table.reach_after) = (0, 0) }
        self.table = table

        guard let id = pluginText(table.id) else { throw Defect(reason: "its id is null") }
        // Other interfaces have names of their own, which may have capitals.
        let isID = effect.isBridged ? isIdentifier(id, dots: true) && id.contains(".") : EffectID.isValid(id)
        guard isID else { throw Defect(reason: "its id ‘\(id)’ is not \(EffectID.rule)") }
        guard let kind = Self.kind(table.kind) else {
            throw Defect(effectID: id, reason: "kind \(table.kind) is not known; it may need a newer Cutroom")
        }
        let lacking = lackingFunctions([
            ("create", table.create != nil), ("destroy", table.destroy != nil), ("process", table.process != nil),
        ])
        if let lacking { throw Defect(effectID: id, reason: "it lacks \(lacking)") }
        guard table.format_count > 0, table.format_count <= 64, let formats = table.formats else {
            throw Defect(effectID: id, reason: "it lists no formats")
        }
        self.formats = (0..<Int(table.format_count)).compactMap { PluginFormat(rawValue: formats[$0]) }
        let text = [
            ("version", table.version), ("name", table.name), ("vendor", table.vendor), ("license", table.license),
            ("help", table.help),
        ]
        var texts: [String] = []
        for (field, pointer) in text {
            guard let text = pluginText(pointer) else { throw Defect(effectID: id, reason: "its \(field) is null") }
            texts.append(text)
        }
        descriptor = EffectDescriptor(
            id: id, kind: kind, name: texts[1], version: texts[0], vendor: texts[2], license: texts[3], help: texts[4],
            state: Self.state(table.state), warmUp: Int(table.warm_up), reachBefore: Int(table.reach_before),
            reachAfter: Int(table.reach_after), determinism: Self.determinism(table.determinism),
            isKeyed: kind == .audioFilter && table.capabilities & CUTROOM_WANTS_KEY != 0,
            ignoresTimeline: table.capabilities & CUTROOM_IGNORES_TIMELINE != 0,
            parameters: try Self.parameters(table, id: id), formats: self.formats.map(\.name),
            refusal: effect.refusal ?? Self.unmetNeed(table, kind), path: path, digest: digest, files: files)
    }

    func renamed(_ id: String) -> PluginEffectTable {
        var copy = self
        copy.descriptor.id = id
        return copy
    }

    /// The effect as if it declared that its frames follow from their calls alone.
    package var takenForPure: PluginEffectTable {
        var copy = self
        (copy.table.state, copy.descriptor.state) = (CUTROOM_STATE_PURE, .pure)
        (copy.table.determinism, copy.descriptor.determinism) = (CUTROOM_DETERMINISM_EXACT, .exact)
        return copy
    }

    /// What the effect asks for that this host does not give; nil where it asks for nothing of the
    /// kind.
    private static func unmetNeed(_ table: cutroom_effect, _ kind: EffectDescriptor.Kind) -> String? {
        let isSound = kind == .audioFilter
        if isSound, max(table.reach_before, table.reach_after) > longestSoundReach {
            return
                "it needs \(table.reach_before) samples before a block and \(table.reach_after) after it, but may have "
                + "\(longestSoundReach) of each"
        }
        let warmUp = table.state == CUTROOM_STATE_WARM_UP ? table.warm_up : 0
        if max(table.reach_before, table.reach_after, warmUp) > longestReach, !isSound {
            return "it needs \(table.reach_before) frames before the current one, \(table.reach_after) after it and "
                + "\(warmUp) to warm up, but may have \(longestReach) of each"
        }
        if table.capabilities & CUTROOM_NEEDS_NETWORK != 0 {
            return "it needs the network, which plugins are not given"
        }
        return nil
    }

    /// Frames: what a window may hold in memory, and what may be rendered only to be dropped.
    private static let longestReach = 250
    /// Samples: 22 s at 48 kHz, 8 MB in stereo.
    private static let longestSoundReach = 1 << 20

    /// The output may lie in the memory of the first input.
    package var worksInPlace: Bool { table.capabilities & CUTROOM_CAN_IN_PLACE != 0 }

    /// One instance may serve many uses. Only what says that it is pure and re-entrant is believed.
    package var sharesInstances: Bool {
        table.capabilities & CUTROOM_CAN_SHARE_INSTANCE != 0 && descriptor.state == .pure
            && table.concurrency == CUTROOM_CONCURRENCY_REENTRANT
    }

    private static func determinism(_ determinism: cutroom_determinism) -> EffectDescriptor.Determinism {
        switch determinism {
        case CUTROOM_DETERMINISM_EXACT: .exact
        case CUTROOM_DETERMINISM_MACHINE: .machine
        default: .none
        }
    }

    private static func kind(_ kind: cutroom_kind) -> EffectDescriptor.Kind? {
        switch kind {
        case CUTROOM_KIND_FILTER: .filter
        case CUTROOM_KIND_TRANSITION: .transition
        case CUTROOM_KIND_SOURCE: .source
        case CUTROOM_KIND_AUDIO_FILTER: .audioFilter
        case CUTROOM_KIND_ANALYSER: .analyser
        default: nil
        }
    }

    /// A value that is not known is taken for the most cautious one.
    private static func state(_ state: cutroom_state) -> EffectDescriptor.State {
        switch state {
        case CUTROOM_STATE_PURE: .pure
        case CUTROOM_STATE_WARM_UP: .warmUp
        default: .sequential
        }
    }

    private static func parameters(_ table: cutroom_effect, id: String) throws(Defect) -> [ParameterDescriptor] {
        guard table.param_count > 0 else { return [] }
        // Version 1.0 ends with this field.
        let needed = MemoryLayout<cutroom_param>.offset(of: \.reserved)! + MemoryLayout<UInt32>.size
        let stride = Int(table.param_stride)
        guard table.param_count <= 1024, let first = table.params else {
            throw Defect(
                effectID: id,
                reason:
                    "it claims \(table.param_count) parameters and \(table.params == nil ? "has none" : "may have 1024")"
            )
        }
        guard stride >= needed, stride % 8 == 0 else {
            throw Defect(
                effectID: id, reason: "its parameters are \(stride) bytes apart; version 1.0 has at least \(needed)")
        }
        var parameters: [ParameterDescriptor] = []
        for index in 0..<Int(table.param_count) {
            var param = cutroom_param()
            withUnsafeMutableBytes(of: &param) {
                let source = UnsafeRawPointer(first) + index * stride
                $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: min(stride, $0.count)))
            }
            do throws(ParameterDescriptor.Defect) {
                parameters.append(try ParameterDescriptor(param))
            } catch {
                throw Defect(effectID: id, reason: "its parameter number \(index) \(error.reason)")
            }
            let name = parameters[index].id
            if parameters.dropLast().contains(where: { $0.id == name }) {
                throw Defect(effectID: id, reason: "it has two parameters ‘\(name)’")
            }
        }
        return parameters
    }
}

/// Returns whether a text has only letters a–z, digits, `_` and, with `dots`, `.`, `-` and
/// capitals, which names of other interfaces have.
func isIdentifier(_ text: String, dots: Bool = false) -> Bool {
    !text.isEmpty && text.utf8.count <= 200
        && text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "0"..."9", "_": true
            case "A"..."Z", ".", "-": dots
            default: false
            }
        }
}
