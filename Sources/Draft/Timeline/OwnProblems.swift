import Values

/// What is wrong with an object by itself, with its files and its plugins, whatever draft it is in.
extension Clip {
    /// - Parameter object: its name in problems.
    public func problems(_ object: String, _ catalog: Catalog) -> [Problem] {
        var builder = TimelineBuilder(Draft(), catalog)
        _ = builder.check(self, object)
        return builder.reported
    }
}

extension AudioClip {
    /// - Parameter object: its name in problems.
    public func problems(_ object: String, _ catalog: Catalog) -> [Problem] {
        var builder = TimelineBuilder(Draft(), catalog)
        _ = builder.check(self, 0, object)
        return builder.reported
    }
}

extension Effect {
    /// - Parameter object: its name in problems.
    public func problems(_ object: String, _ catalog: Catalog) -> [Problem] {
        var builder = TimelineBuilder(Draft(), catalog)
        _ = builder.check(self, object)
        return builder.reported
    }
}
