import Foundation

/// The draft's document: versioned JSON in one stable form. Equal drafts are equal bytes. Paths are relative to the
/// document's folder where they lie below it or beside it.
extension Draft {
    public static let documentVersion = 1

    /// The document's text.
    /// - Parameter folder: the absolute folder that the document is (to be) in.
    public func document(in folder: String) -> String {
        var writer = FieldWriter()
        writer.put("cutroom", Draft.documentVersion)
        var canvas = FieldWriter()
        self.canvas.write(to: &canvas)
        if !canvas.fields.isEmpty { writer.put("canvas", canvas.value) }
        writer.put("time_range", timeRange)
        var draft = self
        draft.changeEffects { $0.mapFiles { relativePath($0, to: folder) } }
        writer.put(
            "clips",
            .array(
                draft.clips.map { clip in
                    var fields = clip.value.object
                    if let source = clip.generator {
                        fields["source"] = .string(source.effectID)
                    } else {
                        fields[clip.isImage ? "image" : "media"] = .string(relativePath(clip.path, to: folder))
                    }
                    return .object(fields)
                }))
        if !audio.isEmpty {
            writer.put(
                "audio",
                .array(
                    draft.audio.map { clip in
                        var fields = clip.value.object
                        fields["media"] = .string(relativePath(clip.path, to: folder))
                        return .object(fields)
                    }))
        }
        if !effects.isEmpty { writer.put("effects", .array(draft.effects.map(\.value))) }
        if export != ExportSettings() { writer.put("export", export.value) }
        return writer.value.json
    }

    /// Reads a document. Which parameters of plugins are files, only their descriptors tell: see ``EffectHolder/resolveFiles(in:_:)``.
    /// So do they which entries are overlays: ``EffectHolder/pluginEffects`` of what is read without them says whose to ask for.
    /// - Parameters:
    ///   - file: the document's path, for messages.
    ///   - folder: the absolute folder that relative paths start from.
    ///   - plugins: what is known of them.
    public init(document: Data, file: String, folder: String, plugins: [EffectDescriptor] = []) throws(Problem) {
        let origin = Origin(file: file)
        var fields = try FieldReader(try Value(json: document, file: file), object: "document", origin: origin)
        guard let version = try fields.int("cutroom") else {
            throw fields.problem("has no ‘cutroom’ version, so it is not a draft's document")
        }
        guard version == Draft.documentVersion else {
            throw fields.problem("is of version \(version), but this Cutroom reads version \(Draft.documentVersion)")
        }
        var canvas = try FieldReader(fields.value("canvas") ?? .null, object: "canvas", origin: origin)
        self.init(canvas: try Canvas(reading: &canvas))
        try canvas.finish()
        timeRange = try fields.range("time_range")
        timeRangeOrigin = timeRange.map { _ in origin }
        for (index, item) in (try fields.list("clips") ?? []).enumerated() {
            let object = "clip \(index + 1)"
            clips.append(try Clip(documentItem: item, object: object, origin: origin, folder: folder, plugins: plugins))
        }
        for (index, item) in (try fields.list("audio") ?? []).enumerated() {
            let object = "audio \(index + 1)"
            guard case .object(var table) = item, case .string(let path)? = table.removeValue(forKey: "media") else {
                throw Problem(object, "needs ‘media’, the path of its file", origin: origin)
            }
            audio.append(
                try AudioClip(
                    path: absolutePath(path, in: folder), reading: .object(table), object: object, origin: origin,
                    plugins: plugins))
        }
        for (index, item) in (try fields.list("effects") ?? []).enumerated() {
            effects.append(try Effect(reading: item, object: "effect \(index + 1)", origin: origin, plugins: plugins))
        }
        if let value = fields.value("export") { export = try ExportSettings(reading: value, origin: origin) }
        try fields.finish()
        resolveFiles(in: folder, plugins)
    }
}

extension Clip {
    fileprivate init(
        documentItem: Value, object: String, origin: Origin, folder: String, plugins: [EffectDescriptor]
    ) throws(Problem) {
        guard case .object(var table) = documentItem else {
            throw Problem(object, "is \(documentItem.kindName), but must be a table", origin: origin)
        }
        if case .string(let id)? = table.removeValue(forKey: "source") {
            // Here ‘media’ and ‘image’ are parameters.
            try self.init(source: id, reading: .object(table), object: object, origin: origin, plugins: plugins)
            return
        }
        let (media, image) = (table.removeValue(forKey: "media"), table.removeValue(forKey: "image"))
        switch (media, image) {
        case (.string(let path)?, nil), (nil, .string(let path)?):
            try self.init(
                path: absolutePath(path, in: folder), isImage: image != nil, reading: .object(table), object: object,
                origin: origin, plugins: plugins)
        default:
            throw Problem(
                object, "needs either ‘media’ or ‘image’, the path of its file, or ‘source’, the id of what makes it",
                origin: origin)
        }
    }
}

extension Value {
    fileprivate var object: [String: Value] { if case .object(let fields) = self { fields } else { [:] } }
}

/// `path` seen from `folder` (both absolute) where it lies below it or in a folder beside it; else as it is.
func relativePath(_ path: String, to folder: String) -> String {
    let target = path.split(separator: "/")
    let base = folder.split(separator: "/")
    guard path.hasPrefix("/"), !target.isEmpty else { return path }
    let common = zip(target, base).prefix { $0 == $1 }.count
    guard base.count - common <= 1, common > 0 || base.isEmpty else { return path }
    let up = Array(repeating: "..", count: base.count - common)
    return (up + target[common...].map(String.init)).joined(separator: "/")
}

/// `path` as an absolute one, `.` and `..` taken out; relative paths start at `folder`.
public func absolutePath(_ path: String, in folder: String) -> String {
    var parts: [Substring] = []
    for part in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") {
        switch part {
        case ".": break
        case "..": _ = parts.popLast()
        default: parts.append(part)
        }
    }
    return "/" + parts.joined(separator: "/")
}
