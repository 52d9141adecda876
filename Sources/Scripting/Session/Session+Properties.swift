import Draft
import Values

/// Reading and setting the properties of clips, audio clips and effects. Setting one reads the
/// whole entry again with that key changed, so that every rule is checked and nothing is half set.
extension Session {
    func property(_ call: LuaCall, _ draft: Int) throws -> Value {
        let item = try item(call, draft)
        let name = call.name(3)
        switch item.element {
        case .clip(let clip):
            if let value = try computed(name, clip, item, draft, call) { return value }
            if let source = clip.generator { return try property(name, clip, source, item, draft, call) }
            let hidden = Set(clip.isImage ? Clip.mediaOptionNames : [])
            try refuseUnknown(name, Clip.optionNames + Self.computedNames, hidden: hidden, item, draft, call)
            return clip.scriptFields[name].map { shown($0, name) } ?? clip.unsetValues[name] ?? .null
        case .audio(let clip):
            if name == "path" { return .string(clip.path) }
            if name == "duration" { return audioDuration(clip) }
            try refuseUnknown(name, AudioClip.optionNames + ["path", "duration"], item, draft, call)
            return clip.scriptFields[name].map { shown($0, name) } ?? AudioClip.unsetValues[name] ?? .null
        case .effect(let effect):
            if effect.layer != nil, ["media", "image"].contains(name) {
                try refuseUnknown(name, Array(try defaults(of: effect).keys), item, draft, call)
            }
            if let value = effect.scriptFields.getting(name, beside: effect.ownKeys) {
                return effect.plugin.map { shown(value, name, of: $0.effectID, beside: effect.ownKeys) }
                    ?? shown(value, name)
            }
            let defaults = try defaults(of: effect)
            let hidden = try hiddenParameters(of: effect.plugin)
            try refuseUnknown(name, Array(defaults.keys), hidden: hidden, item, draft, call)
            return defaults[name] ?? .null
        }
    }

    /// A property of a generated clip that is not computed.
    private func property(
        _ name: String, _ clip: Clip, _ source: PluginEffect, _ item: Item, _ draft: Int, _ call: LuaCall
    ) throws -> Value {
        let own = Set(Clip.generatedOptionNames)
        if let value = clip.scriptFields.getting(name, beside: own) {
            return shown(value, name, of: source.effectID, beside: own)
        }
        let defaults = try defaults(of: source).filter { !own.contains($0.key) }
        try refuseUnknown(
            name, Clip.generatedOptionNames + Self.generatedNames + Array(defaults.keys),
            hidden: try hiddenParameters(of: source), item,
            draft, call)
        return name == "effects" ? .array([]) : defaults[name] ?? .null
    }

    func setProperty(_ call: LuaCall, _ draft: Int) throws -> Value {
        let (item, list) = (try item(call, draft), try list(call))
        let name = call.name(3)
        var changed = item
        changed.element = try element(item, setting: name, to: call.argument(4), draft, call)
        try refuseProblems(changed.element, self.name(of: item, list, in: draft), replacing: item.element, call)
        try refuseTakenID(changed, list, draft, call)
        try spend(call.argument(4).cost, call)
        drafts[draft].change { contents in
            guard let index = contents[list].place(ofKey: item.key) else { return }
            contents[list][index] = changed
        }
        return .null
    }

    func element(
        _ item: Item, setting name: String, to value: Value, _ draft: Int, _ call: LuaCall
    ) throws -> Item.Element {
        switch item.element {
        case .clip(let clip):
            try refuseComputed(name, Self.computedNames.filter { $0 != "duration" }, item, draft, call)
            if let source = clip.generator {
                try refuseComputed(name, Self.generatedNames, item, draft, call)
                let known = Clip.generatedOptionNames + Array(try defaults(of: source).keys)
                if value == .null {
                    try refuseUnknown(name, known, hidden: try hiddenParameters(of: source), item, draft, call)
                }
                let fields = clip.scriptFields.setting(name, to: value, beside: Set(Clip.generatedOptionNames))
                let object = self.name(of: item, .clips, in: draft)
                var new = try readGenerated(
                    source.effectID, .object(fields), setting: name, object, call.origin)
                new.remember(clip, setting: name, at: call.origin)
                return .clip(new)
            }
            try refuseUnknown(
                name, Clip.optionNames, hidden: Set(clip.isImage ? Clip.mediaOptionNames : []), item, draft, call)
            var fields = clip.scriptFields
            if name == "size" { (fields["width"], fields["height"]) = (nil, nil) }
            fields[name] = value
            // Each of the two decides the other, and the clip knows its speed only.
            let object = self.name(of: item, .clips, in: draft)
            if name == "duration", !clip.isImage {
                guard clip.timing.speed == nil else {
                    throw Problem(
                        object,
                        "its ‘speed’ is a curve, which decides its ‘duration’; change the curve, or set ‘speed’ to a number first",
                        origin: call.origin)
                }
                fields["speed"] = nil
            }
            var new =
                if let nested = clip.nested {
                    try readNested(nested, .object(fields), setting: name, object, call.origin)
                } else {
                    try readClip(
                        clip.path, isImage: clip.isImage, .object(fields), setting: name, object, call.origin)
                }
            new.remember(clip, setting: name, at: call.origin)
            new.keepStretch(of: clip, setting: name)
            return .clip(new)
        case .audio(let clip):
            try refuseComputed(name, ["path", "duration"], item, draft, call)
            try refuseUnknown(name, AudioClip.optionNames, item, draft, call)
            var fields = clip.scriptFields
            fields[name] = value
            let object = self.name(of: item, .audio, in: draft)
            var new = try readAudio(clip.path, .object(fields), setting: name, object, call.origin)
            new.remember(clip, setting: name, at: call.origin)
            return .audio(new)
        case .effect(let effect):
            try refuseComputed(
                name, effect.layer == nil ? ["kind"] : ["kind", "path", "source"], item, draft, call)
            if value == .null {
                let known = Array(try defaults(of: effect).keys) + (effect.plugin == nil ? [] : ["params"])
                try refuseUnknown(name, known, hidden: try hiddenParameters(of: effect.plugin), item, draft, call)
            }
            var fields = effect.scriptFields
            fields["kind"] = nil
            if effect.layer != nil, name == "size" { (fields["width"], fields["height"]) = (nil, nil) }
            if effect.plugin == nil {
                fields[name] = value
            } else {
                fields = fields.setting(name, to: value, beside: effect.ownKeys)
            }
            let index = drafts[draft].contents[.effects].place(ofKey: item.key) ?? 0
            var new =
                if let nested = effect.layer?.clip.nested {
                    try readLayer(
                        nil, showing: nested, .object(fields), setting: name, "effect \(index + 1)", call.origin)
                } else {
                    try readEffect(
                        effect.kindName, .object(fields), setting: name, "effect \(index + 1)", call.origin)
                }
            if case .layer(var layer) = new.kind, let old = effect.layer {
                if name != "effects" { layer.clip.effects = old.clip.effects }
                layer.clip.keepStretch(of: old.clip, setting: name)
                new.kind = .layer(layer)
            }
            (new.origin, new.changes) = (effect.origin, effect.changes)
            new.changes.note(name, at: call.origin)
            return .effect(new)
        }
    }

    /// - Parameter hidden: known names that are not listed for users.
    private func refuseUnknown(
        _ name: String, _ known: [String], hidden: Set<String> = [], _ item: Item, _ draft: Int, _ call: LuaCall
    ) throws {
        guard !known.contains(name) else { return }
        let object = self.name(of: item, try list(call), in: draft)
        let others: OtherNames =
            switch item.element {
            case .clip: .clip
            case .audio: .audio
            case .effect(let effect): .effect(effect.kindName)
            }
        // The one method that an entry has.
        let hint = suggestion(
            for: name, in: Set(known).subtracting(hidden), others: ["copy"], otherNames: others)
        throw Problem(object, "has no property ‘\(name)’\(hint)", origin: call.origin)
    }

    private func hiddenParameters(of effect: PluginEffect?) throws -> Set<String> {
        guard let effect else { return [] }
        let descriptor = try pluginEffects(with: effect.effectID).first { $0.id == effect.effectID }
        return Set((descriptor?.parameters ?? []).filter(\.isHidden).map(\.id))
    }

    private func refuseComputed(
        _ name: String, _ computed: [String], _ item: Item, _ draft: Int, _ call: LuaCall
    ) throws {
        guard computed.contains(name) else { return }
        throw Problem(
            self.name(of: item, try list(call), in: draft), "its ‘\(name)’ can be read, but not set",
            origin: call.origin)
    }

    // MARK: What is computed

    private static let computedNames = ["path", "kind", "start", "duration", "source_range"]
    /// The computed properties that only a generated clip has.
    private static let generatedNames = ["source"]

    private func computed(_ name: String, _ clip: Clip, _ item: Item, _ draft: Int, _ call: LuaCall) throws -> Value? {
        let media = (clip.nested.map { $0.duration(catalog) } ?? catalog.info(clip.path)?.duration) ?? .zero
        switch name {
        case "path": return clip.file == nil ? .null : .string(clip.path)
        case "source": return clip.generator.map { .string($0.effectID) }
        case "kind": return .string(clip.contentName)
        case "duration": return .number(clip.durationAtMainTrack(mediaDuration: media).seconds)
        case "source_range": return clip.sourceRange(mediaDuration: media).scriptValue
        case "start":
            let placed = drafts[draft].outline(catalog).clips
            let index = drafts[draft].contents[.clips].place(ofKey: item.key) ?? 0
            guard placed.indices.contains(index) else { throw Problems(drafts[draft].draft.validate(catalog)) }
            return .number(placed[index].timeline.start.seconds)
        default: return nil
        }
    }

    /// One pass of the clip's range at its speed.
    private func audioDuration(_ clip: AudioClip) -> Value {
        let sound = catalog.info(clip.path)?.choosing(clip.audioTrack)?.audio?.duration ?? .zero
        return .number((clip.range?.duration ?? sound).scaled(by: clip.speed.reciprocal).seconds)
    }

    // MARK: Defaults

    /// Every property that the effect has, with the value that it has where none was given; null
    /// where there is none.
    private func defaults(of effect: Effect) throws -> [String: Value] {
        var result: [String: Value] = ["kind": .null, "id": .null, "range": .null, "pass_through": false]
        switch effect.kind {
        case .speed: result["factor"] = .null
        case .repeat: result["count"] = .null
        case .picture(.lut): result.merge(["image": .null, "intensity": 1]) { $1 }
        case .picture(.sticker): result.merge(["image": .null, "rect": .null, "opacity": 1]) { $1 }
        case .picture(.title): result.merge(Title.unsetValues) { $1 }
        case .picture(.subtitles): result.merge(Subtitles.unsetValues) { $1 }
        case .picture(.filter(let filter)), .sound(let filter):
            result.merge(try defaults(of: filter)) { own, _ in own }
            if catalog.effect(filter.effectID)?.isKeyed == true { result["key"] = .null }
        case .picture(.overlay(let overlay)):
            result.merge(["rect": .null, "opacity": 1]) { $1 }
            result.merge(try defaults(of: overlay.source)) { own, _ in own }
        case .layer(let layer):
            for key in ["range", "pass_through", "transition", "background"] { result[key] = nil }
            if let source = layer.clip.generator {
                result.merge(try self.defaults(of: source)) { own, _ in own }
            }
            result.merge(layer.clip.unsetValues) { $1 }
            result.merge(Layer.unsetValues) { $1 }
            for name in Clip.optionNames { result[name] = result[name] ?? .null }
            for name in ["transition", "background"] { result[name] = nil }
            if layer.clip.file != nil { result["path"] = .string(layer.clip.path) }
            if layer.clip.nested != nil { result["path"] = .null }
            if layer.clip.color != nil { result["mode"] = nil }
        }
        return result
    }

    /// The properties that are a plugin's parameters.
    private func defaults(of effect: PluginEffect) throws -> [String: Value] {
        let descriptor = try pluginEffects(with: effect.effectID).first { $0.id == effect.effectID }
        let parameters = descriptor?.parameters ?? []
        return Dictionary(parameters.map { ($0.id, $0.defaultValue) }) { first, _ in first }
    }
}

extension [String: Value] {
    /// The value of one of `own`, else of a plugin's parameter.
    fileprivate func getting(_ name: String, beside own: Set<String>) -> Value? {
        self[name] ?? (own.contains(name) ? nil : self["params"]?.fields[name])
    }

    /// The options with one changed, which is a plugin's parameter unless it is one of `own`:
    /// parameters lie in `params` where any of them does. `params` itself is all of them.
    fileprivate func setting(_ name: String, to value: Value, beside own: Set<String>) -> [String: Value] {
        var fields = name == "params" ? filter { own.contains($0.key) } : self
        let value = value == .null ? nil : value
        if var parameters = fields["params"]?.fields, name != "params", !own.contains(name) {
            parameters[name] = value
            fields["params"] = .object(parameters)
        } else {
            fields[name] = value
        }
        return fields
    }
}

extension Effect {
    /// The entry's table as a script sees it.
    fileprivate var scriptFields: [String: Value] {
        var effect = self
        // The script did not write the draft's content here.
        if case .layer(var layer) = kind, layer.clip.nested != nil {
            layer.clip.content = .draft(NestedDraft(Draft()), range: layer.clip.wishedRange)
            effect.kind = .layer(layer)
        }
        return ShortForm.short(effect: effect.value()).fields.filter { $0.key != NestedDraft.key }
    }
}

extension Clip {
    /// The content as scripts read it.
    fileprivate var contentName: String {
        switch content {
        case .media: "media"
        case .image: "image"
        case .generated: "generated"
        case .color: "color"
        case .draft: "draft"
        }
    }

    /// The clip's options as a script sees them.
    fileprivate var scriptFields: [String: Value] { ShortForm.short(clip: value()).fields }
}

extension AudioClip {
    /// The clip's options as a script sees them.
    fileprivate var scriptFields: [String: Value] { ShortForm.short(clip: value()).fields }
}

extension ParameterDescriptor {
    fileprivate var defaultValue: Value {
        switch kind {
        case .string, .path: .string(initialText)
        case .enum where initial.first.flatMap { Int(exactly: $0) }.map(choices.indices.contains) ?? false:
            .string(choices[Int(initial[0])])
        case .bool: .bool(initial.first != 0)
        default: initial.count == 1 ? .number(initial[0]) : .array(initial.map(Value.number))
        }
    }
}
