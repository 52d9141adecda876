import Values

extension DeclaredOption {
    static func track(
        _ name: String, _ path: WritableKeyPath<Object, TrackChoice?> & Sendable, also: String = "",
        usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .either([.whole(1...10_000), .text]), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in try fields.track(name) }, value: { track, _ in track?.value })
    }

    /// The effects of a clip's own.
    static func effects(
        _ name: String, _ path: WritableKeyPath<Object, [Effect]> & Sendable, also: String = "",
        usually: String? = nil, _ help: String
    ) -> DeclaredOption {
        part(
            name, .list(.reference("effect")), path, also: also, usually: usually, help,
            read: { (fields, name) throws(Problem) in
                guard let list = try fields.list(name) else { return nil }
                var effects: [Effect] = []
                for (index, item) in list.enumerated() {
                    effects.append(
                        try Effect(
                            readingOwn: item, object: "\(fields.object), effect \(index + 1)", origin: fields.origin,
                            folder: fields.folder))
                }
                return effects
            }, value: { effects, writer in .array(effects.map { $0.value(in: writer.folder) }) })
    }
}
