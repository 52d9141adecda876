import Values

extension AudioClip {
    /// - Parameters:
    ///   - path: absolute.
    ///   - value: the options in the full form: see ``ShortForm``.
    ///   - folder: where relative paths start; nil: there are none.
    public init(
        path: String, reading value: Value, object: String, origin: Origin? = nil, folder: String?
    ) throws(Problem) {
        var fields = try FieldReader(value, object: object, origin: origin, folder: folder)
        self.init(path: path)
        self.origin = origin
        try Self.options.read(&self, from: &fields)
        try fields.finish(otherNames: .audio)
    }

    /// The options that would make this clip again, without its path, in the full form.
    /// - Parameter folder: where relative paths are to start; nil: paths are absolute.
    public func value(in folder: String? = nil) -> Value {
        var writer = FieldWriter(folder: folder)
        Self.options.write(self, to: &writer)
        return writer.value
    }
}
