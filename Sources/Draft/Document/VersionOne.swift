import Values

/// A document of version 1, which has plugins' entries in the short form: see ``ShortForm``.
struct VersionOne {
    let tree: Value

    /// The ids of the plugin effects that the document names, each once. ``upgraded(_:_:)`` needs
    /// their descriptors.
    var pluginIDs: [String] {
        var ids: [String] = []
        func note(_ kind: Value?) {
            if case .string(let id)? = kind, id.contains(".") { ids.append(id) }
        }
        func note(source: Value?) { if case .string(let id)? = source { ids.append(id) } }
        func note(listOf entries: Value?) {
            for entry in entries?.items ?? [] { note(entry.items.first ?? entry.fields["kind"]) }
        }
        for clip in tree.fields["clips"]?.items ?? [] {
            note(source: clip.fields["source"])
            let transition = clip.fields["transition"]
            note(transition?.items.first ?? transition?.fields["kind"])
            note(listOf: clip.fields["effects"])
        }
        for clip in tree.fields["audio"]?.items ?? [] { note(listOf: clip.fields["effects"]) }
        note(listOf: tree.fields["effects"])
        var seen = Set<String>()
        return ids.filter { seen.insert($0).inserted }
    }

    /// The same document in version 2. Values of a wrong type stay: the reader of version 2 reports
    /// them.
    /// - Parameter plugins: what is known of ``pluginIDs``. Where one is not there, its entry is a
    ///   filter, which validation refuses.
    func upgraded(_ plugins: [EffectDescriptor], _ origin: Origin) throws(Problem) -> Value {
        let form = ShortForm(plugins)
        var fields = tree.fields
        fields["cutroom"] = .number(2)
        try fields.change("clips") { (clip, index) throws(Problem) in
            let object = "clip \(index + 1)"
            guard case .string(let source)? = clip.fields["source"] else {
                return try form.full(clip: clip, object, origin)
            }
            // Everything else beside the options is a parameter, which may be called ‘media’.
            var options = clip.fields
            options["source"] = nil
            let full = try form.full(clip: .object(options), source: source, object, origin)
            return .object(full.fields.merging(["source": .string(source)]) { $1 })
        }
        try fields.change("audio") { (clip, index) throws(Problem) in
            try form.full(clip: clip, "audio \(index + 1)", origin)
        }
        try fields.change("effects") { (effect, index) throws(Problem) in
            try form.full(effect: effect, "effect \(index + 1)", origin)
        }
        return .object(fields)
    }
}

extension [String: Value] {
    /// Changes every entry of a list; a value that is none stays.
    fileprivate mutating func change(
        _ key: String, _ body: (Value, Int) throws(Problem) -> Value
    ) throws(Problem) {
        guard case .array(var items)? = self[key] else { return }
        for index in items.indices { items[index] = try body(items[index], index) }
        self[key] = .array(items)
    }
}
