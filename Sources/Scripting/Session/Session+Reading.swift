import Draft
import Values

/// Tables to clips and effects: the model's own schema, and what only the files and plugins can
/// tell.
extension Session {
    /// - Parameter property: what is being set; nil: all options come from the script.
    func readClip(
        _ path: String, isImage: Bool, isLayer: Bool = false, _ options: Value, setting property: String? = nil,
        _ object: String, _ origin: Origin
    ) throws -> Clip {
        let found = try info(path, object, origin)
        if let reason = found.info.unfitness(asImage: isImage, inLayer: isLayer) {
            throw Problem(object, "‘\(path)’ \(reason)", origin: origin)
        }
        try refuseUnknownEffects(options, object, origin)
        let options = try typed(clip: options, setting: property, object, origin)
        let clip = try Clip(
            path: found.path, isImage: isImage, isLayer: isLayer,
            reading: try form.full(clip: options, object, origin), object: object, origin: origin,
            folder: source.folder, mediaDuration: found.info.duration)
        if let track = clip.audioTrack, found.info.choosing(track) == nil {
            throw Problem(object, found.info.refusal(of: track, path: path), origin: origin)
        }
        let range = clip.sourceRange(mediaDuration: found.info.duration)
        if !isImage, range.isEmpty {
            throw Problem(
                object, Clip.emptiness(of: range, "‘\(path)’", lasting: found.info.duration), origin: origin)
        }
        try checkLooks(of: clip, object, origin)
        return clip
    }

    /// A clip whose content a plugin's source makes.
    func readGenerated(
        _ id: String, isLayer: Bool = false, _ options: Value, setting property: String? = nil,
        _ object: String,
        _ origin: Origin
    ) throws -> Clip {
        // First, so that a name that is wrong is said before an option that is.
        try check(PluginEffect(effectID: id), as: [.source], object, origin)
        try refuseUnknownEffects(options, object, origin)
        var options = try typed(clip: options, setting: property, object, origin)
        let own = isLayer ? Layer.generatedOptionNames : Clip.generatedOptionNames
        options = try typed(options, of: id, beside: Set(own), setting: property, object, origin)
        options = try form.full(clip: options, source: id, beside: own, object, origin)
        let clip = try Clip(
            source: id, isLayer: isLayer, reading: options, object: object, origin: origin,
            folder: source.folder)
        if let made = clip.generator { try check(made, as: [.source], object, origin) }
        try checkLooks(of: clip, object, origin)
        return clip
    }

    /// Checks a clip's transition and its own effects.
    func checkLooks(of clip: Clip, _ object: String, _ origin: Origin) throws {
        if let plugin = clip.transition?.plugin {
            try check(plugin, as: [.transition], "\(object), transition", origin)
        }
        for (index, effect) in clip.effects.enumerated() {
            let name = "\(object), effect \(index + 1) (\(effect.kindName))"
            if let reason = clip.refusal(of: effect) { throw Problem(name, reason, origin: origin) }
            try check(effect, name, origin)
        }
    }

    /// Before the model would, because the model does not know the plugins' names.
    func refuseUnknownEffects(_ options: Value, _ object: String, _ origin: Origin) throws {
        guard case .array(let effects)? = options.fields["effects"] else { return }
        for (index, effect) in effects.enumerated() {
            var kind = effect.fields["kind"]?.text
            if case .array(let items) = effect { kind = items.first?.text }
            guard let kind, !Effect.builtInKinds.contains(kind),
                !(try pluginEffects(with: kind).contains { $0.id == kind })
            else { continue }
            throw Problem("\(object), effect \(index + 1)", try unknownEffect(kind), origin: origin)
        }
    }

    func readAudio(
        _ path: String, _ options: Value, setting property: String? = nil, _ object: String, _ origin: Origin
    ) throws -> AudioClip {
        let found = try info(path, object, origin)
        guard found.info.audio != nil else {
            throw Problem(object, "‘\(path)’ has no sound\(found.info.lack(of: .sound))", origin: origin)
        }
        try refuseUnknownEffects(options, object, origin)
        let options = try typed(clip: options, setting: property, object, origin)
        let clip = try AudioClip(
            path: found.path, reading: try form.full(clip: options, object, origin), object: object, origin: origin,
            folder: source.folder)
        for (index, effect) in clip.effects.enumerated() {
            let name = "\(object), effect \(index + 1) (\(effect.kindName))"
            if let reason = effect.unfitnessForAudio { throw Problem(name, reason, origin: origin) }
            try check(effect, as: [.audioFilter], name, origin)
        }
        guard let chosen = found.info.choosing(clip.audioTrack), chosen.audio != nil else {
            throw Problem(
                object, clip.audioTrack.map { found.info.refusal(of: $0, path: path) } ?? "has no sound", origin: origin
            )
        }
        let whole = AudioClip.whole(chosen)
        if let range = clip.range, !whole.contains(range) {
            throw Problem(object, AudioClip.misplacement(of: range, in: whole, of: "‘\(path)’"), origin: origin)
        }
        return clip
    }

    func readEffect(
        _ kind: String, _ options: Value, setting property: String? = nil, _ object: String, _ origin: Origin
    ) throws -> Effect {
        if kind == Effect.layerKind { return try readLayer(nil, options, setting: property, object, origin) }
        if !Effect.builtInKinds.contains(kind), !(try pluginEffects(with: kind).contains { $0.id == kind }) {
            throw Problem(object, try unknownEffect(kind), origin: origin)
        }
        let options = try typed(effect: options, kind, setting: property, "\(object) (\(kind))", origin)
        let full = try form.full(effect: options, kind: kind, object, origin)
        let effect = try Effect(reading: full, object: object, origin: origin, folder: source.folder)
        try check(effect, "\(object) (\(kind))", origin)
        return effect
    }

    /// - Parameters:
    ///   - path: of the layer's file; nil: the content is among the options, as a document has it.
    ///   - nested: the draft that it shows; nil: something else.
    func readLayer(
        _ path: String?, showing nested: NestedDraft? = nil, _ options: Value, setting property: String? = nil,
        _ object: String, _ origin: Origin
    ) throws -> Effect {
        let object = "\(object) (layer)"
        guard options == .null || options.isTable else {
            throw Problem(object, "wants a table of options, but was given \(options.forPeople)", origin: origin)
        }
        var (own, rest) = ([String: Value](), options.fields)
        for key in Layer.optionNames + ["id"] { own[key] = rest.removeValue(forKey: key) }
        rest["kind"] = nil
        let clip =
            try nested.map { try readNested($0, isLayer: true, .object(rest), setting: property, object, origin) }
            ?? readContent(path, rest, setting: property, object, origin)
        guard clip.transition == nil else {
            throw Problem(object, Layer.transitionRefusal, origin: origin)
        }
        let effect = try Effect(
            layer: clip, reading: .object(own), object: object, origin: origin, folder: source.folder)
        if let mask = effect.layer?.mask { try check(mask, "\(object), mask", origin) }
        return effect
    }

    private func check(_ mask: Mask, _ object: String, _ origin: Origin) throws {
        let found: MediaInfo
        do {
            found = try info(mask.path, object, origin).info
        } catch var problem as Problem {
            problem.message += Mask.advice(onMissing: mask.path)
            throw problem
        }
        if found.video == nil { throw Problem(object, "‘\(mask.path)’ has no picture", origin: origin) }
    }

    /// What a layer shows.
    private func readContent(
        _ path: String?, _ options: [String: Value], setting property: String?, _ object: String,
        _ origin: Origin
    ) throws -> Clip {
        var rest = options
        // A file's layer does not have these options, which is reported.
        let given =
            path == nil
            ? Layer.contentNames.compactMap { name in rest.removeValue(forKey: name).map { (name, $0) } }
            : []
        guard given.count <= 1 else {
            throw Problem(
                object, "has ‘\(given[0].0)’ and ‘\(given[1].0)’; a layer shows one of them", origin: origin
            )
        }
        guard let (name, content) = given.first ?? path.map({ ("media", Value.string($0)) }) else {
            let names = Layer.contentNames
            if let key = rest.keys.sorted().first(where: { OtherNames.layerContents.name(for: $0) != nil }) {
                let hint = suggestion(for: key, in: names, otherNames: .layerContents)
                throw Problem(object, "has no option ‘\(key)’\(hint)", origin: origin)
            }
            let isText = rest["text"] != nil
            throw Problem(
                object,
                isText
                    ? "shows no text; draft:add_title(text, …) does, and has a place, a shadow, ‘enter’ and ‘leave’ of its own"
                    : "needs a file, a draft, a ‘color’ or a ‘source’: draft:add_layer(\"a.mp4\", { position = \"top_right\", size = { \"30%\" } })",
                origin: origin)
        }
        guard let text = content.text else {
            throw Problem(object, "‘\(name)’ is \(content.forPeople), but must be a text", origin: origin)
        }
        switch name {
        case "source":
            return try readGenerated(
                text, isLayer: true, .object(rest), setting: property, object, origin)
        case "color":
            try refuseUnknownEffects(.object(rest), object, origin)
            let typed = try typed(clip: .object(rest), setting: property, object, origin)
            let clip = try Clip(
                color: try Color(reading: text, object, origin),
                reading: try form.full(clip: typed, object, origin),
                object: object, origin: origin, folder: source.folder)
            try checkLooks(of: clip, object, origin)
            return clip
        default:
            let isImage = try info(text, object, origin).info.kind == .image
            return try readClip(
                text, isImage: isImage, isLayer: true, .object(rest), setting: property, object, origin)
        }
    }

    /// Reads what a script writes of plugins, with what has been asked of them so far.
    var form: ShortForm { ShortForm(catalog.effects) }

    /// An entry's name in messages: `clip 2 (opening)`, `effect 1 (lut)`.
    /// - Parameter index: from 0.
    static func name(_ list: ListName, _ index: Int, id: String?) -> String {
        "\(list.singular) \(index + 1)\(id.map { " (\($0))" } ?? "")"
    }

    func name(of item: Item, _ list: ListName, in draft: Int) -> String {
        let index = drafts[draft].contents[list].place(ofKey: item.key) ?? 0
        if case .effect(let effect) = item.element {
            return "effect \(index + 1) (\(effect.id.map { "\($0), " } ?? "")\(effect.kindName))"
        }
        return Self.name(list, index, id: item.id)
    }
}
