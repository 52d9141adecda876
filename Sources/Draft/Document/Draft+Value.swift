import Delivery
import Values

/// The draft as a tree: versioned, in one stable form. Equal drafts are equal trees. Paths are
/// relative to the document's folder where they lie below it or beside it.
extension Draft {
    /// Clips, audio clips or effects that one draft holds.
    public static let maximumEntries = 100_000

    /// The document's text.
    /// - Parameter folder: the absolute folder that the document is (to be) in.
    public func document(in folder: String) -> String {
        var fields = tree(in: folder).fields
        fields["cutroom"] = .number(Double(DraftDocument.version))
        return Value.object(fields).json
    }

    /// What a document says of the draft, or of one that lies in another.
    /// - Parameter folder: where relative paths are to start; nil: paths are absolute.
    func tree(in folder: String?) -> Value {
        var writer = FieldWriter(folder: folder)
        var canvas = FieldWriter()
        self.canvas.write(to: &canvas)
        if !canvas.fields.isEmpty { writer.put("canvas", canvas.value) }
        DraftOptions.options.write(DraftOptions(self), to: &writer)
        writer.put("clips", .array(clips.map { $0.documentItem(in: folder) }))
        if !audio.isEmpty { writer.put("audio", .array(audio.map { $0.documentItem(in: folder) })) }
        if !effects.isEmpty { writer.put("effects", .array(effects.map { $0.value(in: folder) })) }
        if export != ExportSettings() { writer.put("export", export.value) }
        return writer.value
    }

    /// - Parameters:
    ///   - tree: of the version that is written.
    ///   - folder: the absolute folder that relative paths start from; nil: there are none.
    ///   - level: how many drafts it lies in.
    /// - Throws: what is wrong, the first thing of each entry.
    init(reading tree: Value, origin: Origin, folder: String?, level: Int = 0) throws(Problems) {
        self.init()
        self.origin = origin
        var problems: [Problem] = []
        func collecting(_ read: () throws(Problem) -> Void) {
            do throws(Problem) { try read() } catch { problems.append(error) }
        }
        collecting { () throws(Problem) in
            var fields = try FieldReader(tree, object: "document", origin: origin)
            if level == 0 { _ = fields.value("cutroom") }
            collecting { () throws(Problem) in
                var canvas = try FieldReader(fields.value("canvas") ?? .null, object: "canvas", origin: origin)
                self.canvas = try Canvas(reading: &canvas)
                try canvas.finish()
            }
            collecting { () throws(Problem) in take(try DraftOptions(reading: &fields, origin: origin), origin) }
            func entries(_ key: String, _ read: (Value, Int) throws(Problem) -> Void) {
                collecting { () throws(Problem) in
                    let items = try fields.list(key) ?? []
                    guard items.count <= Self.maximumEntries else {
                        throw Problem("document", "a draft holds at most \(Self.maximumEntries) \(key)", origin: origin)
                    }
                    for (index, item) in items.enumerated() {
                        guard problems.count < TimelineBuilder.mostProblems else {
                            let rest =
                                index == items.count - 1 ? "one more entry" : "\(items.count - index) more entries"
                            throw Problem(
                                "document",
                                "\(rest) of ‘\(key)’ were not looked at; mend the first "
                                    + "\(TimelineBuilder.mostProblems) problems", origin: origin)
                        }
                        collecting { () throws(Problem) in try read(item, index + 1) }
                    }
                }
            }
            entries("clips") { (item, number) throws(Problem) in
                clips.append(
                    try Clip(
                        documentItem: item, object: "clip \(number)", origin: origin, folder: folder, level: level))
            }
            entries("audio") { (item, number) throws(Problem) in
                audio.append(
                    try AudioClip(documentItem: item, object: "audio \(number)", origin: origin, folder: folder))
            }
            entries("effects") { (item, number) throws(Problem) in
                effects.append(
                    try Effect(
                        reading: item, object: "effect \(number)", origin: origin, folder: folder, level: level))
            }
            collecting { () throws(Problem) in
                guard let value = fields.value("export") else { return }
                export = try ExportSettings(reading: value, origin: origin)
                exportOrigin = origin
            }
            backgroundOrigin = origin
            try fields.finish()
        }
        guard problems.isEmpty else { throw Problems(problems) }
    }
}

extension Draft {
    public mutating func take(_ options: DraftOptions, _ origin: Origin?) {
        timeRange = options.timeRange
        timeRangeOrigin = timeRange.flatMap { _ in origin }
        backgroundDuration = options.backgroundDuration
        backgroundDurationOrigin = backgroundDuration.flatMap { _ in origin }
        loudness = options.loudness
    }
}

extension Clip {
    fileprivate init(
        documentItem: Value, object: String, origin: Origin, folder: String?, level: Int
    ) throws(Problem) {
        guard case .object(var table) = documentItem else {
            throw Problem(object, "is \(documentItem.kindName), but must be a table", origin: origin)
        }
        if let tree = table.removeValue(forKey: NestedDraft.key) {
            try NestedDraft.refuseFiles(beside: table, object, origin)
            let nested = try NestedDraft(reading: tree, object: object, origin: origin, folder: folder, level: level)
            try self.init(nested, reading: .object(table), object: object, origin: origin, folder: folder)
            return
        }
        let (media, image) = (table.removeValue(forKey: "media"), table.removeValue(forKey: "image"))
        let source = table.removeValue(forKey: "source")
        switch (media, image, source) {
        case (.string(let path)?, nil, nil), (nil, .string(let path)?, nil):
            if let reason = urlRefusal(path) { throw Problem(object, reason, origin: origin) }
            try self.init(
                path: folder.map { absolutePath(path, in: $0) } ?? path, isImage: image != nil, reading: .object(table),
                object: object,
                origin: origin, folder: folder)
        case (nil, nil, .string(let id)?):
            try self.init(source: id, reading: .object(table), object: object, origin: origin, folder: folder)
        default:
            throw Problem(
                object,
                "needs either ‘media’ or ‘image’, the path of its file, or ‘source’, the id of what makes it, or ‘draft’",
                origin: origin)
        }
    }

    fileprivate func documentItem(in folder: String?) -> Value {
        var fields = value(in: folder).fields
        if let nested {
            fields[NestedDraft.key] = nested.draft.tree(in: folder)
        } else if let generator {
            fields["source"] = .string(generator.effectID)
        } else {
            fields[isImage ? "image" : "media"] = .string(folder.map { relativePath(path, to: $0) } ?? path)
        }
        return .object(fields)
    }
}

extension AudioClip {
    fileprivate init(documentItem: Value, object: String, origin: Origin, folder: String?) throws(Problem) {
        guard case .object(var table) = documentItem, case .string(let path)? = table.removeValue(forKey: "media")
        else {
            throw Problem(object, "needs ‘media’, the path of its file", origin: origin)
        }
        if let reason = urlRefusal(path) { throw Problem(object, reason, origin: origin) }
        try self.init(
            path: folder.map { absolutePath(path, in: $0) } ?? path, reading: .object(table), object: object,
            origin: origin, folder: folder)
    }

    fileprivate func documentItem(in folder: String?) -> Value {
        var fields = value(in: folder).fields
        fields["media"] = .string(folder.map { relativePath(path, to: $0) } ?? path)
        return .object(fields)
    }
}
