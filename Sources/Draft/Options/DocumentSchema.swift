import Delivery
import Values

/// The JSON Schema (draft 2020-12) of a draft's document. It comes from the tables of options; what
/// depends on files and plugins, or on two options at once, it does not say.
public enum DocumentSchema {
    public static var value: Value {
        var draft = draftFields
        draft["cutroom"] = .object(["const": .number(Double(DraftDocument.version))])
        return .object([
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A draft of Cutroom",
            "type": "object", "properties": .object(draft), "required": .array(["cutroom"]),
            "additionalProperties": false,
            "$defs": .object(definitions),
        ])
    }

    private static var draftFields: [String: Value] {
        var fields = DraftOptions.options.properties()
        fields["canvas"] = Schema.object(Canvas.options.properties())
        fields["clips"] = Schema.list(Schema.reference("clip"))
        fields["audio"] = Schema.list(Schema.reference("audio_clip"))
        fields["effects"] = Schema.list(Schema.reference("entry"))
        var export = ExportSettings.options.properties()
        export["video"] = Schema.object(ExportSettings.Video.options.properties())
        export["audio"] = Schema.object(ExportSettings.Audio.options.properties())
        fields["export"] = Schema.object(export)
        return fields
    }

    private static var definitions: [String: Value] {
        [
            "draft": Schema.object(draftFields), "clip": Schema.either(contents(layer: false)),
            "audio_clip": Schema.object(
                AudioClip.options.properties().merging(["media": Schema.text]) { $1 }, required: ["media"]),
            "effect": Schema.either(effects), "entry": Schema.either(effects + contents(layer: true)),
            "transition": transition, "entrance": entrance, "mask": mask,
            "time": Schema.either([Schema.number, Schema.text]),
            "color": .object(["type": "string", "format": "color"]),
            "length": Schema.either([Schema.number, .object(["type": "string", "pattern": #"^[-+0-9.e%px ]+$"#])]),
            "coordinate": Schema.either([
                Schema.reference("length"), Schema.choice(["left", "center", "right", "top", "bottom"]),
            ]),
            "title_position": Schema.either([
                Schema.choice(Anchor.allCases.map(\.rawValue)),
                OptionForm.animated(.list(.reference("coordinate"), 2...2)).schema,
            ]),
            "pair": Schema.either([Schema.number, OptionForm.list(.number(), 2...2).schema]),
            "parameter": Schema.either([
                Schema.number, .object(["type": "boolean"]), Schema.text, .object(["type": "array"]),
                Schema.object(["file": Schema.text], required: ["file"]),
            ]),
            "parameters": .object(["type": "object", "additionalProperties": Schema.reference("parameter")]),
        ]
    }

    // MARK: Entries

    /// Clips, or layers, by what they show.
    private static func contents(layer isLayer: Bool) -> [Value] {
        var own = isLayer ? Layer.options.properties() : [:]
        if isLayer { own["kind"] = Schema.constant(Effect.layerKind) }
        let isRequired = isLayer ? ["kind"] : []
        func content(
            _ key: String, _ form: Value, _ uses: ObjectUse, _ more: [String: Value] = [:], needs: [String] = []
        )
            -> Value
        {
            var fields = Clip.options.properties(of: uses).merging(own) { $1 }.merging(more) { $1 }
            if isLayer { fields["transition"] = nil }
            fields[key] = form
            return Schema.object(fields, required: isRequired + [key] + needs)
        }
        let playing: ObjectUse = isLayer ? .mediaLayer : .media
        let stills = isLayer ? [] : ["duration"]
        var kinds = [
            content("media", Schema.text, playing), content("draft", Schema.reference("draft"), playing),
            content("image", Schema.text, isLayer ? .imageLayer : .image, needs: stills),
            content(
                "source", Schema.text, isLayer ? .generatedLayer : .generated,
                ["parameters": Schema.reference("parameters")],
                needs: stills),
        ]
        if isLayer { kinds.append(content("color", Schema.reference("color"), .colorLayer)) }
        return kinds
    }

    /// Entries of effect lists that a clip may have, too.
    private static var effects: [Value] {
        let opacity = OptionForm.animated(.number(0...1)).schema
        let rect = OptionForm.animated(.list(.number(), 4...4)).schema
        let key = Schema.either([Schema.text, Schema.list(Schema.text)])
        return [
            entry("speed", ["factor": OptionForm.fraction.schema], needs: ["factor"]),
            entry("repeat", ["count": OptionForm.whole(Effect.countRange).schema], needs: ["count"]),
            entry("lut", ["image": Schema.text, "intensity": opacity], needs: ["image"]),
            entry("sticker", ["image": Schema.text, "rect": rect, "opacity": opacity], needs: ["image", "rect"]),
            entry("title", Title.options.properties(), needs: ["text"]),
            entry(
                "subtitles", Subtitles.options.properties().filter { !["height", "fit"].contains($0.key) },
                needs: ["file"]),
            plugin(.filter, [:]), plugin(.audioFilter, ["key": key]),
            plugin(.overlay, ["rect": OptionForm.list(.whole(), 4...4).schema, "opacity": opacity]),
        ]
    }

    private static func plugin(_ kind: PluginKind, _ fields: [String: Value]) -> Value {
        entry(
            kind.rawValue,
            fields.merging(["effect": Schema.text, "parameters": Schema.reference("parameters")]) { $1 },
            needs: ["effect"])
    }

    private static func entry(_ kind: String, _ fields: [String: Value], needs: [String]) -> Value {
        let common: [String: Value] = [
            "kind": Schema.constant(kind), "id": Schema.text, "range": OptionForm.timeRange.schema,
            "pass_through": OptionForm.flag.schema,
        ]
        return Schema.object(fields.merging(common) { $1 }, required: ["kind"] + needs)
    }

    private static var transition: Value {
        let kind = Schema.choice(Transition.Kind.builtIn.map(\.name))
        return Schema.either([
            Schema.reference("time"),
            .object([
                "type": "array", "prefixItems": .array([kind, Schema.reference("time")]), "minItems": 2, "maxItems": 2,
            ]),
            Schema.object(["kind": kind, "duration": Schema.reference("time")], required: ["duration"]),
            Schema.object(
                [
                    "kind": Schema.constant(Transition.pluginKind), "effect": Schema.text,
                    "duration": Schema.reference("time"),
                    "parameters": Schema.reference("parameters"),
                ], required: ["kind", "effect", "duration"]),
        ])
    }

    private static var entrance: Value {
        let kind = Schema.choice(Entrance.Kind.allCases.map(\.rawValue))
        let fields: [String: Value] = [
            "kind": kind, "duration": Schema.reference("time"), "easing": Schema.text,
            "by": Schema.choice(Entrance.Unit.allCases.map(\.rawValue)), "stagger": Schema.reference("time"),
        ]
        return Schema.either([
            kind,
            .object([
                "type": "array", "prefixItems": .array([kind, Schema.reference("time"), .object(["type": "object"])]),
                "minItems": 1, "maxItems": 3,
            ]), Schema.object(fields, required: ["kind"]),
        ])
    }

    private static var mask: Value {
        let kind = Schema.choice(Mask.Kind.allCases.map(\.rawValue))
        return Schema.either([
            Schema.text,
            .object([
                "type": "array",
                "prefixItems": .array([Schema.text, Schema.either([kind, .object(["type": "object"])])]),
                "minItems": 1, "maxItems": 2,
            ]),
            Schema.object(["image": Schema.text, "kind": kind, "invert": OptionForm.flag.schema], required: ["image"]),
        ])
    }
}

// MARK: - Forms

/// Schemas of JSON values.
private enum Schema {
    static let number: Value = .object(["type": "number"])
    static let text: Value = .object(["type": "string"])

    static func reference(_ name: String) -> Value { .object(["$ref": .string("#/$defs/\(name)")]) }
    static func constant(_ text: String) -> Value { .object(["const": .string(text)]) }
    static func choice(_ names: [String]) -> Value { .object(["enum": .array(names.map(Value.string))]) }
    static func either(_ forms: [Value]) -> Value { .object(["anyOf": .array(forms)]) }
    static func list(_ item: Value) -> Value { .object(["type": "array", "items": item]) }

    static func object(_ fields: [String: Value], required: [String] = []) -> Value {
        var schema: [String: Value] = ["type": "object", "properties": .object(fields), "additionalProperties": false]
        if !required.isEmpty { schema["required"] = .array(required.map(Value.string)) }
        return .object(schema)
    }
}

extension OptionTable {
    /// Returns the schema of each option that some of the objects have, with its help.
    fileprivate func properties(of uses: ObjectUse = .all) -> [String: Value] {
        var fields: [String: Value] = [:]
        for option in options where !option.uses.isDisjoint(with: uses) {
            var schema = option.form.schema.fields
            schema["description"] = .string(option.help.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 })
            fields[option.name] = .object(schema)
        }
        return fields
    }
}

extension OptionForm {
    /// What JSON Schema says of a value in a document.
    fileprivate var schema: Value {
        switch self {
        case .text, .path: return Schema.text
        case .flag: return .object(["type": "boolean"])
        case .color: return Schema.reference("color")
        case .number(let range):
            return bounded("number", range?.lowerBound, range?.upperBound)
        case .whole(let range):
            return bounded("integer", range.map { Double($0.lowerBound) }, range.map { Double($0.upperBound) })
        case .fraction:
            return Schema.either([Schema.number, .object(["type": "string", "pattern": "^[0-9]+(/[0-9]+)?$"])])
        case .seconds: return Schema.reference("time")
        case .timeRange: return OptionForm.list(.seconds, 2...2).schema
        case .length: return Schema.reference("length")
        case .choice(let names): return Schema.choice(names)
        case .list(let item, let count):
            var schema = Schema.list(item.schema).fields
            if let count {
                schema["minItems"] = .number(Double(count.lowerBound))
                schema["maxItems"] = .number(Double(count.upperBound))
            }
            return .object(schema)
        case .animated(let form):
            let key: Value = .object([
                "type": "array", "prefixItems": .array([Schema.reference("time"), form.schema, Schema.text]),
                "minItems": 2, "maxItems": 3,
            ])
            return Schema.either([form.schema, .object(["type": "array", "items": key, "minItems": 1])])
        case .either(let forms): return Schema.either(forms.map(\.schema))
        case .reference(let name): return Schema.reference(name)
        }
    }

    private func bounded(_ type: String, _ low: Double?, _ high: Double?) -> Value {
        var schema: [String: Value] = ["type": .string(type)]
        if let low, low.magnitude < 1e100 { schema["minimum"] = .number(low) }
        if let high, high.magnitude < 1e100 { schema["maximum"] = .number(high) }
        return .object(schema)
    }
}
