import Values

extension Transition {
    /// What a plugin's transition has as its `kind`, in the full form.
    static let pluginKind = "plugin"

    /// The plugin's effect that makes FFmpeg's transitions, and how scripts name one of those:
    /// `xfade.hblur`.
    public static let xfade = "org.cutroom.xfade"
    private static let xfadePrefix = "xfade."

    /// FFmpeg's name of a transition that a script names; nil where it is none of FFmpeg's.
    public static func xfadeName(in kind: String) -> String? {
        kind.hasPrefix(xfadePrefix) ? String(kind.dropFirst(xfadePrefix.count)) : nil
    }

    /// `{ "dissolve", 0.5 }`, `{ kind = "dissolve", duration = 0.5 }`, or a duration alone for a
    /// dissolve. A kind without its duration is refused with the form. A plugin's is `{ kind =
    /// "plugin", effect = ID, duration = 0.5, parameters = { … } }`.
    init(reading value: Value, object: String, origin: Origin?, folder: String?) throws(Problem) {
        var table: [String: Value]
        switch value {
        case .array(let items) where items.count == 2: table = ["kind": items[0], "duration": items[1]]
        case .array(let items) where items.count == 1: table = ["kind": items[0]]
        case .string(let text) where text.first?.isLetter == true: table = ["kind": value]
        case .number, .string: table = ["duration": value]
        case .object(let fields): table = fields
        default:
            throw Problem(
                object,
                "‘transition’ is \(value.forPeople), but must be { kind, seconds } such as { \"dissolve\", 0.5 }",
                origin: origin)
        }
        var fields = try FieldReader(.object(table), object: "\(object), transition", origin: origin, folder: folder)
        let name = try fields.string("kind") ?? Kind.dissolve.name
        guard let duration = try fields.time("duration") else {
            guard name != Self.pluginKind, table["kind"] != nil else {
                throw fields.problem("needs a ‘duration’ in seconds")
            }
            guard Kind(named: name) != nil else { throw fields.problem(Kind.refusal(of: name)) }
            throw fields.problem(Self.missingSeconds(of: name))
        }
        guard duration > .zero else {
            throw fields.problem("lasts \(duration.forPeople) s, but must last longer than 0")
        }
        if let kind = Kind(named: name) {
            self.init(kind, duration: duration)
        } else if name == Self.pluginKind {
            self.init(.plugin(try PluginEffect(reading: &fields)), duration: duration)
        } else {
            throw fields.problem(Kind.refusal(of: name))
        }
        try fields.finish(hint: name == Self.pluginKind ? PluginEffect.parametersHint : nil)
    }

    /// The sentence for a kind, as a script writes it, without its duration.
    static func missingSeconds(of kind: String) -> String {
        "\(Value.quoted(kind)) needs its seconds too, such as { \"\(Effect.shortened(kind))\", 0.5 }"
    }

    /// `{ kind, duration }`, or a plugin's table.
    func value(in folder: String?) -> Value {
        guard case .plugin(let effect) = kind else {
            return .array([.string(kind.name), .string(duration.description)])
        }
        var writer = FieldWriter(folder: folder)
        writer.put("kind", Self.pluginKind)
        writer.put("duration", duration)
        effect.write(to: &writer)
        return writer.value
    }
}

extension Transition.Kind {
    /// The sentence for a kind that there is not.
    static func refusal(of name: String) -> String {
        guard name.contains(".") else {
            return
                "‘kind’ is \(Value.quoted(name))\(suggestion(for: name, in: builtIn.map(\.name), otherNames: .transitions))"
        }
        return "‘kind’ is \(Value.quoted(name)); the id of a plugin's effect is its ‘effect’, and its ‘kind’ \"plugin\""
    }
}
