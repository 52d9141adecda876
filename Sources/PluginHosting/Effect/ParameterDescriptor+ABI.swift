import Draft
import PluginABI

extension ParameterDescriptor {
    /// What is wrong with a parameter: a sentence without a subject.
    struct Defect: Error {
        var reason: String
    }

    /// What the interface's form says, checked: an id, a known type, finite ordered bounds, a
    /// default inside them.
    init(_ param: cutroom_param) throws(Defect) {
        guard let id = pluginText(param.id), isIdentifier(id) else {
            throw Defect(reason: "has no id of a-z, 0-9 and _")
        }
        guard let kind = Self.kind(param.type) else {
            throw Defect(reason: "‘\(id)’ has the type \(param.type), which is not known; it may need a newer Cutroom")
        }
        guard let label = pluginText(param.label), let unit = pluginText(param.unit), let help = pluginText(param.help)
        else {
            throw Defect(reason: "‘\(id)’ lacks its label, unit or help")
        }
        guard param.minimum.isFinite, param.maximum.isFinite, param.minimum <= param.maximum else {
            throw Defect(reason: "‘\(id)’ has the bounds \(param.minimum)…\(param.maximum)")
        }
        var choices: [String] = []
        if kind == .enum {
            guard param.choice_count > 0, param.choice_count <= 1024, let ids = param.choice_ids else {
                throw Defect(reason: "‘\(id)’ is an enumeration without values")
            }
            for index in 0..<Int(param.choice_count) {
                guard let choice = pluginText(ids[index]), !choices.contains(choice) else {
                    throw Defect(reason: "‘\(id)’ has the same value twice, or one without an id")
                }
                choices.append(choice)
            }
        }
        let initial = [param.initial.0, param.initial.1, param.initial.2, param.initial.3].prefix(kind.componentCount)
        self.init(
            id: id, kind: kind, label: label, unit: unit, help: help,
            isAnimatable: param.flags & CUTROOM_PARAM_ANIMATABLE != 0 && param.flags & CUTROOM_PARAM_SETUP_ONLY == 0
                && kind.componentCount > 0,
            isHidden: param.flags & CUTROOM_PARAM_HIDDEN != 0,
            isExpected: param.flags & CUTROOM_PARAM_EXPECTED != 0 && kind.componentCount == 0,
            minimum: param.minimum, maximum: param.maximum,
            initial: Array(initial), initialText: pluginText(param.initial_text) ?? "", choices: choices)
        let bounds = bounds
        for number in initial where !number.isFinite || bounds?.contains(number) == false {
            throw Defect(reason: "‘\(id)’ has the default \(number), which is outside its bounds")
        }
    }

    private static func kind(_ type: cutroom_param_type) -> Kind? {
        switch type {
        case CUTROOM_PARAM_DOUBLE: .double
        case CUTROOM_PARAM_INT: .int
        case CUTROOM_PARAM_BOOL: .bool
        case CUTROOM_PARAM_ENUM: .enum
        case CUTROOM_PARAM_COLOR: .color
        case CUTROOM_PARAM_POINT: .point
        case CUTROOM_PARAM_STRING: .string
        case CUTROOM_PARAM_PATH: .path
        default: nil
        }
    }
}
