/// Problems of a title's motion, and warnings about it.
extension TimelineBuilder {
    mutating func checkMotion(_ title: Title, _ object: String, _ entry: Effect) {
        if let path = title.path {
            check(path.scale, "scale", 0.001...1000, object, entry.origin(of: "scale"))
            check(path.rotation, "rotation", -1e9...1e9, object, entry.origin(of: "rotation"))
            if let position = path.position,
                position.keyValues.contains(where: { ![2, 4].contains($0.count) || !$0.allSatisfy(\.isFinite) })
            {
                report(object, "‘position’ must be two numbers at all times", entry.origin(of: "position"))
            }
        }
        guard let range = entry.range?.duration else { return }
        let both = (title.enter?.duration ?? .zero) + (title.leave?.duration ?? .zero)
        if both > range {
            warn(
                object,
                "enters and leaves in \(both.forPeople) s, but is shown for \(range.forPeople) s; it never rests",
                entry.origin(of: "enter", "leave"))
        }
    }
}
