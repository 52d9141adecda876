import Delivery
import Draft
import Foundation
import Values

/// Making drafts, and a draft's own properties.
extension Session {
    /// How long an image is shown that a list names without a duration.
    static let imageDuration: Value = 3

    // MARK: Making

    /// `cutroom.draft { options }`, `cutroom.draft("a.mp4", { options })`, `cutroom.draft({
    /// "a.mp4", "photo.jpg" }, { options })`.
    func makeDraft(_ call: LuaCall) throws -> Value {
        var media: [Value] = []
        var options = call.argument(1)
        switch call.argument(0) {
        case .string: media = [call.argument(0)]
        case .array(let items): media = items
        case .object where Self.draftNumber(call.argument(0)) != nil: media = [call.argument(0)]
        case .object, .null:
            guard options == .null else {
                throw call.error("the first argument is the media: a path or a list of paths")
            }
            options = call.argument(0)
        default:
            throw call.error(
                "cutroom.draft wants options, a path or a list of paths, but was given \(call.argument(0).forPeople)")
        }
        guard drafts.count < Self.maximumDrafts else {
            throw ScriptError(.limit, "a script makes at most \(Self.maximumDrafts) drafts", at: call.origin)
        }
        var state = DraftState()
        var fields = try FieldReader(options.withFrameRate, object: "draft", origin: call.origin)
        let canvas = try Canvas(reading: &fields)
        let whole = try DraftOptions(reading: &fields, origin: call.origin)
        let export = try fields.value("export").map { value throws(Problem) in
            try ExportSettings(reading: value, origin: call.origin)
        }
        try fields.finish(otherNames: .draftOptions)
        state.change {
            $0.origin = call.origin
            ($0.canvas, $0.backgroundOrigin) = (canvas, call.origin)
            $0.take(whole, call.origin)
            $0.export = export ?? ExportSettings()
            $0.exportOrigin = export.map { _ in call.origin }
        }
        drafts.append(state)
        let draft = drafts.count - 1
        for (index, item) in media.enumerated() {
            let clip = try self.clip(ofListItem: item, "clip \(index + 1)", call)
            try refuseProblems(.clip(clip), "clip \(index + 1)", call)
            try spend(item.cost, call)
            let entry = Item(key: newKey(), element: .clip(clip), cost: item.cost)
            try refuseTakenID(entry, .clips, draft, call)
            drafts[draft].change { $0[.clips].append(entry) }
        }
        return .number(draft)
    }

    /// A path, `{ path, options }`, or a clip's options with its path as `media` or `image`, or the
    /// id of what makes it as `source`.
    private func clip(ofListItem item: Value, _ object: String, _ call: LuaCall) throws -> Clip {
        if let nested = try nested(item, in: nil, object, call) {
            return try readNested(nested, .object([:]), object, call.origin)
        }
        switch item {
        case .string(let path): return try clip(path, [:], object, call)
        case .array(let parts) where (1...2).contains(parts.count):
            if let nested = try nested(parts[0], in: nil, object, call), parts.count == 1 || parts[1].isTable {
                return try readNested(nested, parts.count == 2 ? parts[1] : .object([:]), object, call.origin)
            }
            guard let path = parts[0].text, parts.count == 1 || parts[1].isTable else { break }
            return try clip(path, parts.count == 2 ? parts[1].fields : [:], object, call)
        default: break
        }
        var fields = item.fields
        if let value = fields["draft"], let nested = try nested(value, in: nil, object, call) {
            fields["draft"] = nil
            return try readNested(nested, .object(fields), object, call.origin)
        }
        if case .string(let id)? = fields.removeValue(forKey: "source") {
            // Here ‘media’ and ‘image’ are parameters.
            return try readGenerated(id, .object(fields), object, call.origin)
        }
        if case .object = item, fields["media"] == nil, fields["image"] == nil, item.fields["source"] == nil {
            let path = ["path", "file", "filename", "src", "url", "video", "clip"].first { fields[$0]?.text != nil }
            let hint =
                path.map { "did you mean it by ‘\($0)’?" }
                ?? "a clip with options has braces of its own, cutroom.draft({ { \"a.mp4\", range = … } }), and a draft's options come after the list: cutroom.draft({ … }, { fps = 30 })"
            throw Problem(
                object,
                path == nil ? "has neither ‘media’ nor ‘image’ nor ‘source’; \(hint)" : "has no ‘media’; \(hint)",
                origin: call.origin)
        }
        switch (fields.removeValue(forKey: "media"), fields.removeValue(forKey: "image")) {
        case (.string(let path)?, nil): return try readClip(path, isImage: false, .object(fields), object, call.origin)
        case (nil, .string(let path)?): return try readClip(path, isImage: true, .object(fields), object, call.origin)
        default:
            throw Problem(
                object,
                "must be a path, { path, options } such as { \"a.mp4\", range = { 0, 3 } }, or a table with ‘media’, ‘image’ or ‘source’",
                origin: call.origin)
        }
    }

    /// A file's clip, an image's among them.
    private func clip(_ path: String, _ options: [String: Value], _ object: String, _ call: LuaCall) throws -> Clip {
        let isImage = try info(path, object, call.origin).info.kind == .image
        let usual: [String: Value] = isImage ? ["duration": Self.imageDuration] : [:]
        return try readClip(
            path, isImage: isImage, .object(options.merging(usual) { given, _ in given }), object, call.origin)
    }

    /// `cutroom.open("edit.cutroom")`.
    func openDocument(_ call: LuaCall) throws -> Value {
        let path = try call.text(0, "a document's path")
        if let reason = urlRefusal(path) { throw call.error(reason) }
        let file = absolutePath(path, in: source.folder)
        environment.reads(file)
        let text: String
        do throws(ScriptError) { text = try ScriptSource.read(file, name: path) } catch {
            throw ScriptError(error.code, error.message, of: "the document ‘\(path)’", at: call.origin)
        }
        guard text.utf8.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") else {
            throw ScriptError(
                .rule, "is not a draft's document, as ‘cutroom save’ writes one; ‘require’ loads a part of a script",
                of: "‘\(path)’", at: call.origin)
        }
        let folder = absolutePath("..", in: file)
        let read = try DraftDocument(Data(text.utf8), file: path, folder: folder)
        for id in read.pluginIDs { _ = try pluginEffects(with: id) }
        let document = try read.draft(catalog.effects)
        for file in document.files { _ = try info(ofNamed: file.path, Origin(file: path), as: file.content) }
        for use in document.uses { try check(use, of: Origin(file: path), call.origin) }
        guard drafts.count < Self.maximumDrafts else {
            throw ScriptError(.limit, "a script makes at most \(Self.maximumDrafts) drafts", at: call.origin)
        }
        try spend(text.utf8.count * 4, call)
        var state = DraftState()
        state.change { contents in
            contents.origin = document.origin
            (contents.canvas, contents.backgroundOrigin) = (document.canvas, document.backgroundOrigin)
            contents.take(document)
            contents.export = document.export
            contents.exportOrigin = document.exportOrigin
            contents[.clips] = ItemList(document.clips.map { Item(key: newKey(), element: .clip($0), cost: 0) })
            contents[.audio] = ItemList(document.audio.map { Item(key: newKey(), element: .audio($0), cost: 0) })
            contents[.effects] = ItemList(document.effects.map { Item(key: newKey(), element: .effect($0), cost: 0) })
        }
        drafts.append(state)
        return .number(drafts.count - 1)
    }

    // MARK: A draft's own properties

    private static let draftProperties =
        Draft.settableNames + ["original_duration"] + ListName.allCases.map(\.rawValue)

    /// The methods that `Prelude+API.swift` gives a draft.
    static let draftMethods = [
        "add_clip", "add_image", "add_source", "add_audio", "add_effect", "add_title", "add_subtitles", "add_layer",
        "clip", "audio_clip", "effect",
        "remove_clip", "move_clip", "remove_audio", "move_audio", "remove_effect", "move_effect", "apply_effects",
        "remove_effects", "validate", "begin", "commit", "cancel", "transaction",
    ]

    /// For a method's name too: Lua asks for it as for a property's.
    private func unknownMember(_ name: String) -> String {
        let hint = suggestion(for: name, in: Self.draftProperties + Self.draftMethods, otherNames: .draft)
        guard hint.isEmpty else { return "has no property or method ‘\(name)’\(hint)" }
        let properties = Self.draftProperties.sorted().joined(separator: ", ")
        let methods = Self.draftMethods.sorted().joined(separator: ", ")
        return "has no property or method ‘\(name)’; there are \(properties), and the methods \(methods)"
    }

    func draftProperty(_ call: LuaCall, _ index: Int) throws -> Value {
        let draft = drafts[index].draft
        switch call.name(1) {
        case "size":
            let size = draft.size(catalog)
            return .array([.number(size.width), .number(size.height)])
        case "fps": return .number(draft.frameRate(catalog).doubleValue)
        case "background": return .string(draft.canvas.background.description)
        case "color": return .string(draft.canvas.color.rawValue)
        case "time_range": return draft.timeRange?.scriptValue ?? .null
        case "loudness": return draft.loudness.integrated.map(Value.number) ?? .null
        case "true_peak": return draft.loudness.truePeak.map(Value.number) ?? .null
        case "export": return draft.export.value
        case "duration": return .number(try known(\.duration, of: index).seconds)
        case "original_duration": return .number(try known(\.originalDuration, of: index).seconds)
        default:
            throw Problem("draft", unknownMember(call.name(1)), origin: call.origin)
        }
    }

    func setDraftProperty(_ call: LuaCall, _ index: Int) throws -> Value {
        let (name, value) = (call.name(1), call.argument(2))
        var contents = drafts[index].contents
        guard Draft.settableNames.contains(name) else {
            let isKnown = Self.draftProperties.contains(name)
            let hint = suggestion(for: name, in: Self.draftProperties, otherNames: .draft)
            let unknown = "has no property ‘\(name)’\(hint)"
            throw Problem("draft", isKnown ? "its ‘\(name)’ can be read, but not set" : unknown, origin: call.origin)
        }
        var fields = try FieldReader(.object([name: value]).withFrameRate, object: "draft", origin: call.origin)
        switch name {
        case "time_range", "duration", "loudness", "true_peak":
            contents.take(try DraftOptions(reading: &fields, origin: call.origin), setting: name, call.origin)
        case "export":
            contents.export = try ExportSettings(reading: value, origin: call.origin)
            contents.exportOrigin = call.origin
        default:
            let canvas = try Canvas(reading: &fields)
            switch name {
            case "size": (contents.canvas.size, contents.canvas.longerSide) = (canvas.size, nil)
            case "fps": contents.canvas.frameRate = canvas.frameRate
            case "color": contents.canvas.color = canvas.color
            default:
                (contents.canvas.wishedBackground, contents.backgroundOrigin) = (canvas.wishedBackground, call.origin)
            }
        }
        drafts[index].change { $0 = contents }
        return .null
    }
}
